// Simulated devices themselves: they find what would fail on a GPU alone.
#include "device.hpp"

#ifndef __CUDACC__
using namespace test;

namespace {

constexpr struct n : kt::dim<n> {} n;

/// Says with which seed a failing test ran, so that it can be repeated.
struct seed_teller : doctest::IReporter {
  explicit seed_teller(const doctest::ContextOptions& options) : options_(options) {}
  void test_case_end(const doctest::CurrentTestCaseStats& found) override {
    if (found.failure_flags != 0)
      *options_.cout << "simulated devices: again with KROTON_SIMULATED_SEED=" << simulated::seed << "\n";
  }
  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats&) override {}
  void test_case_start(const doctest::TestCaseData&) override {}
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}

 private:
  const doctest::ContextOptions& options_;
};
DOCTEST_REGISTER_LISTENER("seed", 1, seed_teller);

TEST_CASE("simulation: functions differ from those of the host in the last bit, the same way each time") {
  auto f = kt::function<kt::policy::none, backend>([](kt::var<float, n> x) { return kt::exp(x); }, device(0));
  const auto x = random<float, 1>({1000}, 1);
  const auto found = f(x), again = f(x);
  int differ = 0;
  for (std::int64_t i = 0; i < 1000; ++i) {
    const float host = std::exp(x(i));
    differ += found(i) != host;
    CHECK(std::abs(found(i) - host) <= std::nextafter(host, 10.0F) - host);
    CHECK(found(i) == again(i));
  }
  CHECK(differ > 200);
  CHECK(f(kt::tensor<float, 1>({2}, {0, -INFINITY}))(0) == 1);
}

TEST_CASE("simulation: a product and a sum are rounded once or twice") {
  auto f = kt::function<kt::policy::none, backend>(
      [](kt::var<float, n> x, kt::var<float, n> y, kt::var<float, n> z) {
        return kt::outputs(x * y - z, 2 * z - x * y, kt::sqr(x) + z);
      },
      device(0));
  const auto x = random<float, 1>({1000}, 1), y = random<float, 1>({1000}, 2);
  kt::tensor<float, 1> z({1000});
  for (std::int64_t i = 0; i < 1000; ++i) z(i) = x(i) * y(i);
  const auto [first, second, third] = f(x, y, z);
  int once[3] = {};
  const auto count = [&](int of, float found, float rounded_twice, float rounded_once) {
    CHECK((found == rounded_twice || found == rounded_once));
    once[of] += found != rounded_twice;
  };
  for (std::int64_t i = 0; i < 1000; ++i) {
    count(0, first(i), 0, std::fma(x(i), y(i), -z(i)));
    count(1, second(i), z(i), std::fma(-x(i), y(i), 2 * z(i)));
    count(2, third(i), static_cast<float>(static_cast<double>(x(i) * x(i)) + static_cast<double>(z(i))),
          std::fma(x(i), x(i), z(i)));
  }
  CHECK(once[0] > 200);
  CHECK(once[0] < 800);
  CHECK(once[1] + once[2] > 20);
}

TEST_CASE("simulation: each thread and block runs once, in no order") {
  simulated::stream on(0);
  for (const std::int64_t count : {0, 1, 2, 1000}) {
    std::vector<std::int64_t> threads, blocks;
    const simulated::launch launch(on, "order");
    launch.threads(count, [&threads](std::int64_t i) { threads.push_back(i); });
    launch.groups<simulated::launch::block>(count, [&blocks](auto&, std::int64_t i) { blocks.push_back(i); });
    on.synchronize();
    for (auto* found : {&threads, &blocks}) {
      CHECK(static_cast<std::int64_t>(found->size()) == count);
      if (count == 1000) CHECK_FALSE(std::is_sorted(found->begin(), found->end()));
      std::sort(found->begin(), found->end());
      for (std::int64_t i = 0; i < count; ++i) CHECK((*found)[static_cast<std::size_t>(i)] == i);
    }
  }
  simulated::group<32> warp;
  simulated::group<32>::locals<int> all(warp);
  std::vector<int> order;
  warp.each(all, [&](int thread, int&) { order.push_back(thread); });
  CHECK(order.size() == 32);
  CHECK_FALSE(std::is_sorted(order.begin(), order.end()));
}

