// Calls of several threads. scripts/test runs this room with ThreadSanitizer too.
#include <doctest/doctest.h>
#include <kroton/callable.hpp>
#include <kroton/kroton.hpp>

#include <functional>
#include <memory_resource>
#include <string>
#include <thread>
#include <vector>

namespace kt = kroton;

namespace {

inline constexpr struct n : kt::dim<n> {} n;

/// All elements of w are equal between calls.
struct counters : kt::model {
  kt::shared<float, 64> w{this, "w"};
  constexpr auto add(kt::var<float> x) const { return kt::outputs(kt::sum(w)).updates(kt::update(w, w + x)); }
  constexpr auto spread() const { return kt::max(w) - kt::min(w); }
  constexpr auto apply(kt::var<float, n, 64> x) const { return kt::dot(x, w) / kt::sum(x, kt::axis<1>); }
};

constexpr auto normalise = [](kt::var<float, n> x) { return kt::exp(x) / kt::sum(kt::exp(x)); };

/// A context whose functions run in the thread of the caller: ThreadSanitizer does not know how OpenMP waits.
kt::context alone() { return kt::context::host(1); }

void run_together(std::vector<std::function<void()>> work) {
  std::vector<std::thread> threads;
  for (auto& each : work) threads.emplace_back(std::move(each));
  for (std::thread& each : threads) each.join();
}

/// Memory of the system; calls `before` whenever some is asked for.
class watched_memory : public std::pmr::memory_resource {
 public:
  std::function<void()> before;

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    if (before) before();
    return std::pmr::new_delete_resource()->allocate(bytes, alignment);
  }
  void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override {
    std::pmr::new_delete_resource()->deallocate(p, bytes, alignment);
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

TEST_CASE("threads: a function that is being called cannot be called") {
  watched_memory memory;
  auto f = kt::function(normalise, alone().with_resource(memory));
  const std::vector<float> x(100, 1.0F);
  int refused = 0;
  const auto call_again = [&](auto&& call) {
    try {
      call();
    } catch (const kt::error& wrong) {
      refused +=
          std::string(wrong.what()) ==
          "kroton: two threads call one function at the same time; give each thread a function of its own: f.clone()";
    }
  };
  memory.before = [&] {
    kt::tensor<float, 1> z;
    call_again([&] { f(x); });
    call_again([&] { f.into(z, x); });
  };
  CHECK(f(x)(0) == doctest::Approx(0.01));
  CHECK(refused == 2);
  memory.before = nullptr;
  CHECK(f(x)(99) == doctest::Approx(0.01));  // the refused calls left no trace
  auto pieces = kt::chunked<n>(
      kt::function([](kt::var<float, n> y) { return kt::sum(kt::exp(y)); }, alone().with_resource(memory)), 7);
  memory.before = [&] { call_again([&] { pieces(x); }); };
  CHECK(pieces(x) == doctest::Approx(271.828));
  CHECK(refused > 2);
  memory.before = nullptr;
}

TEST_CASE("threads: each with a clone of one function") {
  auto f = kt::function(normalise, alone());
  std::vector<int> wrong(4);
  std::vector<std::function<void()>> work;
  for (std::size_t t = 0; t < wrong.size(); ++t)
    work.push_back([mine = std::make_shared<decltype(f)>(f.clone()), t, &wrong] {
      for (std::size_t i = 1; i <= 300; ++i) {
        const std::vector<float> x(i * (t + 1), static_cast<float>(t));
        const auto y = (*mine)(x);
        for (const float each : y) wrong[t] += each != doctest::Approx(1.0 / static_cast<double>(x.size()));
      }
    });
  run_together(std::move(work));
  CHECK(wrong == std::vector<int>(4));
}

TEST_CASE("threads: functions of one session, of which some change it") {
  auto session = std::make_unique<kt::session<counters>>(alone());
  auto add = session->compile<&counters::add>();
  auto spread = session->compile<&counters::spread>();
  auto pieces = kt::chunked<n>(session->compile<&counters::apply>(), 2);
  kt::callable<kt::tensor<float, 1>(kt::view<const float, 2>) const> apply = session->compile<&counters::apply>();
  constexpr int trainers = 2, readers = 3, times = 400;
  std::vector<int> wrong(readers + 1);
  std::vector<std::function<void()>> work;
  for (int t = 0; t < trainers; ++t)
    work.push_back([mine = std::make_shared<decltype(add)>(add.clone())] {
      for (int i = 0; i < times; ++i) (*mine)(1);
    });
  for (std::size_t t = 0; t < readers; ++t)
    work.push_back([&wrong, t, alike = std::make_shared<decltype(spread)>(spread.clone()),
                    one = std::make_shared<decltype(apply)>(apply.clone()),
                    parts = std::make_shared<decltype(pieces)>(pieces.clone())] {
      const std::vector<float> x(5 * 64, 1.0F);
      for (int i = 0; i < times; ++i) {
        wrong[t] += (*alike)() != 0.0F;
        for (const auto& y : {(*one)(kt::view(x.data(), {5, 64})), (*parts)(kt::view(x.data(), {5, 64}))})
          for (const float each : y) wrong[t] += each != y(0);  // a whole number, the same for each row
      }
    });
  work.push_back([&] {
    for (int i = 0; i < times; ++i) {
      const auto w = session->get<&counters::w>();
      wrong[readers] += w(0) != w(63);
    }
  });
  run_together(std::move(work));
  CHECK(wrong == std::vector<int>(readers + 1));
  CHECK(session->get<&counters::w>()(0) == trainers * times);  // no addition was lost
  session->set<&counters::w>(std::vector<float>(64, 3));
  session.reset();
  CHECK(add.clone()(0) == 3 * 64);
}

TEST_CASE("threads: one that waits to change variables goes before those that come later to read") {
  kt::runtime::variables_lock lock;
  int changed = 0;
  lock.lock_shared();
  std::thread writer([&] {
    const std::unique_lock changing(lock);
    changed = 1;
  });
  while (!lock.is_awaited()) std::this_thread::yield();
  int seen = 0;
  std::thread reader([&] {
    const std::shared_lock reading(lock);
    seen = changed;
  });
  lock.unlock_shared();
  writer.join();
  reader.join();
  CHECK(seen == 1);
}

TEST_CASE("threads: copies of one function object are one function") {
  watched_memory memory;
  kt::callable<kt::tensor<float, 1>(const std::vector<float>&)> held =
      kt::function(normalise, alone().with_resource(memory));
  const auto other = held.clone();
  const std::function<kt::tensor<float, 1>(const std::vector<float>&)> f = std::move(held).shared();
  const auto copy = f;
  bool is_refused = false;
  memory.before = [&] {
    if (is_refused) return;
    try {
      copy({1, 2});
    } catch (const kt::error&) {
      is_refused = true;
    }
  };
  CHECK(f({1, 1})(0) == 0.5F);
  CHECK(is_refused);
  CHECK(static_cast<bool>(other));
  struct only_moved {
    std::unique_ptr<int> held;
    float operator()(float x) { return x; }
  };
  const kt::callable<float(float)> movable = only_moved{};
  CHECK_THROWS_WITH_AS(
      (void)movable.clone(),
      "kroton: clone: the function of the callable can be moved, not copied; give it a function clone()", kt::error);
  CHECK_THROWS_AS((void)kt::callable<float(float)>().clone(), kt::error);
}

}  // namespace
