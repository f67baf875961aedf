// Loops on devices: recurrent networks, loops in loops, bodies at several places, and indices that a body computes.
#include "places.hpp"

#include <tuple>

using namespace test;

namespace {

constexpr struct n : kt::dim<n> {} n;
constexpr struct batch : kt::dim<batch> {} batch;

TEST_CASE("device: a recurrent network and its gradients, as it is and in a graph") {
  auto f = kt::function<kt::policy::none, backend>(
      [](kt::var<float, n, batch, 3> x, kt::var<float, 3, 5> W, kt::var<float, 5, 5> U, kt::var<float, 5> b) {
        const auto h =
            kt::scan([&](auto row, auto before) { return kt::tanh(kt::dot(row, W) + kt::dot(before, U) + b); },
                     kt::sequences(x), kt::carried(kt::zeros<float, batch, 5>()));
        const auto cost = kt::sum(kt::sqr(h.all)) + kt::sum(h.last);
        return kt::outputs(cost, h.all, kt::grad(cost, x), kt::grad(cost, W), kt::grad(cost, U), kt::grad(cost, b));
      },
      device(0));
  const auto W = random<float, 2>({3, 5}, 2), U = random<float, 2>({5, 5}, 3);
  const auto b = random<float, 1>({5}, 4);
  for (const std::int64_t count : {4, 4, 4, 1, 0, 7, 7})
    for (const std::int64_t rows : {2, 3}) check_call(f, random<float, 3>({count, rows, 3}, 1), W, U, b);
}

TEST_CASE("device: taps, loops that go backwards, and a loop in another") {
  auto f = kt::function<kt::policy::none, backend>(
      [](kt::var<double, n, batch> x, kt::var<double, 3> begin) {
        const auto rows = kt::scan(
            [](auto row, auto old, auto newest) {
              const auto inner = kt::scan([](auto each, auto sum) { return kt::sin(sum + each); }, kt::sequences(row),
                                          kt::carried(old));
              return std::tuple{inner.last * newest + kt::mean(row), inner.all};
            },
            kt::sequences(x), kt::carried(kt::taps<-3, -1>(begin)), kt::scan_options{.go_backwards = true});
        const auto cost = kt::sum(std::get<0>(rows).all) + kt::sum(kt::sqr(std::get<1>(rows).all));
        return kt::outputs(cost, kt::grad(cost, x), kt::grad(cost, begin));
      },
      device(0));
  for (const std::int64_t count : {5, 5, 5, 2})
    check_call(f, random<double, 2>({count, 4}, 5), random<double, 1>({3}, 6));
}

struct divided : kt::model {
  kt::shared<float, 4, 4> A{this, "A", kt::init::uniform(-1, 1), first};
  kt::shared<float, 4, 4> B{this, "B", kt::init::uniform(-1, 1), second};
  kt::shared<float, 4> c{this, "c", kt::init::ones, kt::host};
  constexpr auto step(kt::var<float, n, 2, 4> x, kt::var<float> rate) const {
    const auto h =
        kt::scan([&](auto row, auto before) { return kt::tanh(kt::dot(kt::sin(kt::dot(before, A)), B) * c + row); },
                 kt::sequences(x), kt::carried(kt::zeros<float, 2, 4>()));
    const auto cost = kt::sum(kt::sqr(h.all));
    return kt::outputs(cost, h.last).updates(kt::optim::sgd(cost, parameters(), rate));
  }
};
TEST_CASE("device: a body on two devices and the host") {
  map_names();
  for (const kt::context& home : {kt::context::host(1), device(1)}) {
    kt::session<divided> session(home, kt::seed{5});
    auto step = compile<&divided::step>(session);
    for (const std::int64_t count : {6, 6, 6, 3, 0}) check_call(step, random<float, 3>({count, 2, 4}, 7), 0.01F);
  }
}

TEST_CASE("device: indices that a body computes are checked in each iteration") {
  auto f = kt::function<kt::policy::none, backend>(
      [](kt::var<float, 5> table, kt::var<int, n> step) {
        const auto s = kt::scan(
            [&](auto by, auto at, auto sum) {
              return std::tuple{at + by, sum + kt::take(table, at)};
            },
            kt::sequences(step), kt::carried(0, 0.0F));
        return std::get<1>(s).last;
      },
      device(0));
  const auto table = random<float, 1>({5}, 8);
  kt::tensor<int, 1> step({4});
  std::fill(step.begin(), step.end(), 1);
  for (int i = 0; i < 3; ++i) check_call(f, table, step);
  step(1) = 4;
  CHECK_THROWS_AS(static_cast<void>(static_cast<float>(f(table, step))), kt::index_error);
  step(1) = 0;
  check_call(f, table, step);
}

TEST_CASE("device: tables that a body changes where they lie, and one whose old value is read afterwards") {
  auto f = kt::function<kt::policy::none, backend>(
      [](kt::var<float, 6, 2> table, kt::var<int, n> at, kt::var<float, n, 2> rows) {
        const auto [set, added, read, changes] = kt::scan(
            [](auto i, auto each, auto a, auto b, auto c) {
              const auto next = kt::set(c, i, each);
              return std::tuple{kt::set(a, i, each + a[i]), kt::inc(b, i, each), next, kt::sum(kt::abs(next - c))};
            },
            kt::sequences(at, rows), kt::carried(table, 2 * table, 3 * table));
        return kt::outputs(set.last, added.last, read.last, changes.all);
      },
      device(0));
  const auto table = random<float, 2>({6, 2}, 10);
  for (const std::vector<int>& at : {std::vector<int>{3, 0, 3, 5, 0}, {3, 0, 3, 5, 0}, {1}, {}})
    check_call(f, table, at, random<float, 2>({static_cast<std::int64_t>(at.size()), 2}, 11));
}

TEST_CASE("device: branches, and their gradients") {
  auto f = kt::function<kt::policy::none, backend>(
      [](kt::var<float, n, 4> x, kt::var<float> a) {
        const auto y = kt::cond(
            kt::sum(x) > a, [&] { return kt::tanh(x) * a; }, [&] { return kt::dot(x, kt::dot(kt::transpose(x), x)); });
        return kt::outputs(y, kt::grad(kt::sum(kt::sqr(y)), x));
      },
      device(0));
  for (const float a : {-100.0F, 100.0F}) check_call(f, random<float, 2>({5, 4}, 9), a);
}

}  // namespace
