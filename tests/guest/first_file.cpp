// alone: two files are what it tests.
// Two files that include one header with a model and lambdas are one program: nothing is defined twice, and
// both see the same variables and compute the same numbers.
#include <doctest/doctest.h>

#include "model.hpp"

namespace {

using namespace guest;

TEST_CASE("guest: a session is trained from two files") {
  kt::session<line> session;
  auto train = session.compile<&line::train>();
  auto predict = session.compile<&line::predict>();
  const auto x = kt::view(rows.data(), {4, 3});
  const float first = train(x, wanted);
  CHECK(first == doctest::Approx((1 + 4 + 9 + 49) / 4.0));
  const auto w = session.get<&line::w>();
  CHECK(w(2) == doctest::Approx(0.25 * 2 * (3 + 7) / 4));  // from 0 against the gradient
  float last = first;
  for (int step = 0; step < 200; ++step)
    last = step % 2 == 0 ? second::train(session) : static_cast<float>(train(x, wanted));
  CHECK(last < 0.01F * first);
  CHECK(predict(x)(2) == doctest::Approx(3).epsilon(0.1));
  const auto found = kt::debug::verify(train, x, wanted);
  CHECK_MESSAGE(found.ok, found.where);
}

TEST_CASE("guest: a lambda of a header computes the same in two files") {
  auto soften = make_softened();
  auto squares = make_squares();
  const numbers x{-1, 0, 2};
  const auto here = soften(x);
  CHECK(numbers(here.begin(), here.end()) == second::soften(x));
  CHECK(here(1) == doctest::Approx(std::log(2.0) - 1));
  CHECK(squares(x) == 5);
  CHECK(second::squares(x) == 5);
}

TEST_CASE("guest: the headers of debug are defined once") {
  kt::session<line> session;
  std::ostringstream text;
  kt::debug::print(session.compile<&line::train>(), text);
  CHECK(text.str() == second::text_of_train());
  CHECK(kt::debug::verify_grad([](kt::var<double, batch> x) { return kt::tanh(x); }, {{{2}, {0.5, -1}}}).ok);
}

struct hidden_model : kt::model {
  constexpr auto weigh(kt::var<float, batch> x) const { return kt::sum(x * 3); }
};
constexpr auto hidden_lambda = [](kt::var<float, batch> x) { return kt::sum(x); };

TEST_CASE("guest: models and lambdas of one name in unnamed namespaces are not mixed up") {
  kt::session<hidden_model> session;
  const numbers x{1, 2};
  CHECK(session.compile<&hidden_model::weigh>()(x) == 9);
  CHECK(kt::function(hidden_lambda)(x) == 3);
  CHECK(second::hidden(x) == 543);
  CHECK(session.compile<&hidden_model::weigh>()(x) == 9);
}

}  // namespace
