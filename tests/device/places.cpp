// Functions with places on several devices and on the host, whole and in pieces.
#include "places.hpp"

using namespace test;

namespace {

constexpr struct batch : kt::dim<batch> {} batch;

#ifndef __CUDACC__
constexpr struct idle : kt::context_name<idle> {} idle;
TEST_CASE("device: one that a name is mapped to does nothing before it is used") {
  test::install();
  const int& made = static_cast<simulated::driver*>(kt::runtime::installed_driver())->streams_made;
  const int before = made;
  kt::context::map("idle", "cuda1");
  CHECK_THROWS_AS(kt::context::map("absent", "cuda7"), kt::device_error);
  CHECK(made == before);
  const kt::context used = kt::context::named(idle);
  CHECK(made == before + 2);
  CHECK(kt::context::named(idle).stream() == used.stream());
  CHECK(made == before + 2);
}
#endif

struct split : kt::model {
  kt::shared<float, 8, 16> A{this, "A", kt::init::uniform(-1, 1), first};
  kt::shared<float, 16, 4> B{this, "B", kt::init::uniform(-1, 1), second};
  kt::shared<float, 4> c{this, "c", kt::init::ones, kt::host};
  constexpr auto step(kt::var<float, batch, 8> x, kt::var<float> rate) const {
    auto y = kt::dot(kt::tanh(kt::dot(x, A)), B) * c;
    auto cost = kt::sum(kt::sqr(y));
    return kt::outputs(cost, y).updates(kt::optim::sgd(cost, parameters(), rate));
  }
};
TEST_CASE("device: two devices and the host in one function") {
  map_names();
  for (const kt::context& home : {kt::context::host(1), device(1)}) {
    kt::session<split> session(home, kt::seed{5});
    auto step = compile<&split::step>(session);
    for (const std::int64_t n : {6, 6, 6, 3, 0}) {
      INFO(n);
      check_call(step, random<float, 2>({n, 8}, static_cast<unsigned>(n)), 0.01F);
    }
    CHECK(session.values<&split::c>()[0] != 1);
  }
}

TEST_CASE("device: pieces add up where the function runs") {
  map_names();
  for (const kt::context& home : {kt::context::host(1), device(1)}) {
    kt::session<split> one(home, kt::seed{5}), two(home, kt::seed{5});
    auto whole = compile<&split::step>(one);
    auto part_of = compile<&split::step>(two);
    auto pieces = kt::chunked<batch>(part_of, 3);
    for (const std::int64_t n : {13, 12, 2, 0, 13}) {
      INFO(n);
      const auto x = random<float, 2>({n, 8}, static_cast<unsigned>(n));
      const auto [expected, all] = whole(x, 0.01F);
      const auto [cost, y] = pieces(x, 0.01F);
      CHECK(static_cast<float>(cost) == doctest::Approx(static_cast<float>(expected)).epsilon(1e-5));
      for (std::int64_t i = 0; i < y.size(); ++i) CHECK(y.data()[i] == doctest::Approx(all.data()[i]).epsilon(1e-4));
    }
    CHECK(two.values<&split::c>()[1] == doctest::Approx(one.values<&split::c>()[1]).epsilon(1e-4));
  }
}

TEST_CASE("device: pieces follow each other without the host, and a wrong one leaves nothing behind") {
  const kt::context where = device(0).with_budget(1 << 20);
  auto f = kt::function<kt::policy::none, backend>(
      [](kt::var<float, 40, 6> w, kt::var<int, batch> i) {
        auto rows = kt::take(w, i);
        return kt::outputs(kt::exp(rows), kt::sum(rows, kt::axis<0>));
      },
      where);
  auto pieces = kt::chunked<batch>(f, 4);
  const auto w = random<float, 2>({40, 6}, 1);
  const auto call = [&](const kt::tensor<int, 1>& i) {
    const auto [e, sums] = pieces(w, i);
    for (std::int64_t column = 0; column < 6; ++column) {
      double sum = 0;
      for (std::int64_t row = 0; row < i.size(); ++row) {
        sum += static_cast<double>(w(i(row), column));
        CHECK(e(row, column) == doctest::Approx(std::exp(w(i(row), column))).epsilon(1e-5));
      }
      CHECK(sums(column) == doctest::Approx(sum).epsilon(1e-5));
    }
  };
  auto i = classes(32, 40);
  call(i);
#ifndef __CUDACC__
  const auto& stream = static_cast<const simulated::stream&>(*where.stream());
  const int waits = stream.waits, graphs = stream.graphs;
  call(i);
  CHECK(stream.waits == waits + 1);  // the sums of nothing are sent once
  CHECK(stream.graphs >= graphs + 7);
#endif
  i(29) = 40;
  CHECK_THROWS_WITH_AS(pieces(w, i), doctest::Contains(", in the piece that begins at 28"), kt::index_error);
  call(classes(3, 40));  // other memory, while the device may be at what came before the wrong index
  call(classes(32, 40));
  const std::int64_t used = where.memory().in_use;
  CHECK(used >= 6 * 8);
  auto none =
      kt::chunked<batch>(kt::function<kt::policy::none, backend>(
                             [](kt::var<float, batch, 6> x) { return kt::sum(x, kt::axis<0>); }, where.with_budget(40)),
                         2);
  CHECK_THROWS_WITH_AS(none(random<float, 2>({3, 6}, 1)),
                       doctest::Contains("bytes needed for what pieces add up to, but of a budget of 40 bytes"),
                       kt::memory_error);
}

}  // namespace
