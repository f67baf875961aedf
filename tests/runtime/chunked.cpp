// Functions divided along a dimension: the same results as whole, in less memory, and what cannot be divided.
#include <kroton/kroton.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace kt = kroton;

namespace {

constexpr struct batch : kt::dim<batch> {
} batch;
constexpr struct width : kt::dim<width> {
} width;

template <class T>
std::vector<T> ramp(std::size_t count, T scale = T(1)) {
  std::vector<T> v(count);
  for (std::size_t i = 0; i < count; ++i) v[i] = static_cast<T>(static_cast<double>(scale) * (static_cast<double>(i * 37 % 101) / 50 - 1));
  return v;
}

template <class T, int Rank>
bool is_close(const kt::tensor<T, Rank>& x, const kt::tensor<T, Rank>& y, double accepted) {
  if (x.extents() != y.extents()) return false;
  for (std::int64_t i = 0; i < x.size(); ++i) {
    const double a = static_cast<double>(x.data()[i]), b = static_cast<double>(y.data()[i]);
    if (!(std::abs(a - b) <= accepted * (1 + std::abs(b))) && !(a == b) && !(std::isnan(a) && std::isnan(b))) return false;
  }
  return true;
}
template <class T, int Rank>
void compare_output(const kt::tensor<T, Rank>& found, const kt::tensor<T, Rank>& expected, double accepted) {
  CHECK(is_close(found, expected, accepted));
}
template <class... Out>
void compare_output(const std::tuple<Out...>& found, const std::tuple<Out...>& expected, double accepted) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (compare_output(std::get<I>(found), std::get<I>(expected), accepted), ...);
  }(std::index_sequence_for<Out...>());
}
/// Compares what a divided function returns with what the whole one does.
template <class Whole, class Chunked, class... X>
void compare(Whole& whole, Chunked& pieces, double accepted, const X&... x) {
  compare_output(pieces(x...), whole(x...), accepted);
}

/// The name of the operation that keeps a function from being divided.
template <class Function>
constexpr std::string_view in_the_way(const kt::compiled_function<Function>&) {
  constexpr kt::chunk_problem problem = kt::chunk_facts<kt::captured<Function>, kt::code_of<std::remove_const_t<decltype(batch)>>>::known.problem;
  return problem.is_axis() ? "axis" : problem.operation == nullptr ? "" : problem.operation;
}

TEST_CASE("chunked: what stands in the way is named") {
  using matrix = kt::var<float, batch, 4>;
  CHECK(in_the_way(kt::function([](matrix x) { return x - 1; })) == "");
  CHECK(in_the_way(kt::function([](matrix x) { return x - kt::mean(x, kt::axis<0>); })) == "sum");
  CHECK(in_the_way(kt::function([](matrix x) { return x / kt::max(x); })) == "max");
  CHECK(in_the_way(kt::function([](matrix x) { return kt::dot(x, kt::transpose(x)); })) == "dot");
  CHECK(in_the_way(kt::function([](matrix x) { return kt::argmax(x, kt::axis<0>); })) == "argmax");
  CHECK(in_the_way(kt::function([](matrix x) { return kt::sum(x[kt::rows(1, kt::end)]); })) == "slice");
  CHECK(in_the_way(kt::function([](matrix x) { return kt::concatenate(kt::axis<0>, x, x); })) == "concatenate");
  CHECK(in_the_way(kt::function([](matrix x, kt::var<int, 3> i) { return kt::take(x, i); })) == "take");
  CHECK(in_the_way(kt::function([](kt::var<float, batch> x, kt::var<float, kt::any> y) { return x + y; })) == "add");
  CHECK(in_the_way(kt::function([](kt::var<float, kt::any, 4> x) { return kt::assume_shape<batch, 4>(x) + 1; })) != "");
  CHECK(in_the_way(kt::function([](kt::var<float, 4, batch> x) { return kt::sum(x); })) == "axis");
  CHECK(in_the_way(kt::function([](matrix x) { return kt::transpose(x); })) == "axis");
}

