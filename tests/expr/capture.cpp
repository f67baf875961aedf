#include "../support.hpp"

#include <kroton/graph/names.hpp>

#include <limits>
#include <string_view>

using namespace test;

namespace capture_types {

// types of results, without a graph: the types of calls that are never evaluated, on variables that are never defined
template <class Found, class Expected>
inline constexpr bool is = std::is_same_v<typename Found::expression, Expected>;

inline constexpr struct batch : kt::dim<batch> {} batch;

using matrix_type = kt::var<float, batch, 3>;
using vector_type = kt::var<float, 3>;
using scalar_type = kt::var<float>;
using integers = kt::var<int, batch>;
extern matrix_type a;
extern vector_type b;
extern scalar_type s;
extern integers i;
extern kt::var<float, kt::any, 3> o;
extern kt::var<float, batch, 1> column;
extern kt::var<std::uint8_t, batch> small;
extern kt::var<double, 2, batch, 3, 4> stack4;
extern kt::var<double, 4, 5> wide;

static_assert(is<decltype(kt::exp(a)), matrix_type>);
static_assert(is<decltype(a + b), matrix_type>);
static_assert(is<decltype(b + a), matrix_type>);
static_assert(is<decltype(a * s), matrix_type>);
static_assert(is<decltype(2 * a - 1.5), matrix_type>);
static_assert(is<decltype(column + b), matrix_type>);
static_assert(is<decltype(a + o), matrix_type>, "a name is more specific than any");
static_assert(is<decltype(o + o), kt::var<float, kt::any, 3>>);
static_assert(is<decltype(a < b), kt::var<bool, batch, 3>>);
static_assert(is<decltype(a == 0), kt::var<bool, batch, 3>>);
static_assert(is<decltype(kt::where(a > 0, b, 0)), matrix_type>);
static_assert(is<decltype(kt::cast<double>(i)), kt::var<double, batch>>);
static_assert(is<decltype(kt::sum(a)), scalar_type>);
static_assert(is<decltype(kt::sum(a, kt::axis<0>)), vector_type>);
static_assert(is<decltype(kt::sum(a, kt::axis<-1>, kt::keep_dims)), kt::var<float, batch, 1>>);
static_assert(is<decltype(kt::sum(small)), kt::var<std::uint64_t>>, "sums of narrow integers are wide");
static_assert(is<decltype(kt::sum(i)), kt::var<std::int64_t>>);
static_assert(is<decltype(kt::max(small)), kt::var<std::uint8_t>>);
static_assert(is<decltype(kt::argmax(a, kt::axis<1>)), kt::var<std::int64_t, batch>>);
static_assert(is<decltype(kt::any(a > 0, kt::axis<0>)), kt::var<bool, 3>>);
static_assert(is<decltype(kt::mean(a)), scalar_type>);
static_assert(is<decltype(kt::variance(a, kt::axis<1>, kt::keep_dims)), kt::var<float, batch, 1>>);
static_assert(is<decltype(kt::logsumexp(a, kt::axis<1>)), kt::var<float, batch>>);
static_assert(is<decltype(kt::transpose(a)), kt::var<float, 3, batch>>);
static_assert(is<decltype(kt::permute<3, 0, 2, 1>(stack4)), kt::var<double, 4, 2, 3, batch>>);
static_assert(is<decltype(kt::reshape<3, batch>(a)), kt::var<float, 3, batch>>);
static_assert(is<decltype(kt::reshape<kt::any>(a)), kt::var<float, kt::any>>);
static_assert(is<decltype(kt::broadcast_to<2, batch, 3>(a)), kt::var<float, 2, batch, 3>>);
static_assert(is<decltype(kt::dot(a, b)), kt::var<float, batch>>);
static_assert(is<decltype(kt::dot(b, b)), scalar_type>);
static_assert(is<decltype(kt::dot(kt::transpose(a), a)), kt::var<float, 3, 3>>);
static_assert(is<decltype(kt::dot(stack4, wide)), kt::var<double, 2, batch, 3, 5>>);
static_assert(is<decltype(kt::take(a, i)), matrix_type>);
static_assert(is<decltype(kt::pick(a, i)), kt::var<float, batch>>);
static_assert(is<decltype(kt::one_hot<10>(i)), kt::var<float, batch, 10>>);
static_assert(is<decltype(kt::concatenate(kt::axis<1>, a, column)), kt::var<float, batch, 4>>);
static_assert(is<decltype(kt::concatenate(kt::axis<0>, a, a)), kt::var<float, kt::any, 3>>);
static_assert(is<decltype(kt::stack(kt::axis<0>, b, b)), kt::var<float, 2, 3>>);
static_assert(is<decltype(kt::stack(kt::axis<-1>, a, a, a)), kt::var<float, batch, 3, 3>>);
static_assert(is<decltype(a[kt::rows(0, 2)]), kt::var<float, kt::any, 3>>);
static_assert(is<decltype(a[kt::rows<0, 2>()]), kt::var<float, 2, 3>>);
static_assert(is<decltype(a[kt::rows<-4, kt::end>()]), kt::var<float, 4, 3>>);
static_assert(is<decltype(a[kt::rows<0, kt::end>()]), matrix_type>);
static_assert(is<decltype(a[kt::cols<1, kt::end>()]), kt::var<float, batch, 2>>);
static_assert(is<decltype(a[kt::cols<-3, -1>()]), kt::var<float, batch, 2>>);
static_assert(is<decltype(a[kt::cols<3, 3>()]), kt::var<float, batch, 0>>);
static_assert(is<decltype(a[kt::range<0, kt::end, 2>(kt::axis<-1>)]), kt::var<float, batch, 2>>);
static_assert(is<decltype(a[kt::range<1, 8, 3>(kt::axis<0>)]), kt::var<float, 3, 3>>);
static_assert(is<decltype(kt::grad(kt::sum(a), b)), vector_type>);
static_assert(is<decltype(kt::grad_clip(a, -1, 1)), matrix_type>);

}  // namespace capture_types

