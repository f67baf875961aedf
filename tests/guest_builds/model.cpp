// A model as a user might write it: `run` compiles it with several compilers and flags, and runs each.
// Status 0 when every number is right.
#include "guest.hpp"

inline constexpr struct batch : kt::dim<batch> {} batch;

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

int main() {
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
  return wrong == 0 ? 0 : 1;
}
