// Joined steps on a device: the new values are those of the host, for segments of any size, also without elements.
#include "device.hpp"

using namespace test;

namespace {

constexpr struct batch : kt::dim<batch> {} batch;
constexpr struct rows : kt::dim<rows> {} rows;

struct network : kt::model {
  kt::shared<float, 5, 33> W1{this, "W1", kt::init::glorot_uniform};
  kt::shared<float, 33> b1{this, "b1", kt::init::uniform(-1, 1)};
  kt::shared<float, rows> open{this, "open", kt::init::uniform(-1, 1)};
  kt::optim::momentum optimiser{this, {.clip = {.norm = 1}}};
  constexpr auto train(kt::var<float, batch, 5> x) const {
    const auto cost = kt::mean(kt::sqr(kt::dot(x, W1) + b1)) + kt::sum(kt::sqr(open - 1));
    return kt::outputs(cost).updates(optimiser(cost, parameters(), 0.1));
  }
};

struct exchanged : kt::model {
  kt::shared<float, 4> a{this, "a", kt::init::constant(1)};
  kt::shared<float, 5, 7> b{this, "b", kt::init::constant(2)};
  kt::shared<float, 4> c{this, "c", kt::init::constant(3)};
  constexpr auto rotate() const {
    return kt::updates(kt::update(a, c * 2), kt::update(b, b * 2), kt::update(c, a * 2));
  }
};

}  // namespace

TEST_CASE("device: joined updates of an optimiser") {
  for (const std::int64_t open : {37, 1, 0}) {
    CAPTURE(open);
    kt::session<network> session(device(0), kt::seed{3}), on_host(kt::context::host(), kt::seed{3});
    session.resize(rows(open)), on_host.resize(rows(open));
    auto train = compile<&network::train>(session);
    auto expected = on_host.compile<&network::train>();
    for (int step = 0; step < 4; ++step) {
      const auto x = random<float, 2>({9, 5}, static_cast<unsigned>(step));
      train(x);
      expected(x);
    }
    const auto same = [&]<auto Variable>() {
      const auto found = session.get<Variable>();
      const auto wanted = on_host.values<Variable>();
      for (std::size_t i = 0; i < wanted.size(); ++i)
        CHECK(found.data()[i] == doctest::Approx(wanted[i]).epsilon(1e-4));
    };
    same.operator()<&network::W1>();
    same.operator()<&network::b1>();
    same.operator()<&network::open>();
  }
}

TEST_CASE("device: joined updates of variables that read each other") {
  kt::session<exchanged> session(device(0));
  auto rotate = compile<&exchanged::rotate>(session);
  for (int i = 0; i < 3; ++i) rotate();
  const auto a = session.get<&exchanged::a>(), c = session.get<&exchanged::c>();
  for (int i = 0; i < 4; ++i) {
    CHECK(a(i) == 24);
    CHECK(c(i) == 8);
  }
  CHECK(session.get<&exchanged::b>()(4, 6) == 16);
}
