// Updates that are one launch: which steps are joined, in what order they run, and that new values stay right when
// variables are updated from each other, are of one element or of none, or are divided among threads.
#include <kroton/debug/verify.hpp>
#include <kroton/kroton.hpp>

#include <doctest/doctest.h>

namespace kt = kroton;

namespace {

constexpr struct batch : kt::dim<batch> {} batch;
constexpr struct rows : kt::dim<rows> {} rows;

/// What the steps of a function are.
struct found_steps {
  int launches = 0, joined = 0, segments = 0;
  bool operator==(const found_steps&) const = default;
};
template <auto Member>
constexpr found_steps steps_of() {
  constexpr const auto& program = decltype(kt::stats<Member>())::code::value;
  found_steps found{program.size.steps};
  for (int s = 0; s < program.size.steps; ++s)
    if (program.steps[s].segments > 1) ++found.joined, found.segments += program.steps[s].segments;
  return found;
}

template <class Optimiser>
struct network : kt::model {
  kt::shared<float, 64, 128> W1{this, "W1", kt::init::glorot_uniform};
  kt::shared<float, 128> b1{this, "b1", kt::init::uniform(-1, 1)};
  kt::shared<float, 128, 10> W2{this, "W2", kt::init::glorot_uniform};
  kt::shared<float, 10> b2{this, "b2", kt::init::uniform(-1, 1)};
  Optimiser optimiser{this};
  constexpr auto train(kt::var<float, batch, 64> x, kt::var<int, batch> label) const {
    const auto cost = kt::mean(kt::nn::cross_entropy(kt::dot(kt::relu(kt::dot(x, W1) + b1), W2) + b2, label));
    return kt::outputs(cost).updates(optimiser(cost, parameters(), 0.1));
  }
};
// five products; bias and relu; softmax; cost; sums for b2; mask and sums for b1; what counts steps; all updates
static_assert(steps_of<&network<kt::optim::adam>::train>() == found_steps{12, 1, 4});
static_assert(steps_of<&network<kt::optim::lion>::train>() == found_steps{11, 1, 4});
// products and sums compute the new values, so that no update has a launch of its own
static_assert(steps_of<&network<kt::optim::sgd>::train>() == found_steps{10, 0, 0});

/// Parameters of no element, of one, of a few, and of enough for two threads.
struct extremes : kt::model {
  kt::shared<float> one{this, "one", kt::init::constant(0.5)};
  kt::shared<float, 1, 1> ones{this, "ones", kt::init::constant(-0.5)};
  kt::shared<float, rows> open{this, "open", kt::init::uniform(-1, 1)};
  kt::shared<float, 701, 997> large{this, "large", kt::init::uniform(-1, 1)};
  kt::optim::momentum optimiser{this};
  constexpr auto train(kt::var<float, rows> y, kt::var<float, 701> z) const {
    const auto cost = one * kt::sum(ones) + kt::sum(open * y) + kt::sum(kt::dot(z, large));
    return kt::outputs(cost).updates(optimiser(cost, parameters(), 0.01));
  }
};

void check_extremes(std::int64_t open) {
  kt::session<extremes> one(kt::context::host(1), kt::seed{4}), two(kt::context::host(2), kt::seed{4});
  one.resize(rows(open)), two.resize(rows(open));
  auto train = one.compile<&extremes::train>(), other = two.compile<&extremes::train>();
  kt::tensor<float, 1> y({open}), z({701});
  float next = 0;
  for (float& v : y) v = std::cos(next += 1);
  for (float& v : z) v = std::sin(next += 1);
  for (int step = 0; step < 3; ++step) {
    const kt::debug::comparison found = kt::debug::verify(train, kt::debug::tolerance{1e-3}, y, z);
    CAPTURE(step);
    CAPTURE(found.where);
    CHECK(found.ok);
    other(y, z);
  }
  const auto same = [&]<auto Variable>() {
    const auto a = one.values<Variable>(), b = two.values<Variable>();
    CHECK(std::equal(a.begin(), a.end(), b.begin(), b.end()));
  };
  same.template operator()<&extremes::large>();
  same.template operator()<&extremes::open>();
}

/// Variables whose new values are of one kernel, and read each other's old ones.
struct exchanged : kt::model {
  kt::shared<float, 4> a{this, "a", kt::init::constant(1)};
  kt::shared<float, 2, 3> b{this, "b", kt::init::constant(2)};
  kt::shared<float, 4> c{this, "c", kt::init::constant(3)};
  kt::state<int, 2> which{this, "which", kt::init::constant(0)};
  kt::state<int> count{this, "count", kt::init::zeros};
  constexpr auto rotate() const {
    return kt::updates(kt::update(a, c * 2), kt::update(b, b * 2), kt::update(c, a * 2));
  }
  constexpr auto slices(kt::var<float, 9> x) const {
    return kt::updates(kt::update(a, kt::exp(x[kt::rows<1, 5>()])), kt::update(c, kt::exp(x[kt::rows<5, 9>()])));
  }
  constexpr auto strided(kt::var<float, 9> x) const {
    return kt::updates(kt::update(a, kt::exp(kt::reshape<4, 2>(x[kt::rows<0, 8>()])[kt::at(kt::all, 0)])),
                       kt::update(c, kt::exp(kt::reshape<4, 2>(x[kt::rows<1, 9>()])[kt::at(kt::all, 0)])));
  }
  constexpr auto counted() const {
    const auto weight = 2 - kt::cast<float>(count);
    return kt::updates(kt::update(count, count + 1), kt::update(a, a * weight), kt::update(b, b * weight));
  }
  constexpr auto with_output() const {
    const auto doubled = a * 2;
    return kt::outputs(doubled).updates(kt::update(a, doubled), kt::update(b, b * 2), kt::update(c, c * 2));
  }
  constexpr auto looked_up(kt::var<float, 3> x) const {
    const auto next = which + 1;
    return kt::outputs(kt::take(x, next)).updates(kt::update(which, next), kt::update(count, count + 1));
  }
};
static_assert(steps_of<&exchanged::rotate>() == found_steps{1, 1, 3});
static_assert(steps_of<&exchanged::slices>() == found_steps{1, 1, 2});
static_assert(steps_of<&exchanged::strided>() == found_steps{2, 0, 0});
static_assert(steps_of<&exchanged::counted>() == found_steps{2, 1, 2});
static_assert(steps_of<&exchanged::with_output>() == found_steps{2, 1, 2});
static_assert(steps_of<&exchanged::looked_up>().joined == 0);
// a and c are kept aside until both are read, b is written in place
static_assert(kt::peak_bytes<&exchanged::rotate>() == 2 * 64);
static_assert(kt::peak_bytes<&exchanged::slices>() == 0);
// the count is written in place, after the others have read it
static_assert(kt::peak_bytes<&exchanged::counted>() == 0);
static_assert(kt::stats<&exchanged::rotate>().bytes() == 2 * (4 + 6 + 4) * 4);
static_assert(kt::stats<&exchanged::rotate>().flops() == 4 + 6 + 4);

}  // namespace

