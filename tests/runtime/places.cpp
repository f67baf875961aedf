// Functions at several places: what is transferred, and that results are right.
#include "places.hpp"

#include <thread>

using namespace test;

namespace {

// A network whose layers are in different contexts, and the same network in one.
template <auto Where, auto There>
struct network : kt::model {
  kt::shared<float, 20, 30> W1{this, "W1", kt::init::glorot_uniform, Where};
  kt::shared<float, 30> b1{this, "b1", Where};
  kt::shared<float, 30, 5> W2{this, "W2", kt::init::glorot_uniform, There};
  kt::shared<float, 5> b2{this, "b2", There};

  constexpr auto logits(kt::var<float, batch, 20> x) const {
    auto hidden = kt::tanh(kt::dot(kt::transfer<Where>(x), W1) + b1);
    return kt::dot(kt::transfer<There>(hidden), W2) + b2;
  }
  constexpr auto train(kt::var<float, batch, 20> x, kt::var<int, batch> label) const {
    auto cost = kt::mean(kt::nn::cross_entropy(logits(x), label));
    return kt::outputs(cost).updates(kt::optim::sgd(cost, parameters(), 0.5f));
  }
};
using split = network<first, second>;
using whole = network<kt::host, kt::host>;
using single = network<first, first>;

}  // namespace

TEST_CASE("a network in two contexts learns what it learns in one") {
  map_contexts();
  kt::session<split> in_two{kt::context::host(1), kt::seed{5}};
  kt::session<single> in_one{kt::context::host(1), kt::seed{5}};
  auto train = in_two.compile<&split::train>();
  auto reference = in_one.compile<&single::train>();
  for (const std::int64_t size : {7, 1, 64}) {
    CAPTURE(size);
    const std::vector<float> pixels = ramp(static_cast<std::size_t>(size) * 20);
    const auto x = kt::view(pixels.data(), {size, 20});
    std::vector<int> label(static_cast<std::size_t>(size));
    for (std::size_t i = 0; i < label.size(); ++i) label[i] = static_cast<int>(i % 5);
    check(train, x, label);
    for (int i = 0; i < 4; ++i) CHECK(kt::debug::verify(reference, x, label));
    for (int step = 0; step < 50; ++step) {
      const float cost = train(x, label), expected = reference(x, label);
      CHECK(cost == expected);  // the same kernels, bit for bit
    }
  }
  const auto left = in_two.values<&split::W2>(), right = in_one.values<&single::W2>();
  CHECK(std::equal(left.begin(), left.end(), right.begin(), right.end()));
}

namespace {

struct chains : kt::model {
  kt::shared<float, 6, 8> a{this, "a", kt::init::uniform(-1, 1), first};
  kt::shared<float, 6, 8> b{this, "b", kt::init::uniform(-1, 1), second};
  kt::shared<float, 6, 8> h{this, "h", kt::init::uniform(-1, 1)};
  kt::shared<int, 6> which{this, "which", kt::init::ones, second};

  // theano.md section 4, line by line; c is a third context
  constexpr auto there_and_back() const {
    return kt::updates(kt::update(a, kt::transfer<first>(kt::transfer<kt::host>(a)) + 1));
  }
  constexpr auto through_host() const {
    return kt::updates(kt::update(b, kt::transfer<second>(kt::transfer<kt::host>(a)) + 1));
  }
  constexpr auto host_and_back() const {
    return kt::updates(kt::update(
        a, a + kt::transfer<first>(kt::sum(kt::transfer<kt::host>(kt::transfer<first>(kt::transfer<kt::host>(b)))))));
  }
  constexpr auto to_host_by_another() const { return kt::sum(kt::transfer<kt::host>(kt::transfer<second>(a))); }
  constexpr auto to_itself() const { return kt::updates(kt::update(a, kt::transfer<first>(a) * 0.5f)); }
  constexpr auto from_host_by_another() const {
    return kt::updates(kt::update(b, kt::transfer<second>(kt::transfer<first>(h)) * 0.5f));
  }
  constexpr auto to_and_fro() const {
    return kt::updates(kt::update(a, kt::transfer<first>(kt::transfer<second>(a)) * 0.5f));
  }
  constexpr auto to_a_third() const {
    return kt::sum(kt::transfer<kt::host>(kt::sqr(kt::transfer<third>(kt::transfer<second>(a)))));
  }
  constexpr auto gradient() const {
    auto cost = kt::sum(kt::sqr(kt::transfer<second>(a)) * b);
    return kt::outputs(cost).updates(kt::update(a, a - 0.1f * kt::grad(cost, a)));
  }

