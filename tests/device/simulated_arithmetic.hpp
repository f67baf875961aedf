// How a simulated device computes: as a GPU may, whose functions round otherwise than those of the host, and whose
// compiler makes one rounding of a product and a sum. What depends on the last bit of such results fails here.
#pragma once

#include "seed.hpp"

#include <kroton/kroton.hpp>
#include <kroton/runtime/device/values.hpp>

#include <array>
#include <bit>
#include <cmath>
#include <concepts>

namespace simulated {

namespace kt = kroton;

template <class T>
auto bits_of(T x) {
  return std::bit_cast<std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>(x);
}
/// The neighbour of what a function returns, or that itself. Zeros, ones and others with few digits are what every
/// device computes.
template <std::floating_point T>
T noisy(T x) {
  constexpr auto last_half = (std::uint64_t{1} << (std::numeric_limits<T>::digits / 2)) - 1;
  if (!std::isfinite(x) || (bits_of(x) & last_half) == 0) return x;
  switch (mixed(bits_of(x)) % 4) {
    case 0: return std::nextafter(x, std::numeric_limits<T>::infinity());
    case 1: return std::nextafter(x, -std::numeric_limits<T>::infinity());
    default: return x;
  }
}
template <class T>
T noisy(T x) {
  return x;
}

/// The latest products of a thread, which sums may take over before they are rounded.
class products_of_thread {
 public:
  void forget() { count_ = 0; }
  void add(double x, double y, double product) { all_[count_++ % all_.size()] = {x, y, product}; }
  /// The factors of a product; none: it is not known, or is rounded by itself. A product is found by its value, and
  /// what overflowed has that of many.
  const double* factors_of(double product) const {
    if (!std::isfinite(product) || mixed(bits_of(product)) % 2 == 0) return nullptr;
    for (std::size_t k = 0; k < std::min(count_, all_.size()); ++k)
      if (const auto& one = all_[(count_ - 1 - k) % all_.size()]; bits_of(one[2]) == bits_of(product))
        return one.data();
    return nullptr;
  }

 private:
  std::array<std::array<double, 3>, 64> all_{};
  std::size_t count_ = 0;
};
inline thread_local products_of_thread products;
/// What begins for a thread of a device.
inline void begin_thread() { products.forget(); }

template <class T>
T multiplied(T x, T y, T product) {
  if constexpr (std::floating_point<T>) products.add(x, y, product);
  return product;
}
/// `sum`: of x and sign * y.
template <class T>
T added(T x, T y, T sum, int sign) {
  if constexpr (std::floating_point<T>) {
    if (const double* const of_x = products.factors_of(x))
      return std::fma(static_cast<T>(of_x[0]), static_cast<T>(of_x[1]), static_cast<T>(sign) * y);
    if (const double* const of_y = products.factors_of(y))
      return std::fma(static_cast<T>(sign) * static_cast<T>(of_y[0]), static_cast<T>(of_y[1]), x);
  }
  return sum;
}

/// Functions that no processor has an instruction for. Random numbers are made of operations that all devices round
/// alike.
template <class Op>
concept rough = requires {
  requires Op::cost >= 12;
}
&&!std::derived_from<Op, kt::ops::number_of_bits<Op>>;

}  // namespace simulated

namespace kroton::runtime::on_device {

template <simulated::rough Op>
struct applied<Op> {
  template <class... V>
  static auto to(const V&... x) {
    return simulated::noisy(Op::apply(x...));
  }
};
template <>
struct applied<ops::mul> {
  template <class V>
  static auto to(const V& x, const V& y) {
    return simulated::multiplied<V>(x, y, static_cast<V>(ops::mul::apply(x, y)));
  }
};
template <>
struct applied<ops::sqr> {
  template <class V>
  static auto to(const V& x) {
    return simulated::multiplied<V>(x, x, static_cast<V>(ops::sqr::apply(x)));
  }
};
template <>
struct applied<ops::add> {
  template <class V>
  static auto to(const V& x, const V& y) {
    return simulated::added<V>(x, y, static_cast<V>(ops::add::apply(x, y)), 1);
  }
};
template <>
struct applied<ops::sub> {
  template <class V>
  static auto to(const V& x, const V& y) {
    return simulated::added<V>(x, y, static_cast<V>(ops::sub::apply(x, y)), -1);
  }
};

}  // namespace kroton::runtime::on_device
