// alone: callable.cpp is to be compiled without the rest of Kroton.
#include "callable_functions.hpp"

#include <kroton/kroton.hpp>

namespace callables {

namespace {

inline constexpr struct rows : kt::dim<rows> {} rows;

struct model : kt::model {
  kt::shared<float, 3> w{this, "w", kt::init::ones};
  constexpr auto apply(kt::var<float, rows, 3> x, kt::var<float> by) const { return x * w * by; }
  constexpr auto train(kt::var<float, rows, 3> x) const {
    auto cost = kt::sum(x * w);
    return kt::outputs(cost).updates(kt::update(w, w + kt::sum(x, kt::axis<0>)));
  }
  constexpr auto set(kt::var<float, 3> to) const { return kt::updates(kt::update(w, to)); }
  constexpr auto both(kt::var<float, rows, 3> x) const { return kt::outputs(kt::sum(x), kt::sum(x, kt::axis<1>)); }
};

}  // namespace

scaled make_scaled() {
  kt::session<model> session;
  return {session.compile<&model::apply>(), session.compile<&model::train>(), session.compile<&model::set>(),
          session.compile<&model::both>()};
}
kt::callable<double(double) const> make_square() {
  return kt::function([](kt::var<double> x) { return x * x; });
}
kt::callable<kt::tensor<double, 1>(const std::vector<double>&)> make_pieces() {
  return kt::chunked<rows>(kt::function([](kt::var<double, rows> x) { return kt::exp(x); }), 2);
}

}  // namespace callables
