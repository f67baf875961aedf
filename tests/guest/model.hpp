// A header as users write it, which two files of this folder include: a model, a lambda, and functions that
// call them.
#pragma once

#include <kroton/debug/print.hpp>
#include <kroton/debug/verify.hpp>
#include <kroton/debug/verify_grad.hpp>
#include <kroton/kroton.hpp>

namespace guest {

namespace kt = kroton;

inline constexpr struct batch : kt::dim<batch> {} batch;

struct line : kt::model {
  kt::shared<float, 3> w{this, "w"};
  kt::shared<float> b{this, "b"};
  constexpr auto predict(kt::var<float, batch, 3> x) const { return kt::dot(x, w) + b; }
  constexpr auto train(kt::var<float, batch, 3> x, kt::var<float, batch> y) const {
    const auto cost = kt::mean(kt::sqr(predict(x) - y));
    return kt::outputs(cost).updates(kt::optim::sgd(cost, parameters(), 0.25));
  }
};

inline constexpr auto softened = [](kt::var<float, batch> x) { return kt::softplus(2 * x) - 1; };

inline auto make_softened() { return kt::function(softened); }
inline auto make_squares() {
  return kt::function([](kt::var<float, batch> x) { return kt::sum(x * x); });
}

using numbers = std::vector<float>;
inline const numbers rows{1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1}, wanted{1, 2, 3, 7};

/// What second_file.cpp does with the same model and the same lambdas as first_file.cpp.
namespace second {
float train(kt::session<line>& session);
numbers soften(const numbers& x);
float squares(const numbers& x);
std::string text_of_train();
float hidden(const numbers& x);
}  // namespace second

}  // namespace guest
