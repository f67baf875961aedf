// This header has the generator of random bits, Philox 4x32-10. It has no state: its bits are a function of a counter
// and a key, so that every element of a tensor finds its own bits, in any order and on any device.
//
//     element 6, 32 bits an element  ->  counter {6 / 4, where}  ->  10 rounds  ->  word 6 % 4 of the four
#pragma once

#include <kroton/config.hpp>

#include <cstdint>

namespace kroton::arithmetic {

/// The multipliers of a round, and what is added to the key after each round: Salmon, Moraes, Dror and Shaw, "Parallel
/// random numbers: as easy as 1, 2, 3", 2011.
struct philox_constants {
  static constexpr std::uint32_t multiplier[2] = {0xD2511F53u, 0xCD9E8D57u}, step[2] = {0x9E3779B9u, 0xBB67AE85u};
  static constexpr int rounds = 10;
};

/// The four words that Philox makes of one counter.
struct philox_words {
  std::uint32_t of[4];

  /// Word `i`, chosen, because the threads of a device keep an array with a position that is not known in memory.
  KROTON_HD constexpr std::uint32_t word(std::uint64_t i) const noexcept {
    const std::uint32_t first = (i & 1) != 0 ? of[1] : of[0], second = (i & 1) != 0 ? of[3] : of[2];
    return (i & 2) != 0 ? second : first;
  }
  /// The bits of element `i` of those that share the counter: `Bits` has 32 or 64 of them.
  template <class Bits>
  KROTON_HD constexpr Bits bits(std::uint64_t i) const noexcept {
    if constexpr (sizeof(Bits) == 4) return word(i);
    else return static_cast<Bits>(word(2 * i)) | static_cast<Bits>(word(2 * i + 1)) << 32;
  }
};
/// How many elements share a counter.
template <class Bits>
inline constexpr int elements_of_counter = 16 / sizeof(Bits);

/// a * b. nvcc adds a zero to the upper half of a plain product with a constant.
KROTON_HD constexpr std::uint64_t wide_product(std::uint32_t a, std::uint32_t b) noexcept {
#ifdef __CUDA_ARCH__
  if (!__builtin_is_constant_evaluated()) {
    std::uint64_t product;
    asm("mul.wide.u32 %0, %1, %2;" : "=l"(product) : "r"(a), "r"(b));
    return product;
  }
#endif
  return std::uint64_t{a} * b;
}
/// The words of the counter whose low half is `block` and whose high half is `where`.
KROTON_HD constexpr philox_words philox(std::uint64_t block, std::uint64_t where, std::uint64_t key) noexcept {
  using by = philox_constants;
  std::uint32_t c[4] = {static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32),
                        static_cast<std::uint32_t>(where), static_cast<std::uint32_t>(where >> 32)};
  std::uint32_t k0 = static_cast<std::uint32_t>(key), k1 = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < by::rounds; ++round) {
    const std::uint64_t x = wide_product(by::multiplier[0], c[0]), y = wide_product(by::multiplier[1], c[2]);
    c[0] = static_cast<std::uint32_t>(y >> 32) ^ c[1] ^ k0;
    c[1] = static_cast<std::uint32_t>(y);
    c[2] = static_cast<std::uint32_t>(x >> 32) ^ c[3] ^ k1;
    c[3] = static_cast<std::uint32_t>(x);
    k0 += by::step[0];
    k1 += by::step[1];
  }
  return {{c[0], c[1], c[2], c[3]}};
}

/// The bits of element `at` of a draw.
template <class Bits>
KROTON_HD constexpr Bits random_bits(std::uint64_t at, std::uint64_t where, std::uint64_t key) noexcept {
  constexpr std::uint64_t shared = elements_of_counter<Bits>;
  return philox(at / shared, where, key).template bits<Bits>(at % shared);
}
/// The bits of the elements from `first` on, for a thread of a device, which draws a counter once for those of its
/// elements that share it. Mostly they begin with the first of a counter.
template <class Bits, int Count>
KROTON_HD constexpr void random_bits(std::uint64_t first, std::uint64_t where, std::uint64_t key,
                                     Bits (&to)[Count]) noexcept {
  constexpr std::uint64_t shared = elements_of_counter<Bits>;
  const std::uint64_t block = first / shared, begin = first % shared;
  philox_words words = philox(block, where, key);
  if (begin == 0) {
    for (std::uint64_t i = 0; i < Count; ++i) {
      if (i > 0 && i % shared == 0) words = philox(block + i / shared, where, key);
      to[i] = words.template bits<Bits>(i % shared);
    }
  } else {
    for (std::uint64_t i = 0; i < Count; ++i) {
      const std::uint64_t at = begin + i;
      if (at % shared == 0) words = philox(block + at / shared, where, key);
      to[i] = words.template bits<Bits>(at % shared);
    }
  }
}

// The 16 random bits of an element that are compared with a bound. The upper ones are a digit of 1, 2, 4 or 8 bits: as
// few as hold the bits of the bound that are not 0, if eight can. The more elements share a counter, the fewer are
// drawn. 64 elements have digits in neighbouring bytes, and the next 64 in the next bits of the same bytes.
//
//     bound 0x4000, digits of 2 bits  ->  element 290 is 34 of the 64 with bits 0 and 1 in the second 64 bytes
//                                     ->  bits 0 and 1 of byte 34 % 16 of counter 4 + 34 / 16
//
// Bounds that have more than 8 bits are compared with a lower byte where the digit is the bound's. That byte is the
// exclusive or of two: of a column, the elements of 1024 that have the same place among 64 neighbours, and of a row,
// these 64 neighbours. So any three elements are independent; four depend on each other only if the digits of all are
// the bound's.
//
//     bound 0x199A, element 290  ->  digit: byte 290 % 16 of counter 290 / 16
//                                ->  if it is 0x19: the byte of column 290 % 64, xor the byte of row 290 / 64 % 16

