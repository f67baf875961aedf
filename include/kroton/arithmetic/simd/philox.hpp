// This header has the random bits of neighbouring elements as packs. Registers of counters make two registers of words.
//
//     elements 16 to 31, 32 bits each, AVX2  ->  counters 4, 6, 5, 7 in the lanes of a register  ->  10 rounds on all
//       ->  the words of 4 and 5 in a register, those of 6 and 7 in another
//
// A kernel draws the bits of 512 bytes at a time and takes them pack by pack.
#pragma once

#include <kroton/arithmetic/philox.hpp>
#include <kroton/arithmetic/simd/memory.hpp>

namespace kroton::simd {

/// The positions first, first + 1, ... of the elements of a pack.
struct consecutive {
  std::uint64_t first;
};

// Each counter is in 64-bit lanes of four registers, one for each word; only the lower halves of the lanes count, since
// the instruction that multiplies takes these and fills the lane. Counters i and i + n/2 of n are neighbours, so that
// the words of the first half of the counters fill one register in their order, and those of the second half another.
#if defined(__AVX512F__)
struct philox_lanes {
  using lanes = __m512i;
  KROTON_INLINE static lanes filled(std::uint64_t x) noexcept {
    return _mm512_set1_epi64(static_cast<std::int64_t>(x));
  }
  KROTON_INLINE static lanes counters(std::uint64_t first) noexcept {
    return _mm512_add_epi64(filled(first), _mm512_set_epi64(7, 3, 6, 2, 5, 1, 4, 0));
  }
  KROTON_INLINE static lanes high(lanes x) noexcept { return _mm512_shuffle_epi32(x, _MM_PERM_ENUM(0xF5)); }
  KROTON_INLINE static lanes product(lanes x, lanes y) noexcept { return _mm512_mul_epu32(x, y); }
  KROTON_INLINE static lanes mixed(lanes x, lanes y, lanes z) noexcept {
    return _mm512_ternarylogic_epi64(x, y, z, 0x96);
  }
  KROTON_INLINE static lanes paired(lanes x, lanes y) noexcept {
    return _mm512_mask_mov_epi32(x, 0xAAAA, _mm512_slli_epi64(y, 32));
  }
  KROTON_INLINE static lanes first_half(lanes x, lanes y) noexcept { return _mm512_unpacklo_epi64(x, y); }
  KROTON_INLINE static lanes second_half(lanes x, lanes y) noexcept { return _mm512_unpackhi_epi64(x, y); }
};
#elif defined(__AVX2__)
struct philox_lanes {
  using lanes = __m256i;
  KROTON_INLINE static lanes filled(std::uint64_t x) noexcept {
    return _mm256_set1_epi64x(static_cast<std::int64_t>(x));
  }
  KROTON_INLINE static lanes counters(std::uint64_t first) noexcept {
    return _mm256_add_epi64(filled(first), _mm256_set_epi64x(3, 1, 2, 0));
  }
  KROTON_INLINE static lanes high(lanes x) noexcept { return _mm256_shuffle_epi32(x, 0xF5); }
  KROTON_INLINE static lanes product(lanes x, lanes y) noexcept { return _mm256_mul_epu32(x, y); }
  KROTON_INLINE static lanes mixed(lanes x, lanes y, lanes z) noexcept {
    return _mm256_xor_si256(_mm256_xor_si256(x, z), y);
  }
  KROTON_INLINE static lanes paired(lanes x, lanes y) noexcept {
    return _mm256_blend_epi32(x, _mm256_slli_epi64(y, 32), 0xAA);
  }
  KROTON_INLINE static lanes first_half(lanes x, lanes y) noexcept { return _mm256_unpacklo_epi64(x, y); }
  KROTON_INLINE static lanes second_half(lanes x, lanes y) noexcept { return _mm256_unpackhi_epi64(x, y); }
};
#elif defined(__SSE2__)
struct philox_lanes {
  using lanes = __m128i;
  KROTON_INLINE static lanes filled(std::uint64_t x) noexcept { return _mm_set1_epi64x(static_cast<std::int64_t>(x)); }
  KROTON_INLINE static lanes counters(std::uint64_t first) noexcept {
    return _mm_add_epi64(filled(first), _mm_set_epi64x(1, 0));
  }
  KROTON_INLINE static lanes high(lanes x) noexcept { return _mm_shuffle_epi32(x, 0xF5); }
  KROTON_INLINE static lanes product(lanes x, lanes y) noexcept { return _mm_mul_epu32(x, y); }
  KROTON_INLINE static lanes mixed(lanes x, lanes y, lanes z) noexcept { return _mm_xor_si128(_mm_xor_si128(x, z), y); }
  KROTON_INLINE static lanes paired(lanes x, lanes y) noexcept {
    return _mm_or_si128(_mm_and_si128(x, _mm_set_epi32(0, -1, 0, -1)), _mm_slli_epi64(y, 32));
  }
  KROTON_INLINE static lanes first_half(lanes x, lanes y) noexcept { return _mm_unpacklo_epi64(x, y); }
  KROTON_INLINE static lanes second_half(lanes x, lanes y) noexcept { return _mm_unpackhi_epi64(x, y); }
};
#endif

#if defined(__SSE2__)
/// Writes the words of consecutive counters from `block` on, two registers for each group, of which processors compute
/// several at the same time.
template <int Groups>
KROTON_INLINE void philox_groups(std::uint64_t block, std::uint64_t where, std::uint64_t key,
                                 philox_lanes::lanes* to) noexcept {
  using by = philox_lanes;
  using lanes = by::lanes;
  using constants = philox_constants;
  constexpr int counters = sizeof(lanes) / 8;
  lanes c0[Groups], c1[Groups], c2[Groups], c3[Groups];
  for (int g = 0; g < Groups; ++g) {
    c0[g] = by::counters(block + static_cast<std::uint64_t>(g * counters));
    c1[g] = by::high(c0[g]);
    c2[g] = by::filled(where);
    c3[g] = by::high(c2[g]);
  }
  auto k0 = static_cast<std::uint32_t>(key), k1 = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < constants::rounds; ++round) {
    for (int g = 0; g < Groups; ++g) {
      const lanes x = by::product(c0[g], by::filled(constants::multiplier[0])),
                  y = by::product(c2[g], by::filled(constants::multiplier[1]));
      c0[g] = by::mixed(by::high(y), c1[g], by::filled(k0));
      c1[g] = y;
      c2[g] = by::mixed(by::high(x), c3[g], by::filled(k1));
      c3[g] = x;
    }
    k0 += constants::step[0];
    k1 += constants::step[1];
  }
  for (int g = 0; g < Groups; ++g) {
    const lanes low = by::paired(c0[g], c1[g]), high = by::paired(c2[g], c3[g]);
    to[2 * g] = by::first_half(low, high);
    to[2 * g + 1] = by::second_half(low, high);
  }
}
#endif

