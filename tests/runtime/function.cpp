// Compiled functions: what is fused, what is allocated, what stays within a budget.
#include <kroton/kroton.hpp>

#include <doctest/doctest.h>

#include <limits>
#include <optional>

#include "allocations.hpp"

namespace kt = kroton;
using namespace kt::literals;

namespace {

constexpr struct batch : kt::dim<batch> {} batch;
constexpr struct length : kt::dim<length> {} length;

struct digits : kt::model {
  kt::shared<float, 64, 128> W1{this, "W1", kt::init::glorot_uniform};
  kt::shared<float, 128> b1{this, "b1"};
  kt::shared<float, 128, 10> W2{this, "W2", kt::init::glorot_uniform};
  kt::shared<float, 10> b2{this, "b2"};

  constexpr auto logits(kt::var<float, batch, 64> x) const { return kt::dot(kt::relu(kt::dot(x, W1) + b1), W2) + b2; }
  constexpr auto train(kt::var<float, batch, 64> x, kt::var<int, batch> label, kt::var<float> rate) const {
    auto cost = kt::mean(kt::nn::cross_entropy(logits(x), label));
    return kt::outputs(cost).updates(kt::optim::sgd(cost, parameters(), rate));
  }
  constexpr auto probabilities(kt::var<float, batch, 64> x) const { return kt::nn::softmax(logits(x)); }
};

struct softmax : kt::model {
  constexpr auto of(kt::var<float, batch, 100> x) const { return kt::nn::softmax(x); }
  constexpr auto twice(kt::var<float, batch> x) const { return kt::exp(x) * 2 + kt::exp(x); }
};

// one kernel for a whole softmax; loss and gradient of the cross-entropy in one; equal subexpressions once
static_assert(kt::stats<&softmax::of>().launches == 1);
static_assert(kt::stats<&softmax::twice>().nodes_after == 5);
static_assert(kt::stats<&digits::train>().launches <= 12);
static_assert(kt::stats<&digits::train>().gemms == 5);
static_assert(kt::peak_bytes<&digits::train>(batch(256)) < 1_MiB);
static_assert(kt::peak_bytes<&softmax::of>(batch(256)) == 0);

struct table : kt::model {
  kt::shared<float, length> rows{this, "rows", kt::init::ones};
  constexpr auto first(kt::var<int> n) const { return kt::sum(rows[kt::range(kt::axis<0>, 0, n)]); }
  constexpr auto all(kt::var<float> x) const { return rows * x; }
};

std::vector<float> ramp(std::size_t count) {
  std::vector<float> v(count);
  for (std::size_t i = 0; i < count; ++i) v[i] = static_cast<float>(i % 17) / 17.0F - 0.5F;
  return v;
}

}  // namespace

/// By names that kroton has too.
template <class T>
float sum(const T& x) {
  float total = 0;
  for (float each : x) total += each;
  return total;
}
template <class T>
float max(const T& x, int) {
  return sum(x);
}

TEST_CASE("functions: who only asks whether a function can be copied is not refused") {
  auto f = kt::function([](kt::var<float> x) { return 2 * x; });
  std::optional<decltype(f)> kept;
  kept = std::move(f);
  std::tuple<std::optional<decltype(f)>, int> beside(std::move(kept), 1);
  CHECK((*std::get<0>(beside))(4.0F) == 8);
}

TEST_CASE("functions: arguments of which extents alone are used") {
  auto ones = kt::function([](kt::var<float, batch> x) { return kt::grad(kt::sum(x), x); });
  CHECK(ones(std::vector<float>{2, 3, 4}).extents() == std::array<std::int64_t, 1>{3});
  auto inside = kt::function([](kt::var<float, kt::any> x) { return kt::grad(kt::sum(x[kt::rows(1, 3)]), x); });
  const kt::tensor<float, 1> found = inside(std::vector<float>{5, 6, 7, 8});
  CHECK(std::vector<float>(found.begin(), found.end()) == std::vector<float>{0, 1, 1, 0});
}

TEST_CASE("function: what a user writes for tensors is not taken for kroton's") {
  const kt::tensor<float, 1> x({3}, {1, 2, 4});
  CHECK(sum(x) == 7);
  CHECK(max(x, 0) == 7);
}

