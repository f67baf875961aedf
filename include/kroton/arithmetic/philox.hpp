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
  /// The bits of element `i` of those that share the counter: `Bits` has 16, 32 or 64 of them.
  template <class Bits>
  KROTON_HD constexpr Bits bits(std::uint64_t i) const noexcept {
    if constexpr (sizeof(Bits) == 2) return static_cast<Bits>(word(i / 2) >> (i % 2 * 16));
    else if constexpr (sizeof(Bits) == 4) return word(i);
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

}  // namespace kroton::arithmetic
