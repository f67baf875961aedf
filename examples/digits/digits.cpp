// Learns to read handwritten digits: trains a network of two layers, and draws what it learnt and what it misread.
#include <kroton/kroton.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include "../program.hpp"
#include "../progress.hpp"
#include "dataset.hpp"
#include "svg.hpp"

namespace kt = kroton;

inline constexpr struct batch : kt::dim<batch> {} batch;  // a named extent

struct digits : kt::model {
  kt::shared<float, 64, 128> W1{this, "W1", kt::init::glorot_uniform};
  kt::shared<float, 128> b1{this, "b1"};
  kt::shared<float, 128, 10> W2{this, "W2", kt::init::glorot_uniform};
  kt::shared<float, 10> b2{this, "b2"};

  constexpr auto logits(kt::var<float, batch, 64> x) const { return kt::dot(kt::relu(kt::dot(x, W1) + b1), W2) + b2; }
  constexpr auto train(kt::var<float, batch, 64> x, kt::var<int, batch> label, kt::var<float> rate) const {
    auto cost = kt::mean(kt::nn::cross_entropy(logits(x), label));
    return kt::outputs(cost).updates(kt::optim::sgd(cost, parameters(), rate));
  }
  constexpr auto predict(kt::var<float, batch, 64> x) const { return kt::argmax(logits(x), kt::axis<1>); }
};

namespace {

constexpr int epochs = 40;
constexpr std::size_t batch_size = 32;
constexpr float first_rate = 0.25f, last_rate = 0.025f;
constexpr double wanted_accuracy = 0.96;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Compares a step of training, in a session of its own, with the reference interpreter; throws where they differ.
void check_training(const example::dataset& training) {
  constexpr int count = 20;
  kt::session<digits> session{kt::context::best(), kt::seed{42}};
  auto train = session.compile<&digits::train>();
  example::require_same(kt::debug::verify(train, kt::view(training.images.data(), {count, 64}),
                                          std::span{training.labels}.first(count), first_rate));
}

int run(std::span<char* const> arguments) {
  const auto [training, held_out] = example::hold_out_a_fifth(example::load(example::data_path(arguments)));
  std::printf("%zu images to learn from, %zu held out\n", training.size(), held_out.size());
  check_training(training);

  kt::session<digits> session{kt::context::best(), kt::seed{42}};
  auto train = session.compile<&digits::train>();
  auto predict = session.compile<&digits::predict>();

  std::mt19937 shuffling{42};
  std::vector<std::size_t> order(training.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::size_t steps =
      order.size() / batch_size;  // an epoch leaves out what fills no minibatch, each time other images
  example::dataset minibatch;
  std::vector<example::curve_point> curve;
  example::progress progress("epoch", epochs);
  const auto start = std::chrono::steady_clock::now();
  for (int epoch = 1; epoch <= epochs; ++epoch) {
    const auto epoch_start = std::chrono::steady_clock::now();
    const float rate = first_rate + static_cast<float>(epoch - 1) / (epochs - 1) * (last_rate - first_rate);
    std::shuffle(order.begin(), order.end(), shuffling);
    double loss = 0;
    for (std::size_t step = 0; step < steps; ++step) {
      minibatch.images.clear();
      minibatch.labels.clear();
      for (std::size_t i = step * batch_size; i < (step + 1) * batch_size; ++i)
        minibatch.append(training.image(order[i]), training.labels[order[i]]);
      loss += train(images_of(minibatch), minibatch.labels, rate);
      const double done = static_cast<double>(step + 1);
      progress.update(epoch - 1 + done / static_cast<double>(steps), example::text("loss %.4f", loss / done));
    }
    loss /= static_cast<double>(steps);
    const double speed = static_cast<double>(steps * batch_size) / seconds_since(epoch_start);
    const double share = example::accuracy(predict(images_of(held_out)), held_out.labels);
    curve.push_back({epoch, loss, share});
    progress.report(epoch, example::text("loss %.4f  accuracy %6.2f%%  %s samples/s", loss, 100 * share,
                                         example::grouped(speed).c_str()));
  }
  const double seconds = seconds_since(start);
  progress.finish();

  // Any member function can be compiled, and a lambda that needs no model.
  auto logits = session.compile<&digits::logits>();
  auto softmax = kt::function([](kt::var<float, batch, 10> x) { return kt::nn::softmax(x); });
  const auto read = predict(images_of(held_out));
  const auto probability = softmax(logits(images_of(held_out)));
  std::vector<example::misread> wrong;
  for (std::size_t i = 0; i < held_out.size(); ++i) {
    const auto digit = read(i);
    if (digit != held_out.labels[i])
      wrong.push_back({held_out.image(i), held_out.labels[i], static_cast<int>(digit), probability(i, digit)});
  }
  example::write_learning_curve("learning_curve.svg", curve);
  example::write_misclassified("misclassified.svg", wrong, held_out.size());
  const double reached = example::accuracy(read, held_out.labels);
  std::printf("read %.2f%% of the held-out images right after %.2f seconds of training\n", 100 * reached, seconds);
  for (const char* picture : {"learning_curve.svg", "misclassified.svg"})
    std::printf("picture: %s\n", std::filesystem::absolute(picture).c_str());
  if (reached >= wanted_accuracy) return 0;
  std::printf("that is less than the %.0f%% that this example should reach\n", 100 * wanted_accuracy);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  return example::status_of("digits", [&] { return run({argv, static_cast<std::size_t>(argc)}); });
}