/// A stream and another one, events, and memory of a device and of the host.
struct capturing {
  simulated::stream first{0}, second{0};
  std::unique_ptr<kt::runtime::device_event> fork = first.make_event(), join = first.make_event(),
                                             before = first.make_event();
  std::vector<int> done;
  capturing() {
    first.record(*before);
    first.begin_capture();
  }
  ~capturing() {
    if (simulated::captures > 0) end();
  }
  void begin_second() {
    first.record(*fork);
    second.wait(*fork);
  }
  void join_second() {
    second.record(*join);
    first.wait(*join);
  }
  void work(simulated::stream& on, int number) {
    on.put([this, number] { done.push_back(number); });
  }
  /// What is wrong, if anything is.
  std::string end() {
    try {
      first.end_capture(nullptr);
    } catch (const kt::device_error& e) {
      return e.what();
    }
    return "";
  }
};

TEST_CASE("simulation: captured work runs in any order that events allow") {
  capturing c;
  c.work(c.first, 0);
  c.begin_second();
  c.work(c.first, 1);
  c.work(c.second, 2);
  c.join_second();
  c.work(c.first, 3);
  const auto graph = c.first.end_capture(nullptr);
  std::set<std::vector<int>> seen;
  for (int call = 0; call < 50; ++call) {
    c.done.clear();
    c.first.launch(*graph);
    c.first.synchronize();
    seen.insert(c.done);
  }
  CHECK(seen == std::set<std::vector<int>>{{0, 1, 2, 3}, {0, 2, 1, 3}});
}

TEST_CASE("simulation: what CUDA does not allow in a capture") {
  const auto refused = [](auto&& what, const char* sentence) {
    capturing c;
    CHECK_THROWS_WITH_AS(what(c), (std::string("kroton: simulated: ") + sentence).c_str(), kt::device_error);
  };
  simulated::device_memory memory;
  refused([](capturing& c) { c.first.wait(*c.before); }, "a stream waits in a capture for an event from elsewhere");
  refused([](capturing& c) { c.first.synchronize(); }, "the host waits for a stream while a graph is captured");
  refused([](capturing& c) { c.second.synchronize(); }, "the host waits for a stream while a graph is captured");
  refused([](capturing& c) { c.before->synchronize(); }, "the host waits for an event while a graph is captured");
  refused([](capturing& c) { c.begin_second(), c.fork->synchronize(); }, "the host waits for an event of a capture");
  refused([&](capturing&) { (void)memory.allocate(100); }, "memory is taken while a graph is captured");
  refused([](capturing&) { (void)simulated::staging.allocate(100); }, "memory is taken while a graph is captured");
  refused([](capturing& c) { c.second.begin_capture(); }, "another capture begins while a graph is captured");
  refused([](capturing& c) { c.first.launch(*std::make_unique<simulated::graph>()); },
          "a graph is launched while a graph is captured");
  refused([](capturing& c) { c.first.supports_epilogue({}, "dot"); }, "a product is tried while a graph is captured");
  {
    capturing c;
    c.begin_second();
    c.work(c.second, 1);
    CHECK(c.end() == "kroton: simulated: a capture ends before it has waited for all of its streams");
  }
  {
    capturing c;
    c.begin_second();
    c.work(c.second, 1);
    c.join_second();
    CHECK(c.end().empty());
    simulated::stream third(0);
    CHECK_THROWS_WITH_AS(third.wait(*c.join),
                         "kroton: simulated: a stream waits for an event of a capture that has ended",
                         kt::device_error);
  }
  {
    void* const block = simulated::staging.allocate(100);
    capturing c;
    simulated::staging.deallocate(block, 100);
    CHECK(c.end() == "kroton: simulated: memory of the host is released while a graph is captured");
  }
}

TEST_CASE("simulation: only pinned memory is copied, and only what was asked about is multiplied") {
  simulated::stream on(0);
  std::byte here[64] = {};
  CHECK_THROWS_WITH_AS(on.copy_in(nullptr, here, 64, "argument"),
                       "kroton: simulated: argument: copied from memory that is not pinned", kt::device_error);
  CHECK_THROWS_WITH_AS(on.copy_out(here, nullptr, 64, "output"),
                       "kroton: simulated: output: copied to memory that is not pinned", kt::device_error);
  auto* const pinned = static_cast<std::byte*>(simulated::staging.allocate(100));
  CHECK_THROWS_AS(on.copy_in(nullptr, pinned + 64, 64, "argument"), kt::device_error);
  simulated::staging.deallocate(pinned, 100);
  kt::runtime::device_product p;
  alignas(256) std::byte operands[512];
  p.m = p.n = p.k = 0;
  p.x = p.y = operands, p.z = operands + 256;
  CHECK(on.workspace_of(p, "dot") == 100);
  on.multiply(p, "dot");
  p.x += 4;
  CHECK_THROWS_WITH_AS(on.multiply(p, "dot"), "kroton: simulated: a product whose workspace nobody has asked for",
                       kt::device_error);
}

}  // namespace
#endif
