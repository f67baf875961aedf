#include <kroton/debug/verify.hpp>

#include "rewrites.hpp"

using namespace test;

namespace {

/// A function whose outputs a rewrite leaves as they are, bit by bit, and what is left of its nodes.
struct same_values {
  kt::graph::graph before, after;
};
template <class Lambda>
same_values check_same(Lambda, const std::vector<tensor>& inputs) {
  using capture = kt::typed::captured<kt::typed::lambda_function<Lambda>>;
  same_values s;
  kt::graph::thaw(capture::value, s.before);
  kt::passes::rewrite(capture::value, s.after);
  const auto raw = run_graph(s.before, inputs, {}, {}), better = run_graph(s.after, inputs, {}, {});
  for (std::size_t i = 0; i < raw.outputs.size(); ++i)
    check_tensor(better.outputs[i], raw.outputs[i].extents, raw.outputs[i].values);
  return s;
}

/// The number 1, as a node.
constexpr auto one_of(const auto& x) {
  const auto cost = kt::sum(x);
  return kt::grad(cost, cost);
}

constexpr std::int64_t odd = (std::int64_t{1} << 53) + 1;  // which no double is
constexpr auto integer_one_of(const auto& x) { return kt::cast<std::int64_t>(one_of(x)); }

const std::vector<tensor> extreme = {vector(points)};

}  // namespace

TEST_CASE("canonical: what is dropped") {
  const auto check = [](auto lambda, std::string_view name) {
    CAPTURE(name);
    const same_values s = check_same(lambda, extreme);
    CHECK(has_node(s.before, name));
    CHECK_FALSE(has_node(s.after, name));
  };
  check([](kt::var<double, n> x) { return x * 1; }, "mul");
  check([](kt::var<double, n> x) { return 1 * x; }, "mul");
  check([](kt::var<double, n> x) { return x / 1; }, "div");
  check([](kt::var<double, n> x) { return -(-x); }, "neg");
  check([](kt::var<double, n> x) { return !(!(x < 1)); }, "logical_not");
  check(
      [](kt::var<double, n> x) {
        return kt::where(x < 1, kt::where(x < 1, x, kt::exp(x)), kt::where(x < 1, kt::exp(x), -x));
      },
      "exp");
  check([](kt::var<double, n> x) { return x * kt::broadcast_to<n>(one_of(x)); },
        "mul");  // what is left of a rule is looked at
  check([](kt::var<double, n> x) { return x * kt::broadcast_to<n>(one_of(x) * one_of(x)); }, "mul");
  check([](kt::var<double, n> x) { return x * kt::broadcast_to<n>(-one_of(x)); }, "mul");
  check([](kt::var<double, n> x) { return x + kt::broadcast_to<n>(-(one_of(x) + 1)); }, "neg");
  check([](kt::var<double, n> x) { return x + kt::broadcast_to<n>(one_of(x) / 3); }, "div");
  check([](kt::var<double, n> x) { return x / 64; }, "div");  // the same number
  check([](kt::var<double, n> x) { return kt::sqr(x) / -0.25; }, "div");
  check([](kt::var<double, n> x) { return kt::disconnected_grad(x) + 1; }, "disconnected_grad");
  check([](kt::var<double, n> x) { return kt::grad_scale(x, 2) + 1; }, "grad_scale");
  check([](kt::var<double, n> x) { return kt::grad_clip(x, -1, 1) + 1; }, "grad_clip");
  check([](kt::var<double, n> x) { return x + (kt::sqr(one_of(x) * 3) - 4); }, "sqr");                // folded
  check([](kt::var<double, n> x) { return x + kt::cast<double>(one_of(x) < 2); }, "less");            // folded
  check([](kt::var<double, n> x) { return kt::sum(kt::reshape<n, 1>(x), kt::axis<1>) + 1; }, "sum");  // of one element
  check([](kt::var<double, n> x) { return kt::prod(kt::reshape<n, 1>(x), kt::axis<1>) + 1; }, "prod");
  check([](kt::var<double, n> x) { return kt::max(kt::reshape<n, 1>(x), kt::axis<1>) + 1; }, "max");
  check([](kt::var<double, n> x) { return kt::argmin(kt::reshape<n, 1>(x), kt::axis<1>) + 1; }, "argmin");
  check([](kt::var<double, n> x) { return kt::all(kt::reshape<n, 1>(x) > 0, kt::axis<1>); }, "all");
}

TEST_CASE("canonical: integers are folded exactly") {
  const auto check = [](auto lambda, std::string_view name, std::int64_t expected) {
    CAPTURE(name);
    const same_values s = check_same(lambda, extreme);
    CHECK_FALSE(has_node(s.after, name));
    CHECK(run_graph(s.after, extreme, {}, {}).outputs[0].integer(0) == expected);
  };
  check([](kt::var<double, n> x) { return integer_one_of(x) * odd + 2; }, "mul", odd + 2);
  check([](kt::var<double, n> x) { return integer_one_of(x) * -odd / 2; }, "div", -odd / 2);
  check([](kt::var<double, n> x) { return kt::floor_div(integer_one_of(x) * -odd, 2); }, "floor_div", -odd / 2 - 1);
  check([](kt::var<double, n> x) { return kt::mod(integer_one_of(x) * -odd, 10); }, "mod", 7);
  check([](kt::var<double, n> x) { return kt::rem(integer_one_of(x) * -odd, 10); }, "rem", -3);
  check(
      [](kt::var<double, n> x) { return kt::cast<std::int64_t>(kt::cast<std::uint64_t>(integer_one_of(x) * -1) / 2); },
      "cast", std::numeric_limits<std::int64_t>::max());
}

