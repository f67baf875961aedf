// This header has the values of operations in a thread of a device, and moves packs of neighbouring ones.
//
//     4 floats at an address that is a multiple of 16  ->  one load of 16 bytes;  else four loads
#pragma once

#include <kroton/graph/array.hpp>
#include <kroton/kernel/values.hpp>
#include <kroton/runtime/device/parts.hpp>

#include <cmath>
#include <cstdint>
#include <type_traits>

namespace kroton::runtime::on_device {

using kernel::constant_of;
using kernel::converted;

/// The value of an operation in a thread of a device. Tests replace it, because a device may round differently.
template <class Op>
struct applied {
  template <class... V>
  static KROTON_DEVICE auto to(const V&... x) {
    return Op::apply(x...);
  }
};

/// Division by a value that many elements share, such as the sum of a row. The reciprocal is computed once and kept in
/// two numbers, so that a quotient is nearly always rounded correctly; it takes 3 instructions, a division of its own
/// 10. `high` is rounded towards 0: where infinity is divided, both products have the same sign.
class shared_divisor {
 public:
  shared_divisor() = default;
  KROTON_DEVICE explicit shared_divisor(float d) {
    constexpr float large = 0x1p64f, least = 0x1p-60f;
    const float size = std::fabs(d);
    scale_ = size < 1 / large ? large : size > large ? 1 / large : 1;  // so that the reciprocal is a normal number
    d *= scale_;
    high_ = simd::quick_quotient(1.0f, d);
    float rest = std::fma(-d, high_, 1.0f);
    if (rest < 0) {
      high_ *= 1 - 0x1p-23f;
      rest = std::fma(-d, high_, 1.0f);
    }
    low_ = (rest > least ? rest : least) * high_;
  }
  friend KROTON_DEVICE float operator/(float x, const shared_divisor& d) {
    const float scaled = x * d.scale_;
    return std::fma(scaled, d.high_, scaled * d.low_);
  }

 private:
  float scale_, high_, low_;
};

/// Neighbouring elements, moved at once.
template <class T, int Width>
struct alignas(sizeof(T) * Width) block {
  plain_array<T, Width> item;
};
/// How many of `Width` elements are moved at once: as many as fit into 16 bytes.
template <class T, int Width>
inline constexpr int moved_at_once = Width * sizeof(T) <= 16 ? Width : 16 / static_cast<int>(sizeof(T));
/// Whether the first `Size` of `left` elements at `at` can be moved as a block.
template <int Size, class T>
KROTON_DEVICE bool can_move(const T* at, int left) {
  return Size == 1 || (left >= Size && reinterpret_cast<std::uintptr_t>(at) % sizeof(block<T, Size>) == 0);
}

}  // namespace kroton::runtime::on_device
