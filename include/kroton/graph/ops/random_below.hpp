// This header has the operation random_below: whether random bits of each element of a draw are less than a bound.
#pragma once

#include <kroton/graph/ops/random_bits.hpp>

namespace kroton::ops {

/// The operands are those of random_bits, and as a scalar the bound, from 0 to 2^16: a result holds with the
/// probability bound / 2^16.
struct random_below : elementwise<random_below, 4, operands::integral> {
  static constexpr const char* name = "random_below";
  static constexpr int cost = 1;  // in the loop of a kernel, which calls a function to draw
  static constexpr bool draws = true;
  static constexpr int drawn_together = 16;
  using drawn = simd::drawn_below;
  static constexpr dtype result(const dtype*, int) { return dtype::boolean; }

  static constexpr KROTON_HD bool apply(std::uint64_t at, std::uint64_t where, std::uint64_t key, std::uint64_t bound) {
    return arithmetic::is_below(at, where, key, bound);
  }
  static constexpr std::int64_t integer_reference(dtype, const std::int64_t* x, int) {
    const auto of = [&](int i) { return static_cast<std::uint64_t>(x[i]); };
    return apply(of(0), of(1), of(2), of(3));
  }
  /// Of neighbouring elements, in a thread of a device.
  template <int W>
  static constexpr KROTON_HD void apply_to_lanes(std::uint64_t first, std::uint64_t where, std::uint64_t key,
                                                 std::uint64_t bound, bool (&to)[W]) {
    arithmetic::are_below(first, where, key, bound, to);
  }
  /// Of values that are the same for a whole row, of several rows.
  template <simd::any_pack P>
  static typename P::mask_type apply(const P& at, const P& where, const P& key, const P& bound) {
    std::uint64_t results = 0;
    for (int i = 0; i < P::size; ++i)
      results |= std::uint64_t{apply(simd::lane(at, i), simd::lane(where, i), simd::lane(key, i), simd::lane(bound, i))}
                 << i;
    return simd::from_bits<typename P::mask_type>(results);
  }
  /// Of the elements of a mask; `at` is simd::consecutive or a pack of positions.
  template <simd::any_mask M, class Positions>
  KROTON_INLINE static M apply_to_pack(drawn& of, const Positions& at, std::uint64_t where, std::uint64_t key,
                                       std::uint64_t bound) {
    return of.template take<M>(at, where, key, bound);
  }
};

}  // namespace kroton::ops
