// Outputs that a device still computes: who waits for them, and when.
#include "device.hpp"

#include <atomic>
#include <thread>

using namespace test;

namespace {

constexpr struct rows : kt::dim<rows> {} rows;
constexpr struct far : kt::context_name<far> {} far;

/// Whether a simulated device has something left to do; others do not say.
bool is_busy([[maybe_unused]] const kt::context& where, [[maybe_unused]] bool otherwise) {
#ifndef __CUDACC__
  return static_cast<simulated::stream&>(*where.stream()).is_busy();
#else
  return otherwise;
#endif
}

struct counter : kt::model {
  kt::shared<float> count{this, "count"};
  constexpr auto next() const { return kt::outputs(count + 1).updates(kt::update(count, count + 1)); }
};
TEST_CASE("pending: a call returns before the device is done, and reading waits") {
  const kt::context where = device(0);
  auto f = kt::function<kt::policy::none, backend>(
      [](kt::var<float, rows> x) { return kt::outputs(x * 2, kt::sum(x)); }, where);
  const kt::tensor<float, 1> x({3}, {1, 2, 3});
  for (int call = 0; call < 4; ++call) {
    auto [y, sum] = f(x);
    CHECK(is_busy(where, true));
    CHECK(y(2) == 6);
    CHECK(!is_busy(where, false));
    CHECK(sum == 6);
  }
}

TEST_CASE("pending: what the host writes into a tensor stays there") {
  auto on_device = kt::function<kt::policy::none, backend>([](kt::var<float, rows> x) { return x * 2; }, device(0));
  auto on_host = kt::function<kt::policy::none, kt::host_backend>([](kt::var<float, rows> x) { return x + 1; },
                                                                  kt::context::host(1));
  kt::tensor<float, 1> y;
  const kt::tensor<float, 1> x({2}, {5, 6});
  on_device.into(y, x);
  on_host.into(y, x);
  CHECK(y(0) == 6);
  on_host.into(y, x);
  on_device.into(y, x);
  CHECK(y(1) == 12);
}

TEST_CASE("pending: straight functions read what arrives, and write over what would") {
  auto on_device = kt::function<kt::policy::none, backend>([](kt::var<float, rows> x) { return x * 2; }, device(0));
  const auto straight = kt::function([](kt::var<float, 2> x) { return x + 1; });
  const kt::tensor<float, 1> x({2}, {5, 6});
  const auto doubled = on_device(x);
  CHECK(straight(doubled)(1) == 13);
  kt::tensor<float, 1> y;
  on_device.into(y, x);
  const float* const kept = y.address();
  straight.into(y, x);
  CHECK(y(0) == 6);
  CHECK(y.address() == kept);
  on_device.into(y, x);
  straight.into(y, y);  // it reads what it writes over
  CHECK(y(0) == 11);
}

TEST_CASE("pending: several threads use one device") {
  const kt::context where = device(1);
  std::atomic<int> right = 0;
  const auto work = [&](float rate) {
    kt::session<counter> session(where);
    auto next = compile<&counter::next>(session);
    auto f = kt::function<kt::policy::none, backend>([](kt::var<float, rows> x) { return kt::sum(x * x); }, where);
    for (int call = 0; call < 400; ++call) {
      const float value = rate * static_cast<float>(call);
      kt::tensor<float, 1> x({3 + call / 4 % 2});  // graphs are made again and again
      std::fill(x.begin(), x.end(), 0.0F);
      x(0) = value, x(1) = 1;
      const auto sum = f(x);
      const auto count = next();
      right += sum == value * value + 1 && count == static_cast<float>(call + 1);
    }
    right += static_cast<float>(session.get<&counter::count>()) == 400;
  };
  std::thread other(work, 2.0F);
  work(3.0F);
  other.join();
  CHECK(right == 2 * 401);
}

TEST_CASE("pending: arguments arrive while the call before runs") {
  const kt::context where = device(2);
#ifndef __CUDACC__
  auto& arrivals = static_cast<simulated::stream&>(*where.arrivals());
  arrivals.is_eager = true;  // as early as can be
#endif
  auto f = kt::function<kt::policy::none, backend>(
      [](kt::var<float, rows> x, kt::var<float, rows> y) { return kt::sum(x * y + 1); }, where);
  const auto argument = [](float value) { return kt::tensor<float, 1>({3}, {value, 2, 3}); };
  std::vector<kt::tensor<float, 0>> all;
  for (int call = 0; call < 7; ++call) {
    all.push_back(f(argument(static_cast<float>(call)), argument(1)));
    CHECK(is_busy(where, true));
  }
  for (std::size_t i = 0; i < all.size(); ++i) CHECK(static_cast<float>(all[i]) == static_cast<float>(i) + 16);
  const auto plan = f.memory_plan(rows(3));
  CHECK(plan.buffers.back().name == "next arguments");
  CHECK(plan.buffers.back().bytes == 2 * kt::runtime::bytes_on_device(12));
#ifndef __CUDACC__
  arrivals.is_eager = false;
#endif
}

TEST_CASE("pending: values arrive wherever their tensors have gone") {
  kt::session<counter> session(device(0));
  auto next = compile<&counter::next>(session);
  std::vector<kt::tensor<float, 0>> all;
  for (int call = 0; call < 9; ++call) all.push_back(next());  // which moves those that are there
  for (std::size_t i = 0; i < all.size(); ++i) CHECK(static_cast<float>(all[i]) == static_cast<float>(i + 1));
  for (int call = 0; call < 3; ++call) next();  // nobody keeps it
  kt::tensor<float, 0> last = next(), other;
  other = std::move(last);
  last = next();
  CHECK(static_cast<float>(other) == 13);
  CHECK(static_cast<float>(last) == 14);
  const kt::tensor<float, 0> copy = next();
  CHECK(static_cast<float>(copy) == 15);
  kt::tensor<float, 0> kept;
  for (int call = 0; call < 3; ++call) next.into(kept);
  CHECK(static_cast<float>(kept) == 18);
}

TEST_CASE("pending: tensors outlive their function") {
  kt::tensor<float, 1> y, z;
  {
    auto f = kt::function<kt::policy::none, backend>([](kt::var<float, rows> x) { return x + 1; }, device(0));
    y = f(kt::tensor<float, 1>({2}, {1, 2}));
    f.into(z, kt::tensor<float, 1>({2}, {3, 4}));
    f.into(z, z);
    f(kt::tensor<float, 1>({3}, {1, 2, 3}));  // other extents, for which memory is found anew
  }
  CHECK(y(1) == 3);
  CHECK(z(1) == 6);
}

struct remote : kt::model {
  kt::shared<float, 3> w{this, "w", kt::init::ones, far};
  constexpr auto scaled(kt::var<float, rows, 3> x) const { return kt::outputs(x * w).updates(kt::update(w, w + 1)); }
};
TEST_CASE("pending: a function of the host with a device in it is a graph too") {
  kt::context::map("far", device_name(1));
  kt::session<remote> session(kt::context::host(1));
  auto scaled = compile<&remote::scaled>(session);
  const auto x = random<float, 2>({4, 3}, 1);
  for (int call = 1; call < 5; ++call) {
    const auto y = scaled(x);
    CHECK(is_busy(kt::context::named("far"), true));
    for (std::int64_t i = 0; i < 4; ++i) CHECK(y(i, 2) == doctest::Approx(x(i, 2) * static_cast<float>(call)));
  }
#ifndef __CUDACC__
  CHECK(static_cast<simulated::stream&>(*kt::context::named("far").stream()).graphs == 3);
#endif
}

#ifndef __CUDACC__
TEST_CASE("pending: whoever reads is told that the device failed, each time") {
  const kt::context where = device(2);
  auto f = kt::function<kt::policy::none, backend>([](kt::var<float, rows> x) { return x + 1; }, where);
  const kt::tensor<float, 1> x({2}, {1, 2});
  const auto y = f(x);
  static_cast<simulated::stream&>(*where.stream()).put([] { throw kt::device_error("kroton: lost"); });
  auto z = f(x);
  CHECK(y(0) == 2);
  CHECK_THROWS_WITH_AS(z.data(), "kroton: lost", kt::device_error);
  CHECK_THROWS_AS(z(0), kt::device_error);
  CHECK(f(x)(1) == 3);
}
#endif

}  // namespace
