// Functions with places on several devices and on the host.
#include "device.hpp"

using namespace test;

namespace {

constexpr struct batch : kt::dim<batch> {
} batch;
constexpr struct first : kt::context_name<first> {
} first;
constexpr struct second : kt::context_name<second> {
} second;
constexpr struct remote : kt::context_name<remote> {
} remote;

void map_names() {
  [[maybe_unused]] static const bool once = [] {
    kt::context::map("first", device_name(0));
    kt::context::map("second", device_name(2));
    return true;
  }();
}

#ifndef __CUDACC__
constexpr struct idle : kt::context_name<idle> {
} idle;
TEST_CASE("device: one that a name is mapped to does nothing before it is used") {
  test::install();
  const int& made = static_cast<simulated::driver*>(kt::installed_driver())->streams_made;
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
    for (const std::int64_t n : {6, 6, 6, 3, 0}) { INFO(n); check_call(step, random<float, 2>({n, 8}, static_cast<unsigned>(n)), 0.01F); }
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
  auto f = kt::function<kt::policy::none, backend>([](kt::var<float, 40, 6> w, kt::var<int, batch> i) {
    auto rows = kt::take(w, i);
    return kt::outputs(kt::exp(rows), kt::sum(rows, kt::axis<0>));
  }, where);
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
  auto none = kt::chunked<batch>(kt::function<kt::policy::none, backend>([](kt::var<float, batch, 6> x) { return kt::sum(x, kt::axis<0>); }, where.with_budget(40)), 2);
  CHECK_THROWS_WITH_AS(none(random<float, 2>({3, 6}, 1)), doctest::Contains("bytes needed for what pieces add up to, but of a budget of 40 bytes"), kt::memory_error);
}

struct counters : kt::model {
  kt::shared<float, 3> a{this, "a", kt::init::zeros, first};
  kt::shared<float, 3> b{this, "b", kt::init::zeros, second};
  kt::shared<float, 3, 3> c{this, "c", kt::init::uniform(0, 1), second};
  kt::shared<float, 3, 3> d{this, "d", kt::init::zeros, first};
  constexpr auto next() const { return kt::updates(kt::update(a, a + 1), kt::update(b, b + 2)); }
  constexpr auto turn() const { return kt::updates(kt::update(c, kt::transpose(c) + 1), kt::update(d, d + kt::transfer<first>(c))); }
  constexpr auto twice() const { return kt::updates(kt::update(b, b * 2)); }
};
TEST_CASE("device: what a graph does on another device comes before what follows there") {
  kt::session<counters> session(device(0));
  auto next = compile<&counters::next>(session);
  auto twice = compile<&counters::twice>(session);
  for (int i = 0; i < 4; ++i) next();
  CHECK(session.get<&counters::b>()(2) == 8);
  CHECK(session.get<&counters::a>()(2) == 4);
  next();
  twice();
  next();
  CHECK(session.get<&counters::b>()(0) == 22);
  // the other device needs the old value, over which the new one is written at the end
  auto turn = compile<&counters::turn>(session);
  const auto c = session.get<&counters::c>();
  for (int i = 1; i < 4; ++i) {
    turn();
    const float expected = i == 1 ? c(0, 2) : i == 2 ? c(0, 2) + c(2, 0) + 1 : 2 * c(0, 2) + c(2, 0) + 3;
    session.get<&counters::c>();  // whose device has done it all then, the other one perhaps nothing
    CHECK(session.get<&counters::d>()(0, 2) == doctest::Approx(expected));
  }
}

struct apart : kt::model {
  kt::shared<float, 3> a{this, "a", kt::init::ones, first};
  kt::shared<float, 3> b{this, "b", kt::init::ones, remote};
  constexpr auto next() const { return kt::updates(kt::update(a, a + kt::transfer<first>(b)), kt::update(b, b * 2)); }
};
TEST_CASE("device: what one device cannot copy from another itself is no graph") {
  kt::context::map("remote", device_name(3));
  kt::session<apart> session(device(0));
  auto next = compile<&apart::next>(session);
  for (int call = 0; call < 4; ++call) next();
  CHECK(session.get<&apart::a>()(1) == 1 + 1 + 2 + 4 + 8);
  CHECK(session.get<&apart::b>()(1) == 16);
}

struct lent : kt::model {
  kt::shared<float, 3> d{this, "d", kt::init::zeros, first};
  kt::shared<float, 3> w{this, "w", kt::init::ones, second};
  constexpr auto doubled() const { return kt::updates(kt::update(w, w * 2)); }
  constexpr auto added() const { return kt::updates(kt::update(d, d + kt::transfer<first>(w))); }
};
TEST_CASE("device: functions of a session that use one device follow each other there, whatever else they use") {
  kt::session<lent> session(kt::context::host());
  auto doubled = compile<&lent::doubled>(session);
  auto added = compile<&lent::added>(session);
  float w = 1, d = 0;
  for (int call = 0; call < 4; ++call) {
    doubled();
    added();
    doubled();
    d += w * 2;
    w *= 4;
  }
  session.set<&lent::w>(std::vector<float>(3));
  CHECK(session.get<&lent::d>()(1) == d);
  added();
  doubled();
  session.set<&lent::w>(std::vector<float>{1, 1, 1});
  CHECK(session.get<&lent::d>()(1) == d);
  // the first calls too, of which no graph has been made
  kt::session<lent> other(kt::context::host());
  auto once = compile<&lent::added>(other);
  other.set<&lent::w>(std::vector<float>{5, 5, 5});
  once();
  other.set<&lent::w>(std::vector<float>{6, 6, 6});
  CHECK(other.get<&lent::d>()(2) == 5);
}

TEST_CASE("device: what comes to the host is there before the host uses it") {
  auto looked_up = kt::function<kt::policy::none, backend>(
      [](kt::var<float, 7> table, kt::var<int, batch> i) { return kt::take(kt::transfer<kt::host>(table), kt::transfer<kt::host>(i * 2)); }, device(0));
  check_call(looked_up, random<float, 1>({7}, 1), classes(5, 3));
  CHECK_THROWS_AS(looked_up(random<float, 1>({7}, 1), classes(5, 5)), kt::index_error);
  check_call(looked_up, random<float, 1>({7}, 1), classes(5, 3));
  auto and_back = kt::function<kt::policy::none, backend>([](kt::var<float, 4, 3> x) {
    auto h = kt::transfer<kt::host>(x * 2);
    return kt::transfer<first>(h[kt::rows(0, 2)]) + 1;
  }, device(0));
  for (unsigned seed = 1; seed < 4; ++seed) check_call(and_back, random<float, 2>({4, 3}, seed));
}

constexpr struct near : kt::context_name<near> {
} near;
TEST_CASE("device: what a rewrite uses of another place is transferred") {
  kt::context::map("near", "cpu0");
  auto f = kt::function<kt::policy::none, backend>([](kt::var<float, batch, 3> x, kt::var<int, batch> label) {
    const auto p = kt::nn::softmax(kt::transfer<near>(x));
    return kt::outputs(-kt::log(kt::pick(p, label)), -kt::log(kt::sum(p * kt::one_hot<3>(label), kt::axis<1>)));
  }, device(0));
  check_call(f, random<float, 2>({5, 3}, 9), classes(5, 3));
}

}  // namespace