namespace {

using capture_types::batch;

// models, blocks, stacks
struct layer : kt::model {
  using kt::model::model;
  kt::shared<double, 3, 3> W{this, "W", kt::init::glorot_uniform};
  kt::shared<double, 3> b{this, "b"};
  constexpr auto operator()(kt::var<double, n, 3> x) const { return kt::tanh(kt::dot(x, W) + b); }
};
struct encoder : kt::model {
  using kt::model::model;
  kt::stack<layer, 3> layers{this, "layers"};
  kt::shared<double> scale{this, "scale", kt::init::ones};
};
struct network : kt::model {
  encoder left{this, "left"};
  kt::shared<double, 3> bias{this, "bias"};
  constexpr auto apply(kt::var<double, n, 3> x) const {
    auto h = x;
    for (const layer& l : left.layers) h = l(h);
    return h * left.scale + bias;
  }
  constexpr auto train(kt::var<double, n, 3> x, kt::var<double> rate) const {
    const auto cost = kt::sum(kt::sqr(apply(x)));
    kt::typed::update_list steps;
    const auto slopes = kt::grad(cost, parameters());
    for (int p = 0; p < slopes.size(); ++p) {
      const kt::term w = parameters().items[p];
      steps.add(w, w - rate.untyped() * slopes[p]);
    }
    return kt::outputs(cost, kt::mean(x)).updates(steps);
  }
  constexpr auto counts(kt::var<double, n, 3> x) const {
    return x + left.layers[1].parameters().items.size() + left.parameters().items.size() * 10 +
           parameters().items.size() * 100;
  }
};

using trained = kt::typed::captured<kt::typed::member_function<&network::train>>;
static_assert(trained::value.problem.what == kt::graph::mistake::none);
static_assert(trained::size.shared == 8 && trained::size.updates == 8 && trained::size.outputs == 2);

template <class Lambda>
constexpr kt::graph::diagnosis problem_of(Lambda) {
  return kt::typed::captured<kt::typed::lambda_function<Lambda>>::value.problem;
}

}  // namespace

TEST_CASE("capture: names of shared variables") {
  kt::typed::with_capture<kt::typed::member_function<&network::apply>>([](const kt::graph::graph& g) {
    const char* const expected[] = {"left.layers.0.W", "left.layers.0.b", "left.layers.1.W", "left.layers.1.b",
                                    "left.layers.2.W", "left.layers.2.b", "left.scale",      "bias"};
    CHECK(g.shared.size() == 8);
    for (int p = 0; p < g.shared.size(); ++p) CHECK(std::string_view(kt::graph::name_of_shared(g, p)) == expected[p]);
    CHECK(g.shared[0].initial == kt::init::glorot_uniform);
    CHECK(g.shared[6].initial == kt::init::ones);
    return 0;
  });
}

