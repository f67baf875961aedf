// How the elements of a call are compared with those of the interpreter.
#pragma once

#include <kroton/debug/verify.hpp>

#include <algorithm>
#include <cmath>

namespace kroton::debug {

KROTON_DEFINITION reference_tensor to_reference(dtype type, const std::byte* elements,
                                                std::span<const std::int64_t> extents) {
  reference_tensor t{{extents.begin(), extents.end()}, {}};
  t.values.resize(reference::size_of(t.extents));
  with_element(type, [&]<class T>() {
    for (std::size_t i = 0; i < t.values.size(); ++i)
      t.values[i] = static_cast<double>(reinterpret_cast<const T*>(elements)[i]);
  });
  return t;
}
KROTON_DEFINITION reference_tensor to_reference(const shared_storage& storage, int variable, dtype type) {
  const auto at = static_cast<std::size_t>(variable);
  std::vector<std::byte> copy(static_cast<std::size_t>(storage.bytes(at)));
  storage.read(at, copy.data());
  return to_reference(type, copy.data(), storage.extents[at]);
}

KROTON_DEFINITION void comparison::compare(const std::string& what, std::size_t at, double x, double y,
                                           double accepted) {
  if (x == y || (x != x && y != y)) return;
  const double size = std::max({1.0, std::abs(x), std::abs(y)});
  const double error = std::isfinite(x) && std::isfinite(y) ? std::abs(x - y) / size : HUGE_VAL;
  if (error <= max_error) return;
  *this = {error <= accepted, error, message(what, " at ", at), x, y};
}
KROTON_DEFINITION void compare(comparison& known, const std::string& what, const reference_tensor& found,
                               const reference_tensor& expected, double accepted) {
  for (std::size_t at = 0; at < found.values.size(); ++at)
    known.compare(what, at, found.values[at], expected.values[at], accepted);
}

}  // namespace kroton::debug
