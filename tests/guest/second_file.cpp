// The second of two files with the same model and the same lambdas; first_file.cpp tests it.
#include "model.hpp"

namespace {

using guest::batch;
namespace kt = kroton;

struct hidden_model : kt::model {  // first_file.cpp has another of this name
  constexpr auto weigh(kt::var<float, batch> x) const { return kt::sum(x * x * 100); }
};
constexpr auto hidden_lambda = [](kt::var<float, batch> x) { return kt::sum(x + 20); };

}  // namespace

namespace guest::second {

float hidden(const numbers& x) {
  kt::session<hidden_model> session;
  return session.compile<&hidden_model::weigh>()(x) + kt::function(hidden_lambda)(x);
}

float train(kt::session<line>& session) {
  auto step = session.compile<&line::train>();
  return step(kt::view(rows.data(), {4, 3}), wanted);
}

numbers soften(const numbers& x) {
  auto f = make_softened();
  const kt::tensor<float, 1> y = f(x);
  return {y.begin(), y.end()};
}

float squares(const numbers& x) { return make_squares()(x); }

std::string text_of_train() {
  kt::session<line> session;
  std::ostringstream text;
  kt::debug::print(session.compile<&line::train>(), text);
  return text.str();
}

}  // namespace guest::second