TEST_CASE("capture: parameters of a model, of a block, of a block in a stack") {
  const std::vector<tensor> shared = {matrix(3, 3, numbers(9)),
                                      vector(numbers(3)),
                                      matrix(3, 3, numbers(9)),
                                      vector(numbers(3)),
                                      matrix(3, 3, numbers(9)),
                                      vector(numbers(3)),
                                      scalar(0),
                                      vector(numbers(3))};
  check_values(run<&network::counts>({matrix(1, 3, {0, 0, 0})}, shared).outputs[0], {872, 872, 872});
}

TEST_CASE("capture: a loop over blocks, several outputs, updates") {
  const tensor x = matrix(2, 3, {0.3, -1.2, 0.8, 1.5, 0.1, -0.4});
  check_report(kt::debug::verify_grad<&network::apply>({x}));
  const tensor W = matrix(3, 3, {1, 0, 0, 0, 1, 0, 0, 0, 1}), zero = vector({0, 0, 0});
  const auto found = run<&network::train>({x, scalar(0)}, {W, zero, W, zero, W, zero, scalar(2), vector({0, 0, 0})});
  double cost = 0, mean = 0;
  for (double v : x.values) {
    cost += 4 * std::pow(std::tanh(std::tanh(std::tanh(v))), 2);
    mean += v / 6;
  }
  CHECK(found.outputs[0][0] == doctest::Approx(cost));
  CHECK(found.outputs[1][0] == doctest::Approx(mean));
  REQUIRE(found.updates.size() == 8);
  check_values(found.updates[0], W.values);  // at rate 0
}

TEST_CASE("capture: what is wrong with a function as a whole") {
  constexpr kt::graph::diagnosis unused = problem_of([](kt::var<float, batch> x, kt::var<float>) { return x; });
  CHECK(unused == kt::graph::diagnosis{.what = kt::graph::mistake::unused_argument, .argument = 1});
  constexpr auto f = [](kt::var<float> x, kt::var<float> y) { return kt::outputs(kt::grad(x, y), y); };
  constexpr unsigned line_of_f = __LINE__ - 1;
  constexpr kt::graph::diagnosis apart = problem_of(f);
  CHECK(apart.what == kt::graph::mistake::disconnected_gradient);
  CHECK(apart.line == line_of_f);
  constexpr kt::graph::diagnosis outside = problem_of([](kt::var<float, 5> x) { return x[kt::rows(2, 6)]; });
  CHECK(outside.what == kt::graph::mistake::slice_bound);
  constexpr kt::graph::diagnosis bound =
      problem_of([](kt::var<float, batch> x, kt::var<int> k) { return x[kt::rows(0, k)]; });
  CHECK(bound.what == kt::graph::mistake::none);  // used as a bound only
}

TEST_CASE("capture: an argument is used by its value, by an extent that it alone has, or by its gradient") {
  const auto what = [](kt::graph::diagnosis found) { return found.what; };
  CHECK(what(problem_of([](kt::var<float, batch> x) { return kt::grad(kt::sum(x), x); })) == kt::graph::mistake::none);
  CHECK(what(problem_of([](kt::var<float, 4> x) { return kt::grad(kt::sum(x[kt::rows(0, 2)]), x); })) ==
        kt::graph::mistake::none);
  constexpr auto from_extent = [](kt::var<float, batch> x, kt::var<float, kt::any> y) {
    return kt::grad(kt::sum(2 * x), 2 * x) * kt::sum(y * 0 + 1);
  };
  CHECK(what(problem_of(from_extent)) == kt::graph::mistake::none);
  check_values(eval(from_extent, {vector({5, 5}), vector({7, 7, 7})}), {3, 3});
  // another argument has the extent, too
  constexpr kt::graph::diagnosis other =
      problem_of([](kt::var<float, batch> x, kt::var<float, batch>) { return x + kt::mean(x); });
  CHECK(other == kt::graph::diagnosis{.what = kt::graph::mistake::unused_argument, .argument = 1});
  constexpr kt::graph::diagnosis replaced = problem_of(
      [](kt::var<float, batch> x, kt::var<float, batch> y) { return kt::outputs(2 * x).givens(kt::given(x, y)); });
  CHECK(replaced == kt::graph::diagnosis{.what = kt::graph::mistake::replaced_argument, .argument = 0});
}

