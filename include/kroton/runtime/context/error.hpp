// This header has the errors that functions throw. Each message starts with `kroton:` and says what was found, what was
// expected and what to do; each error is thrown before any state changes.
#pragma once

#include <kroton/config.hpp>
#include <kroton/graph/array.hpp>

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace kroton::runtime {

/// A part of a message: a text, which must outlive the part, or a number.
class message_part {
 public:
  constexpr message_part(const char* text) : message_part(std::string_view(text)) {}
  constexpr message_part(std::string_view text) : what_(kind::text), size_(text.size()), text_(text.data()) {}
  message_part(const std::string& text) : message_part(std::string_view(text)) {}
  template <std::floating_point Number>
  constexpr message_part(Number x) : what_(kind::real), real_(static_cast<double>(x)) {}
  template <std::integral Number>
  constexpr message_part(Number x)
      : what_(std::is_unsigned_v<Number> ? kind::natural : kind::integer), integer_(static_cast<long long>(x)) {}
  void append_to(std::string& to) const;

 private:
  enum class kind { text, integer, natural, real };
  kind what_;
  std::size_t size_ = 0;  // of the text
  union {
    const char* text_;
    long long integer_;
    double real_;
  };
};

/// The texts and numbers of a message, one after the other.
std::string message_of(std::initializer_list<message_part> parts);
template <class... Part>
KROTON_INLINE std::string message(const Part&... parts) {
  return message_of({message_part(parts)...});
}

/// Base of everything that Kroton throws.
struct error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The extents of an argument do not fit the function, or each other.
struct shape_error : error {
  using error::error;
};

/// A number does not fit its element type.
struct value_error : error {
  using error::error;
};

/// An index lies outside the axis that it selects from.
struct index_error : error {
  using error::error;
};

/// A function needs more memory than its context has.
struct memory_error : error {
  using error::error;
};

/// A device is missing, refuses work or has failed.
struct device_error : error {
  using error::error;
};

/// A file cannot be read or written, or does not have the form or the tensors that it should have.
struct io_error : error {
  using error::error;
};

/// A text, such as a flag, does not have the form that it should have.
struct parse_error : error {
  using error::error;
};

/// Throws shape_error: an extent is below 0.
[[noreturn]] void refuse_extent(const char* operation, std::int64_t extent);
/// Throws shape_error for an extent below 0.
inline void require_extent(const char* operation, std::int64_t extent) {
  if (extent < 0) refuse_extent(operation, extent);
}

/// The bytes that a process can address, so few that sums of several sizes do not overflow.
inline constexpr std::int64_t most_bytes = std::int64_t{1} << 47;

/// A product of extents and strides. If one extent is 0, the product of the others may have more than 64 bits. The
/// highest bits are then lost, which is not defined for signed numbers. They are not needed, because there are no
/// elements.
constexpr std::int64_t product_of_extents(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}
/// How many elements a tensor with these extents has, if memory can hold them.
template <class Extents>
constexpr std::int64_t element_count(const Extents& extents) {
  std::int64_t count = 1;
  for (const std::int64_t extent : extents) count = product_of_extents(count, extent);
  return count;
}
/// Bytes of a tensor with these extents. Throws memory_error if memory cannot have that many.
std::int64_t tensor_bytes(list_view<std::int64_t> extents, std::int64_t element_size);
/// "(2, 3)".
std::string text_of_extents(list_view<std::int64_t> extents);

/// Handles a failed allocation: returns the memory that contexts keep to the system, the first time. Throws
/// memory_error if nothing was kept, or if this is not the first time.
void make_room(bool is_first);
/// Calls `work`. If an allocation in it fails, contexts return the memory that they keep, and `work` is called again;
/// if that fails too, throws memory_error.
template <class Work>
decltype(auto) within_memory(Work&& work) {
  for (bool is_first = true;; is_first = false) try {
      return work();
    } catch (const std::bad_alloc&) {
      make_room(is_first);
    }
}

}  // namespace kroton::runtime

namespace kroton {
using runtime::device_error;
using runtime::error;
using runtime::index_error;
using runtime::io_error;
using runtime::memory_error;
using runtime::parse_error;
using runtime::shape_error;
using runtime::value_error;
}  // namespace kroton

#if KROTON_HAS_DEFINITIONS
#include <kroton/runtime/context/error.ipp>
#endif