TEST_CASE("canonical: what is left as it is") {
  const auto check = [](auto lambda, std::string_view name) {
    CAPTURE(name);
    CHECK(has_node(check_same(lambda, extreme).after, name));
  };
  check([](kt::var<double, n> x) { return x / 3; }, "div");  // whose reciprocal is no double
  check([](kt::var<double, n> x) { return x / 1e-320; }, "div");
  check([](kt::var<double, n> x) { return x / 0; }, "div");
  check([](kt::var<double, n> x) { return x / kt::broadcast_to<n>(one_of(x) * 0); }, "div");
  check([](kt::var<double, n> x) { return x + kt::broadcast_to<n>(one_of(x) / (one_of(x) * 0)); },
        "div");                                                                      // infinity is no constant
  check([](kt::var<double, n> x) { return kt::cast<kt::half>(x) / 65536; }, "div");  // whose reciprocal is not normal
}

namespace {
/// The price of an option, and five derivatives of it.
constexpr auto greeks = [](kt::var<double, n> spot, kt::var<double, n> strike, kt::var<double, n> rate,
                           kt::var<double, n> volatility, kt::var<double, n> time) {
  const auto deviation = volatility * kt::sqrt(time);
  const auto d = (kt::log(spot / strike) + (rate + kt::sqr(volatility) / 2) * time) / deviation;
  const auto cdf = [](auto x) { return 0.5 * kt::erfc(-x * 0.70710678118654752); };
  const auto price = spot * cdf(d) - strike * kt::exp(-rate * time) * cdf(d - deviation);
  const auto cost = kt::sum(price);
  const auto delta = kt::grad(cost, spot);
  return kt::outputs(price, delta, kt::grad(kt::sum(delta), spot), kt::grad(cost, volatility), kt::grad(cost, time),
                     kt::grad(cost, rate));
};
}  // namespace

TEST_CASE("canonical: derivatives have no operation that does nothing") {
  const same_values s = check_same(
      greeks, {vector({90, 100}), vector({100, 90}), vector({0.05, 0.01}), vector({0.2, 0.3}), vector({1, 0.5})});
  const auto check = [](const kt::graph::graph& g, int nodes, int products, int quotients, int negations) {
    CHECK(count_live(g, "") == nodes);
    CHECK(count_live(g, "mul") == products);
    CHECK(count_live(g, "div") == quotients);
    CHECK(count_live(g, "neg") == negations);
  };
  check(s.before, 124, 54, 16, 17);
  check(s.after, 109, 48, 14, 8);
}

TEST_CASE("canonical: quotients by one divisor share its reciprocal where a policy allows that") {
  const auto quotients_of = [](const auto& g) {
    int count = 0;
    for (int id = 0; id < g.size.nodes; ++id) count += g.nodes[id].op->id == kt::graph::id_of<kt::ops::div>;
    return count;
  };
  const auto quotients = [&](const auto& compiled) {
    return quotients_of(std::remove_cvref_t<decltype(compiled)>::source::value);
  };
  auto exact = kt::function(greeks, kt::context::host(1));
  auto fast = kt::function<kt::policy::reciprocals>(greeks, kt::context::host(1));
  static_assert(kt::stats(exact).launches == 1);  // nothing is written but results
  CHECK(quotients(exact) == 14);
  CHECK(quotients(fast) == 4);
  const numbers spot = {90, 100, 101}, strike = {100, 90, 103}, rate = {0.05, 0.01, 0.03}, volatility = {0.2, 0.3, 0.1},
                time = {1, 0.5, 3};
  CHECK(kt::debug::verify(fast, spot, strike, rate, volatility, time));
  CHECK(kt::debug::verify(exact, spot, strike, rate, volatility, time));
  auto once = kt::function<kt::policy::reciprocals>(
      [](kt::var<double, n> x, kt::var<double, n> y) { return x / y + 1 / x; }, kt::context::host(1));
  CHECK(quotients(once) == 2);

  // in pieces, and in what follows them
  auto divided = kt::chunked<n>(kt::function<kt::policy::reciprocals>(
                                    [](kt::var<double, n> x, kt::var<double, n> y, kt::var<double, n> z) {
                                      const auto total = kt::sum(z);
                                      return kt::outputs(x / z - y / z, kt::sum(x) / total - kt::sum(y) / total);
                                    },
                                    kt::context::host(1)),
                                2);
  using parts = decltype(divided);
  CHECK(quotients_of(parts::piece_program::source::value) == 1);
  CHECK(quotients_of(parts::rest_program::source::value) == 1);
  const auto [each, all] = divided(numbers{1, 2, 3}, numbers{7, 8, 9}, numbers{2, 4, 5});
  CHECK((each(0) == -3 && each(1) == -1.5 && each(2) == doctest::Approx(-1.2)));
  CHECK(all() == doctest::Approx(-18.0 / 11));
}

