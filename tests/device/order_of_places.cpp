// What is done at several places, on devices and on the host, is done in order.
#include "places.hpp"

using namespace test;

namespace {

constexpr struct batch : kt::dim<batch> {} batch;

constexpr struct remote : kt::context_name<remote> {} remote;

struct counters : kt::model {
  kt::shared<float, 3> a{this, "a", kt::init::zeros, first};
  kt::shared<float, 3> b{this, "b", kt::init::zeros, second};
  kt::shared<float, 3, 3> c{this, "c", kt::init::uniform(0, 1), second};
  kt::shared<float, 3, 3> d{this, "d", kt::init::zeros, first};
  constexpr auto next() const { return kt::updates(kt::update(a, a + 1), kt::update(b, b + 2)); }
  constexpr auto turn() const {
    return kt::updates(kt::update(c, kt::transpose(c) + 1), kt::update(d, d + kt::transfer<first>(c)));
  }
  constexpr auto twice() const { return kt::updates(kt::update(b, b * 2)); }
};
TEST_CASE("device: what a graph does on another device comes before what follows there") {
  map_names();
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
  map_names();
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
  map_names();
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
  map_names();
  auto looked_up = kt::function<kt::policy::none, backend>(
      [](kt::var<float, 7> table, kt::var<int, batch> i) {
        return kt::take(kt::transfer<kt::host>(table), kt::transfer<kt::host>(i * 2));
      },
      device(0));
  check_call(looked_up, random<float, 1>({7}, 1), classes(5, 3));
  CHECK_THROWS_AS(looked_up(random<float, 1>({7}, 1), classes(5, 5)), kt::index_error);
  check_call(looked_up, random<float, 1>({7}, 1), classes(5, 3));
  auto and_back = kt::function<kt::policy::none, backend>(
      [](kt::var<float, 4, 3> x) {
        auto h = kt::transfer<kt::host>(x * 2);
        return kt::transfer<first>(h[kt::rows(0, 2)]) + 1;
      },
      device(0));
  for (unsigned seed = 1; seed < 4; ++seed) check_call(and_back, random<float, 2>({4, 3}, seed));
}

constexpr struct near : kt::context_name<near> {} near;
TEST_CASE("device: what a rewrite uses of another place is transferred") {
  kt::context::map("near", "cpu0");
  auto f = kt::function<kt::policy::none, backend>(
      [](kt::var<float, batch, 3> x, kt::var<int, batch> label) {
        const auto p = kt::nn::softmax(kt::transfer<near>(x));
        return kt::outputs(-kt::log(kt::pick(p, label)), -kt::log(kt::sum(p * kt::one_hot<3>(label), kt::axis<1>)));
      },
      device(0));
  check_call(f, random<float, 2>({5, 3}, 9), classes(5, 3));
}

}  // namespace