TEST_CASE("function: the second call with the same extents allocates nothing") {
  for (const kt::context& where :
       {kt::context::host(1), kt::context::on("cpu0")}) {  // in this thread, and in one of its own
    kt::session<digits> session{where, kt::seed{1}};
    auto train = session.compile<&digits::train>();
    const std::vector<float> x = ramp(32 * 64);
    const std::vector<int> label(32, 3);
    const auto batch_of_32 = kt::view(x.data(), {32, 64});
    const float first = train(batch_of_32, label, 0.5F);
    const long before = allocations;
    const float second = train(batch_of_32, label, 0.5F);
    CHECK(allocations == before);
    CHECK(second < first);
  }
}

TEST_CASE("function: outputs into tensors that are there") {
  kt::session<digits> session{kt::context::host(1), kt::seed{1}};
  auto probabilities = session.compile<&digits::probabilities>();
  const std::vector<float> pixels = ramp(32 * 64);
  const auto x = kt::view(pixels.data(), {32, 64});
  const kt::tensor<float, 2> expected = probabilities(x);
  kt::tensor<float, 2> p;
  probabilities.into(p, x);  // takes the extents of the output
  CHECK(std::equal(p.begin(), p.end(), expected.begin(), expected.end()));
  const float* const memory = p.data();
  const long before = allocations;
  for (float& value : p) value = -1;
  probabilities.into(p, x);
  CHECK(allocations == before);
  CHECK(p.data() == memory);
  CHECK(std::equal(p.begin(), p.end(), expected.begin(), expected.end()));

  // an argument that is the result too: rows are read after others were written
  auto cumulated =
      kt::function([](kt::var<float, 3, 3> a) { return kt::outputs(kt::dot(a, a), kt::sum(a, kt::axis<0>)); });
  kt::tensor<float, 2> a({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 10});
  const auto [square, sums] = cumulated(a);
  kt::tensor<float, 1> into_sums;
  cumulated.into(std::tie(a, into_sums), a);
  CHECK(std::equal(a.begin(), a.end(), square.begin(), square.end()));
  CHECK(std::equal(into_sums.begin(), into_sums.end(), sums.begin(), sums.end()));

  // an index that turns out to be wrong after something was computed
  auto doubled = kt::function(
      [](kt::var<float, 3> v, kt::var<int> i) { return kt::outputs(kt::exp(v), kt::take(v, kt::reshape<1>(i * 2))); });
  kt::tensor<float, 1> y({3}, {5, 6, 7}), z({1}, {8});
  CHECK_THROWS_AS(doubled.into(std::tie(y, z), std::vector<float>{1, 2, 3}, 2), kt::index_error);
  CHECK(y(0) == 5);
  CHECK(z(0) == 8);
  doubled.into(std::tie(y, z), std::vector<float>{1, 2, 3}, 1);
  CHECK(z(0) == 3);
}

TEST_CASE("function: the first call allocates the planned arena, to the byte") {
  kt::session<digits> session{kt::context::host(1), kt::seed{1}};
  auto train = session.compile<&digits::train>();
  for (std::int64_t n : {256, 1000}) {
    const std::vector<float> x = ramp(static_cast<std::size_t>(n) * 64);
    const std::size_t before = aligned_bytes;
    train(kt::view(x.data(), {n, 64}), std::vector<int>(static_cast<std::size_t>(n), 3), 0.5F);
    CHECK(aligned_bytes - before == kt::peak_bytes<&digits::train>(batch(n)));
    CHECK(train.memory_plan(batch(n)).peak == kt::peak_bytes<&digits::train>(batch(n)));
  }
  CHECK(kt::peak_bytes<&digits::train>(batch(256)) > 4096);
}

