// Memory that a context keeps: who gets it again, how much it is at most, and when it goes back to the system.
#include <kroton/kroton.hpp>
#include <kroton/runtime/context/memory.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <latch>
#include <random>
#include <thread>

#if defined(__linux__)
#include <sys/resource.h>
#endif

#if defined(__SANITIZE_ADDRESS__)
#define KROTON_TEST_WITH_ADDRESS_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define KROTON_TEST_WITH_ADDRESS_SANITIZER
#endif
#endif
#if defined(KROTON_TEST_WITH_ADDRESS_SANITIZER)
#include <sanitizer/asan_interface.h>
#endif

#include "allocations.hpp"

namespace kt = kroton;

namespace {

constexpr struct batch : kt::dim<batch> {} batch;

using vector = kt::tensor<float, 1>;
constexpr std::int64_t mebibyte = 1 << 20;

auto doubling(const kt::context& where) {
  return kt::function([](kt::var<float, batch> x) { return x * 2; }, where);
}
/// A product between two maps, so that there is an arena.
auto two_layers(const kt::context& where) {
  return kt::function(
      [](kt::var<float, batch, 64> x, kt::var<float, 64, 64> w) {
        return kt::sum(kt::tanh(kt::dot(kt::tanh(kt::dot(x, w)), w)), kt::axis<1>);
      },
      where);
}
vector of_bytes(std::int64_t bytes, const kt::context& where) { return vector({bytes / 4}, where.lender()); }

/// Whether the allocator fills what it gives, and what it gets into its heap, as scripts/test has it.
bool is_perturbed() {
  const char* const byte = std::getenv("MALLOC_PERTURB_");
  return byte != nullptr && std::strcmp(byte, "128") == 0;
}
#if defined(__linux__)
long page_faults() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  return use.ru_minflt;
}
#else
long page_faults() { return 0; }
#endif

#if defined(KROTON_TEST_WITH_ADDRESS_SANITIZER)
TEST_CASE("kept memory: the address sanitizer finds what uses a tensor after its end") {
  const kt::context where = kt::context::host(1);
  vector x = of_bytes(mebibyte, where);
  const float* const old = x.data();
  CHECK(__asan_address_is_poisoned(old) == 0);
  x = {};
  x = of_bytes(mebibyte, where);
  CHECK(__asan_address_is_poisoned(old) == 1);
  CHECK(where.memory().kept == 0);
}
#endif

TEST_CASE("kept memory: from the third call on, outputs take nothing from the system" *
          doctest::skip(!kt::runtime::keeps_blocks)) {
  const kt::context where = kt::context::host(1);
  auto f = doubling(where);
  const vector x({4 * mebibyte});
  vector z = f(x);
  z = f(x);
  const std::size_t before = aligned_bytes;
  const long faults = page_faults();
  for (int call = 0; call < 5; ++call) z = f(x);
  vector copy = z;  // is where z is
  CHECK(aligned_bytes - before == 0);
  CHECK(page_faults() - faults < 100);  // of 5 times 4096
  CHECK(where.memory().kept == 0);
  copy = {};
  CHECK(where.memory().kept == 16 * mebibyte);
  CHECK(where.memory().in_use == 0);  // outputs are their callers'

  // copies of what the caller has made are the caller's, too
  const vector own({mebibyte});
  copy = own;
  CHECK(where.memory().kept == 16 * mebibyte);
}

TEST_CASE("kept memory: extents that alternate find the memory of their last call" *
          doctest::skip(!kt::runtime::keeps_blocks)) {
  for (const kt::context& where : {kt::context::host(1), kt::context::host(1).with_budget(8 * mebibyte)}) {
    auto f = two_layers(where);
    const kt::tensor<float, 2> x({4096, 64}), w({64, 64});
    const auto round = [&] {
      for (const std::int64_t rows : {4096, 1600, 700, 4096, 64}) (void)f(kt::view(x.data(), {rows, 64}), w);
    };
    round();
    const std::size_t before = aligned_bytes;
    for (int again = 0; again < 3; ++again) round();
    CHECK(aligned_bytes - before == 0);
    CHECK(where.memory().kept > 0);
    CHECK(where.memory().kept <= 2 * where.memory().peak);
  }
}

