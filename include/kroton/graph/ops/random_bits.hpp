// This header has the operation random_bits: the random bits of each element of a draw.
#pragma once

#include <kroton/arithmetic/simd/draws.hpp>
#include <kroton/arithmetic/simd/philox.hpp>
#include <kroton/graph/elementwise.hpp>
#include <kroton/graph/ops/random_state.hpp>

namespace kroton {
namespace ops {
/// The operands are the position of the element, and as scalars the call and draw, and the seed. The result has
/// `Digits` bits: 16 in an int32, 32 in a uint32, 52 or 64 in a uint64.
template <int Digits>
struct random_bits : elementwise<random_bits<Digits>, 3, operands::integral> {
  static constexpr const char* name = "random_bits";
  static constexpr int cost = 12;
  static constexpr bool draws = true;
  using bits =
      std::conditional_t<Digits == 16, std::int32_t, std::conditional_t<Digits == 32, std::uint32_t, std::uint64_t>>;
  using words = std::conditional_t<Digits == 16, std::uint16_t, bits>;
  static constexpr dtype result(const dtype*, int) { return dtype_of<bits>; }

  template <class P>
  using bits_of = simd::rebind<bits, P>;

  static constexpr KROTON_HD bits apply(std::uint64_t at, std::uint64_t where, std::uint64_t key) {
    return first_digits(arithmetic::random_bits<words>(at, where, key));
  }
  /// The bits of neighbouring elements, in a thread of a device.
  template <int W>
  static constexpr KROTON_HD void apply_to_lanes(std::uint64_t first, std::uint64_t where, std::uint64_t key,
                                                 bits (&to)[W]) {
    words every[W];
    arithmetic::random_bits(first, where, key, every);
    for (int i = 0; i < W; ++i) to[i] = first_digits(every[i]);
  }
  /// The same of values that are the same for a whole row, of several rows.
  template <simd::any_pack P>
  static bits_of<P> apply(const P& at, const P& where, const P& key) {
    return simd::map_lanes<bits_of<P>>([](auto i, auto w, auto k) { return apply(i, w, k); }, at, where, key);
  }
  /// The bits of `W` elements; `at` is simd::consecutive or a pack of positions.
  template <int W, class Positions>
  KROTON_INLINE static simd::pack<bits, W> apply_to_pack(simd::drawn_bits<words>& drawn, const Positions& at,
                                                         std::uint64_t where, std::uint64_t key) {
    const simd::pack<words, W> every = drawn.template take<W>(at, where, key);
    if constexpr (Digits == 16) return simd::widened(every);
    else if constexpr (Digits == 52) return simd::shifted<12>(every);
    else return every;
  }

 private:
  static constexpr KROTON_HD bits first_digits(words every) {
    if constexpr (Digits == 52) return every >> 12;
    else return every;
  }
};

/// Base of operations that make a floating-point number of random bits.
template <class Op>
struct number_of_bits : elementwise<Op, 1, operands::integral> {
  static constexpr std::int64_t integer_reference(dtype, const std::int64_t*, int) { return 0; }  // there is none
};
}  // namespace ops

namespace graph {
/// The random bits of a new draw of shape `s`.
template <int Digits>
constexpr term draw_bits(graph& g, const shape& s) {
  const term state = random_state(g);
  const term at = graph_layer::record<ops::iota>(g, dtype::uint64, s, {}, nullptr, 0);
  const term where = element_of_state(state, 1) + draw_number(g);
  return graph_layer::map<ops::random_bits<Digits>>(at, where, element_of_state(state, 0));
}
}  // namespace graph

}  // namespace kroton