TEST_CASE("function: the memory plan names every buffer, and those that share space are never needed together") {
  kt::session<digits> session{kt::context::host(1), kt::seed{1}};
  const kt::memory_table plan = session.compile<&digits::train>().memory_plan(batch(1000));
  const auto find = [&](std::string_view name) {
    const auto found = std::find_if(plan.buffers.begin(), plan.buffers.end(),
                                    [=](const kt::planned_buffer& b) { return b.name == name; });
    REQUIRE(found != plan.buffers.end());
    return *found;
  };
  CHECK(find("argument 1").extents == std::vector<std::int64_t>{1000, 64});
  CHECK(find("W2").bytes == 128 * 10 * 4);
  CHECK(find("W2, new").shares_with.size() == 1);
  std::int64_t end = 0;
  for (const kt::planned_buffer& b : plan.buffers) {
    if (b.offset < 0) continue;
    end = std::max(end, b.offset + b.bytes);
    CHECK(b.first <= b.last);
    for (const kt::planned_buffer& c : plan.buffers) {
      const bool together = b.first <= c.last && c.first <= b.last;
      const bool overlap = c.offset >= 0 && b.offset < c.offset + c.bytes && c.offset < b.offset + b.bytes;
      CHECK((&b == &c || !together || !overlap));
    }
  }
  CHECK((end + 63) / 64 * 64 == plan.peak);
  CHECK(plan.text().find("peak of temporaries: " + std::to_string(plan.peak) + " bytes") != std::string::npos);
}

TEST_CASE("function: a budget is kept before anything changes") {
  constexpr std::int64_t variables = (64 * 128 + 128 + 128 * 10 + 10) * 4;
  const kt::context small =
      kt::context::host(1).with_budget(variables + kt::peak_bytes<&digits::train>(batch(256)) + 4);
  kt::session<digits> session{small, kt::seed{1}};
  CHECK(small.memory().in_use == variables);
  auto train = session.compile<&digits::train>();
  const auto step = [&](std::int64_t n) {
    const std::vector<float> x = ramp(static_cast<std::size_t>(n) * 64);
    train(kt::view(x.data(), {n, 64}), std::vector<int>(static_cast<std::size_t>(n), 3), 0.5F);
  };
  const std::span<float> W = session.values<&digits::W1>();
  const std::vector<float> before(W.begin(), W.end());
  CHECK_THROWS_AS(step(257), kt::memory_error);
  CHECK(std::equal(W.begin(), W.end(), before.begin()));
  step(256);
  CHECK(small.memory().in_use == small.memory().budget - 4);
  try {
    step(300);
    FAIL("nothing was thrown");
  } catch (const kt::memory_error& e) {
    const std::string text = e.what();
    INFO(text);
    CHECK(text.find(kt::runtime::message("kroton: ", kt::peak_bytes<&digits::train>(batch(300)),
                                         " bytes of temporaries and 4 of outputs needed")) == 0);
    CHECK(text.find(kt::runtime::message("a budget of ", small.memory().budget, " bytes ", variables,
                                         " are in use and ", small.memory().budget - variables, " free")) != text.npos);
    CHECK(text.find(kt::runtime::message("the largest: ")) != text.npos);
    CHECK(text.find(kt::runtime::message(" ", 300 * 128 * 4)) != text.npos);
    CHECK(text.find("batch up to 256 would fit") != text.npos);
  }
  step(256);
  step(8);
  CHECK(small.memory().in_use < small.memory().budget / 2);
  CHECK(small.memory().peak == small.memory().budget - 4);
  CHECK_THROWS_WITH_AS(train.memory_plan(batch(-5)), "kroton: memory_plan: an extent is -5; extents are 0 or more",
                       kt::shape_error);
  for (const std::int64_t huge :
       {std::int64_t{1} << 40, std::int64_t{1} << 62, std::numeric_limits<std::int64_t>::max()})
    CHECK_THROWS_WITH_AS(train.memory_plan(batch(huge)),
                         "kroton: a tensor is larger than memory can be; give smaller extents", kt::memory_error);
  CHECK_THROWS_AS((kt::tensor<float, 2>({std::int64_t{1} << 62, 3})), kt::memory_error);
  CHECK((kt::tensor<float, 2>({std::int64_t{1} << 62, 0}).size()) == 0);
  const auto too_large = [] { kt::session<digits> none(kt::context::host(1).with_budget(variables - 1)); };
  CHECK_THROWS_WITH_AS(too_large(),
                       "kroton: 38440 bytes of shared variables needed, but of a budget of 38439 bytes 0 are in use "
                       "and 38439 free; the largest: W1 32768, W2 5120, b1 512, b2 40; "
                       "raise the budget, or give smaller extents",
                       kt::memory_error);
}