  constexpr auto mixed() const { return kt::sum(a * b + h); }
  constexpr auto mixed_from_right() const { return kt::sum(h + b * a); }
  constexpr auto picked() const { return kt::sum(kt::pick(a, which)); }
  constexpr auto nothing_moves(kt::var<float> x) const { return kt::sum(h * x); }
  constexpr auto stays() const { return kt::updates(kt::update(a, kt::tanh(a))); }
  // the new a overwrites what b's context still reads
  constexpr auto swapped() const { return kt::updates(kt::update(a, b), kt::update(b, a)); }
  constexpr auto read_while_written() const {
    return kt::updates(kt::update(a, a * 0.5f + 1), kt::update(b, b + kt::tanh(kt::transfer<second>(a))));
  }
  // known anywhere: computed at each place that uses it
  constexpr auto indices() const {
    auto each = kt::cast<float>(kt::one_hot<8>(kt::transfer<kt::host>(kt::argmax(a, kt::axis<1>))));
    return kt::updates(kt::update(a, a + each), kt::update(b, b - each));
  }
  constexpr auto results() const { return kt::outputs(a, kt::transfer<kt::host>(b * 2), h + 1); }
};

constexpr bool moves(const kt::transfer_fact& t, std::string_view from, std::string_view to, bool inserted = false) {
  return t.from == from && t.to == to && t.is_inserted == inserted;
}

static_assert(kt::transfers<&chains::there_and_back>().empty());
static_assert(kt::transfers<&chains::through_host>().size() == 1 &&
              moves(kt::transfers<&chains::through_host>()[0], "first", "second"));
static_assert(kt::transfers<&chains::host_and_back>().size() == 2 &&
              moves(kt::transfers<&chains::host_and_back>()[0], "second", "host"));
static_assert(kt::transfers<&chains::to_host_by_another>().size() == 1 &&
              moves(kt::transfers<&chains::to_host_by_another>()[0], "first", "host"));
static_assert(kt::transfers<&chains::to_itself>().empty());
static_assert(kt::transfers<&chains::from_host_by_another>().size() == 1 &&
              moves(kt::transfers<&chains::from_host_by_another>()[0], "session", "second"));
static_assert(kt::transfers<&chains::to_and_fro>().empty());
static_assert(kt::transfers<&chains::to_a_third>().size() == 2 &&
              moves(kt::transfers<&chains::to_a_third>()[0], "first", "third") &&
              moves(kt::transfers<&chains::to_a_third>()[1], "third", "host"));
// forth, the gradient back as the user wrote the way forth, and the cost to where it can be read
static_assert(kt::transfers<&chains::gradient>().size() == 3);
static_assert(kt::transfers<&chains::gradient>().bytes() == 2 * 6 * 8 * 4 + 4);

// to the first operand with a device: b and h to a, or a and h to b; the sum to the host
template <auto Member>
constexpr int inserted(std::string_view from, std::string_view to) {
  constexpr auto all = kt::transfers<Member>();
  int count = 0;
  for (int i = 0; i < static_cast<int>(all.size()); ++i) count += moves(all[i], from, to, true);
  return count;
}
static_assert(kt::transfers<&chains::mixed>().size() == 3);
static_assert(inserted<&chains::mixed>("second", "first") == 1 && inserted<&chains::mixed>("session", "first") == 1);
static_assert(kt::transfers<&chains::mixed>().bytes() == 2 * 6 * 8 * 4 + 4);
static_assert(kt::transfers<&chains::mixed_from_right>().size() == 3);
static_assert(inserted<&chains::mixed_from_right>("first", "second") == 1 &&
              inserted<&chains::mixed_from_right>("session", "second") == 1);
static_assert(kt::transfers<&chains::nothing_moves>().empty());
static_assert(kt::transfers<&chains::stays>().empty());
static_assert(inserted<&chains::picked>("second", "first") == 1 &&
              kt::transfers<&chains::picked>().bytes() == (6 + 1) * 4);
// the images, the activations and their gradient, the labels, and the cost
static_assert(kt::transfers<&split::train>().bytes(batch(10)) == 10 * (20 + 30 + 30 + 1) * 4 + 4);

}  // namespace