/// The counters whose words are drawn together.
inline constexpr int philox_counters = 32;

/// Writes the words of `philox_counters` counters from `block` on to `to`, which is aligned to 64 bytes.
[[gnu::noinline]] inline void draw(std::uint64_t block, std::uint64_t where, std::uint64_t key, void* to) noexcept {
  auto* words = static_cast<std::uint32_t*>(to);
#if defined(__SSE2__)
  using lanes = philox_lanes::lanes;
  constexpr int groups = sizeof(lanes) == 64 ? 4 : 2;  // as many as there are registers for
  constexpr int together = groups * sizeof(lanes) / 8;
  for (int i = 0; i < philox_counters; i += together, words += 4 * together)
    philox_groups<groups>(block + static_cast<std::uint64_t>(i), where, key, reinterpret_cast<lanes*>(words));
#else
  for (int i = 0; i < philox_counters; ++i, words += 4) {
    const philox_words four = philox(block + static_cast<std::uint64_t>(i), where, key);
    std::copy(four.of, four.of + 4, words);
  }
#endif
}

/// The random bits of elements that are drawn together and used pack by pack: `Bits` has 32 or 64 of them.
template <class Bits>
class drawn_bits {
 public:
  /// The bits of `W` elements. The state is the same in all calls.
  template <int W>
  KROTON_INLINE pack<Bits, W> take(consecutive at, std::uint64_t where, std::uint64_t key) noexcept {
    if (at.first - first_ > count - W) [[unlikely]] {
      first_ = at.first - at.first % shared;
      draw(first_ / shared, where, key, bits_);
    }
    return load<pack<Bits, W>>(bits_ + (at.first - first_));
  }
  /// The same of elements at any positions.
  template <int W, class Positions>
  KROTON_INLINE pack<Bits, W> take(const Positions& at, std::uint64_t where, std::uint64_t key) noexcept {
    const auto positions = to_array(at);
    if (positions[W - 1] - positions[0] == W - 1) return take<W>(consecutive{positions[0]}, where, key);
    std::array<Bits, W> bits;
    for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = arithmetic::random_bits<Bits>(positions[i], where, key);
    return from_array<pack<Bits, W>>(bits);
  }