TEST_CASE("chunked: rows, and every reduction over them") {
  auto f = kt::function([](kt::var<double, batch, 6> x, kt::var<int, batch> i, kt::var<double, 6, 5> w) {
    auto y = kt::dot(kt::nn::softmax(x), w) + kt::reshape<batch, 1>(kt::pick(x, i));
    auto shifted = kt::concatenate(kt::axis<1>, kt::take(w, i), y[kt::cols(1, 3)]);
    return kt::outputs(y, shifted, kt::sum(y, kt::axis<0>), kt::mean(y), kt::prod(x * 0.9, kt::axis<0>), kt::max(x, kt::axis<0>), kt::min(x), kt::any(x > 0.97),
                       kt::all(x > -2), kt::dot(kt::transpose(x), y), kt::reshape<batch, 2, 3>(x), kt::variance(w), kt::sum(i),
                       kt::exp(kt::max(x)) + kt::sum(x) * kt::sum(w), kt::grad(kt::mean(kt::sqr(y)), w));
  });
  for (std::int64_t n : {1, 2, 7, 8, 9, 100}) {
    const std::vector<double> x = ramp<double>(static_cast<std::size_t>(n) * 6), w = ramp<double>(30);
    std::vector<int> i(static_cast<std::size_t>(n));
    for (std::size_t k = 0; k < i.size(); ++k) i[k] = static_cast<int>(k * 7 % 6);
    for (std::int64_t size : {1, 3, 8, 1000}) {
      INFO(n, " in pieces of ", size);
      auto pieces = kt::chunked<batch>(f, size);
      compare(f, pieces, 1e-12, kt::view(x.data(), {n, 6}), i, kt::view(w.data(), {6, 5}));
      CHECK(pieces.piece() == std::min(n, size));
    }
  }
}

TEST_CASE("chunked: no elements, NaN, integers, another dimension") {
  auto sums = kt::function([](kt::var<std::int64_t, batch, width> x, kt::var<float, batch> y) {
    return kt::outputs(kt::sum(x), kt::max(x, kt::axis<0>), kt::min(x, kt::axis<0>), kt::max(y), kt::sum(y), kt::sum(x, kt::axis<1>), kt::sum(x * 2, kt::axis<0>));
  });
  auto by_rows = kt::chunked<batch>(sums, 2);
  const std::vector<std::int64_t> x{1, -2, std::int64_t{1} << 62, 4, -5, (std::int64_t{1} << 53) + 1};
  compare(sums, by_rows, 0, kt::view(x.data(), {3, 2}), std::vector<float>{1, NAN, 2});
  compare(sums, by_rows, 0, kt::view(x.data(), {2, 3}), std::vector<float>{-INFINITY, -0.0F});
  compare(sums, by_rows, 0, kt::view(x.data(), {0, 4}), std::vector<float>{});
  compare(sums, by_rows, 0, kt::view(x.data(), {6, 0}), std::vector<float>{1, 2, 3, 4, 5, 6});
  auto rows = kt::function([](kt::var<float, width, 3> v, kt::var<float, batch> b) { return kt::outputs(kt::sum(v, kt::axis<0>), kt::exp(v), b * 2); });
  auto by_width = kt::chunked<width>(rows, 4);
  const std::vector<float> v = ramp<float>(30);
  compare(rows, by_width, 1e-6, kt::view(v.data(), {10, 3}), std::vector<float>{1, 2});
  CHECK_THROWS_WITH_AS(by_rows(kt::view(x.data(), {3, 2}), std::vector<float>{1}), "kroton: dimension batch is 3 in argument 1 but 1 in argument 2", kt::shape_error);
  auto mean = kt::function([](kt::var<float, batch> y) { return kt::mean(y); });
  auto mean_by_rows = kt::chunked<batch>(mean, 2);
  CHECK_THROWS_WITH_AS(mean_by_rows(std::vector<float>{}), "kroton: mean: needs at least one element; pass tensors with elements", kt::shape_error);
}