TEST_CASE("function: a refused call changes nothing") {
  kt::session<digits> session{kt::context::host(1), kt::seed{1}};
  auto train = session.compile<&digits::train>();
  const std::vector<float> x = ramp(4 * 64);
  const std::span<float> W = session.values<&digits::W1>();
  const std::vector<float> before(W.begin(), W.end());
  for (int wrong : {10, -1}) {
    const std::vector<int> label{1, 2, wrong, 3};
    CHECK_THROWS_AS(train(kt::view(x.data(), {4, 64}), label, 0.1F), kt::index_error);
  }
  CHECK_THROWS_AS(train(kt::view(x.data(), {4, 64}), std::vector<int>{1, 2, 3}, 0.1F), kt::shape_error);
  CHECK_THROWS_AS(train(kt::view(x.data(), {8, 32}), std::vector<int>(8), 0.1F), kt::shape_error);
  CHECK(std::equal(W.begin(), W.end(), before.begin()));
  auto variance = kt::function([](kt::var<float, batch> v) { return kt::variance(v); });
  CHECK_THROWS_WITH_AS(variance(std::vector<float>()),
                       "kroton: variance: needs at least one element; pass tensors with elements", kt::shape_error);
}

TEST_CASE("function: what a call is given is checked after a call of the same extents too") {
  auto f = kt::function([](kt::var<float, batch> a, kt::var<float, batch, 2> b, kt::var<std::uint8_t> n) {
    return kt::sum(b, kt::axis<1>) * a + kt::cast<float>(n);
  });
  const kt::tensor<float, 1> two({2}, {1, 2}), three({3}, {1, 2, 3});
  const kt::tensor<float, 2> twice({2, 2}, {1, 2, 3, 4}), thrice({3, 2}, {1, 2, 3, 4, 5, 6});
  for (int round = 0; round < 2; ++round) {
    CHECK(f(two, twice, 1)(1) == 15);
    CHECK(f(two, twice, 7)(1) == 21);
    CHECK_THROWS_AS(f(two, twice, 256), kt::value_error);
    CHECK_THROWS_AS(f(three, twice, 1), kt::shape_error);
    CHECK(f(two, twice, 1)(0) == 4);
    CHECK(f(three, thrice, 1)(2) == 34);
    CHECK_THROWS_AS(f(kt::view(static_cast<const float*>(nullptr), {3}), thrice, 1), kt::shape_error);
    CHECK_THROWS_AS(f(kt::view(three.data(), {-3}), thrice, 1), kt::shape_error);
    CHECK(f(kt::tensor<float, 1>({0}), kt::tensor<float, 2>({0, 2}), 1).size() == 0);
  }

  // the bound of a slice is an argument, and extents follow from those of a shared variable
  kt::session<table> session{kt::context::host(1)};
  auto first = session.compile<&table::first>();
  auto all = session.compile<&table::all>();
  for (std::int64_t n : {4, 6, 3}) {
    session.resize(length(n));
    CHECK(all(2.0F).size() == n);
    CHECK(first(3) == 3);
    CHECK(first(2) == 2);
    CHECK_THROWS_AS(first(7), kt::shape_error);
    CHECK(first(2) == 2);
    CHECK(first(0) == 0);
  }
}

TEST_CASE("function: an empty batch") {
  kt::session<digits> session{kt::context::host(1), kt::seed{1}};
  auto probabilities = session.compile<&digits::probabilities>();
  const kt::tensor<float, 2> p = probabilities(kt::tensor<float, 2>({0, 64}));
  CHECK(p.extent(0) == 0);
  CHECK(p.extent(1) == 10);

  // there is no mean of nothing
  auto train = session.compile<&digits::train>();
  const std::span<float> W = session.values<&digits::W1>();
  const std::vector<float> before(W.begin(), W.end());
  try {
    train(kt::tensor<float, 2>({0, 64}), std::vector<int>(), 0.5F);
    FAIL("nothing was thrown");
  } catch (const kt::shape_error& e) {
    CHECK(std::string(e.what()) == "kroton: mean: needs at least one element; pass tensors with elements");
  }
  CHECK(std::equal(W.begin(), W.end(), before.begin()));
}

