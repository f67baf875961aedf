// Indices, maps of many elements and refusals on a device.
#include "device.hpp"

using namespace test;

namespace {

constexpr struct batch : kt::dim<batch> {} batch;

TEST_CASE("device: rows by index, and their gradients") {
  const kt::context where = device(0);
  auto f = kt::function<kt::policy::none, backend>(
      [](kt::var<float, 7, 3> table, kt::var<int, batch> i) {
        auto rows = kt::take(table, i);
        return kt::outputs(rows, kt::grad(kt::sum(kt::sqr(rows) * rows), table));
      },
      where);
  for (const std::int64_t n : {0, 1, 50}) check_call(f, random<float, 2>({7, 3}, 1), classes(n, 7));
  // an index that is computed, and wrong
  auto computed = kt::function<kt::policy::none, backend>(
      [](kt::var<float, 7> table, kt::var<int, batch> i) { return kt::take(table, i * 2); }, where);
  check_call(computed, random<float, 1>({7}, 1), classes(5, 3));
  CHECK_THROWS_AS(computed(random<float, 1>({7}, 1), classes(5, 5)), kt::index_error);
}

/// How often the host waited for a simulated device.
int waits_of([[maybe_unused]] const kt::context& where) {
#ifndef __CUDACC__
  return static_cast<simulated::stream&>(*where.stream()).waits;
#else
  return 0;
#endif
}
struct lookup : kt::model {
  kt::shared<float, 7, 3> table{this, "table", kt::init::uniform(-1, 1)};
  kt::shared<int, 4> index{this, "index"};
  kt::shared<float> scale{this, "scale", kt::init::ones};
  constexpr auto rows() const { return kt::outputs(kt::take(table, index)).updates(kt::update(scale, scale * 2)); }
  constexpr auto next() const { return kt::updates(kt::update(index, index + 1)); }
};
TEST_CASE("device: indices that lie there are looked at when they have changed") {
  const kt::context where = device(0);
  kt::session<lookup> session(where, kt::seed{7});
  auto rows = compile<&lookup::rows>(session);
  auto next = compile<&lookup::next>(session);
  check_call(rows);
  const int before = waits_of(where);
  rows();
  rows();
  CHECK(waits_of(where) == before);
  session.set<&lookup::index>(std::vector<int>{6, 0, 5, 1});
  check_call(rows);
  session.set<&lookup::index>(std::vector<int>{6, 0, 7, 1});
  const float scale = static_cast<float>(session.get<&lookup::scale>());
  CHECK_THROWS_WITH_AS(rows(), doctest::Contains("index 7 at position 2"), kt::index_error);
  CHECK_THROWS_AS(rows(), kt::index_error);
  CHECK(static_cast<float>(session.get<&lookup::scale>()) == scale);
  session.set<&lookup::index>(std::vector<int>{4, 0, 5, 1});
  next();
  check_call(rows);
  next();
  CHECK_THROWS_AS(rows(), kt::index_error);
}

TEST_CASE("device: maps of many elements") {
  auto f = kt::function<kt::policy::none, backend>(
      [](kt::var<float, batch> x, kt::var<float, batch> y) { return kt::outputs(x * y + 1, kt::exp(x) > y); },
      device(0));
  auto one = kt::function<kt::policy::none, backend>(
      [](kt::var<float, batch> x, kt::var<float, batch> y) { return x * kt::tanh(y); }, device(0));
  for (const std::int64_t n : {8191, 8192, 20003}) {
    check_call(f, random<float, 1>({n}, 1), random<float, 1>({n}, 2));
    check_call(one, random<float, 1>({n}, 1), random<float, 1>({n}, 2));
  }
}

TEST_CASE("device: what a budget does not allow is told with the arguments, which lie on the device twice") {
  auto f = kt::function<kt::policy::none, backend>([](kt::var<float, batch, 8> x) { return kt::sum(x, kt::axis<1>); },
                                                   device(0).with_budget(5000));
  f(random<float, 2>({10, 8}, 1));
  const auto x = random<float, 2>({100, 8}, 1);
  for (const char* part : {" needed, but of a budget of 5000 bytes ", "; the largest: ", "argument 1 3200",
                           "next arguments 3328", "output 1 400", "; batch up to "})
    CHECK_THROWS_WITH_AS(f(x), doctest::Contains(part), kt::memory_error);
}

TEST_CASE("device: a function for the host alone says so") {
  const kt::context where = device(0);
  const auto compile_for_host = [&] {
    kt::function<kt::policy::none, kt::host_backend>([](kt::var<float> x) { return x + 1; }, where);
  };
  CHECK_THROWS_WITH_AS(
      compile_for_host(),
      "kroton: a function for cuda0 is compiled for the host alone; include kroton/cuda.hpp in its file",
      kt::device_error);
  CHECK_THROWS_AS(kt::context::on("cuda30"), kt::device_error);
}

}  // namespace
