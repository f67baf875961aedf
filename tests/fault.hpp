// Work during which memory fails once.
#pragma once

#include <kroton/runtime/context/error.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <string_view>

namespace test {

/// Does things while the allocations that `left` counts down can fail, and does what failed once more.
class fault {
 public:
  fault(std::atomic<long>& left, long succeeding) : left_(left), remaining_(succeeding) {}

  template <class Work, class State>
  auto survive(const Work& work, const State& state) {
    const auto before = state();
    left_ = remaining_;
    try {
      auto result = work();
      remaining_ = left_.exchange(-1);
      happened = happened || remaining_ < 0;  // or memory that a context kept has made it good
      return result;
    } catch (const kroton::memory_error& e) {
      remaining_ = left_.exchange(-1);
      happened = true;
      CHECK(std::string_view(e.what()).starts_with("kroton: "));
      CHECK(state() == before);
      return work();
    }
  }
  bool happened = false;

 private:
  std::atomic<long>& left_;
  long remaining_;
};

}  // namespace test
