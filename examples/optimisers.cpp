// Learns to read handwritten digits with each of the optimisers: network, dropout and augmentation are the same. A step
// draws its minibatch, stretches and moves the images, and drops activations, all inside the compiled function.
#include <kroton/kroton.hpp>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "digits/dataset.hpp"
#include "program.hpp"
#include "progress.hpp"
#include "svg_chart.hpp"

namespace kt = kroton;

inline constexpr struct examples : kt::dim<examples> {} examples;  // a named extent: all images that there are

using images = kt::var<float, examples, 64>;
using labels = kt::var<int, examples>;

constexpr int batch = 48, steps_per_epoch = 30, epochs = 48;
constexpr double wanted_accuracy = 0.985;

/// For each image, the weights by which a line of 8 new pixels is made of 8 old ones: the line is stretched and moved
/// by random amounts, and a new pixel is interpolated between the old ones beside the place where it lies.
constexpr auto stretched_lines() {
  auto stretch = kt::random::uniform<float, batch, 1, 1>(0.8, 1.2);
  auto middle = kt::random::uniform<float, batch, 1, 1>(2.7, 4.3);
  auto pixel = kt::arange<float, 8>();
  auto place = middle + stretch * (kt::reshape<8, 1>(pixel) - 3.5);
  return kt::relu(1 - kt::abs(place - pixel));
}

/// The images, each stretched and moved along both axes by amounts of its own.
constexpr auto augmented(kt::var<float, batch, 64> x) {
  auto rows = kt::dot(stretched_lines(), kt::reshape<batch, 8, 8>(x));
  return kt::reshape<batch, 64>(kt::dot(rows, kt::permute<0, 2, 1>(stretched_lines())));
}

struct reader : kt::model {
  kt::shared<float, 64, 384> W1{this, "W1", kt::init::he_uniform};
  kt::shared<float, 384> b1{this, "b1"};
  kt::shared<float, 384, 96> W2{this, "W2", kt::init::he_uniform};
  kt::shared<float, 96> b2{this, "b2"};
  kt::shared<float, 96, 10> W3{this, "W3", kt::init::glorot_uniform};
  kt::shared<float, 10> b3{this, "b3"};

  kt::optim::sgd sgd{this};
  kt::optim::momentum momentum{this};
  kt::optim::nesterov nesterov{this};
  kt::optim::adagrad adagrad{this};
  kt::optim::rmsprop rmsprop{this};
  kt::optim::adadelta adadelta{this};
  kt::optim::adam adam{this};
  kt::optim::adamw adamw{this};
  kt::optim::lion lion{this};

  constexpr auto predict(images x) const {
    auto h = kt::relu(kt::dot(kt::relu(kt::dot(x, W1) + b1), W2) + b2);
    return kt::argmax(kt::dot(h, W3) + b3, kt::axis<1>);
  }
  /// A step of an optimiser, whose rate sinks from `rate` to 0 along half a period of a cosine.
  constexpr auto step(const auto& optimiser, double rate, images x, labels label) const {
    auto chosen = kt::random::integers<int, batch>(0, kt::extent<int>(examples));
    auto h1 = kt::nn::dropout(kt::relu(kt::dot(augmented(kt::take(x, chosen)), W1) + b1), 0.2);
    auto h2 = kt::nn::dropout(kt::relu(kt::dot(h1, W2) + b2), 0.2);
    auto cost = kt::mean(kt::nn::cross_entropy(kt::dot(h2, W3) + b3, kt::take(label, chosen)));
    kt::optim::cosine sinking{.rate = rate, .steps = epochs * steps_per_epoch};
    return kt::outputs(cost).updates(optimiser(cost, parameters(), sinking));
  }
  constexpr auto by_sgd(images x, labels label) const { return step(sgd, 0.3, x, label); }
  constexpr auto by_momentum(images x, labels label) const { return step(momentum, 0.05, x, label); }
  constexpr auto by_nesterov(images x, labels label) const { return step(nesterov, 0.05, x, label); }
  constexpr auto by_adagrad(images x, labels label) const { return step(adagrad, 0.06, x, label); }
  constexpr auto by_rmsprop(images x, labels label) const { return step(rmsprop, 0.002, x, label); }
  constexpr auto by_adadelta(images x, labels label) const { return step(adadelta, 2, x, label); }
  constexpr auto by_adam(images x, labels label) const { return step(adam, 0.003, x, label); }
  constexpr auto by_adamw(images x, labels label) const { return step(adamw, 0.003, x, label); }
  constexpr auto by_lion(images x, labels label) const { return step(lion, 0.0006, x, label); }
};

