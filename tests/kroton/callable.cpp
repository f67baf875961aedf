// alone: only the light headers are here.
#include "callable_functions.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <type_traits>

using namespace callables;

namespace {

using square_function = kt::callable<double(double) const>;
static_assert(std::is_nothrow_move_constructible_v<square_function> &&
              std::is_nothrow_move_assignable_v<square_function> && std::is_default_constructible_v<square_function>);
static_assert(std::is_invocable_r_v<double, const square_function&, double>);

/// What a big program does: a class with functions, whose header needs no model.
class line {
 public:
  float train(const std::vector<float>& x) {
    return functions_.train(kt::view(x.data(), {static_cast<std::int64_t>(x.size() / 3), 3}));
  }
  matrix apply(const matrix& x, float by) const { return functions_.apply(x, by); }
  scaled functions_ = make_scaled();
};

TEST_CASE("callable: functions of a session that is gone") {
  line fit;
  const matrix x({2, 3}, {1, 2, 3, 4, 5, 6});
  CHECK(fit.apply(x, 2)(1, 2) == 12);
  CHECK(fit.train({1, 2, 3}) == 6);
  CHECK(fit.apply(x, 1)(0, 2) == 12);  // w is 2, 3, 4
  fit.functions_.set(std::vector<float>{0, 1, 0});
  const matrix y = fit.apply(x, 3);
  CHECK(y(0, 0) == 0);
  CHECK(y(1, 1) == 15);
  const auto [all, each] = fit.functions_.both(x);
  CHECK(all == 21);
  CHECK(each(1) == 15);
}

TEST_CASE("callable: moved, assigned, empty") {
  square_function f;
  CHECK(!f);
  CHECK_THROWS_WITH_AS((void)f(2), "kroton: the callable has no function; assign a compiled function to it first",
                       kt::error);
  f = make_square();
  CHECK(f);
  square_function g = std::move(f);
  CHECK(g(3) == 9);
  CHECK_THROWS_AS((void)f(3), kt::error);
  const kt::callable<double(double)> h = std::move(g);  // NOLINT: a callable of another signature holds it
  CHECK(static_cast<bool>(h));
}

TEST_CASE("callable: in std::function") {
  const std::function<double(double)> f = make_square().shared();
  const auto g = f;
  CHECK(f(3) + g(4) == 25);
  auto square = make_square();
  const std::function<double(double)> by_reference = std::ref(square);
  CHECK(by_reference(-2) == 4);
}

TEST_CASE("callable: what the function throws") {
  line fit;
  CHECK_THROWS_WITH_AS((void)fit.apply(matrix({2, 4}), 1), "kroton: argument 1 has extent 4 along axis 1, expected 3",
                       kt::shape_error);
  auto pieces = make_pieces();
  CHECK(pieces({0, 1, 2})(2) == doctest::Approx(std::exp(2)));
  CHECK(pieces({}).size() == 0);
}

TEST_CASE("view: of pointers, tensors and ranges") {
  const float numbers[] = {1, 2, 3, 4};
  const auto v = kt::view(numbers, {2, 2});
  static_assert(std::is_same_v<decltype(v), const kt::view<const float, 2>>);
  CHECK(v.data() == numbers);
  CHECK(v.extents() == std::array<std::int64_t, 2>{2, 2});
  const kt::tensor<float, 1> x({2}, {5, 6});
  const kt::view<const float, 1> of_tensor = x, of_vector = std::vector<float>();
  CHECK(of_tensor.data()[1] == 6);
  CHECK(of_vector.extents()[0] == 0);
}

}  // namespace
