// The errors that running functions throws. Each message starts with `kroton:` and says what was found, what was expected
// and what to do; each is thrown before any state changes.
#pragma once

#include <stdexcept>
#include <string>
#include <type_traits>

namespace kroton {

/// The texts and numbers of a message, one after the other.
template <class... Part>
std::string message(const Part&... parts) {
  std::string text;
  const auto append = [&](const auto& part) {
    if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(part)>>)
      text += std::to_string(part);
    else
      text += part;
  };
  (append(parts), ...);
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

}  // namespace kroton