TEST_CASE("kept memory: no more than twice what was in use at most is taken" *
          doctest::skip(!kt::runtime::keeps_blocks)) {
  const kt::context where = kt::context::host(1);
  std::mt19937 random(1);  // NOLINT: the same numbers in every run
  std::vector<vector> live;
  std::int64_t in_use = 0, most = 0, largest = 0;
  for (int step = 0; step < 2000; ++step) {
    const auto number = static_cast<std::int64_t>(random() % 64 + 1);
    if (live.size() < 12 && random() % 2 == 0) {
      live.push_back(of_bytes(number * number * 4096, where));
      in_use += number * number * 4096;
    } else if (!live.empty()) {
      std::swap(live[random() % live.size()], live.back());
      in_use -= live.back().size() * 4;
      live.pop_back();
    }
    most = std::max(most, in_use);
    REQUIRE(where.memory().kept + in_use <= 2 * most);
    largest = std::max(largest, where.memory().kept);
  }
  CHECK(largest > most / 2);

  // a small tensor does not sit in a block of a large one
  live.clear();
  where.trim();
  of_bytes(mebibyte, where);
  {
    const vector small = of_bytes(mebibyte / 2 - 4, where);
    CHECK(where.memory().kept == mebibyte);
    const vector half = of_bytes(mebibyte / 2, where);
    CHECK(where.memory().kept == 0);
  }
}

TEST_CASE("kept memory: trim returns it to the system" * doctest::skip(!kt::runtime::keeps_blocks)) {
  const auto resident = [] {  // bytes of this program
    long pages = 0, all = 0;
    std::FILE* const file = std::fopen("/proc/self/statm", "r");
    if (file != nullptr) {
      CHECK(std::fscanf(file, "%ld %ld", &all, &pages) == 2);
      std::fclose(file);
    }
    return pages * 4096;
  };
  for (const std::int64_t bytes : {64 * mebibyte, mebibyte}) {  // of the system, and of a heap, below what lives on
    const kt::context where = kt::context::host(1);
    std::vector<vector> tensors;
    for (std::int64_t i = 0; i <= 64 * mebibyte / bytes; ++i) {
      tensors.push_back(of_bytes(bytes, where));
      std::fill(tensors.back().begin(), tensors.back().end(), 1.0F);
    }
    const long before = resident();
    tensors.erase(tensors.begin(), tensors.end() - 1);
    CHECK(where.memory().kept == 64 * mebibyte);
    CHECK(where.trim() == 64 * mebibyte);
    CHECK(where.memory().kept == 0);
    if (before > 0 && (bytes > mebibyte || !is_perturbed())) CHECK(before - resident() > 60 * mebibyte);
    CHECK(where.trim() == 0);
    CHECK(tensors[0](0) == 1);
  }
}

TEST_CASE("kept memory: a budget sees it, and nothing fails for it" * doctest::skip(!kt::runtime::keeps_blocks)) {
  const kt::context small = kt::context::host(1).with_budget(4 * mebibyte);
  const auto fits = [&] { return small.memory().in_use + small.memory().kept <= 4 * mebibyte; };
  auto f = doubling(small);
  vector x({mebibyte});
  x(0) = 3;
  CHECK(f(x)(0) == 6);  // an output of all the budget
  CHECK(small.memory().kept == 4 * mebibyte);
  CHECK(f(kt::view(x.data(), {mebibyte - 3})).size() == mebibyte - 3);  // of other extents
  CHECK(fits());
  auto g = two_layers(small);
  const kt::tensor<float, 2> rows({7000, 64}), w({64, 64});
  const vector sums = g(rows, w);  // with temporaries of 3.4 MiB
  CHECK(small.memory().in_use > 3 * mebibyte);
  CHECK(fits());
  CHECK_THROWS_AS(f(x), kt::memory_error);
  // two large outputs that were not there together with the temporaries come back
  g = two_layers(small);
  vector y = f(x), z = x;
  y = f(kt::view(x.data(), {mebibyte / 2}));
  y = z = {};
  CHECK(fits());

  // only what has its size uses a block again, so that no byte of the budget is lost in it
  const kt::context exact = kt::context::host(1).with_budget(4 * mebibyte);
  of_bytes(mebibyte, exact);
  const vector smaller = of_bytes(mebibyte - 4096, exact);
  CHECK(exact.memory().kept == mebibyte);
}

TEST_CASE("kept memory: an allocation that would fail gets it" * doctest::skip(!kt::runtime::keeps_blocks)) {
  const kt::context other = kt::context::host(1);
  const kt::tensor<float, 2> rows({7000, 64}), w({64, 64});
  long count = 0;
  for (bool has_failed = true; has_failed; ++count) {
    const kt::context where = kt::context::host(1);
    auto f = two_layers(where);
    of_bytes(mebibyte, other);
    allocations_left = count;  // before one fails
    const vector sums = f(rows, w);
    has_failed = allocations_left.exchange(-1) < 0;
    CHECK(other.memory().kept == (has_failed ? 0 : mebibyte));
  }
  CHECK(count > 5);
  of_bytes(mebibyte, other);
  allocations_left = 0;
  const vector own({mebibyte});  // which no context has
  CHECK(allocations_left.exchange(-1) < 0);
  CHECK(other.memory().kept == 0);
}