struct network : kt::model {
  kt::shared<float, 20, 64> W1{this, "W1", kt::init::glorot_uniform};
  kt::shared<float, 64> b1{this, "b1"};
  kt::shared<float, 64, 4> W2{this, "W2", kt::init::glorot_uniform};
  kt::shared<float, 4> b2{this, "b2"};
  kt::shared<float, 20, 64> speed{this, "speed"};
  constexpr auto logits(kt::var<float, batch, 20> x) const { return kt::dot(kt::tanh(kt::dot(x, W1) + b1), W2) + b2; }
  constexpr auto train(kt::var<float, batch, 20> x, kt::var<int, batch> label, kt::var<float> rate) const {
    auto costs = kt::nn::cross_entropy(logits(x), label);
    auto cost = kt::mean(costs);
    // momentum, and a step that depends on the length of the gradient: after the sum over the batch anything may follow
    auto slope = kt::grad(cost, W1);
    auto length = kt::sqrt(kt::sum(kt::sqr(slope)));
    auto moved = 0.9 * speed + slope / (1 + length);
    return kt::outputs(cost, costs, length)
        .updates(kt::update(speed, moved), kt::update(W1, W1 - rate * moved), kt::update(b1, b1 - rate * kt::grad(cost, b1)),
                             kt::update(W2, W2 - rate * kt::grad(cost, W2)), kt::update(b2, b2 - rate * kt::grad(cost, b2)));
  }
};

TEST_CASE("chunked: a training step in as many pieces as a budget needs, beside the session's own memory") {
  const std::int64_t n = 300, budget = 60000;
  const std::vector<float> x = ramp<float>(static_cast<std::size_t>(n) * 20);
  const std::vector<int> labels(static_cast<std::size_t>(n), 2);
  const kt::context small = kt::context::host(1).with_budget(budget);
  kt::session<network> one(kt::context::host(1), kt::seed{4}), two(small, kt::seed{4});
  auto whole = one.compile<&network::train>();
  auto part_of = two.compile<&network::train>();
  CHECK_THROWS_AS(part_of(kt::view(x.data(), {n, 20}), labels, 0.25F), kt::memory_error);
  auto pieces = kt::chunked<batch>(part_of, kt::fit_budget);
  for (int step = 0; step < 5; ++step) compare(whole, pieces, 2e-5, kt::view(x.data(), {n, 20}), labels, 0.25F);
  CHECK(pieces.piece() > 1);
  CHECK(pieces.piece() < n);
  CHECK(small.memory().peak <= budget);
  const auto expected = one.values<&network::W1>(), found = two.values<&network::W1>();
  for (std::size_t i = 0; i < expected.size(); ++i) CHECK(found[i] == doctest::Approx(expected[i]).epsilon(1e-3));
}

