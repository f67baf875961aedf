// Reads the handwritten digits by their nearest neighbours: the distances of all held-out images to all others are one
// product, topk finds the nearest ones, and they vote. Then it asks which images an example by example gradient calls
// unusual: the gradient of a linear reader for each image, lifted over all.
#include <kroton/kroton.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <numeric>
#include <span>
#include <vector>

#include "digits/dataset.hpp"
#include "program.hpp"
#include "svg_page.hpp"

namespace kt = kroton;

inline constexpr struct asked : kt::dim<asked> {} asked;  // images that are to be read
inline constexpr struct known : kt::dim<known> {} known;

constexpr int nearest = 4;
constexpr double wanted_accuracy = 0.98;

constexpr auto read(kt::var<float, asked, 64> x, kt::var<float, known, 64> y, kt::var<int, known> label) {
  const auto distances = kt::sum(kt::sqr(x), kt::axis<1>, kt::keep_dims) - 2.0f * kt::dot(x, kt::transpose(y)) +
                         kt::sum(kt::sqr(y), kt::axis<1>);
  const auto found = kt::topk<nearest>(-distances, kt::axis<1>);
  // a vote counts for more if the neighbour is nearer, which decides where as many vote for two digits
  const auto weight = 1.0f / (1.0f - found.values);
  const auto votes = kt::sum(
      kt::one_hot<10>(kt::take(label, found.index)) * weight[kt::at(kt::all, kt::all, kt::newaxis)], kt::axis<1>);
  return kt::outputs(kt::argmax(votes, kt::axis<1>), found.index);
}

struct linear_reader : kt::model {
  kt::shared<float, 64, 10> W{this, "W"};
  constexpr auto cost(const kt::expression auto& x, const kt::expression auto& label) const {
    return kt::nn::cross_entropy(kt::dot(x, W), label);
  }
  constexpr auto train(kt::var<float, known, 64> x, kt::var<int, known> label) const {
    const auto mean = kt::mean(cost(x, label));
    return kt::outputs(mean).updates(kt::optim::sgd(mean, parameters(), 1.0f));
  }
  /// The norm of the gradient of each image, and how far their mean is from the gradient of the mean.
  constexpr auto norms(kt::var<float, known, 64> x, kt::var<int, known> label) const {
    const auto each =
        kt::vmap<known>([&](auto image, auto digit) { return kt::grad(cost(image, digit), W); })(x, label);
    const auto together = kt::grad(kt::mean(cost(x, label)), W);
    return kt::outputs(kt::sqrt(kt::sum(kt::sqr(each), kt::axis<1, 2>)),
                       kt::max(kt::abs(kt::mean(each, kt::axis<0>) - together)));
  }
};

int run(const std::filesystem::path& path) {
  const example::split digits = example::hold_out_a_fifth(example::load(path));
  auto reader = kt::function([](kt::var<float, asked, 64> x, kt::var<float, known, 64> y, kt::var<int, known> label) {
    return read(x, y, label);
  });
  const auto [answer, index] =
      reader(example::images_of(digits.held_out), example::images_of(digits.train), digits.train.labels);
  const double accuracy = example::accuracy(answer, digits.held_out.labels);

  kt::session<linear_reader> session;
  auto train = session.compile<&linear_reader::train>();
  auto norms = session.compile<&linear_reader::norms>();
  for (int step = 0; step < 200; ++step)
    static_cast<void>(train(example::images_of(digits.train), digits.train.labels));
  const auto [norm, apart] = norms(example::images_of(digits.train), digits.train.labels);
  std::vector<std::int64_t> order(digits.train.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&sizes = norm](std::int64_t a, std::int64_t b) { return sizes(a) > sizes(b); });

  example::svg page(1180, 470, "Digits that neighbours misread, and those that a gradient calls unusual");
  page.add("<text x='40' y='84'>held out, read as, and its nearest neighbours</text>\n");
  int shown = 0;
  for (std::size_t i = 0; i < digits.held_out.size() && shown < 6; ++i) {
    const int said = static_cast<int>(answer.values()[i]);
    if (said == digits.held_out.labels[i]) continue;
    const double top = 100 + 60 * shown++;
    example::add_image(page, 40, top, 6, digits.held_out.image(i));
    page.add("<text x='100' y='%g'>%d, read as %d</text>\n", top + 28, digits.held_out.labels[i], said);
    for (std::int64_t k = 0; k < nearest; ++k)
      example::add_image(page, 220 + 70 * static_cast<double>(k), top, 6,
                         digits.train.image(static_cast<std::size_t>(index(static_cast<std::int64_t>(i), k))));
  }
  page.add("<text x='620' y='84'>the largest gradients of single images</text>\n");
  for (std::size_t k = 0; k < 24; ++k) {
    const auto at = static_cast<std::size_t>(order[k]);
    const double left = 620 + 65 * static_cast<double>(k % 8), top = 100 + 110 * static_cast<double>(k / 8);
    example::add_image(page, left, top, 6, digits.train.image(at));
    page.add("<text x='%g' y='%g'>%d: %.1f</text>\n", left, top + 68, digits.train.labels[at],
             static_cast<double>(norm(order[k])));
  }
  page.save("neighbours.svg");

  std::printf("read %.2f%% of %zu held-out images right by the %d nearest of %zu\n", 100 * accuracy,
              digits.held_out.size(), nearest, digits.train.size());
  std::printf("gradients of %zu single images: their mean is %.1e from the gradient of the mean\n", digits.train.size(),
              static_cast<double>(apart));
  std::printf("picture: %s\n", std::filesystem::absolute("neighbours.svg").c_str());
  const bool good = accuracy >= wanted_accuracy && static_cast<double>(apart) < 1e-5;
  if (!good) std::printf("a number is not what it should be\n");
  return good ? 0 : 1;
}

int main(int count, char** arguments) {
  return example::status_of(
      "neighbours", [&] { return run(example::data_path(std::span(arguments, static_cast<std::size_t>(count)))); });
}
