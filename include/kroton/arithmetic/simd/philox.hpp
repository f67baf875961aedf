// This header has the random bits of neighbouring elements as packs. Registers of counters make two registers of words.
//
//     elements 16 to 31, 32 bits each, AVX2  ->  counters 4, 6, 5, 7 in the lanes of a register  ->  10 rounds on all
//       ->  the words of 4 and 5 in a register, those of 6 and 7 in another
//
// A kernel draws the bits of 512 bytes at a time and takes them pack by pack.
#pragma once

#include <kroton/arithmetic/philox.hpp>
#include <kroton/arithmetic/simd/arithmetic.hpp>
#include <kroton/arithmetic/simd/memory.hpp>

namespace kroton::simd {

/// The positions first, first + 1, ... of the elements of a pack.
struct consecutive {
  std::uint64_t first;
};

// Each counter is in 64-bit lanes of four registers, one for each word; only the lower halves of the lanes count, since
// the instruction that multiplies takes these and fills the lane. Counters i and i + n/2 of n are neighbours, so that
// the words of the first half of the counters fill one register in their order, and those of the second half another.
// The last round writes the two words that a product gives into one lane.
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
  KROTON_INLINE static lanes mixed(lanes x, lanes y) noexcept { return _mm512_xor_si512(x, y); }
  KROTON_INLINE static lanes mixed(lanes x, lanes y, lanes z) noexcept {
    return _mm512_ternarylogic_epi64(x, y, z, 0x96);
  }
  KROTON_INLINE static lanes last(lanes product, lanes x, lanes y) noexcept {
    return _mm512_mask_ternarylogic_epi32(_mm512_shuffle_epi32(product, _MM_PERM_ENUM(0xB1)), 0x5555, x, y, 0x96);
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
  KROTON_INLINE static lanes mixed(lanes x, lanes y) noexcept { return _mm256_xor_si256(x, y); }
  KROTON_INLINE static lanes mixed(lanes x, lanes y, lanes z) noexcept {
    return _mm256_xor_si256(_mm256_xor_si256(x, z), y);
  }
  KROTON_INLINE static lanes last(lanes product, lanes x, lanes y) noexcept {
    const lanes swapped = _mm256_shuffle_epi32(product, 0xB1);
    return _mm256_blend_epi32(mixed(swapped, x, y), swapped, 0xAA);
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
  KROTON_INLINE static lanes mixed(lanes x, lanes y) noexcept { return _mm_xor_si128(x, y); }
  KROTON_INLINE static lanes mixed(lanes x, lanes y, lanes z) noexcept { return _mm_xor_si128(_mm_xor_si128(x, z), y); }
  KROTON_INLINE static lanes last(lanes product, lanes x, lanes y) noexcept {
    const lanes lower = _mm_set_epi32(0, -1, 0, -1);
    return mixed(_mm_shuffle_epi32(product, 0xB1), _mm_and_si128(x, lower), _mm_and_si128(y, lower));
  }
  KROTON_INLINE static lanes first_half(lanes x, lanes y) noexcept { return _mm_unpacklo_epi64(x, y); }
  KROTON_INLINE static lanes second_half(lanes x, lanes y) noexcept { return _mm_unpackhi_epi64(x, y); }
};
#endif

/// The counters whose words are drawn together.
inline constexpr int philox_counters = 32;

/// What the rounds of counters that differ only in their lowest words have in common: the keys, which the other words
/// are mixed with beforehand. So the first two rounds take two products for each counter in place of four.
class philox_rounds {
 public:
  static constexpr int last = philox_constants::rounds;

  /// Makes them those of the counters from `block` on.
  KROTON_INLINE void be_of(std::uint64_t block, std::uint64_t where, std::uint64_t key) noexcept {
    if (upper_ != block >> 32) [[unlikely]]
      begin(block >> 32, where, key);
  }
  /// What is mixed with words 0 and 2 in a round.
  std::uint64_t key(int word, int round) const noexcept { return keys_[word / 2][round]; }

 private:
  std::uint64_t upper_ = std::uint64_t{1} << 32;  // that of no counter
  std::uint64_t keys_[2][last + 1];

  [[gnu::noinline]] void begin(std::uint64_t upper, std::uint64_t where, std::uint64_t key) noexcept {
    using by = philox_constants;
    upper_ = upper;
    auto k0 = static_cast<std::uint32_t>(key), k1 = static_cast<std::uint32_t>(key >> 32);
    const std::uint64_t y = wide_product(by::multiplier[1], static_cast<std::uint32_t>(where)),
                        x = wide_product(by::multiplier[0], static_cast<std::uint32_t>(y >> 32 ^ upper ^ k0));
    for (int round = 1; round <= last; ++round, k0 += by::step[0], k1 += by::step[1]) {
      keys_[0][round] = k0;
      keys_[1][round] = k1;
    }
    keys_[1][1] ^= where >> 32;
    keys_[0][2] ^= y;
    keys_[1][2] ^= x >> 32;
    keys_[1][3] ^= x;
  }
};

#if defined(__SSE2__)
KROTON_INLINE philox_lanes::lanes filled_key(const philox_rounds& rounds, int word, int round) noexcept {
  return philox_lanes::filled(rounds.key(word, round));
}
/// Writes the words of consecutive counters from `block` on, two registers for each group, of which processors compute
/// several at the same time.
template <int Groups>
KROTON_INLINE void philox_groups(std::uint64_t block, const philox_rounds& rounds, philox_lanes::lanes* to) noexcept {
  using by = philox_lanes;
  using lanes = by::lanes;
  constexpr int counters = sizeof(lanes) / 8;
  const lanes m0 = by::filled(philox_constants::multiplier[0]), m1 = by::filled(philox_constants::multiplier[1]);
  lanes c0[Groups], c1[Groups], c2[Groups], c3[Groups];
  for (int g = 0; g < Groups; ++g) {
    const lanes x = by::product(by::counters(block + static_cast<std::uint64_t>(g * counters)), m0),
                y = by::product(by::mixed(by::high(x), filled_key(rounds, 2, 1)), m1);
    c0[g] = by::mixed(by::high(y), filled_key(rounds, 0, 2));
    c1[g] = y;
    c2[g] = by::mixed(x, filled_key(rounds, 2, 2));
  }
  for (int g = 0; g < Groups; ++g) {
    const lanes x = by::product(c0[g], m0), y = by::product(c2[g], m1);
    c0[g] = by::mixed(by::high(y), c1[g], filled_key(rounds, 0, 3));
    c1[g] = y;
    c2[g] = by::mixed(by::high(x), filled_key(rounds, 2, 3));
    c3[g] = x;
  }
  for (int round = 4; round < philox_rounds::last; ++round)
    for (int g = 0; g < Groups; ++g) {
      const lanes x = by::product(c0[g], m0), y = by::product(c2[g], m1);
      c0[g] = by::mixed(by::high(y), c1[g], filled_key(rounds, 0, round));
      c1[g] = y;
      c2[g] = by::mixed(by::high(x), c3[g], filled_key(rounds, 2, round));
      c3[g] = x;
    }
  for (int g = 0; g < Groups; ++g) {
    const lanes x = by::product(c0[g], m0), y = by::product(c2[g], m1);
    const lanes low = by::last(y, c1[g], filled_key(rounds, 0, philox_rounds::last)),
                high = by::last(x, c3[g], filled_key(rounds, 2, philox_rounds::last));
    to[2 * g] = by::first_half(low, high);
    to[2 * g + 1] = by::second_half(low, high);
  }
}
#endif

/// Writes the words of `philox_counters` counters from `block` on to `to`, which is aligned to 64 bytes. `rounds` are
/// kept from one call to the next, of which `where` and `key` are the same.
[[gnu::noinline]] inline void draw(philox_rounds& rounds, std::uint64_t block, std::uint64_t where, std::uint64_t key,
                                   void* to) noexcept {
  auto* words = static_cast<std::uint32_t*>(to);
#if defined(__SSE2__)
  if ((block & 0xFFFFFFFF) <= 0xFFFFFFFF - philox_counters) [[likely]] {  // their other words are the same
    using lanes = philox_lanes::lanes;
    constexpr int groups = sizeof(lanes) == 64 ? 4 : 2;  // as many as there are registers for
    constexpr int together = groups * sizeof(lanes) / 8;
    rounds.be_of(block, where, key);
    for (int i = 0; i < philox_counters; i += together, words += 4 * together)
      philox_groups<groups>(block + static_cast<std::uint64_t>(i), rounds, reinterpret_cast<lanes*>(words));
    return;
  }
#endif
  for (int i = 0; i < philox_counters; ++i, words += 4) {
    const philox_words four = philox(block + static_cast<std::uint64_t>(i), where, key);
    std::copy(four.of, four.of + 4, words);
  }
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
      draw(rounds_, first_ / shared, where, key, bits_);
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
  philox_rounds rounds_;
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
  philox_rounds rounds_;

  [[gnu::noinline]] void draw(std::uint64_t at, std::uint64_t where, std::uint64_t key, std::uint64_t bound) noexcept {
    const arithmetic::digit_layout as(bound);
    first_ = at >> as.log_together() << as.log_together();
    count_ = std::uint64_t{bytes_drawn / 64} << as.log_together();
    if (bound > 0xFFFF) return std::fill(results_, results_ + count_ / 64, ~std::uint64_t{0}), void();
    alignas(64) std::uint8_t drawn[bytes_drawn];
    simd::draw(rounds_, arithmetic::counter_of_byte(first_, as.log_together()), where, key, drawn);
    if (as.lower_limit(bound) != 0) return compare_bytes(drawn, where, key, bound);
    std::uint64_t* to = results_;
    for (int place = 0; place < 8; place += as.bits(), ++to) {
      const bytes digits = filled(as.digits() << place), limit = filled(as.limit(bound) << place);
      for (int i = 0; i < bytes_drawn / 64; ++i)
        to[i << (3 - as.log_bits)] = to_bits((load<bytes>(drawn + 64 * i) & digits) < limit);
    }
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
    philox_rounds rounds;
    simd::draw(rounds, column_counters + counter_of_byte(first_column_, log_columns), where, key, columns_);
    std::memcpy(rows_, philox(row_counter, where, key).of, sizeof rows_);
  }
  static bytes filled(unsigned byte) noexcept { return broadcast<bytes>(static_cast<std::uint8_t>(byte)); }
};

}  // namespace kroton::simd
