// This header has the operation random_bits: the random bits of each element of a draw.
#pragma once

#include <kroton/arithmetic/simd/draws.hpp>
#include <kroton/arithmetic/simd/philox.hpp>
#include <kroton/graph/elementwise.hpp>
#include <kroton/graph/ops/random_state.hpp>

namespace kroton {
namespace ops {
/// The operands are the position of the element, and as scalars the call and draw, and the seed. The result has
/// `Digits` bits: 32 in a uint32, 52 or 64 in a uint64.
template <int Digits>
struct random_bits : elementwise<random_bits<Digits>, 3, operands::integral> {
  static constexpr const char* name = "random_bits";
  static constexpr int cost = 12;
  static constexpr bool draws = true;
  using bits = std::conditional_t<Digits == 32, std::uint32_t, std::uint64_t>;
  static constexpr int drawn_together = arithmetic::elements_of_counter<bits>;
  using drawn = simd::drawn_bits<bits>;
  static constexpr dtype result(const dtype*, int) { return dtype_of<bits>; }

  template <class P>
  using bits_of = simd::rebind<bits, P>;

  static constexpr KROTON_HD bits apply(std::uint64_t at, std::uint64_t where, std::uint64_t key) {
    return first_digits(arithmetic::random_bits<bits>(at, where, key));
  }
  static constexpr std::int64_t integer_reference(dtype, const std::int64_t* x, int) {
    const auto of = [&](int i) { return static_cast<std::uint64_t>(x[i]); };
    return static_cast<std::int64_t>(apply(of(0), of(1), of(2)));
  }
  /// The bits of neighbouring elements, in a thread of a device.
  template <int W>
  static constexpr KROTON_HD void apply_to_lanes(std::uint64_t first, std::uint64_t where, std::uint64_t key,
                                                 bits (&to)[W]) {
    arithmetic::random_bits(first, where, key, to);
    for (bits& each : to) each = first_digits(each);
  }
  /// The same of values that are the same for a whole row, of several rows.
  template <simd::any_pack P>
  static bits_of<P> apply(const P& at, const P& where, const P& key) {
    return simd::map_lanes<bits_of<P>>([](auto i, auto w, auto k) { return apply(i, w, k); }, at, where, key);
  }
  /// The bits of the elements of a pack; `at` is simd::consecutive or a pack of positions.
  template <simd::any_pack P, class Positions>
  KROTON_INLINE static P apply_to_pack(drawn& of, const Positions& at, std::uint64_t where, std::uint64_t key) {
    const P every = of.template take<P::size>(at, where, key);
    if constexpr (Digits == 52) return simd::shifted<12>(every);
    else return every;
  }

 private:
  static constexpr KROTON_HD bits first_digits(bits every) {
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
/// What the bits of a new draw of shape `s` are functions of: the operands of random_bits.
struct drawn_elements {
  term at, where, key;
};
constexpr drawn_elements new_draw(graph& g, const shape& s) {
  const term state = random_state(g);
  const term at = draw_positions(g, s);
  return {at, element_of_state(state, 1) + draw_number(g), element_of_state(state, 0)};
}
/// The random bits of a new draw of shape `s`.
template <int Digits>
constexpr term draw_bits(graph& g, const shape& s) {
  const drawn_elements of = new_draw(g, s);
  return graph_layer::map<ops::random_bits<Digits>>(of.at, of.where, of.key);
}
}  // namespace graph

}  // namespace kroton