 private:
  static constexpr std::uint64_t shared = arithmetic::elements_of_counter<Bits>, count = philox_counters * shared;
  alignas(64) Bits bits_[count];
  std::uint64_t first_ = std::uint64_t{1} << 63;  // an element that no tensor has
};

/// Whether the 16 random bits of elements are less than a bound (arithmetic::is_below). The digits of `philox_counters`
/// counters are drawn and compared together, and the results, a bit for each element, are used pack by pack.
class drawn_below {
 public:
  /// The results of the elements of a mask. State and bound are the same in all calls.
  template <any_mask M>
  KROTON_INLINE M take(consecutive at, std::uint64_t where, std::uint64_t key, std::uint64_t bound) noexcept {
    if (at.first - first_ > count_ - M::size) [[unlikely]]
      draw(at.first, where, key, bound);
    const std::uint64_t i = at.first - first_;
    std::uint64_t results;
    std::memcpy(&results, reinterpret_cast<const char*>(results_) + i / 8, sizeof results);
    if constexpr (M::size <= 32) return from_bits<M>(results >> i % 8);
    else return from_bits<M>(results_[i / 64] >> i % 64 | results_[i / 64 + 1] << 1 << (63 - i % 64));
  }
  /// The same of elements at any positions.
  template <any_mask M, class Positions>
  KROTON_INLINE M take(const Positions& at, std::uint64_t where, std::uint64_t key, std::uint64_t bound) noexcept {
    constexpr std::size_t last = M::size - 1;
    const auto positions = to_array(at);
    if (positions[last] - positions[0] == last) return take<M>(consecutive{positions[0]}, where, key, bound);
    std::uint64_t results = 0;
    for (std::size_t i = 0; i <= last; ++i)
      results |= std::uint64_t{arithmetic::is_below(positions[i], where, key, bound)} << i;
    return from_bits<M>(results);
  }

 private:
  static constexpr int bytes_drawn = 16 * philox_counters;
  using bytes = pack<std::uint8_t, 64>;
  static constexpr std::uint64_t none = std::uint64_t{1} << 63;  // an element that no tensor has
  std::uint64_t results_[bytes_drawn / 8 + 1] = {};
  std::uint64_t first_ = none, count_ = 64, first_column_ = none;
  alignas(64) std::uint8_t columns_[bytes_drawn], rows_[16];

  [[gnu::noinline]] void draw(std::uint64_t at, std::uint64_t where, std::uint64_t key, std::uint64_t bound) noexcept {
    const arithmetic::digit_layout as(bound);
    first_ = at >> as.log_together() << as.log_together();
    count_ = std::uint64_t{bytes_drawn / 64} << as.log_together();
    if (bound > 0xFFFF) return std::fill(results_, results_ + count_ / 64, ~std::uint64_t{0}), void();
    alignas(64) std::uint8_t drawn[bytes_drawn];
    simd::draw(arithmetic::counter_of_byte(first_, as.log_together()), where, key, drawn);
    if (as.lower_limit(bound) != 0) return compare_bytes(drawn, where, key, bound);
    std::uint64_t* to = results_;
    for (int i = 0; i < bytes_drawn; i += 64)
      for (int place = 0; place < 8; place += as.bits())
        *to++ = to_bits((load<bytes>(drawn + i) & filled(as.digits() << place)) < filled(as.limit(bound) << place));
  }
  void compare_bytes(const std::uint8_t* drawn, std::uint64_t where, std::uint64_t key, std::uint64_t bound) noexcept {
    const bytes upper = filled(static_cast<unsigned>(bound >> 8)), lower = filled(static_cast<unsigned>(bound & 0xFF));
    for (std::uint64_t i = 0; i < bytes_drawn; i += 64) {
      const std::uint64_t at = first_ + i;
      if (at - first_column_ >= 16 * bytes_drawn) draw_lower(at, where, key);
      const bytes digits = load<bytes>(drawn + i),
                  random = load<bytes>(columns_ + (at - first_column_) / 1024 * 64) ^ filled(rows_[at / 64 % 16]);
      results_[i / 64] = to_bits((digits < upper) | ((digits == upper) & (random < lower)));
    }
  }
  void draw_lower(std::uint64_t at, std::uint64_t where, std::uint64_t key) noexcept {
    using namespace arithmetic;
    first_column_ = at >> log_columns << log_columns;
    simd::draw(column_counters + counter_of_byte(first_column_, log_columns), where, key, columns_);
    std::memcpy(rows_, philox(row_counter, where, key).of, sizeof rows_);
  }
  static bytes filled(unsigned byte) noexcept { return broadcast<bytes>(static_cast<std::uint8_t>(byte)); }
};

}  // namespace kroton::simd
