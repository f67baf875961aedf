// What simulated devices leave to chance: the order of threads and of what does not wait for each other, and how a
// device rounds.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <numeric>

namespace simulated {

/// Decides about all of it; told where a test fails.
inline const std::uint64_t seed = [] {
  const char* const given = std::getenv("KROTON_SIMULATED_SEED");
  return given == nullptr ? std::uint64_t{1} : std::strtoull(given, nullptr, 10);
}();

/// Bits that depend on all of `x` and the seed; the same each time.
inline std::uint64_t mixed(std::uint64_t x) {  // splitmix64
  x += seed * 0x9e3779b97f4a7c15u + 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}
/// Other bits each time.
inline std::uint64_t drawn() {
  static thread_local std::uint64_t count = 0;
  return mixed(++count);
}

/// The numbers below `count`, each once, in an order that is drawn.
class shuffled {
 public:
  explicit shuffled(std::int64_t count) : count_(count) {
    if (count < 2) return;
    start_ = below(count);
    do step_ = 1 + below(count - 1);
    while (std::gcd(step_, count) != 1);
  }
  template <class Body>
  void each(const Body& body) const {
    for (std::int64_t k = 0, at = start_; k < count_; ++k, at = (at + step_) % count_) body(at);
  }

 private:
  std::int64_t count_, start_ = 0, step_ = 1;
  static std::int64_t below(std::int64_t most) {
    return static_cast<std::int64_t>(drawn() % static_cast<std::uint64_t>(most));
  }
};

}  // namespace simulated