TEST_CASE("chunked: a training step in pieces makes the same step in less memory") {
  const std::int64_t n = 300;
  const std::vector<float> x = ramp<float>(static_cast<std::size_t>(n) * 20);
  std::vector<int> labels(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<int>(i * 5 % 4);
  const kt::context where = kt::context::host(1), other = kt::context::host(1);
  kt::session<network> one(where, kt::seed{4}), two(other, kt::seed{4});
  auto whole = one.compile<&network::train>();
  auto part_of = two.compile<&network::train>();
  auto pieces = kt::chunked<batch>(part_of, 32);
  for (int step = 0; step < 5; ++step) compare(whole, pieces, 2e-5, kt::view(x.data(), {n, 20}), labels, 0.25F);
  const auto expected = one.values<&network::W1>(), found = two.values<&network::W1>();
  for (std::size_t i = 0; i < expected.size(); ++i) CHECK(found[i] == doctest::Approx(expected[i]).epsilon(1e-3));
  const auto temporaries = [](const kt::context& c, const kt::session<network>&) { return c.memory().peak; };
  CHECK(temporaries(other, two) < temporaries(where, one) * 2 / 3);
  std::vector<int> wrong = labels;
  wrong[250] = 4;  // in a late piece
  const std::vector<float> before(found.begin(), found.end());
  CHECK_THROWS_AS(pieces(kt::view(x.data(), {n, 20}), wrong, 0.25F), kt::index_error);
  CHECK(std::equal(found.begin(), found.end(), before.begin()));
}

struct narrow : kt::model {
  kt::shared<kt::bfloat16, 4> b{this, "b", kt::init::constant(1)};
  constexpr auto step(kt::var<kt::bfloat16, batch, 4> x) const {
    auto c = kt::mean(kt::sqr(x - b));
    return kt::outputs(c).updates(kt::update(b, b - kt::cast<kt::bfloat16>(0.5F * kt::cast<float>(kt::grad(c, b)))));
  }
};
template <class T>
kt::tensor<T, 1> filled(std::int64_t count, float value) {
  kt::tensor<T, 1> x({count});
  for (T& element : x) element = T(value);
  return x;
}
TEST_CASE("chunked: sums of many pieces are not rounded one by one") {
  const auto means = []<class T>(T) { return kt::function([](kt::var<T, batch> x) { return kt::outputs(kt::mean(x), kt::sum(x), kt::sum(x) * 0.5F, kt::sum(kt::cast<float>(x)), kt::sum(x) > 3); }); };
  auto of_half = means(kt::half());
  for (const std::int64_t size : {10, 1000}) {
    auto pieces = kt::chunked<batch>(of_half, size);
    compare(of_half, pieces, 1e-3, filled<kt::half>(50000, 0.1F));
    compare(of_half, pieces, 1e-3, filled<kt::half>(100000, 1));  // the sum is more than 16 bits hold, the mean and half the sum are not
  }
  auto of_bfloat16 = means(kt::bfloat16());
  auto pieces = kt::chunked<batch>(of_bfloat16, 64);
  compare(of_bfloat16, pieces, 1e-2, filled<kt::bfloat16>(65536, 1));
  auto of_float = means(float());
  auto ones = kt::chunked<batch>(of_float, 1), tenths = kt::chunked<batch>(of_float, 16);
  compare(of_float, ones, 1e-5, filled<float>(1 << 17, 0.1F));
  compare(of_float, tenths, 1e-5, filled<float>(1 << 20, 0.1F));
  kt::session<narrow> one, two;
  auto whole = one.compile<&narrow::step>();
  auto part_of = two.compile<&narrow::step>();
  auto steps = kt::chunked<batch>(part_of, 32);
  kt::tensor<kt::bfloat16, 2> x({16384, 4});
  for (auto& element : x) element = kt::bfloat16(3);
  compare(whole, steps, 0, x);
  CHECK(static_cast<float>(two.get<&narrow::b>()(1)) == static_cast<float>(one.get<&narrow::b>()(1)));
}

TEST_CASE("chunked: pieces have an extent, and wrong indices say in which they are") {
  auto f = kt::function([](kt::var<float, 10> x, kt::var<int, batch> i) { return kt::sum(kt::take(x, i)); });
  CHECK_THROWS_WITH_AS(kt::chunked<batch>(f, 0), "kroton: chunked: pieces of 0; a piece has an extent of at least 1", kt::shape_error);
  CHECK_THROWS_AS(kt::chunked<batch>(f, -3), kt::shape_error);
  std::vector<int> i(10, 1);
  auto all = kt::chunked<batch>(f, std::numeric_limits<std::size_t>::max());
  compare(f, all, 0, ramp<float>(10), i);
  CHECK(all.piece() == 10);
  auto pieces = kt::chunked<batch>(f, 4);
  i[9] = 77;
  CHECK_THROWS_WITH_AS(pieces(ramp<float>(10), i), "kroton: index 77 at position 1 of argument 2 is outside [0, 10), in the piece that begins at 8", kt::index_error);
}

TEST_CASE("chunked: pieces as large as the budget allows") {
  auto heavy = [](const kt::context& c) {
    return kt::function([](kt::var<float, batch, 64> x, kt::var<float, 64, 64> w) { return kt::sum(kt::dot(kt::dot(x, w), w), kt::axis<0>); }, c);
  };
  const std::int64_t n = 1000;
  const std::vector<float> x = ramp<float>(64000), w = ramp<float>(4096, 0.1F);
  const auto call = [&](auto& f) { return f(kt::view(x.data(), {n, 64}), kt::view(w.data(), {64, 64})); };
  auto whole = heavy(kt::context::host(1));
  const kt::context small = kt::context::host(1).with_budget(100 * 1024);
  auto refused = heavy(small);
  CHECK_THROWS_AS(call(refused), kt::memory_error);
  auto pieces = kt::chunked<batch>(refused, kt::fit_budget);
  compare(whole, pieces, 1e-4, kt::view(x.data(), {n, 64}), kt::view(w.data(), {64, 64}));
  CHECK(pieces.piece() > 100);
  CHECK(pieces.piece() < 400);
  CHECK(small.memory().peak <= 100 * 1024);
  CHECK(small.memory().peak > 90 * 1024);
  auto unlimited = kt::chunked<batch>(whole, kt::fit_budget);
  call(unlimited);
  CHECK(unlimited.piece() == n);
  const kt::context few = kt::context::host(1).with_budget(800);
  auto tiny = heavy(few);
  auto none = kt::chunked<batch>(tiny, kt::fit_budget);
  CHECK_THROWS_WITH_AS(call(none), doctest::Contains("; this is for a piece of 1"), kt::memory_error);
  CHECK(few.memory().in_use == 0);
  auto too_large = kt::chunked<batch>(refused, 900);
  const std::int64_t before = small.memory().in_use;
  CHECK_THROWS_WITH_AS(call(too_large), doctest::Contains("; this is for a piece of 900"), kt::memory_error);
  CHECK(small.memory().in_use == before);
  const kt::context none_left = kt::context::host(1).with_budget(500);
  auto tinier = heavy(none_left);
  auto totals = kt::chunked<batch>(tinier, 10);
  CHECK_THROWS_WITH_AS(call(totals),
                       "kroton: chunked: 512 bytes needed for what pieces add up to, but of a budget of 500 bytes 0 are in use and 500 free; the largest: sum 512; "
                       "raise the budget",
                       kt::memory_error);
}

struct base : kt::model {
  kt::shared<float, 6> W{this, "W", kt::init::ones};
  constexpr auto train(kt::var<float, batch, 6> x) const {
    auto cost = kt::mean(kt::sqr(x - W));
    return kt::outputs(cost, kt::sum(x, kt::axis<0>)).updates(kt::update(W, W - kt::grad(cost, W)));
  }
};
struct derived : base {
  kt::shared<float, 1> extra{this, "extra", kt::init::constant(77)};
};
TEST_CASE("chunked: a function that a model inherits") {
  kt::session<derived> one, two;
  auto whole = one.compile<&base::train>();
  auto part_of = two.compile<&base::train>();
  auto pieces = kt::chunked<batch>(part_of, 2);
  const std::vector<float> x = ramp<float>(30);
  for (int step = 0; step < 3; ++step) compare(whole, pieces, 1e-6, kt::view(x.data(), {5, 6}));
  CHECK(two.get<&derived::extra>()(0) == 77);
  CHECK(two.get<&derived::W>()(3) == doctest::Approx(one.get<&derived::W>()(3)).epsilon(1e-6));
}

TEST_CASE("chunked: what a call does depends on no call before") {
  const std::vector<float> x = ramp<float>(4000 * 16);
  // what is returned is counted where the whole is called, not where pieces are
  const kt::context little = kt::context::host(1).with_budget(64 * 1024);
  auto rows = kt::function([](kt::var<float, batch, 64> v) { return kt::outputs(kt::exp(v), kt::sum(v, kt::axis<0>)); }, little);
  auto by_thousand = kt::chunked<batch>(rows, 1000);
  CHECK(std::get<0>(by_thousand(kt::view(x.data(), {900, 64}))).extent(0) == 900);
  CHECK(by_thousand.piece() == 900);
  const kt::context small = kt::context::host(1).with_budget(20000);
  auto f = kt::function([](kt::var<float, batch, width> v) { return kt::dot(kt::transpose(v), kt::exp(v)); }, small);
  auto pieces = kt::chunked<batch>(f, kt::fit_budget);
  auto other = kt::chunked<batch>(f, kt::fit_budget);
  const auto first = other(kt::view(x.data(), {100, 8}));
  const std::int64_t size = other.piece();
  other = kt::chunked<batch>(f, kt::fit_budget);  // which gives back what it has
  pieces(kt::view(x.data(), {4000, 8}));
  CHECK(pieces.piece() < 4000);
  const auto again = pieces(kt::view(x.data(), {100, 8}));
  CHECK(pieces.piece() == size);
  CHECK(std::equal(first.begin(), first.end(), again.begin()));
  pieces(kt::view(x.data(), {4000, 16}));
  CHECK(pieces.piece() < 4000);
  pieces(kt::view(x.data(), {4000, 8}));
}

TEST_CASE("chunked: what fits as a whole is one piece") {
  const auto heavy = [](const kt::context& c) {
    return kt::function([](kt::var<float, batch, 64> x) { return kt::outputs(kt::exp(x), kt::dot(kt::transpose(x), kt::sqr(x))); }, c);
  };
  const std::vector<float> x = ramp<float>(64 * 64);
  auto plain = heavy(kt::context::host(1));
  const auto just = [&](std::int64_t n) { return plain.memory_plan(batch(n)).peak + n * 64 * 4 + 64 * 64 * 4; };
  const kt::context small = kt::context::host(1).with_budget(just(7));
  auto f = heavy(small);
  auto pieces = kt::chunked<batch>(f, kt::fit_budget);
  for (const std::int64_t n : {7, 1, 0, 7}) {
    compare(plain, pieces, 0, kt::view(x.data(), {n, 64}));
    CHECK(pieces.piece() == n);
  }
  CHECK(small.memory().peak <= just(7));
  // in pieces, sums are wider and apart from what a piece needs
  const kt::context larger = kt::context::host(1).with_budget(just(32) + 64 * 64 * 8);
  auto g = heavy(larger);
  auto both = kt::chunked<batch>(g, kt::fit_budget);
  for (const std::int64_t n : {32, 64, 63, 7, 64}) {
    compare(plain, both, 1e-5, kt::view(x.data(), {n, 64}));
    if (n <= 32) CHECK(both.piece() == n);
  }
  CHECK(larger.memory().peak <= just(32) + 64 * 64 * 8);
}

TEST_CASE("chunked: pieces leave room for what comes after them") {
  const auto late = [](const kt::context& c) {
    return kt::function([](kt::var<float, batch, 64> x) {
      auto s = kt::dot(kt::transpose(x), kt::exp(x));
      return kt::outputs(kt::sum(kt::exp(kt::dot(kt::dot(s, s), s) * 1e-9F)), kt::exp(x[kt::cols<0, 2>()]));
    }, c);
  };
  const std::vector<float> x = ramp<float>(5000 * 64);
  auto whole = late(kt::context::host(1));
  for (const std::int64_t budget : {140000, 160000, 250000}) {
    const kt::context small = kt::context::host(1).with_budget(budget);
    auto part_of = late(small);
    auto pieces = kt::chunked<batch>(part_of, kt::fit_budget);
    compare(whole, pieces, 1e-4, kt::view(x.data(), {5000, 64}));
    const std::int64_t first = pieces.piece();
    compare(whole, pieces, 1e-4, kt::view(x.data(), {5000, 64}));
    CHECK(pieces.piece() == first);
    CHECK(small.memory().peak <= budget);
    CHECK(small.memory().peak > budget - 1000);
  }
}

}  // namespace
