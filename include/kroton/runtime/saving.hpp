// This header has the options with which a session is loaded, and declares the format in which it is saved. The format
// itself is in <kroton/io.hpp>, which reads JSON and which most programs do without.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace kroton {

/// What becomes of a variable that a file does not have, or of a tensor that a session does not have:
/// `{.missing = kt::allow}`.
enum class unmatched {
  refuse,  ///< an error
  allow    ///< it is left as it is
};
/// `kt::unmatched::allow`, in short.
inline constexpr unmatched allow = unmatched::allow;

/// How `session.load` reads a file: `session.load("model.safetensors", {.missing = kt::allow, .convert = true})`.
struct load_options {
  /// Variables of the session that are not in the file. The state of random numbers is never one of them.
  unmatched missing = unmatched::refuse;
  unmatched extra = unmatched::refuse;  ///< tensors of the file that are not in the session
  bool convert = false;                 ///< whether elements of another type are converted, as by `kt::cast`
  /// Names in the file, and the names in the session that they stand for: `{{"fc1.weight", "first.W"}}`. Names that end
  /// with a point stand for all names that begin with them: `{{"model.layers.", "layers."}}`.
  std::vector<std::pair<std::string, std::string>> names = {};
};

namespace io {
struct safetensors;
}

}  // namespace kroton
