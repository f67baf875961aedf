// Structs of variables: arguments with names, defaults, and messages that name them.
#include <kroton/kroton.hpp>
#include <kroton/callable.hpp>
#include <kroton/debug/print.hpp>
#include <kroton/debug/verify.hpp>

#include <doctest/doctest.h>

#include <random>
#include <sstream>

namespace kt = kroton;

namespace {
constexpr struct batch : kt::dim<batch> {} batch;

template <template <class, auto...> class Var>
struct greek {
  Var<float, 2> η;
};
template <template <class, auto...> class Var>
struct inputs {
  Var<float, batch, 4> x;
  Var<int, batch> label;
  Var<float> rate = 0.5F;
};

struct net : kt::model {
  kt::shared<float, 4, 3> W{this, "W", kt::init::normal(0, 1)};

  constexpr auto train(inputs<kt::var> in) const {
    auto cost = kt::mean(kt::nn::cross_entropy(kt::dot(in.x, W), in.label));
    return kt::outputs(cost, kt::grad(cost, in.x)).updates(kt::update(W, W - in.rate * kt::grad(cost, W)));
  }
  constexpr auto predict(const inputs<kt::var>& in) const { return kt::outputs(kt::dot(in.x, W) * in.rate, in.label); }
  constexpr auto train_plain(kt::var<float, batch, 4> x, kt::var<int, batch> label, kt::var<float> rate) const {
    return train({x, label, rate});  // a struct is a value like any other
  }
};

/// A class may have a struct of its own. One of each kind of argument.
struct prices : kt::model {
  template <template <class, auto...> class Var>
  struct terms {
    Var<double, batch> spot_prices;
    Var<std::uint8_t> a;
    Var<kt::half, kt::any, 2> b;
    Var<bool> c_2 = true;
    Var<std::int64_t, batch> _d;
  };
  constexpr auto sum(terms<kt::var> in) const {
    return kt::where(in.c_2, kt::sum(in.spot_prices[kt::rows(0, in.a)]), -1) + kt::cast<double>(in.a) +
           kt::cast<double>(kt::sum(in.b)) * kt::cast<double>(kt::sum(in._d));
  }
};

/// As many members as a struct may have.
template <template <class, auto...> class Var>
struct many {
  Var<int> a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p;
};
template <template <class, auto...> class Var>
struct one {
  Var<float, batch> only;
};

kt::tensor<float, 2> drawn(std::int64_t rows) {
  static std::mt19937 generator(7);
  std::normal_distribution<float> normal;
  kt::tensor<float, 2> x({rows, 4});
  for (float& each : x) each = normal(generator);
  return x;
}
}  // namespace

static_assert(kt::stats<&net::train>().nodes_before == kt::stats<&net::train_plain>().nodes_before);

TEST_CASE("named arguments: what the function computes of arguments in order") {
  kt::session<net> session, same = session.copy();
  auto train = session.compile<&net::train>(), plain = same.compile<&net::train>();
  for (const std::int64_t rows : {0, 1, 5, 17, 64}) {
    const auto x = drawn(rows);
    std::vector<int> label(static_cast<std::size_t>(rows));
    for (std::size_t i = 0; i < label.size(); ++i) label[i] = static_cast<int>(i * 7 % 3);
    if (rows == 0) {
      CHECK_THROWS_AS(train({.x = x, .label = label}), kt::shape_error);
      continue;
    }
    const auto [cost, slope] = train({.x = x, .label = label, .rate = 0.1F});
    const auto [plain_cost, plain_slope] = plain(x, label, 0.1F);
    CHECK(static_cast<float>(cost) == static_cast<float>(plain_cost));
    CHECK(std::equal(slope.begin(), slope.end(), plain_slope.begin(), plain_slope.end()));
    CHECK(std::ranges::equal(session.get<&net::W>(), same.get<&net::W>()));
  }
  const auto x = drawn(9);
  const std::vector<int> label(9, 2);
  CHECK(kt::debug::verify(train, {.x = x, .label = label}).ok);
  CHECK(kt::debug::verify(train, inputs<kt::argument>{.x = x, .label = label, .rate = -2}).ok);
  // the default
  kt::session<net> other = session.copy();
  const auto as_default = train({.x = x, .label = label});
  const auto as_half = other.compile<&net::train>()({.x = x, .label = label, .rate = 0.5F});
  CHECK(static_cast<float>(std::get<0>(as_default)) == static_cast<float>(std::get<0>(as_half)));
  CHECK(std::ranges::equal(session.get<&net::W>(), other.get<&net::W>()));
}