TEST_CASE("kept memory: more than any machine has is refused" * doctest::skip(!kt::runtime::keeps_blocks)) {
  const kt::context here = kt::context::host(1);
  auto f = doubling(here);
  f(vector({mebibyte}));
  REQUIRE(here.memory().kept > 0);
  const float one = 1;
  for (int bits = 40; bits < 46; ++bits)  // up to 2^47 bytes
    CHECK_THROWS_AS(f(kt::view(&one, {std::int64_t{1} << bits}, {0})), kt::memory_error);
}

TEST_CASE("kept memory: a resource of the user gets everything back") {
  std::pmr::monotonic_buffer_resource resource;
  const kt::context where = kt::context::host(1).with_resource(resource);
  CHECK(where.lender() == nullptr);
  auto f = two_layers(where);
  const kt::tensor<float, 2> x({4096, 64}), w({64, 64});
  (void)f(x, w);
  (void)f(kt::view(x.data(), {100, 64}), w);
  CHECK(where.memory().kept == 0);
  CHECK(where.trim() == 0);
}

TEST_CASE("kept memory: what was there before is not there in tests" * doctest::skip(!kt::runtime::keeps_blocks)) {
  if (!is_perturbed()) return;
  const kt::context where = kt::context::host(1);
  for (const std::int64_t bytes : {mebibyte, std::int64_t{200}}) {
    vector x = of_bytes(bytes, where);
    std::fill(x.begin(), x.end(), 1.0F);
    x = {};
    x = of_bytes(bytes, where);
    CHECK(std::all_of(x.begin(), x.end(), [](float value) { return value > 3e38F; }));
  }
}

TEST_CASE("kept memory: a thread keeps a few small blocks of each size, also those that another made" *
          doctest::skip(!kt::runtime::keeps_blocks)) {
  const auto in_thread = [](auto work) { std::thread(work).join(); };
  in_thread([] {
    long before = allocations;
    for (int call = 0; call < 100; ++call) {
      const vector x({16}), y({33}), z({256}), larger({257});
      if (call == 0) before = allocations;
    }
    CHECK(allocations - before == 99);  // those of more than 1 KiB
    std::vector<vector> many(20), one_more(1);
    for (vector& each : many) each = vector({16});
    before = allocations;
    many.clear();
    for (int i = 0; i < 20; ++i) many.push_back(vector({16}));
    CHECK(allocations - before >= 12);  // 8 are kept
    before = allocations;
    one_more[0] = vector({15});  // has a block of the same size, of which there is none left
    CHECK(allocations - before == 1);
  });
  vector there;
  in_thread([&] { there = vector({16}, std::vector<float>(16, 2.0F)); });
  in_thread([taken = std::move(there)]() mutable {
    const float* const at = taken.data();
    taken = {};
    const vector x({16});
    CHECK(x.data() == at);  // the thread that gives a block back keeps it
    const vector empty({0}), other({16});
    CHECK(other.data() != at);
  });
}

vector outlives_all;  // is destroyed after main
TEST_CASE("kept memory: tensors outlive their context, and threads release what others made") {
  std::shared_ptr<kt::runtime::memory_account> account;
  {
    const kt::context where = kt::context::host(1);
    outlives_all = doubling(where)(vector({mebibyte}));
    account = where.account();
  }
  vector copy = outlives_all;
  CHECK(std::memcmp(copy.data(), outlives_all.data(), 4 * mebibyte) == 0);
  copy = {};
  CHECK(account->now().kept == 0);  // nobody is there who would need it

  const kt::context where = kt::context::host(1);
  std::vector<vector> made(4);
  std::latch all_are_made(4);
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (std::size_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      auto f = doubling(where);
      const auto length = static_cast<std::int64_t>(5000 + 3000 * t);
      vector x({length}, where.lender());
      std::fill(x.begin(), x.end(), static_cast<float>(t));
      for (int call = 0; call < 50; ++call) {
        made[t] = f(x);
        for (const float value : made[t]) wrong += value != 2 * static_cast<float>(t);
        if (call % 16 == 0) where.trim();
      }
      all_are_made.arrive_and_wait();
      const vector taken = std::move(made[(t + 1) % 4]);
      for (const float value : taken) wrong += value != 2 * static_cast<float>((t + 1) % 4);
    });
  for (std::thread& each : threads) each.join();
  CHECK(wrong == 0);
  CHECK(where.memory().in_use == 0);
}

}  // namespace
