// This header has the value types on which a fused kernel is evaluated on the CPU: W numbers, or W truth values, in
// SIMD registers.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <kroton/arithmetic/plain_array.hpp>
#include <kroton/arithmetic/scalar.hpp>
#include <kroton/arithmetic/simd/xsimd.hpp>

namespace kroton::simd {

template <class T, int W>
struct pack;

template <int Bytes, int W>
struct mask;

/// Bytes in the widest register of the target.
inline constexpr int native_bytes = [] {
  if constexpr (xsimd::has_simd_register<float, xsimd::default_arch>::value)
    return static_cast<int>(sizeof(xsimd::batch<float>));
  else return 16;
}();

/// How many elements at a time a kernel over element types `T...` takes: as many of the widest type as fill a
/// register.
template <class... T>
inline constexpr int lanes = [] {
  std::size_t widest = 4;
  ((widest = sizeof(T) > widest ? sizeof(T) : widest), ...);
  return native_bytes / static_cast<int>(widest);
}();

/// The register type in which `Bytes` bytes of `T` are held: the widest one that they fill, or `T` itself if
/// they fill none. Not only the native width counts: in a kernel that mixes float and double, the floats fill
/// half registers.
template <class T, int Bytes>
struct register_for {
  static constexpr auto choose() {
    using native = xsimd::make_sized_batch_t<T, native_bytes / sizeof(T)>;
    using half = xsimd::make_sized_batch_t<T, native_bytes / 2 / sizeof(T)>;
    using quarter = xsimd::make_sized_batch_t<T, (native_bytes + 3) / 4 / sizeof(T)>;
    if constexpr (!std::is_void_v<native> && Bytes % native_bytes == 0) return std::type_identity<native>{};
    else if constexpr (!std::is_void_v<half> && Bytes % (native_bytes / 2) == 0) return std::type_identity<half>{};
    else if constexpr (!std::is_void_v<quarter> && Bytes % (native_bytes / 4) == 0)
      return std::type_identity<quarter>{};
    else return std::type_identity<T>{};
  }
  using type = typename decltype(choose())::type;
};

/// The element type whose comparison result stands for those of all types of this size.
template <int Bytes>
using mask_element =
    std::conditional_t<Bytes == 1, std::uint8_t,
                       std::conditional_t<Bytes == 2, std::uint16_t, std::conditional_t<Bytes == 4, float, double>>>;

/// The type of a comparison of two registers, or of two numbers.
template <class Part>
struct comparison_of {
  using type = bool;
};
template <class T, class Arch>
struct comparison_of<xsimd::batch<T, Arch>> {
  using type = xsimd::batch_bool<T, Arch>;
};

/// W numbers of type `T`, W a power of two up to 64: registers if they fill some, else plain numbers.
/// Left uninitialised by default.
template <class T, int W>
struct pack {
  static_assert(number<T> && W >= 1 && W <= 64 && std::has_single_bit(static_cast<unsigned>(W)));
  using value_type = T;
  using mask_type = mask<static_cast<int>(sizeof(T)), W>;
  using part_type = typename register_for<T, W* static_cast<int>(sizeof(T))>::type;
  static constexpr int size = W;
  static constexpr int parts = W * static_cast<int>(sizeof(T)) / static_cast<int>(sizeof(part_type));
  static constexpr int part_size = W / parts;
  /// Whether the numbers are in registers.
  static constexpr bool vectorised = !std::is_same_v<part_type, T>;

  plain_array<part_type, parts> part;
};

/// W truth values as they result from comparing packs whose elements have `Bytes` bytes. Left uninitialised
/// by default.
template <int Bytes, int W>
struct mask {
  using value_type = bool;
  using mask_type = mask;
  using compared = pack<mask_element<Bytes>, W>;
  using part_type = typename comparison_of<typename compared::part_type>::type;
  static constexpr int size = W;
  static constexpr int parts = compared::parts;
  static constexpr int part_size = compared::part_size;
  static constexpr bool vectorised = compared::vectorised;

