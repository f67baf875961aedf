// This header keeps unused blocks of the host's memory and gives them to later buffers, because new pages cost more
// time than the computations in them.
//
//     z = f(x), z is destroyed, z = f(x)  ->  the second output lies in the memory of the first
#pragma once

#include <kroton/runtime/context/memory_block.hpp>

#include <bit>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>

#if defined(__linux__)
#include <sys/mman.h>

#include <cstdio>
#endif

namespace kroton::runtime {

// Under a sanitizer no blocks are kept: each buffer is a block of its own, so that the sanitizer finds code that uses a
// buffer after its end.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool keeps_blocks = false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
inline constexpr bool keeps_blocks = false;
#else
inline constexpr bool keeps_blocks = true;
#endif
#else
inline constexpr bool keeps_blocks = true;
#endif

/// Tells Linux about the pages of a block: that a new block should have huge pages, if Linux gives them on request, and
/// that the pages of a block are no longer needed.
class page_advice {
 public:
#if defined(__linux__)
  /// Asks for huge pages for a new large block: fewer pages have to be touched for the first time.
  static void begin(const memory_block& block) {
    constexpr auto size = static_cast<std::int64_t>(huge_page);
    if (block.room >= size && has_huge_pages()) advise(block, MADV_HUGEPAGE, size);
  }
  /// Returns the pages of a block to the system now, whatever the allocator does with the block. The pages of a small
  /// block are not worth the call.
  static void end(const memory_block& block) {
    if (block.room >= 16 * page) advise(block, MADV_DONTNEED, page);
  }

 private:
  static constexpr std::int64_t page = std::int64_t{1} << 12;

  /// Advises the system about the pages that lie completely in the block. If the system cannot follow the advice, the
  /// pages stay as they were.
  static void advise(const memory_block& block, int what, std::int64_t size) {
    const auto start = static_cast<std::int64_t>(std::bit_cast<std::intptr_t>(block.data));
    const std::int64_t first = (start + size - 1) / size * size - start,
                       last = (start + block.room) / size * size - start;
    if (first < last) (void)::madvise(block.data + first, static_cast<std::size_t>(last - first), what);
  }
  [[gnu::cold]] static bool find_huge_pages() {
    std::FILE* const file = std::fopen("/sys/kernel/mm/transparent_hugepage/enabled", "r");
    if (file == nullptr) return false;
    char line[64];
    const bool is_read = std::fgets(line, sizeof line, file) != nullptr;
    std::fclose(file);
    return is_read && std::string_view(line).find("[never]") == std::string_view::npos;
  }
  static bool has_huge_pages() {
    static const bool found = find_huge_pages();
    return found;
  }
#else
  static void begin(const memory_block&) {}
  static void end(const memory_block&) {}
#endif
};

/// Blocks for later allocations. The facts about a block are written into it, so that keeping it needs no memory.
class kept_blocks {
 public:
  std::int64_t bytes() const { return bytes_; }
  void add(const memory_block& block) noexcept {
    entry* const made = ::new (block.data) entry{{}, {}, block.bytes, block.room};
    by_age_.add(*made, &entry::by_age);
    by_size_[class_of(block.room)].add(*made, &entry::by_size);
    bytes_ += block.room;
  }
  /// A block with room for `least` to `most` bytes, at most twice `least`: the smallest of the blocks that were used
  /// last. Null if there is no such block.
  memory_block take(std::int64_t least, std::int64_t most) noexcept {
    for (std::size_t size = class_of(least); size <= class_of(most); ++size) {
      entry* best = nullptr;
      int looked_at = 0;
      for (entry* each = by_size_[size].first; each != nullptr && looked_at < most_looked_at;
           each = each->by_size.next, ++looked_at) {
        if (each->room < least || each->room > most || (best != nullptr && each->room >= best->room)) continue;
        best = each;
        if (best->room == least) break;
      }
      if (best != nullptr) return taken(*best);
    }
    return {};
  }
  /// The block that has not been used for the longest time, or no block.
  memory_block take_oldest() noexcept { return by_age_.last == nullptr ? memory_block() : taken(*by_age_.last); }

 private:
  struct entry;
  struct neighbours {
    entry *next = nullptr, *previous = nullptr;
  };
  struct entry {
    neighbours by_age, by_size;
    std::int64_t bytes, room;
  };
  /// A list of blocks, the latest first.
  struct list {
    entry *first = nullptr, *last = nullptr;
    void add(entry& e, neighbours entry::*links) {
      (e.*links).next = first;
      (first != nullptr ? (first->*links).previous : last) = &e;
      first = &e;
    }
    void remove(entry& e, neighbours entry::*links) {
      const auto [next, previous] = e.*links;
      (previous != nullptr ? (previous->*links).next : first) = next;
      (next != nullptr ? (next->*links).previous : last) = previous;
    }
  };
  static constexpr int most_looked_at = 32;  // blocks of one list, so that many different blocks cost little time
  list by_age_, by_size_[63];                // by the number of binary digits of their room, which is positive
  std::int64_t bytes_ = 0;

  static std::size_t class_of(std::int64_t room) {
    return static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(room)) - 1);
  }
  memory_block taken(entry& e) {
    const memory_block block{reinterpret_cast<std::byte*>(&e), e.bytes, e.room};
    by_age_.remove(e, &entry::by_age);
    by_size_[class_of(e.room)].remove(e, &entry::by_size);
    bytes_ -= block.room;
    return block;
  }
};

/// The byte of glibc's MALLOC_PERTURB_, which fills new memory, so that tests find code that relies on zeros; 0 if it
/// is not set.
inline int perturbing_byte() {
  static const int byte = [] {
    const char* const text = std::getenv("MALLOC_PERTURB_");
    return text == nullptr ? 0 : std::atoi(text) & 0xff;
  }();
  return byte;
}
/// Fills kept memory as new memory is filled.
inline void perturb(const memory_block& block) {
  if (const int byte = perturbing_byte(); byte != 0)
    std::memset(block.data, byte ^ 0xff, static_cast<std::size_t>(block.bytes));
}

}  // namespace kroton::runtime