namespace {
struct twice : kt::model {
  kt::shared<float> w{this, "w"};
  constexpr auto step(kt::var<float> x) const { return kt::updates(kt::update(w, x), kt::update(w, w + x)); }
};
static_assert(kt::typed::captured<kt::typed::member_function<&twice::step>>::value.problem ==
              kt::graph::diagnosis{.what = kt::graph::mistake::double_update, .shared = 0});
}  // namespace

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// What is wrong with a number beside a tensor of `T`.
template <class T, class Expression>
constexpr kt::graph::diagnosis beside(Expression) {
  return problem_of([](kt::var<T, batch> x) { return Expression()(x); });
}
constexpr kt::graph::diagnosis outside(kt::dtype type, const char* operation, std::int64_t number) {
  return {.what = kt::graph::mistake::number, .operation = operation, .type = type, .number = number};
}
constexpr bool is(const kt::graph::diagnosis& found, const kt::graph::diagnosis& expected) {
  return found.what == expected.what && found.type == expected.type && found.number == expected.number &&
         std::string_view(found.operation) == expected.operation;
}
template <class T, class... Expression>
constexpr bool fit(Expression... each) {
  return ((beside<T>(each).what == kt::graph::mistake::none) && ...);
}

}  // namespace

TEST_CASE("capture: a number that its element type does not hold, however it comes in") {
  using kt::dtype;
  static_assert(is(beside<std::uint8_t>([](auto x) { return x + 300; }), outside(dtype::uint8, "add", 300)));
  static_assert(is(beside<std::uint8_t>([](auto x) { return x < 256; }), outside(dtype::uint8, "less", 256)));
  static_assert(
      is(beside<std::uint8_t>([](auto x) { return kt::where(x > 1, x, -1); }), outside(dtype::uint8, "where", -1)));
  static_assert(
      is(beside<int>([](auto x) { return kt::clip(x, 0, 3000000000); }), outside(dtype::int32, "minimum", 3000000000)));
  static_assert(is(beside<std::int64_t>([](auto x) { return x * ~std::uint64_t{}; }), outside(dtype::int64, "mul", 0)));
  static_assert(is(beside<bool>([](auto x) { return x == 2; }), outside(dtype::boolean, "equal", 2)));
  static_assert(is(beside<float>([](auto x) { return x - 1e300; }), outside(dtype::float32, "sub", 0)));
  static_assert(is(beside<kt::half>([](auto x) { return kt::full_like(x, 70000); }),
                   outside(dtype::float16, "full_like", 70000)));
  static_assert(is(beside<int>([](auto x) { return kt::cast<int>(kt::full<std::int8_t, batch>(-129)) + x; }),
                   outside(dtype::int8, "full", -129)));
  static_assert(is(beside<float>([](auto x) { return kt::grad(kt::sum(kt::grad_scale(x, 1e300)), x); }),
                   outside(dtype::float32, "mul", 0)));
  static_assert(fit<std::uint8_t>([](auto x) { return x + 255; }, [](auto x) { return x > 0; },
                                  [](auto x) { return x * true + 'a'; }));
  static_assert(fit<std::int8_t>([](auto x) { return x + -128; }, [](auto x) { return x == 127; }));
  static_assert(fit<std::uint64_t>([](auto x) { return x + ~std::uint64_t{}; }));
  static_assert(fit<bool>([](auto x) { return x == 1; }, [](auto x) { return kt::where(x, x, false); }));
  static_assert(fit<float>([](auto x) { return x * 0.1 + 16777217; },
                           [](auto x) { return kt::where(x < -infinite, -infinite, x) + 3.40282347e38; }));
  static_assert(fit<kt::half>([](auto x) { return x * 65536 * 1e-3; }));  // computed in float
  static_assert(fit<double>([](auto x) { return kt::minimum(x, infinite) + 1e300; }));
}
