// This file compares the elements of a call with those of the interpreter.
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
    for (std::size_t i = 0; i < t.values.size(); ++i) {
      const T x = reinterpret_cast<const T*>(elements)[i];
      t.values[i] = static_cast<double>(x);
      if constexpr (std::is_integral_v<T>) t.integers.push_back(static_cast<std::int64_t>(x));
    }
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
  note(message(what, " at ", at), error, accepted, x, y);
}
KROTON_DEFINITION void comparison::note(const std::string& place, double error, double accepted, double x, double y) {
  const bool fails = error > accepted;
  if (fails == ok ? fails : error > max_error) *this = {!fails, error, place, x, y};
}
KROTON_DEFINITION void compare(comparison& known, const std::string& what, const reference_tensor& found,
                               const reference_tensor& expected, double accepted) {
  for (std::size_t at = 0; at < found.values.size(); ++at) {
    const double x = found.values[at], y = expected.values[at];
    if (x != y || found.integers.empty() || found.integer(at) == expected.integer(at)) {
      known.compare(what, at, x, y, accepted);
      continue;
    }
    // integers that are the same double, and so differ by little
    const auto difference = static_cast<std::int64_t>(static_cast<std::uint64_t>(found.integer(at)) -
                                                      static_cast<std::uint64_t>(expected.integer(at)));
    known.note(message(what, " at ", at, " (more by ", difference, ")"), std::abs(static_cast<double>(difference) / x),
               accepted, x, y);
  }
}

}  // namespace kroton::debug