  plain_array<part_type, parts> part;
};

template <class P>
inline constexpr bool is_pack = false;
template <class T, int W>
inline constexpr bool is_pack<pack<T, W>> = true;

template <class M>
inline constexpr bool is_mask = false;
template <int Bytes, int W>
inline constexpr bool is_mask<mask<Bytes, W>> = true;

template <class P>
concept any_pack = is_pack<P>;
template <class P>
concept real_pack = is_pack<P> && real<typename P::value_type>;
template <class P>
concept integer_pack = is_pack<P> && integer<typename P::value_type>;
template <class M>
concept any_mask = is_mask<M>;

/// The pack of `T` with as many lanes as `P`.
template <class T, class P>
using rebind = pack<T, P::size>;

template <class R, class Function, class... P, std::size_t... Index>
KROTON_INLINE constexpr R map_parts(std::index_sequence<Index...>, Function function, const P&... p) {
  const auto one = [&]<std::size_t I>(std::integral_constant<std::size_t, I>)
                       KROTON_INLINE_LAMBDA { return function(p.part[I]...); };
  return R{{one(std::integral_constant<std::size_t, Index>())...}};
}
/// The `R` made by `function` from the registers of some packs, one after another. Spelled out rather than
/// looped over, since compilers keep what a loop indexes in memory.
template <class R, class Function, class... P>
KROTON_INLINE constexpr R map_parts(Function function, const P&... p) {
  if constexpr (R::parts == 1)  // as most packs are, with fewer functions to compile
    return R{{function(p.part[0]...)}};
  else return map_parts<R>(std::make_index_sequence<R::parts>(), function, p...);
}

/// The numbers of a pack as an array.
template <any_pack P>
KROTON_INLINE constexpr auto to_array(const P& p) noexcept {
  return std::bit_cast<std::array<typename P::value_type, P::size>>(p);
}

/// The pack of an array of numbers.
template <any_pack P>
KROTON_INLINE constexpr P from_array(const std::array<typename P::value_type, P::size>& numbers) noexcept {
  return std::bit_cast<P>(numbers);
}

/// The `R` whose lanes are `function` of the lanes of some packs: the slow but general way.
template <any_pack R, class Function, any_pack... P>
constexpr R map_lanes(Function function, const P&... p) {
  return [&](const auto&... in) {
    std::array<typename R::value_type, R::size> out;
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = function(in[i]...);
    return from_array<R>(out);
  }(to_array(p)...);
}

/// A pack with `value` in every lane.
template <any_pack P>
KROTON_INLINE constexpr P broadcast(typename P::value_type value) noexcept {
  return map_parts<P>([&]() KROTON_INLINE_LAMBDA { return typename P::part_type(value); });
}

/// A mask with `value` in every lane.
template <any_mask M>
KROTON_INLINE constexpr M broadcast(bool value) noexcept {
  return map_parts<M>([&]() KROTON_INLINE_LAMBDA { return typename M::part_type(value); });
}

/// first, first + 1, ...; integers wrap around.
template <any_pack P>
KROTON_INLINE P iota(typename P::value_type first) noexcept {
  using T = typename P::value_type;
  std::array<T, P::size> numbers;
  for (int i = 0; i < P::size; ++i) {
    if constexpr (real<T>) numbers[static_cast<std::size_t>(i)] = first + static_cast<T>(i);
    else
      numbers[static_cast<std::size_t>(i)] =
          static_cast<T>(static_cast<wrapping<T>>(first) + static_cast<wrapping<T>>(i));
  }
  return from_array<P>(numbers);
}

/// The number in lane `i`.
template <any_pack P>
KROTON_INLINE typename P::value_type lane(const P& p, int i) noexcept {
  return to_array(p)[static_cast<std::size_t>(i)];
}

}  // namespace kroton::simd
