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
inline constexpr std::uint64_t elements_of_counter = 16 / sizeof(Bits);

/// The words of the counter whose low half is `block` and whose high half is `where`.
KROTON_HD constexpr philox_words philox(std::uint64_t block, std::uint64_t where, std::uint64_t key) noexcept {
  using by = philox_constants;
  std::uint32_t c[4] = {static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32),
                        static_cast<std::uint32_t>(where), static_cast<std::uint32_t>(where >> 32)};
  std::uint32_t k0 = static_cast<std::uint32_t>(key), k1 = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < by::rounds; ++round) {
    const std::uint64_t x = std::uint64_t{by::multiplier[0]} * c[0], y = std::uint64_t{by::multiplier[1]} * c[2];
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
/// The bits of the elements from `first` on. A device draws a counter once for those of its elements among them.
template <class Bits, int Count>
KROTON_HD constexpr void random_bits(std::uint64_t first, std::uint64_t where, std::uint64_t key,
                                     Bits (&to)[Count]) noexcept {
  constexpr std::uint64_t shared = elements_of_counter<Bits>;
  philox_words words = philox(first / shared, where, key);
  for (int i = 0; i < Count; ++i) {
    const std::uint64_t at = first + static_cast<std::uint64_t>(i);
    if (i > 0 && at % shared == 0) words = philox(at / shared, where, key);
    to[i] = words.template bits<Bits>(at % shared);
  }
}

// The 16 random bits of an element that are compared with a bound are eight digits of 2 bits, the highest first. A
// digit is only drawn if those before it are the bound's, and if a later digit of the bound is not 0: one is enough for
// bounds of 1/4, 1/2 and 3/4. 64 elements share a counter for each digit. Its first two words have the upper bits of
// their digits, the others the lower bits.

/// The counter that has digit `d` of element `at`.
KROTON_HD constexpr std::uint64_t counter_of_digit(std::uint64_t at, int d) noexcept {
  return (at / 64) | static_cast<std::uint64_t>(d) << 60;
}
/// The digit of element `at` among the words of its counter.
KROTON_HD constexpr std::uint32_t digit_of(const philox_words& words, std::uint64_t at) noexcept {
  const std::uint64_t half = at / 32 % 2;
  return (words.word(half) >> at % 32 & 1) << 1 | (words.word(2 + half) >> at % 32 & 1);
}
/// Whether the 16 random bits of element `at` are less than `bound`, which is at most 2^16, if digits before `d` are
/// equal.
KROTON_HD constexpr bool is_below(std::uint64_t at, std::uint64_t where, std::uint64_t key, std::uint64_t bound,
                                  int d = 0) noexcept {
  for (bound <<= 2 * d;; bound <<= 2, ++d) {
    if (d > 0) bound &= 0xFFFF;
    const std::uint64_t digit = digit_of(philox(counter_of_digit(at, d), where, key), at), limit = bound >> 14;
    if (digit != limit || (bound & 0x3FFF) == 0) return digit < limit;
  }
}
/// The same of the elements from `first` on, for a thread of a device: as long as the result of one of them is open, it
/// draws the counter of the next digit, which they share unless they lie on both sides of a multiple of 64.
template <int Count>
KROTON_HD constexpr void are_below(std::uint64_t first, std::uint64_t where, std::uint64_t key, std::uint64_t bound,
                                   bool (&to)[Count]) noexcept {
  bool open[Count] = {};
  const bool is_shared = first / 64 == (first + Count - 1) / 64;
  for (int i = 0; i < Count; ++i) {
    open[i] = is_shared;
    to[i] = !is_shared && is_below(first + static_cast<std::uint64_t>(i), where, key, bound);
  }
  std::uint64_t rest = bound;
  bool is_open = is_shared;
  for (int d = 0; is_open; ++d) {
    const philox_words words = philox(counter_of_digit(first, d), where, key);
    const std::uint64_t limit = rest >> 14;
    rest = rest << 2 & 0xFFFF;
    is_open = false;
    for (int i = 0; i < Count; ++i) {
      const std::uint64_t digit = digit_of(words, first + static_cast<std::uint64_t>(i));
      to[i] = to[i] || (open[i] && digit < limit);
      open[i] = open[i] && digit == limit && rest != 0;
      is_open = is_open || open[i];
    }
  }
}

}  // namespace kroton::arithmetic
