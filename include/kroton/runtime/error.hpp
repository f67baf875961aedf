// The errors that running functions throws. Each message starts with `kroton:` and says what was found, what was expected
// and what to do; each is thrown before any state changes.
#pragma once

#include <cstdint>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace kroton {

/// A text, which must outlive the part, or a number.
class message_part {
 public:
  constexpr message_part() = default;
  constexpr message_part(const char* text) : text_(text) {}
  constexpr message_part(std::string_view text) : text_(text) {}
  message_part(const std::string& text) : text_(text) {}
  template <class Number>
    requires std::is_arithmetic_v<Number>
  constexpr message_part(Number x)
      : what_(std::is_floating_point_v<Number> ? kind::real : std::is_unsigned_v<Number> ? kind::natural : kind::integer),
        real_(static_cast<double>(x)), integer_(std::is_floating_point_v<Number> ? 0 : static_cast<long long>(x)) {}
  void append_to(std::string& all) const {
    if (what_ == kind::text) all += text_;
    else if (what_ == kind::real) all += std::to_string(real_);
    else if (what_ == kind::natural) all += std::to_string(static_cast<unsigned long long>(integer_));
    else all += std::to_string(integer_);
  }

 private:
  enum class kind { text, integer, natural, real };
  kind what_ = kind::text;
  std::string_view text_;
  double real_ = 0;
  long long integer_ = 0;
};

/// The texts and numbers of a message, one after the other. Neither variadic nor inlined, because it would be compiled anew for each message.
[[gnu::noinline, gnu::cold]] inline std::string message(const message_part& a, const message_part& b = {}, const message_part& c = {},
                                                        const message_part& d = {}, const message_part& e = {}, const message_part& f = {},
                                                        const message_part& g = {}, const message_part& h = {}, const message_part& i = {},
                                                        const message_part& j = {}, const message_part& k = {}, const message_part& l = {},
                                                        const message_part& m = {}, const message_part& n = {}, const message_part& o = {},
                                                        const message_part& p = {}) {
  std::string text;
  for (const message_part* part : {&a, &b, &c, &d, &e, &f, &g, &h, &i, &j, &k, &l, &m, &n, &o, &p}) part->append_to(text);
  return text;
}

/// Base of everything that Kroton throws.
struct error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The extents of an argument do not fit the function, or each other.
struct shape_error : error {
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

/// A text (a flag, a file's header) does not have the form that it should have.
struct parse_error : error {
  using error::error;
};

/// A file cannot be read or written.
struct io_error : error {
  using error::error;
};

/// A computation found a value that it was told not to accept, such as a NaN, or did not converge.
struct numeric_error : error {
  using error::error;
};

/// Throws shape_error for an extent below 0.
inline void require_extent(const char* operation, std::int64_t extent) {
  if (extent < 0) throw shape_error(message("kroton: ", operation, ": an extent is ", extent, "; extents are 0 or more"));
}

/// What a process can address, so that sums of some do not overflow.
inline constexpr std::int64_t most_bytes = std::int64_t{1} << 47;

/// Bytes of a tensor with these extents. Throws memory_error if there cannot be as many.
template <class Extents>
std::int64_t tensor_bytes(const Extents& extents, std::size_t element_size) {
  std::int64_t bytes = static_cast<std::int64_t>(element_size);
  bool is_too_large = false, is_empty = false;
  for (const std::int64_t e : extents) {
    is_empty = is_empty || e == 0;
    is_too_large = __builtin_mul_overflow(bytes, e, &bytes) || is_too_large;
  }
  if (is_empty) return 0;
  if (is_too_large || bytes > most_bytes) throw memory_error("kroton: a tensor is larger than memory can be; give smaller extents");
  return bytes;
}

/// Calls `work`; when the program has no memory left for it, throws memory_error.
template <class Work>
decltype(auto) within_memory(Work&& work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    throw memory_error("kroton: the program has no memory left; release what is not needed");
  }
}

}  // namespace kroton