/// How the 16 random bits of elements are compared with a bound.
struct digit_layout {
  int log_bits = 0;  ///< a digit has 1 << log_bits bits

  KROTON_HD constexpr explicit digit_layout(std::uint64_t bound) noexcept {
    while (log_bits < 3 && (bound & 0xFFFFu >> bits()) != 0) ++log_bits;
  }
  KROTON_HD constexpr int bits() const noexcept { return 1 << log_bits; }
  KROTON_HD constexpr std::uint32_t digits() const noexcept { return (1u << bits()) - 1; }
  /// What the digit of the bound is.
  KROTON_HD constexpr std::uint32_t limit(std::uint64_t bound) const noexcept {
    return static_cast<std::uint32_t>(bound >> (16 - bits()));
  }
  /// What the lower byte of the bound is.
  KROTON_HD constexpr std::uint32_t lower_limit(std::uint64_t bound) const noexcept {
    return log_bits == 3 ? static_cast<std::uint32_t>(bound & 0xFF) : 0;
  }
  /// The digits of 1 << log_together() elements are in the bytes of four counters.
  KROTON_HD constexpr int log_together() const noexcept { return 9 - log_bits; }
  /// The lowest bit of the digit of element `at` in its byte.
  KROTON_HD constexpr int place(std::uint64_t at) const noexcept {
    return static_cast<int>(at >> 6 & (7u >> log_bits)) << log_bits;
  }
};
/// The counter that has the byte of element `at`, if four have the bytes of 2^log_together elements.
KROTON_HD constexpr std::uint64_t counter_of_byte(std::uint64_t at, int log_together) noexcept {
  return (at >> log_together) * 4 + at / 16 % 4;
}
/// What is added to the counters of columns, so that they differ from those of digits; and the counter of all rows.
inline constexpr std::uint64_t column_counters = std::uint64_t{1} << 60, row_counter = std::uint64_t{2} << 60;
inline constexpr int log_row = 6, log_columns = 10;  // elements of a row, and those that share their columns

/// The byte of the row of element `at`.
KROTON_HD constexpr std::uint32_t row_byte(std::uint64_t at, std::uint64_t where, std::uint64_t key) noexcept {
  const std::uint64_t row = at >> log_row;
  return philox(row_counter, where, key).word(row / 4) >> row % 4 * 8 & 0xFF;
}
/// Whether the 16 random bits of `Count` elements from `first` on are less than `bound`, which is at most 2^16: a bit
/// for each. `first` is a multiple of `Count`, which is 4, 8 or 16, so that the elements share a counter.
template <int Count>
KROTON_HD constexpr std::uint32_t several_below(std::uint64_t first, std::uint64_t where, std::uint64_t key,
                                                std::uint64_t bound) noexcept {
  const digit_layout as(bound);
  const std::uint32_t limit = as.limit(bound), lower_limit = as.lower_limit(bound);
  const philox_words words = philox(counter_of_byte(first, as.log_together()), where, key);
  std::uint32_t below = 0, equal = 0;
  for (int i = 0; i < Count; ++i) {
    const std::uint32_t word = words.word((first + static_cast<std::uint64_t>(i)) / 4) >> as.place(first);
    const std::uint32_t digit = word >> i % 4 * 8 & as.digits();
    below |= std::uint32_t{digit < limit} << i;
    equal |= std::uint32_t{digit == limit} << i;
  }
  if (equal != 0 && lower_limit != 0) {
    const std::uint32_t row = row_byte(first, where, key);
    const philox_words columns = philox(column_counters + counter_of_byte(first, log_columns), where, key);
    for (int i = 0; i < Count; ++i) {
      const std::uint32_t column = columns.word((first + static_cast<std::uint64_t>(i)) / 4) >> i % 4 * 8 & 0xFF;
      below |= equal & std::uint32_t{(column ^ row) < lower_limit} << i;
    }
  }
  return below;
}
/// The same of one element.
KROTON_HD constexpr bool is_below(std::uint64_t at, std::uint64_t where, std::uint64_t key,
                                  std::uint64_t bound) noexcept {
  return (several_below<4>(at - at % 4, where, key, bound) >> at % 4 & 1) != 0;
}
/// The same of the elements from `first` on, for a thread of a device, whose elements mostly share a counter.
template <int Count>
KROTON_HD constexpr void are_below(std::uint64_t first, std::uint64_t where, std::uint64_t key, std::uint64_t bound,
                                   bool (&to)[Count]) noexcept {
  static_assert(Count <= 32);
  std::uint32_t below = 0;
  constexpr bool can_share = Count == 4 || Count == 8 || Count == 16;
  constexpr int shared = can_share ? Count : 4;
  if (can_share && first % Count == 0) {
    below = several_below<shared>(first, where, key, bound);
  } else {
#ifdef __CUDA_ARCH__
#pragma unroll 1  // it is rare
#endif
    for (int i = 0; i < Count; ++i)
      below |= std::uint32_t{is_below(first + static_cast<std::uint64_t>(i), where, key, bound)} << i;
  }
  for (int i = 0; i < Count; ++i) to[i] = (below >> i & 1) != 0;
}

}  // namespace kroton::arithmetic
