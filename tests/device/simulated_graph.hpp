// What a simulated device captures: work, each with what it comes after, done in any order that this allows.
#pragma once

#include "seed.hpp"

#include <kroton/runtime/context/driver.hpp>
#include <kroton/runtime/context/error.hpp>

#include <functional>
#include <memory>
#include <vector>

namespace simulated {

namespace kt = kroton;

using work = std::function<void()>;

class graph final : public kt::runtime::device_graph {
 public:
  using numbers = std::vector<std::size_t>;  // of work

  std::size_t add(work what, numbers after) {
    all_.push_back({std::move(what), std::move(after)});
    return all_.size() - 1;
  }
  void run() const {
    std::vector<bool> done(all_.size());
    for (std::size_t left = all_.size(); left > 0; --left) {
      numbers ready;
      for (std::size_t i = 0; i < all_.size(); ++i)
        if (!done[i] && is_done(all_[i].after, done)) ready.push_back(i);
      const std::size_t next = ready[drawn() % ready.size()];
      all_[next].what();
      done[next] = true;
    }
  }
  /// Whether all of `some` is done when all of `ends` is.
  bool comes_before(const numbers& some, const numbers& ends) const {
    std::vector<bool> found(all_.size());
    for (const std::size_t end : ends) found[end] = true;
    for (std::size_t i = all_.size(); i-- > 0;)
      if (found[i])
        for (const std::size_t before : all_[i].after) found[before] = true;
    return is_done(some, found);
  }

 private:
  struct node {
    work what;
    numbers after;
  };
  std::vector<node> all_;
  static bool is_done(const numbers& some, const std::vector<bool>& done) {
    for (const std::size_t i : some)
      if (!done[i]) return false;
    return true;
  }
};

class stream;
/// A graph that is being captured, by these streams; the first one began.
struct capture {
  graph made;
  std::vector<stream*> streams;
};

}  // namespace simulated
