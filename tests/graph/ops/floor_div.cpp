#include "../../support.hpp"

TEST_CASE("floor_div") {
  using namespace test;
  const auto f = [](kt::var<double, n> x, kt::var<double, n> y) { return kt::floor_div(x, y); };
  const tensor x = vector({7, -7, 7, -7, 0.5, -0.5, 6, -6, 5, -5, 0, -0.0, 1, -1, 0, inf, 3}),
               y = vector({2, 2, -2, -2, 3, 3, 0.1, 0.1, inf, inf, 3, 3, 0, 0, 0, 2, quiet_nan});
  // what Python and NumPy give: 6 / 0.1 is rounded up to 60, but 60 * 0.1 is more than 6
  check_tensor(eval(f, {x, y}), {17},
               {3, -4, -4, 3, 0, -1, 59, -60, 0, -1, 0, -0.0, inf, -inf, quiet_nan, quiet_nan, quiet_nan});
  check_grad([](kt::var<double, n> a, kt::var<double, n> b) { return a * kt::floor_div(a, b); },
             {vector({-1.5, 2}), vector({0.7, -4.1})});
  const auto whole = [](kt::var<int, n> a, kt::var<int, n> b) { return kt::floor_div(a, b); };
  check_tensor(eval(whole, {vector({7, -7, 7, -7, 6, -6, 5, -2147483648.0}), vector({2, 2, -2, -2, -2, 2, 0, -1})}),
               {8}, {3, -4, -4, 3, -3, -3, 0, -2147483648.0});
}

// Constants are folded to what kernels and the interpreter compute, for numbers with a sign and without.
namespace {
template <class T, class Op>
constexpr std::int64_t folded(T x, T y) {
  const std::int64_t operands[] = {static_cast<std::int64_t>(x), static_cast<std::int64_t>(y)};
  return kt::graph::wrapped(kt::dtype_of<T>, kt::graph::op<Op>->integer_reference(kt::dtype_of<T>, operands, 2));
}
template <class T>
constexpr bool is_defined_at_the_ends() {
  constexpr T least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max(),
              minus_one = static_cast<T>(-1);
  bool good = true;
  for (T x : {least, most, T(7), T(0)}) {
    good = good && folded<T, kt::ops::div>(x, 0) == 0 && folded<T, kt::ops::floor_div>(x, 0) == 0;
    good = good && folded<T, kt::ops::mod>(x, 0) == 0 && folded<T, kt::ops::rem>(x, 0) == 0;
  }
  if constexpr (std::is_signed_v<T>) {
    good = good && folded<T, kt::ops::div>(least, minus_one) == least &&
           folded<T, kt::ops::floor_div>(least, minus_one) == least;
    good = good && folded<T, kt::ops::mod>(least, minus_one) == 0 && folded<T, kt::ops::rem>(least, minus_one) == 0;
    good = good && folded<T, kt::ops::div>(-7, 2) == -3 && folded<T, kt::ops::rem>(-7, 2) == -1;
    good = good && folded<T, kt::ops::floor_div>(-7, 2) == -4 && folded<T, kt::ops::mod>(-7, 2) == 1;
  } else {
    good = good && folded<T, kt::ops::div>(most, 2) == static_cast<std::int64_t>(most / 2) &&
           folded<T, kt::ops::mod>(most, 7) == static_cast<std::int64_t>(most % 7);
  }
  return good;
}
static_assert(is_defined_at_the_ends<std::int8_t>() && is_defined_at_the_ends<std::int16_t>() &&
              is_defined_at_the_ends<std::int32_t>());
static_assert(is_defined_at_the_ends<std::int64_t>() && is_defined_at_the_ends<std::uint8_t>() &&
              is_defined_at_the_ends<std::uint16_t>());
static_assert(is_defined_at_the_ends<std::uint32_t>() && is_defined_at_the_ends<std::uint64_t>());
}  // namespace
