#include "../support.hpp"

using namespace test;

namespace {

template <class Lambda>
std::string message_of(Lambda lambda, const std::vector<tensor>& inputs) {
  try {
    eval(lambda, inputs);
  } catch (const kt::shape_error& e) {
    return e.what();
  }
  return "nothing was thrown";
}

struct counter : kt::model {
  kt::shared<int> count{this, "count"};
  kt::shared<int> last{this, "last"};
  constexpr auto step(kt::var<int> x) const {
    return kt::outputs(count + x).updates(kt::update(count, count + x), kt::update(last, count));
  }
};

struct block : kt::model {
  using kt::model::model;
  kt::shared<double, m> b{this, "b"};
};
struct pair : kt::model {
  kt::stack<block, 2> blocks{this, "blocks"};
  constexpr auto shift(kt::var<double, n, m> x) const { return x + blocks[0].b + blocks[1].b; }
};

}  // namespace

TEST_CASE("reference: updates see the old values") {
  const auto found = run<&counter::step>({scalar(5)}, {scalar(10), scalar(0)});
  check_tensor(found.outputs[0], {}, {15});
  REQUIRE(found.updates.size() == 2);
  check_tensor(found.updates[0], {}, {15});
  check_tensor(found.updates[1], {}, {10});
}

TEST_CASE("reference: arguments that do not fit") {
  const auto f = [](kt::var<double, n, 3> x, kt::var<double, n> y) { return kt::dot(y, x); };
  CHECK(message_of(f, {matrix(2, 3, numbers(6)), vector({1, 2, 3})}) ==
        "kroton: dimension n is 2 in argument 1 but 3 in argument 2; pass tensors that agree");
  CHECK(message_of(f, {matrix(2, 4, numbers(8)), vector({1, 2})}) ==
        "kroton: axis 1 of argument 1 is 4 but 3 is expected; pass a tensor of that extent");
  CHECK(message_of(f, {vector({1, 2}), vector({1, 2})}) ==
        "kroton: argument 1 has 1 axes but 2 are expected; reshape it");
  CHECK(message_of(f, {matrix(2, 3, {1}), vector({1, 2})}) ==
        "kroton: argument 1 has 1 values but its extents [2, 3] need 6");
  CHECK(message_of(f, {vector({1})}) == "kroton: 1 arguments given, but the function has 2; pass one tensor for each");
  const auto free = [](kt::var<double, kt::any> x, kt::var<double, kt::any> y) { return x + y; };
  CHECK(message_of(free, {vector({1, 2}), vector({1})}) ==  // an extent of 1 at run time does not broadcast
        "kroton: add: axis 0 of argument 1 is 2, but must equal: axis 0 of argument 2 is 1; pass tensors "
        "that agree");
}

TEST_CASE("reference: extents that a call alone knows have to agree") {
  using rows = kt::var<double, kt::any, kt::any>;
  using row = kt::var<double, kt::any>;
  const tensor x = matrix(2, 2, {1, 2, 3, 4}), wide = matrix(2, 3, {1, 2, 3, 4, 5, 6}),
               tall = matrix(3, 2, {1, 2, 3, 4, 5, 6}), three = vector({0, 1, 1});
  const auto check = [&](auto f, const tensor& fits, const tensor& other) {
    CHECK_NOTHROW(run(f, {x, fits}));
    CHECK_THROWS_AS(run(f, {x, other}), kt::shape_error);
  };
  check([](rows a, rows b) { return a - b; }, x, wide);
  check([](rows a, rows b) { return a - b; }, x, tall);
  check([](rows a, rows b) { return kt::where(a < 0, a, b); }, x, wide);
  check([](rows a, rows b) { return kt::concatenate(kt::axis<0>, a, b); }, tall, wide);
  check([](rows a, rows b) { return kt::concatenate(kt::axis<1>, a, b); }, wide, tall);
  check([](rows a, rows b) { return kt::stack(kt::axis<0>, a, b); }, x, wide);
  check([](rows a, rows b) { return kt::dot(a, b); }, wide, tall);
  check([](rows a, row b) { return kt::dot(a, b); }, vector({1, 2}), three);
  check([](rows a, kt::var<int, kt::any> b) { return kt::pick(a, b); }, vector({0, 1}), three);
  check([](rows a, rows b) { return kt::outputs(kt::assume_shape<2, kt::any>(b), a); }, wide, tall);
}

TEST_CASE("reference: shared variables take part in the named dimensions") {
  const tensor x = matrix(2, 2, {1, 2, 3, 4});
  check_tensor(run<&pair::shift>({x}, {vector({10, 20}), vector({100, 200})}).outputs[0], {2, 2}, {111, 222, 113, 224});
  CHECK_THROWS_WITH_AS(
      run<&pair::shift>({x}, {vector({10, 20}), vector({1})}),
      "kroton: dimension m is 2 in argument 1 but 1 in shared variable blocks.1.b; pass tensors that agree",
      kt::shape_error);
}

