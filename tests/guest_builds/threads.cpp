// Functions of one context in several threads, whose outputs other threads release, also when the program ends: `run`
// compiles this with the sanitizer of threads. Status 0 when every number is right.
#include <kroton/kroton.hpp>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

namespace kt = kroton;

inline constexpr struct n : kt::dim<n> {} n;

using vector = kt::tensor<float, 1>;
vector released_after_main;

int main() {
  const kt::context where = kt::context::host(1);
  std::vector<vector> made(3);
  std::mutex mutex;  // of all that is made
  std::atomic<bool> is_right = true;
  const auto work = [&](std::size_t own) {
    auto f = kt::function([](kt::var<float, n> x) { return x * 2 + 1; }, where);
    for (std::size_t call = 0; call < 200; ++call) {
      vector x({static_cast<std::int64_t>(2000 + 700 * (call % 3))}, where.lender());
      std::fill(x.begin(), x.end(), static_cast<float>(own));
      vector y = f(x);
      if (y(0) != static_cast<float>(2 * own + 1) || y(0) != y.end()[-1]) is_right = false;
      if (call % 50 == 0) where.trim();
      const std::lock_guard lock(mutex);
      std::swap(y, made[(own + call) % made.size()]);
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < made.size(); ++t) threads.emplace_back(work, t);
  for (std::thread& each : threads) each.join();
  released_after_main = std::move(made[0]);
  return is_right && where.memory().in_use == 0 ? 0 : 1;
}