TEST_CASE("canonical: sums of a narrow element are as wide as those of many") {
  const auto f = [](kt::var<std::int8_t, n> x) { return kt::sum(kt::reshape<n, 1>(x), kt::axis<1>); };
  const same_values s = check_same(f, {vector({-128, 127, 1})});
  CHECK(s.after.nodes[s.after.outputs[0]].type == kt::dtype::int64);
}

TEST_CASE("canonical: views of views are one") {
  const tensor x = matrix(2, 6, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  const same_values shapes = check_same(
      [](kt::var<double, n, 6> a) { return kt::reshape<n, 6>(kt::reshape<3, 2, n>(kt::reshape<n, 2, 3>(a))) + 1; },
      {x});
  CHECK(count_live(shapes.after, "reshape") == 0);
  const same_values turned = check_same(
      [](kt::var<double, n, 6> a) {
        return kt::permute<1, 2, 0>(kt::permute<1, 2, 0>(kt::reshape<n, 2, 3>(a))) + 1;  // not its own inverse
      },
      {x});
  CHECK(count_live(turned.after, "transpose") == 1);
  const same_values back = check_same([](kt::var<double, n, 6> a) { return kt::transpose(kt::transpose(a)) * 2; }, {x});
  CHECK(count_live(back.after, "transpose") == 0);
  const same_values wide =
      check_same([](kt::var<double, 6> a) { return kt::broadcast_to<6>(a) + kt::broadcast_to<6>(a); },
                 {vector({1, 2, 3, 4, 5, 6})});
  CHECK(count_live(wide.after, "broadcast_to") == 0);
}

TEST_CASE("canonical: what was repeated is computed before") {
  const same_values s = check_same(
      [](kt::var<double, n, 1> a, kt::var<double, 3> b) {
        return kt::exp(kt::broadcast_to<n, 3>(a)) + kt::tanh(kt::broadcast_to<n, 3>(b));
      },
      {matrix(2, 1, {1, 800}), vector({-1, inf, 2})});
  for (const kt::graph::node& each : s.after.nodes)
    if (std::string_view(each.op->name) == "exp" || std::string_view(each.op->name) == "tanh")
      CHECK(s.after.shapes[each.shape] == s.after.shapes[s.after.nodes[s.after.operands[each.first]].shape]);
  CHECK(count_live(s.after, "broadcast_to") == 0);  // the sum does it
}

TEST_CASE("canonical: constants are converted as the operation does") {
  const auto f = [](kt::var<double, n> x) {
    const auto one = one_of(x);
    return kt::outputs(kt::cast<std::int8_t>(one * 300), kt::cast<std::uint8_t>(one * -3), kt::cast<int>(one * 2.75),
                       kt::cast<std::uint8_t>(kt::cast<int>(one * 259)), kt::cast<bool>(one * 0.5),
                       kt::cast<int>(one * 1e300 * 1e300 * 0), kt::cast<std::int64_t>(one * 1e30));
  };
  const same_values s = check_same(f, extreme);
  const auto found = run_graph(s.after, extreme, {}, {});
  CHECK(found.outputs[0][0] == 127);
  CHECK(found.outputs[1][0] == 0);
  CHECK(found.outputs[2][0] == 2);
  CHECK(found.outputs[3][0] == 3);
  CHECK(found.outputs[4][0] == 1);
  CHECK(found.outputs[5][0] == 0);
  const auto floats = [](kt::var<float, n> x) { return kt::cast<double>(one_of(x) * 0.1); };
  const auto rounded = check_same(floats, extreme);
  CHECK(run_graph(rounded.after, extreme, {}, {}).outputs[0][0] == static_cast<double>(0.1f));
}

TEST_CASE("canonical: a NaN stays one") {
  // none of these may become a number, nor a zero its opposite
  check_same([](kt::var<double, n> x) { return kt::outputs(x * 0, x - x, x / x, 0 / x, x + 0, x - 0, 0 - x); },
             extreme);
  check_same(
      [](kt::var<double, n> x) { return kt::outputs(kt::pow(x, 0), kt::pow(x, 1), kt::pow(x, 2), kt::pow(x, 0.5)); },
      extreme);
  check_same([](kt::var<double, n> x) { return kt::outputs(kt::sqrt(x) * kt::sqrt(x), kt::exp(kt::log(x))); }, extreme);
  check_same(
      [](kt::var<double, n> x) { return kt::outputs(kt::maximum(x, x), kt::where(x == x, x, x), -x + x, kt::abs(-x)); },
      extreme);
}

TEST_CASE("canonical: equal nodes are one, also with operands exchanged") {
  const same_values s = check_same([](kt::var<double, n> x, kt::var<double, n> y) { return kt::sqr(x * y) + y * x; },
                                   {vector({1, inf, 3}), vector({2, 0, -1})});
  CHECK(count_live(s.after, "mul") == 1);
}