TEST_CASE("function: the same result with any number of threads, run after run") {
  const std::vector<float> x = ramp(300 * 1000);
  const auto sum = [](kt::var<float, 300, 1000> v) {
    return kt::outputs(kt::mean(kt::sqr(v)), kt::sum(v, kt::axis<0>), kt::nn::softmax(v));
  };
  auto one = kt::function(sum, kt::context::host(1));
  auto two = kt::function(sum, kt::context::host(2));
  const auto [a, b, c] = one(kt::view(x.data(), {300, 1000}));
  const auto [d, e, f] = two(kt::view(x.data(), {300, 1000}));
  CHECK(a() == d());
  CHECK(std::equal(b.begin(), b.end(), e.begin()));
  CHECK(std::equal(c.begin(), c.end(), f.begin()));
}

TEST_CASE("function: updates see the old values") {
  struct pair : kt::model {
    kt::shared<float, 2> a{this, "a", kt::init::constant(1)};
    kt::shared<float, 2> b{this, "b", kt::init::constant(2)};
    constexpr auto swap(kt::var<float> x) const {
      return kt::outputs(kt::sum(a) * x).updates(kt::update(a, b + 0), kt::update(b, a + 0));
    }
  };
  kt::session<pair> session;
  auto swap = session.compile<&pair::swap>();
  CHECK(static_cast<float>(swap(1.0F)) == 2);
  CHECK(session.get<&pair::a>()(0) == 2);
  CHECK(session.get<&pair::b>()(0) == 1);
  CHECK(static_cast<float>(swap(1.0F)) == 4);
}

TEST_CASE("function: the tutorial's cross-entropy is finite and right at +-800") {
  const auto check = [](auto zero) {
    using T = decltype(zero);
    auto f = kt::function([](kt::var<T, batch> z, kt::var<T, batch> y) {
      auto p = 1 / (1 + kt::exp(-z));
      auto xent = -y * kt::log(p) - (1 - y) * kt::log(1 - p);
      return kt::outputs(xent, kt::grad(kt::sum(xent), z));
    });
    const std::vector<T> z{-800, -800, 0, 800, 800, -1}, y{0, 1, 1, 0, 1, 0};
    const auto [value, slope] = f(z, y);
    const std::vector<double> values{0, 800, 0.6931471805599453, 800, 0, 0.31326168751822286};
    const std::vector<double> slopes{0, -1, -0.5, 1, 0, 0.2689414213699951};
    for (int i = 0; i < 6; ++i) {
      CHECK(static_cast<double>(value(i)) == doctest::Approx(values[static_cast<std::size_t>(i)]));
      CHECK(static_cast<double>(slope(i)) == doctest::Approx(slopes[static_cast<std::size_t>(i)]));
    }
  };
  check(0.0F);
  check(0.0);
}

TEST_CASE("function: a session that was moved says so") {
  kt::session<digits> session;
  const auto other = std::move(session);
  const char* const said = "kroton: the session was moved to another object; use that one";
  CHECK_THROWS_WITH_AS(session.compile<&digits::train>(), said, kt::error);
  CHECK_THROWS_WITH_AS(session.values<&digits::b1>(), said, kt::error);
  CHECK_THROWS_WITH_AS((void)session.get<&digits::b1>(), said, kt::error);
  CHECK_THROWS_WITH_AS(session.set<&digits::b1>(std::vector<float>(3)), said, kt::error);
  CHECK_THROWS_WITH_AS((void)session.extents<&digits::b1>(), said, kt::error);
}

TEST_CASE("integers beyond 2^53 are exact") {
  auto f =
      kt::function([](kt::var<std::int64_t, batch> x, kt::var<std::uint64_t, batch> y, kt::var<std::int8_t, batch> z) {
        auto one = x * 0 + 9007199254740993;  // 2^53 + 1
        return kt::outputs(x + 9007199254740993, one + 1 - x, y - 18446744073709551615u,
                           kt::cast<float>(y * 0 + 18446744073709551615u), z + 100 + 100);
      });
  const auto [sum, difference, wrapped, largest, narrow] =
      f(std::vector<std::int64_t>{1}, std::vector<std::uint64_t>{5}, std::vector<std::int8_t>{1});
  CHECK(sum(0) == 9007199254740994);
  CHECK(difference(0) == 9007199254740993);
  CHECK(wrapped(0) == 6);
  CHECK(largest(0) == 0x1p64f);
  CHECK(narrow(0) == -55);
}
