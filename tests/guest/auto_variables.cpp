// Expressions are handles: kept in `auto`, built from temporaries, copied, returned and outliving what they
// were made of, they mean the same. Every function here is captured by the compiler, which refuses what
// dangles, and once more while the test runs, which the sanitizers watch.
#include <doctest/doctest.h>
#include <kroton/debug/verify.hpp>
#include <kroton/kroton.hpp>

#include <array>
#include <optional>

namespace kt = kroton;

namespace {

inline constexpr struct n : kt::dim<n> {} n;
using vector = kt::var<double, n>;

/// The outputs and updates of a function that is captured now.
template <class Function>
kt::reference::results captured_now(const std::vector<kt::reference::reference_tensor>& inputs,
                                    const std::vector<kt::reference::reference_tensor>& shared) {
  return kt::typed::with_capture<Function>(
      [&](const kt::graph::graph& g) { return kt::reference::interpret(g, inputs, shared); });
}

/// Checks a lambda of one vector on two numbers.
template <class Lambda>
void check(Lambda lambda, double (*expected)(double)) {
  auto f = kt::function(lambda);
  const std::vector<double> x{0.5, 3};
  const kt::tensor<double, 1> y = f(x);
  const auto now = captured_now<kt::typed::lambda_function<Lambda>>({{{2}, x}}, {}).outputs.at(0);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(y(i) == doctest::Approx(expected(x[i])));
    CHECK(now[i] == doctest::Approx(expected(x[i])));
  }
}

constexpr auto half_of(const auto& x) { return x / 2; }
constexpr auto one_more(auto x) {
  auto one = kt::exp(x - x);  // gone when this returns
  return x + one;
}
constexpr auto both_halves(const vector& x) { return std::array{half_of(x), half_of(-x)}; }

TEST_CASE("auto: expressions made of temporaries") {
  check(
      [](vector x) {
        auto sum = x + 1;
        auto product = (x * 2 + 3) * (sum - 1);
        auto& same = product;
        auto copy = same;
        const auto& of_a_temporary = kt::tanh(-(copy - 1) / 4);
        return of_a_temporary + copy;
      },
      [](double x) {
        const double p = (x * 2 + 3) * x;
        return std::tanh(-(p - 1) / 4) + p;
      });
}

TEST_CASE("auto: expressions returned from functions") {
  check(
      [](vector x) {
        auto make = [](auto y) {
          auto local = y * 3;
          return local - half_of(half_of(y));
        };
        auto made = make(one_more(x * x));
        auto halves = both_halves(made);
        return halves[0] * 3 + halves[1];
      },
      [](double x) {
        const double y = x * x + 1;
        return 3 * y - y / 4;
      });
}

TEST_CASE("auto: expressions that are assigned, moved and kept elsewhere") {
  check(
      [](vector x) {
        auto y = x;
        {
          auto inner = x * x;
          y = inner + x;
        }
        auto moved = std::move(y);
        std::optional kept{moved * 2};
        moved = *kept;
        kept.reset();
        for (int i = 0; i < 3; ++i) moved = moved + 1;
        return moved;
      },
      [](double x) { return (x * x + x) * 2 + 3; });
}

TEST_CASE("auto: reductions, parts and gradients") {
  check(
      [](vector x) {
        auto cost = kt::sum(kt::sqr(x) * x);
        auto slope = kt::grad(cost, x);
        auto part = slope[kt::rows(0, kt::end)];
        auto ratio = part / kt::max(part * 0 + 1, kt::axis<0>, kt::keep_dims);
        auto condition = ratio > 5;
        return kt::where(condition, ratio, -ratio);
      },
      [](double x) {
        const double d = 3 * x * x;
        return d > 5 ? d : -d;
      });
}

struct counter : kt::model {
  kt::shared<double, 2> total{this, "total", kt::init::ones};
  kt::shared<double> calls{this, "calls"};
  constexpr auto scaled() const { return total * 2; }
  constexpr auto add(kt::var<double, 2> x) const {
    auto outputs = kt::outputs(scaled(), kt::sum(x));
    auto more = kt::update(total, total + x);
    auto weights = parameters();
    auto steps = kt::optim::sgd(kt::sum(calls * 3 + kt::sum(total)), weights, 1.0);
    (void)steps;
    auto result = outputs.updates(more, kt::update(calls, calls + 1));
    return result;
  }
};

TEST_CASE("auto: results, updates and lists of parameters") {
  kt::session<counter> session;
  auto compiled = session.compile<&counter::add>();
  auto add = std::move(compiled);
  const auto [before, sum] = add(std::vector{3.0, 4.0});
  CHECK(before(1) == 2);
  CHECK(sum == 7);
  CHECK(session.get<&counter::total>()(1) == 5);
  const auto now = captured_now<kt::typed::member_function<&counter::add>>({{{2}, {3, 4}}}, {{{2}, {1, 1}}, {{}, {0}}});
  CHECK(now.outputs.at(0)[1] == 2);
  CHECK(now.updates.at(0)[1] == 5);
  CHECK(now.updates.at(1)[0] == 1);
}

auto made_elsewhere() {
  auto f = kt::function([](vector x) { return kt::outputs(x * 2, kt::sum(x)); });
  return f;
}

TEST_CASE("auto: functions, and the tensors that they return") {
  auto f = made_elsewhere();
  auto g = made_elsewhere();
  auto results = f(std::vector<double>{1, 2});
  auto [twice, sum] = g(std::vector<double>{5, 6, 7});
  f = std::move(g);
  auto again = f(std::vector<double>{8});
  CHECK(std::get<0>(results)(1) == 4);
  CHECK(std::get<1>(results) == 3);
  CHECK(twice(2) == 14);
  CHECK(sum == 18);
  CHECK(std::get<0>(again)(0) == 16);
  auto square = kt::function([](vector x) { return x * x; });
  double total = 0;
  for (double v : square(std::vector<double>{1, 2, 3})) total += v;
  CHECK(total == 14);
}

}  // namespace