namespace {

/// Compares a step of gradient descent, in a session of its own, with the reference interpreter; throws where they
/// differ. The steps of the others are of the same gradients.
void check_training(const example::dataset& training) {
  kt::session<reader> session{kt::context::best(), kt::seed{42}};
  auto train = session.compile<&reader::by_sgd>();
  example::require_same(kt::debug::verify(train, images_of(training), training.labels));
}

/// What an optimiser reached, and how: a line of the table, and lines of the picture.
struct trained {
  example::line loss, accuracy;
  double reached, seconds;
};

template <auto Step>
trained train_by(const char* name, const char* color, const example::split& digits) {
  kt::session<reader> session{kt::context::best(), kt::seed{42}};
  auto train = session.compile<Step>();
  auto predict = session.compile<&reader::predict>();
  trained result{{name, color, {}}, {name, color, {}}, 0, 0};
  example::progress progress(example::text("%-8s  epoch", name), epochs);
  const auto start = std::chrono::steady_clock::now();
  const int last = example::is_short() ? 1 : epochs, steps = example::is_short() ? 2 : steps_per_epoch;
  for (int epoch = 1; epoch <= last; ++epoch) {
    double loss = 0;
    for (int step = 0; step < steps; ++step) loss += train(images_of(digits.train), digits.train.labels);
    loss /= steps;
    result.reached = example::accuracy(predict(images_of(digits.held_out)), digits.held_out.labels);
    result.loss.points.push_back({double(epoch), loss});
    result.accuracy.points.push_back({double(epoch), 100 * result.reached});
    const auto so_far = example::text("loss %.4f  accuracy %6.2f%%", loss, 100 * result.reached);
    if (epoch < last) progress.update(epoch, so_far);
    else progress.report(epoch, so_far);
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

void draw(const std::vector<trained>& all) {
  std::vector<example::line> losses, accuracies;
  for (const trained& each : all) {
    losses.push_back(each.loss);
    accuracies.push_back(each.accuracy);
    accuracies.back().name += example::text("  %.2f%%", 100 * each.reached);
  }
  example::svg page(1240, 500, "Digits by each optimiser");
  page.add(
      "<text x='40' y='70' fill='#52606d'>one network, minibatches of %d images that are stretched and moved "
      "anew, dropout</text>\n",
      batch);
  example::add_chart(page, {70, 134, 440, 300, "training loss, up to 1", "epoch", "", 0, 1, -HUGE_VAL, 1}, losses);
  example::add_chart(page, {580, 134, 440, 300, "held-out accuracy, from 94%", "epoch", "%", 94, 100, 94}, accuracies);
  example::add_legend(page, 1050, 150, accuracies);
  page.save("optimisers.svg");
}

int run(std::span<char* const> arguments) {
  const example::split digits = example::hold_out_a_fifth(example::load(example::data_path(arguments)));
  std::printf("%zu images to learn from, %zu held out\n", digits.train.size(), digits.held_out.size());
  check_training(digits.train);
  const std::vector<trained> all = {
      train_by<&reader::by_sgd>("sgd", "#111827", digits),
      train_by<&reader::by_momentum>("momentum", "#1d4ed8", digits),
      train_by<&reader::by_nesterov>("nesterov", "#0891b2", digits),
      train_by<&reader::by_adagrad>("adagrad", "#15803d", digits),
      train_by<&reader::by_rmsprop>("rmsprop", "#84cc16", digits),
      train_by<&reader::by_adadelta>("adadelta", "#b91c1c", digits),
      train_by<&reader::by_adam>("adam", "#db2777", digits),
      train_by<&reader::by_adamw>("adamw", "#7c3aed", digits),
      train_by<&reader::by_lion>("lion", "#f59e0b", digits),
  };
  draw(all);

  bool good = true;
  std::printf("\noptimiser   loss    accuracy   time\n");
  for (const trained& each : all) {
    good = good && each.reached >= wanted_accuracy;
    std::printf("%-10s  %.4f  %6.2f%%    %.2f s\n", each.loss.name.c_str(), each.loss.points.back().y,
                100 * each.reached, each.seconds);
  }
  std::printf("picture: %s\n", std::filesystem::absolute("optimisers.svg").c_str());
  if (good || example::is_short()) return 0;
  std::printf("one is below the %.1f%% that this example should reach\n", 100 * wanted_accuracy);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  return example::status_of("optimisers", [&] { return run({argv, static_cast<std::size_t>(argc)}); });
}