TEST_CASE("reference: integers beyond those that doubles hold") {
  constexpr std::int64_t odd = (std::int64_t{1} << 53) + 1;
  using signed_vector = kt::var<std::int64_t, n>;
  using unsigned_vector = kt::var<std::uint64_t, n>;
  const tensor x = integers<std::int64_t>({odd, odd + 2, -odd}), indices = integers<std::int64_t>({2, 0, 1});
  const tensor large = integers<std::uint64_t>({std::uint64_t{1} << 63, (std::uint64_t{1} << 63) + 1, 1});
  const auto check = [](auto lambda, const std::vector<tensor>& inputs, const std::vector<std::int64_t>& expected) {
    const tensor found = eval(lambda, inputs);
    CHECK(found.integers == expected);
    for (std::size_t i = 0; i < expected.size(); ++i) CHECK(found.integer(i) == expected[i]);
  };
  check([](signed_vector a) { return a * 3 - 1; }, {x}, {odd * 3 - 1, odd * 3 + 5, -odd * 3 - 1});
  check([](signed_vector a) { return a + ((std::int64_t{1} << 53) + 1); }, {x},
        {2 * odd, 2 * odd + 2, 0});  // a constant that no double holds
  check([](signed_vector a) { return kt::abs(-a) / 3; }, {x}, {odd / 3, (odd + 2) / 3, odd / 3});
  check([](signed_vector a) { return kt::where(a == (std::int64_t{1} << 53) + 1, a, kt::maximum(a, 0)); }, {x},
        {odd, odd + 2, 0});
  check([](signed_vector a) { return kt::outputs(kt::sum(a)); }, {x}, {odd + 2});
  check([](signed_vector a) { return kt::max(a); }, {x}, {odd + 2});
  check([](signed_vector a) { return kt::argmax(a); }, {x}, {1});
  check([](signed_vector a, signed_vector i) { return kt::take(a, i); }, {x, indices}, {-odd, odd, odd + 2});
  check([](signed_vector a) { return kt::concatenate(kt::axis<0>, a[kt::rows(1, 2)], kt::transpose(a)); }, {x},
        {odd + 2, odd, odd + 2, -odd});
  check([](unsigned_vector a) { return kt::max(a) - kt::min(a); }, {large}, {std::numeric_limits<std::int64_t>::min()});
  check([](unsigned_vector a) { return kt::argmax(a); }, {large}, {1});
  check_values(eval([](unsigned_vector a) { return a > (std::uint64_t{1} << 63); }, {large}), {0, 1, 0});
  CHECK_THROWS_WITH_AS(eval([](signed_vector a, unsigned_vector i) { return kt::take(a, i); }, {x, large}),
                       "kroton: index 9223372036854775808 is outside [0, 3); pass indices of rows that there are",
                       kt::index_error);
}

TEST_CASE("reference: results of float nodes are rounded when asked") {
  const auto f = [](kt::var<float, n> x) { return x / 3; };
  check_values(run(f, {vector({1})}).outputs[0], {1.0 / 3});
  check_values(run(f, {vector({1})}, {.round_to_float = true}).outputs[0], {static_cast<double>(1.0f / 3)});
}

TEST_CASE("reference: a frozen graph gives the same") {
  constexpr auto f = [](kt::var<double, n> x) { return kt::sum(kt::exp(x)); };
  using capture = kt::typed::captured<kt::typed::lambda_function<std::remove_const_t<decltype(f)>>>;
  const std::vector<tensor> inputs = {vector({1, 2})};
  check_values(kt::reference::interpret(capture::value, inputs).outputs[0], {std::exp(1.0) + std::exp(2.0)});
}

TEST_CASE("reference: errors are one family") {
  const kt::index_error e("kroton: x");
  CHECK_THROWS_AS(throw e, kt::error);
  CHECK_THROWS_AS(throw kt::memory_error("kroton: y"), std::runtime_error);
  CHECK(kt::runtime::message("a", 1, std::string("b")) == "a1b");
}

TEST_CASE("reference: noise shows what a product of floats may be in another order") {
  const auto f = [](kt::var<float, n> x) { return kt::prod(x); };
  kt::typed::with_capture<kt::typed::lambda_function<decltype(f)>>([](const kt::graph::graph& g) {
    const auto product = [&](std::vector<double> x, std::uint64_t noise) {
      const std::vector<tensor> inputs{vector(std::move(x))};
      return kt::reference::interpret(g, inputs, {}, {.round_to_float = true, .noise = noise}).outputs[0].values[0];
    };
    const std::vector<double> factors = {1e30, 1e-30, 1.25, 1e30, 1e-30};
    CHECK(product(factors, 0) == doctest::Approx(1.25));
    CHECK(product(factors, 1) == HUGE_VAL);
    CHECK(product(factors, 2) == 0);
    CHECK(std::isnan(product({std::nan(""), 1, 2, std::nan("")}, 1)));
    CHECK(product({}, 1) == doctest::Approx(1));
  });
}