TEST_CASE("named arguments: pieces, outputs of the caller, callables, lambdas") {
  kt::session<net> session;
  auto predict = session.compile<&net::predict>();
  const auto x = drawn(11);
  const std::vector<int> label{0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1};
  const auto expected = predict({.x = x, .label = label, .rate = 2});
  const auto is_expected = [&](const auto& found) {
    return std::ranges::equal(std::get<0>(found), std::get<0>(expected)) &&
           std::ranges::equal(std::get<1>(found), std::get<1>(expected));
  };
  CHECK(is_expected(kt::chunked<batch>(predict, 4)({.x = x, .label = label, .rate = 2})));

  kt::tensor<float, 2> scores({11, 3});
  kt::tensor<int, 1> labels({11});
  const float* before = scores.data();
  predict.into(std::tie(scores, labels), {.x = x, .label = label, .rate = 2});
  CHECK(scores.data() == before);
  CHECK(is_expected(std::tie(scores, labels)));

  using outputs = std::tuple<kt::tensor<float, 2>, kt::tensor<int, 1>>;
  const kt::callable<outputs(inputs<kt::argument>) const> named = predict.clone();
  CHECK(is_expected(named({.x = x, .label = label, .rate = 2})));
  const kt::callable<outputs(kt::view<const float, 2>, const std::vector<int>&, float) const> plain = predict.clone();
  CHECK(is_expected(plain(x, label, 2)));

  auto doubled = kt::function([](one<kt::var> in) { return 2 * in.only; });
  CHECK(std::ranges::equal(doubled({.only = std::vector<float>{1, 2}}), std::vector<float>{2, 4}));
  CHECK(doubled({.only = std::vector<float>()}).size() == 0);
  auto digits = kt::function([](many<kt::var> in) {
    return in.a + 2 * in.b + 3 * in.c + 4 * in.d + 5 * in.e + 6 * in.f + 7 * in.g + 8 * in.h + 9 * in.i + 10 * in.j +
           11 * in.k + 12 * in.l + 13 * in.m + 14 * in.n + 15 * in.o + 16 * in.p;
  });
  CHECK(digits(many<kt::argument>{.a = 1,
                                  .b = 0,
                                  .c = 1,
                                  .d = 0,
                                  .e = 1,
                                  .f = 0,
                                  .g = 1,
                                  .h = 0,
                                  .i = 1,
                                  .j = 0,
                                  .k = 1,
                                  .l = 0,
                                  .m = 1,
                                  .n = 0,
                                  .o = 1,
                                  .p = 100}) == 64 + 1600);
}

TEST_CASE("named arguments: all kinds of arguments, and views with gaps") {
  const auto where = kt::context::host().with_budget(1 << 20);
  kt::session<prices> session(where);
  auto sum = session.compile<&prices::sum>();
  const double spots[] = {1, -1, 2, -1, 3, -1};
  const std::array<std::int64_t, 3> d{1, 2, 3};
  const kt::half halves[] = {kt::half(1.0F), kt::half(2.0F), kt::half(3.0F), kt::half(4.0F)};
  kt::tensor<std::uint8_t, 0> a;
  *a.data() = 2;
  CHECK(sum({.spot_prices = kt::view(spots, {3}, {2}), .a = a, .b = kt::view(halves, {2, 2}), ._d = d}) == 65);
  CHECK(sum({.spot_prices = kt::view(spots, {3}, {2}),
             .a = 3,
             .b = kt::view(halves, {2, 2}, {1, 2}),
             .c_2 = false,
             ._d = std::span(d)}) == 62);
  CHECK(kt::debug::verify(
            sum, {.spot_prices = kt::view(&spots[4], {3}, {-2}), .a = 1, .b = kt::view(halves, {1, 2}), ._d = d})
            .ok);
  // a copy of a view with gaps counts in the budget
  std::vector<double> large(1 << 19);
  const std::vector<std::int64_t> zeros(1 << 18);
  CHECK_THROWS_AS(
      sum({.spot_prices = kt::view(large.data(), {1 << 18}, {2}), .a = 1, .b = kt::view(halves, {1, 2}), ._d = zeros}),
      kt::memory_error);
  CHECK(sum({.spot_prices = kt::view(large.data(), {1 << 18}), .a = 1, .b = kt::view(halves, {1, 2}), ._d = zeros}) ==
        1);
}

TEST_CASE("named arguments: messages have the names") {
  kt::session<prices> session;
  auto sum = session.compile<&prices::sum>();
  const std::vector<double> spots(3);
  const std::vector<std::int64_t> d(3);
  const kt::tensor<kt::half, 2> b({2, 2});
  const auto null = static_cast<const double*>(nullptr);
  CHECK_THROWS_WITH_AS(sum({.spot_prices = spots, .a = 1, .b = b, ._d = std::vector<std::int64_t>(4)}),
                       "kroton: dimension batch is 3 in argument spot_prices but 4 in argument _d", kt::shape_error);
  CHECK_THROWS_WITH_AS(sum({.spot_prices = spots, .a = 300, .b = b, ._d = d}),
                       "kroton: argument a is 300, but uint8 holds 0 to 255", kt::value_error);
  CHECK_THROWS_WITH_AS(sum({.spot_prices = spots, .a = 3, .b = kt::tensor<kt::half, 2>({2, 3}), ._d = d}),
                       "kroton: argument b has extent 3 along axis 1, expected 2", kt::shape_error);
  CHECK_THROWS_WITH_AS(sum({.spot_prices = kt::view(null, {3}), .a = 3, .b = b, ._d = d}),
                       "kroton: argument spot_prices has elements, but its pointer is null; pass a view of memory",
                       kt::shape_error);
  CHECK_THROWS_WITH_AS(sum({.spot_prices = kt::view(spots.data(), {-1}), .a = 3, .b = b, ._d = d}),
                       "kroton: argument spot_prices has extent -1 along axis 0; extents are 0 or more",
                       kt::shape_error);
  auto doubled = kt::function([](greek<kt::var> in) { return in.η * 2; });
  CHECK_THROWS_WITH_AS(doubled({.η = std::vector<float>(3)}),
                       "kroton: argument η has extent 3 along axis 0, expected 2", kt::shape_error);
  kt::session<net> other;
  auto train = other.compile<&net::train>();
  CHECK_THROWS_WITH_AS(train({.x = drawn(2), .label = std::vector<int>{1, 3}}),
                       "kroton: index 3 at position 1 of argument label is outside [0, 3)", kt::index_error);
  CHECK_THROWS_WITH_AS(sum({.spot_prices = spots, .a = 4, .b = b, ._d = d}),
                       doctest::Contains("the value of argument a is 4"), kt::shape_error);
  CHECK(train.memory_plan(batch(2)).text().find("argument label ") != std::string::npos);
  std::ostringstream printed;
  kt::debug::print(train, printed);
  CHECK(printed.str().find("argument rate") != std::string::npos);
}
