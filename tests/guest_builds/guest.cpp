// A program as a user might write it: `run` compiles it with several compilers and flags, and runs each.
// Status 0 when every number is right.
#include <kroton/kroton.hpp>
// after it, as whoever looks for a mistake would add them
#include <kroton/debug/print.hpp>
#include <kroton/debug/verify.hpp>
#include <kroton/debug/verify_grad.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

namespace kt = kroton;

inline constexpr struct batch : kt::dim<batch> {
} batch;
inline constexpr struct n : kt::dim<n> {
} n;

struct layer : kt::model {
  using kt::model::model;
  kt::shared<float, 16, 16> W{this, "W", kt::init::he_uniform};
  kt::shared<float, 16> b{this, "b", kt::init::uniform(-1, 1)};
  constexpr auto operator()(kt::var<float, batch, 16> x) const { return x + kt::relu(kt::dot(x, W) + b); }
};

struct network : kt::model {
  kt::stack<layer, 2> layers{this, "layers"};
  kt::shared<std::int64_t> steps{this, "steps"};
  constexpr auto forward(kt::var<float, batch, 16> x) const {
    for (const layer& each : layers) x = each(x);
    return x;
  }
  constexpr auto train(kt::var<float, batch, 16> x, kt::var<int, batch> label, kt::var<float> rate) const {
    const auto y = forward(x);
    const auto cost = kt::mean(kt::nn::cross_entropy(y, label));
    const auto weights = layers[0].parameters();
    return kt::outputs(cost, kt::argmax(y, kt::axis<1>))
        .updates(kt::optim::sgd(cost, weights, rate), kt::update(steps, steps + 1));
  }
};

namespace {

int wrong = 0;

void check(bool right, const char* what) {
  if (right) return;
  std::printf("wrong: %s\n", what);
  ++wrong;
}
void check(const kt::debug::comparison& found, const char* what) {
  if (!found) std::printf("%s is %g, expected %g\n", found.where.c_str(), found.found, found.expected);
  check(found.ok, what);
}

void check_model() {
  kt::session<network> session{kt::context::best(), kt::seed{7}};
  auto forward = session.compile<&network::forward>();
  auto train = session.compile<&network::train>();
  std::vector<float> images(40 * 16);
  std::vector<int> labels(40);
  for (std::size_t i = 0; i < images.size(); ++i) images[i] = static_cast<float>(i * 37 % 101) / 101.0F;
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<int>(i % 16);
  const auto x = kt::view(images.data(), {40, 16});

  check(kt::debug::verify(forward, x), "a model's values");
  check(kt::debug::verify(train, x, labels, 0.1F), "a step of training");
  const auto [first, read] = train(x, labels, 0.1F);
  float last = first;
  for (int step = 0; step < 200; ++step) last = std::get<0>(train(x, labels, 0.1F));
  check(last < 0.9F * first, "that training helps");
  check(read.extent(0) == 40, "an extent");
  check(session.values<&network::steps>()[0] == 202, "the count of steps");
  const auto pieces = std::get<0>(kt::chunked<batch>(train, 16)(x, labels, 0.1F));
  check(std::abs(pieces - last) < 0.1F * last, "a step in pieces");

  std::ostringstream text;
  kt::debug::print(train, text);
  check(text.str().find("kernel 1") != std::string::npos, "what is printed");
}

void check_functions() {
  auto f = kt::function([](kt::var<double, n> x, kt::var<double> scale) {
    const auto y = kt::sum(kt::tanh(x) * scale + kt::pow(x, 3));
    return kt::outputs(y, kt::grad(y, x), kt::grad(y, scale));
  });
  const std::vector<double> x{-2, -0.5, 0, 1, 3};
  check(kt::debug::verify(f, x, 2), "a gradient");
  const auto [y, by_x, by_scale] = f(x, 2);
  check(by_x(2) == 2, "a slope at 0");

  auto mixed = kt::function([](kt::var<float, n, 8> a, kt::var<int, n> index, kt::var<bool, n> chosen) {
    const auto taken = kt::take(a, index);
    return kt::outputs(kt::nn::softmax(taken), kt::sum(index), kt::cast<std::uint8_t>(index), kt::all(chosen),
                       kt::max(kt::where(chosen, kt::sum(a, kt::axis<1>), 0)), a[kt::cols(2, 5)]);
  });
  std::vector<float> values(24);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) - 12;
  const kt::tensor<bool, 1> chosen({3}, {true, false, true});
  check(kt::debug::verify(mixed, kt::view(values.data(), {3, 8}), std::vector{2, 0, 1}, chosen),
        "many element types");

  const auto report = kt::debug::verify_grad(
      [](kt::var<double, n> a, kt::var<double, n> c) {
        return kt::log(kt::exp(a) + kt::sqr(c)) / kt::sqrt(c);
      },
      {{{3}, {0.5, -1, 2}}, {{3}, {1, 2, 3}}});
  check(report.ok, "a gradient against differences");

  bool refused = false;
  try {
    mixed(kt::view(values.data(), {3, 8}), std::vector{2, 0}, chosen);
  } catch (const kt::shape_error& mistake) {
    refused = std::string_view(mistake.what()).starts_with("kroton: ");
  }
  check(refused, "the refusal of extents that differ");
}

}  // namespace

int main() {
  check_model();
  check_functions();
  return wrong == 0 ? 0 : 1;
}
