// L-BFGS on a quadratic function of parameters of several types and extents.
// alone: its kernels are as many as one file should have.
#include <kroton/kroton.hpp>

#include <doctest/doctest.h>

namespace kt = kroton;

namespace {

/// The minimum is where all elements are 2.
struct bowl : kt::model {
  kt::shared<double> a{this, "a"};
  kt::shared<float, 2, 2> b{this, "b"};
  kt::shared<kt::half, 2> c{this, "c", kt::init::ones};
  kt::optim::lbfgs optimiser{this};
  constexpr auto step() const {
    const auto of_b = kt::cast<double>(b) - 2;
    const auto of_c = kt::cast<double>(c) - 2;
    const auto weight = kt::reshape<2, 2>(kt::arange<double, 4>() + 2);
    const auto s =
        optimiser(kt::sqr(a - 2) + kt::sum(weight * kt::sqr(of_b)) + 9 * kt::sum(kt::sqr(of_c)), parameters());
    return kt::outputs(s.cost, s.gradient_norm).updates(s);
  }
};

TEST_CASE("lbfgs: a quadratic function, in about as many calls as it has variables") {
  kt::session<bowl> session{kt::context::host()};
  auto step = session.compile<&bowl::step>();
  for (int i = 0; i < 12; ++i) step();
  CHECK(session.values<&bowl::a>()[0] == doctest::Approx(2).epsilon(1e-4));
  for (std::size_t i = 0; i < 4; ++i) CHECK(session.values<&bowl::b>()[i] == doctest::Approx(2).epsilon(1e-4));
  for (std::size_t i = 0; i < 2; ++i) CHECK(static_cast<float>(session.values<&bowl::c>()[i]) == 2);
  for (int i = 0; i < 12; ++i) step();
  const auto [cost, norm] = step();
  CHECK(static_cast<double>(cost) < 1e-12);
  CHECK(static_cast<double>(norm) < 1e-6);
}

}  // namespace
