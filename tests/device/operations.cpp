// Every operation on a device, in every element type that it takes, against the interpreter.
#include "device.hpp"

using namespace test;

namespace {

constexpr struct n : kt::dim<n> {
} n;
template <class T>
using vector = kt::var<T, n>;

/// Calls `body` with numbers from `least` to `most`.
template <class T, class Lambda>
void check_between(double least, double most, Lambda lambda) {
  check(lambda, random<T, 1>({333}, 1, least, most));
}

TEST_CASE_TEMPLATE("device: functions of real numbers", T, float, double) {
  check_between<T>(-3, 3, [](vector<T> x) { return kt::outputs(kt::abs(x), kt::sign(x), kt::sqr(x), kt::ceil(x), kt::floor(x), kt::round(x), kt::trunc(x), -x); });
  check_between<T>(-3, 3, [](vector<T> x) { return kt::outputs(kt::exp(x), kt::exp2(x), kt::expm1(x), kt::sigmoid(x), kt::softplus(x), kt::relu(x), kt::tanh(x)); });
  check_between<T>(-3, 3, [](vector<T> x) { return kt::outputs(kt::sin(x), kt::cos(x), kt::sinh(x), kt::cosh(x), kt::asinh(x), kt::atan(x)); });
  check_between<T>(-3, 3, [](vector<T> x) { return kt::outputs(kt::erf(x), kt::erfc(x), kt::isnan(x), kt::isinf(x), kt::clip(x, -1, 1)); });
  check_between<T>(0.01, 9, [](vector<T> x) { return kt::outputs(kt::log(x), kt::log2(x), kt::log10(x), kt::log1p(x), kt::sqrt(x), kt::acosh(x + 1)); });
  check_between<T>(-0.95, 0.95, [](vector<T> x) { return kt::outputs(kt::asin(x), kt::acos(x), kt::atanh(x), kt::tan(x)); });
}

// which are read and written as such, and float between
TEST_CASE_TEMPLATE("device: functions of short real numbers", T, kt::half, kt::bfloat16) {
  check_between<T>(-3, 3, [](vector<T> x) { return kt::outputs(kt::abs(x), kt::round(x), -x, kt::exp(x), kt::relu(x), kt::tanh(x), kt::erf(x), kt::isnan(x)); });
  check_between<T>(0.01, 9, [](vector<T> x) { return kt::sqrt(x) + kt::log(x); });
}

TEST_CASE_TEMPLATE("device: functions of two numbers", T, float, double, kt::half, std::int8_t, std::int64_t, std::uint32_t) {
  const auto x = random<T, 1>({77}, 2, std::is_unsigned_v<T> ? 0 : -9, 9), y = random<T, 1>({77}, 3, std::is_unsigned_v<T> ? 0 : -9, 9);
  check([](vector<T> a, vector<T> b) { return kt::outputs(a + b, a - b, a * b, a / b, kt::mod(a, b), kt::minimum(a, b), kt::maximum(a, b)); }, x, y);
  check([](vector<T> a, vector<T> b) { return kt::outputs(a == b, a != b, a < b, a <= b, a > b, a >= b, kt::where(a < b, a, b)); }, x, y);
  check([](vector<T> a, vector<T> b) { return kt::outputs(kt::cast<float>(a), kt::cast<double>(b), kt::cast<std::int32_t>(a), kt::cast<std::uint8_t>(kt::abs(b)), kt::cast<kt::half>(a), kt::cast<bool>(b)); }, x, y);
}

TEST_CASE_TEMPLATE("device: powers and angles", T, float, double) {
  const auto x = random<T, 1>({100}, 4, 0.1, 4), y = random<T, 1>({100}, 5, -2, 2);
  check([](vector<T> a, vector<T> b) { return kt::outputs(kt::pow(a, b), kt::atan2(b, a), kt::pow(b, 2)); }, x, y);
}

TEST_CASE("device: truth values") {
  const auto x = random<bool, 1>({50}, 6, 0, 1), y = random<bool, 1>({50}, 7, 0, 1);
  check([](vector<bool> a, vector<bool> b) { return kt::outputs(a && b, a || b, a ^ b, !a, kt::any(a), kt::all(b), kt::cast<int>(a)); }, x, y);
}

TEST_CASE_TEMPLATE("device: reductions", T, float, double, std::int32_t, std::uint8_t) {
  const auto x = random<T, 2>({20, 33}, 8, 0, 3);
  using matrix = kt::var<T, n, 33>;
  check([](matrix a) { return kt::outputs(kt::sum(a), kt::sum(a, kt::axis<0>), kt::sum(a, kt::axis<1>), kt::max(a, kt::axis<0>), kt::min(a, kt::axis<1>)); }, x);
  check([](matrix a) { return kt::outputs(kt::argmax(a), kt::argmax(a, kt::axis<0>), kt::argmin(a, kt::axis<1>), kt::prod(kt::minimum(a, 2), kt::axis<1>)); }, x);
}

TEST_CASE("device: extreme values") {
  kt::tensor<float, 1> x({12}, {0.0F, -0.0F, INFINITY, -INFINITY, NAN, 1e30F, -1e30F, 1e-40F, 800, -800, 88, -104});
  check([](vector<float> a) { return kt::outputs(kt::exp(a), kt::log(a), kt::sigmoid(a), kt::softplus(a), kt::tanh(a), kt::erf(a), kt::erfc(a), kt::sqrt(a)); }, x);
  check([](vector<float> a) { return kt::outputs(a * 0, a - a, a / a, kt::maximum(a, 0), kt::sign(a), kt::cast<int>(a), kt::relu(a), kt::isnan(a)); }, x);
  check([](vector<float> a) { return kt::outputs(kt::sum(a), kt::max(a), kt::argmax(a), kt::log1p(a), kt::expm1(a)); }, x);
}

}  // namespace