TEST_CASE("transfers: results are right") {
  map_contexts();
  kt::session<chains> session{kt::context::host(2), kt::seed{11}};
  const auto each = [&]<auto... F>() {
    const auto run = [&](auto f, auto... x) { check(f, x...); };
    (run(session.template compile<F>()), ...);
  };
  each.operator()<&chains::there_and_back, &chains::through_host, &chains::host_and_back, &chains::to_host_by_another,
                  &chains::to_itself, &chains::from_host_by_another, &chains::to_and_fro, &chains::to_a_third,
                  &chains::gradient, &chains::mixed, &chains::mixed_from_right, &chains::picked, &chains::stays,
                  &chains::swapped, &chains::read_while_written, &chains::indices, &chains::results>();
  auto scaled = session.compile<&chains::nothing_moves>();
  check(scaled, 1.5f);
}

TEST_CASE("a session in one core") {
  map_contexts();
  kt::session<whole> session{kt::context::named(first), kt::seed{2}};
  auto train = session.compile<&whole::train>();
  const std::vector<float> pixels = ramp(9 * 20);
  const std::vector<int> label{0, 1, 2, 3, 4, 0, 1, 2, 3};
  check(train, kt::view(pixels.data(), {9, 20}), label);
}

TEST_CASE("the transfers of a lambda are told too") {
  map_contexts();
  auto f = kt::function([](kt::var<float, batch, 3> x) { return kt::exp(kt::transfer<first>(x)); });
  const auto all = kt::transfers(f);
  REQUIRE(all.size() == 2);
  CHECK(moves(all[0], "session", "first"));
  CHECK(moves(all[1], "first", "host", true));
  CHECK(all.bytes(batch(5)) == 2 * 5 * 3 * 4);
  const std::vector<float> x = ramp(15);
  check(f, kt::view(x.data(), {5, 3}));
}

TEST_CASE("functions of several threads in the same contexts") {
  map_contexts();
  const auto work = [](std::uint64_t seed, bool& same) {
    kt::session<chains> one{kt::context::host(1), kt::seed{seed}}, other{kt::context::host(1), kt::seed{seed}};
    auto f = one.compile<&chains::swapped>();
    auto g = other.compile<&chains::swapped>();
    for (int i = 0; i < 200; ++i) f(), g();
    const auto x = one.values<&chains::a>(), y = other.values<&chains::a>();
    same = std::equal(x.begin(), x.end(), y.begin());
  };
  bool same[3] = {};
  std::thread threads[] = {std::thread(work, 1, std::ref(same[0])), std::thread(work, 2, std::ref(same[1])),
                           std::thread(work, 3, std::ref(same[2]))};
  for (std::thread& thread : threads) thread.join();
  CHECK(same[0]);
  CHECK(same[1]);
  CHECK(same[2]);
}

TEST_CASE("memory is counted in the context where it is") {
  map_contexts();
  const std::int64_t before = kt::context::named(first).memory().in_use;
  const auto home = kt::context::host(1);
  {
    kt::session<split> session{home, kt::seed{1}};
    CHECK(kt::context::named(first).memory().in_use == before + 20 * 30 * 4 + 30 * 4);
    CHECK(home.memory().in_use == 0);
    auto train = session.compile<&split::train>();
    const std::vector<float> pixels = ramp(10 * 20);
    const std::vector<int> label(10);
    train(kt::view(pixels.data(), {10, 20}), label);
    CHECK(kt::context::named(first).memory().in_use > before + 20 * 30 * 4 + 30 * 4);
  }
  CHECK(kt::context::named(first).memory().in_use == before);
}

TEST_CASE("contexts that are not mapped") {
  kt::session<whole> session;
  CHECK_NOTHROW(session.compile<&whole::train>());
  const auto f = [] { return kt::function([](kt::var<float, 3> x) { return kt::transfer<kt::host>(kt::exp(x)); }); };
  CHECK_NOTHROW(f());
}