TEST_CASE("joined steps: parameters of any size are right, with the same bits for one thread and two") {
  check_extremes(13);
  check_extremes(0);
}

TEST_CASE("joined steps: new values of variables that read each other") {
  kt::session<exchanged> session(kt::context::host());
  const auto all_are = [](const auto& values, float wanted) {
    for (const float v : values)
      if (v != wanted) return false;
    return true;
  };
  const auto is = [&](float a, float b, float c) {
    CHECK(all_are(session.values<&exchanged::a>(), a));
    CHECK(all_are(session.values<&exchanged::b>(), b));
    CHECK(all_are(session.values<&exchanged::c>(), c));
  };
  auto rotate = session.compile<&exchanged::rotate>();
  rotate();
  is(6, 4, 2);
  rotate();
  is(4, 8, 12);
  auto with_output = session.compile<&exchanged::with_output>();
  CHECK(all_are(with_output(), 8));
  is(8, 16, 24);
  auto counted = session.compile<&exchanged::counted>();
  counted();
  is(16, 32, 24);
  counted();
  is(16, 32, 24);
  CHECK(session.values<&exchanged::count>()[0] == 2);
  const kt::tensor<float, 1> y({9}, {0, 1, 2, 3, 4, 5, 6, 7, 8});
  session.compile<&exchanged::slices>()(y);
  CHECK(session.values<&exchanged::a>()[3] == doctest::Approx(std::exp(4.0)));
  CHECK(session.values<&exchanged::c>()[0] == doctest::Approx(std::exp(5.0)));
  session.compile<&exchanged::strided>()(y);
  CHECK(session.values<&exchanged::a>()[1] == doctest::Approx(std::exp(2.0)));
  CHECK(session.values<&exchanged::c>()[1] == doctest::Approx(std::exp(3.0)));
  auto looked_up = session.compile<&exchanged::looked_up>();
  const kt::tensor<float, 1> table({3}, {5, 6, 7});
  CHECK(looked_up(table)(0) == 6);
  CHECK(looked_up(table)(1) == 7);
  CHECK_THROWS_AS(looked_up(table), kt::index_error);
  CHECK(session.values<&exchanged::which>()[0] == 2);
  CHECK(session.values<&exchanged::count>()[0] == 4);
}
