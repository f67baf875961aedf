// The names of places on the host, and how the tests of places compare functions.
#pragma once

#include <kroton/debug/verify.hpp>
#include <kroton/kroton.hpp>

#include <doctest/doctest.h>

namespace test {

namespace kt = kroton;

inline constexpr struct batch : kt::dim<batch> {} batch;
inline constexpr struct first : kt::context_name<first> {} first;
inline constexpr struct second : kt::context_name<second> {} second;
inline constexpr struct third : kt::context_name<third> {} third;
inline constexpr struct fourth : kt::context_name<fourth> {} fourth;

/// first and second on cores of their own where there are two, third on that of first, fourth on all.
inline void map_contexts() {
  static const bool done = [] {
    kt::context::map("first", "cpu0");
    kt::context::map("second", kt::host_cores().size() > 1 ? "cpu1" : "cpu0");
    kt::context::map("third", "cpu0");
    kt::context::map("fourth", "cpu");
    return true;
  }();
  static_cast<void>(done);
}

inline std::vector<float> ramp(std::size_t count) {
  std::vector<float> v(count);
  for (std::size_t i = 0; i < count; ++i) v[i] = static_cast<float>(i % 13) / 7 - 0.9f;
  return v;
}

/// Calls a function some times, each time beside the interpreter.
template <class Function, class... X>
void check(Function& f, const X&... x) {
  for (int call = 0; call < 4; ++call) {
    const auto found = kt::debug::verify(f, x...);
    INFO(found.where << ": " << found.found << " instead of " << found.expected);
    CHECK(found.ok);
  }
}

}  // namespace test
