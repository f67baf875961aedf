// A variational autoencoder of the handwritten digits (Kingma and Welling 2014) with a latent plane: it learns to draw
// them. Its gradient goes through the normal numbers that the compiled function draws.
#include <kroton/kroton.hpp>

#include <cmath>
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

inline constexpr struct examples : kt::dim<examples> {} examples;  // a named extent
inline constexpr struct points : kt::dim<points> {} points;  // of the latent plane

constexpr int batch = 64, steps_per_epoch = 22, epochs = 120, samples = 120;
constexpr double wanted_bound = -335;  // nats for each held-out image

template <int In, int Out>
struct linear : kt::model {
  using kt::model::model;
  kt::shared<float, In, Out> W{this, "W", kt::init::glorot_uniform};
  kt::shared<float, Out> b{this, "b"};
  constexpr auto operator()(const kt::expression auto& x) const { return kt::dot(x, W) + b; }
};

struct autoencoder : kt::model {
  linear<64, 256> encoder{this, "encoder"};
  linear<256, 2> mean{this, "mean"}, log_variance{this, "log_variance"};
  linear<2, 256> decoder{this, "decoder"};
  linear<256, 128> between{this, "between"};
  linear<128, 64> ink{this, "ink"};
  kt::optim::adam optimiser{this};

  constexpr auto logits(const kt::expression auto& z) const { return ink(kt::relu(between(kt::tanh(decoder(z))))); }
  /// A lower bound of the log-likelihood of each image, in nats. A pixel is the share of dark dots in a block of 16;
  /// the number of ways to choose these is left out. The code has a normal distribution, whose divergence from the
  /// standard one is known exactly.
  constexpr auto bounds(const kt::expression auto& x) const {
    auto h = kt::relu(encoder(x));
    auto m = mean(h), v = log_variance(h);
    auto code = kt::random::normal(m, kt::exp(0.5 * v));
    auto dots = logits(code);
    auto likelihood = 16 * kt::sum(x * dots - kt::softplus(dots), kt::axis<1>);
    return likelihood + 0.5 * kt::sum(1 + v - kt::sqr(m) - kt::exp(v), kt::axis<1>);
  }

  constexpr auto train(kt::var<float, examples, 64> images) const {
    auto bound = kt::mean(bounds(kt::random::choice<batch>(images)));
    kt::optim::one_cycle rate{.rate = 0.006, .steps = epochs * steps_per_epoch};
    return kt::outputs(bound).updates(optimiser(-bound, parameters(), rate));
  }
  constexpr auto bound(kt::var<float, examples, 64> images) const { return kt::mean(bounds(images)); }
  constexpr auto encode(kt::var<float, examples, 64> images) const { return mean(kt::relu(encoder(images))); }
  constexpr auto decode(kt::var<float, points, 2> z) const { return kt::sigmoid(logits(z)); }
  constexpr auto sample() const { return kt::sigmoid(logits(kt::random::normal<float, samples, 2>())); }
};

namespace {

/// The log-likelihood of an image, in nats, if each pixel is as dark as it is on average in what was trained on. What
/// the code of an image is worth is the difference from that.
double without_code(const example::split& digits) {
  double mean[64] = {}, sum = 0;
  const auto count = static_cast<double>(digits.train.size());
  for (std::size_t i = 0; i < digits.train.images.size(); ++i) mean[i % 64] += double(digits.train.images[i]) / count;
  for (std::size_t i = 0; i < digits.held_out.images.size(); ++i) {
    const double x = double(digits.held_out.images[i]), p = std::fmin(std::fmax(mean[i % 64], 1e-4), 1 - 1e-4);
    sum += 16 * (x * std::log(p) + (1 - x) * std::log(1 - p));
  }
  return sum / static_cast<double>(digits.held_out.size());
}

/// Compares a step of training, in a session of its own, with the reference interpreter, whose gradients are
/// differences of its values with the same draws; throws where they differ.
void check_training(const example::dataset& training) {
  kt::session<autoencoder> session{kt::context::best(), kt::seed{42}};
  auto train = session.compile<&autoencoder::train>();
  example::require_same(kt::debug::verify(train, kt::debug::tolerance{1e-3}, images_of(training)));
}

void draw_curve(const std::vector<example::line>& bounds) {
  example::svg page(760, 470, "Variational autoencoder of the digits");
  example::add_chart(
      page, {70, 114, 480, 290, "evidence lower bound, nats for each image", "epoch", "", -450, -300, -450}, bounds);
  example::add_legend(page, 580, 130, bounds);
  page.save("autoencoder.svg");
}

void draw_samples(const kt::tensor<float, 2>& images) {
  constexpr int columns = 15, square = 6, card = 58;
  example::svg page(80 + columns * card, 80 + samples / columns * card + 30, "Digits that nobody wrote");
  for (int i = 0; i < samples; ++i)
    example::add_image(page, 40 + i % columns * card, 74 + i / columns * card, square,
                       images.values().subspan(static_cast<std::size_t>(i) * 64, 64));
  page.save("digits_samples.svg");
}

/// On the left, where the held-out images lie; on the right, what is drawn for points of the plane.
void draw_plane(const kt::tensor<float, 2>& codes, const std::vector<int>& labels, auto& decode) {
  constexpr const char* colors[] = {"#111827", "#1d4ed8", "#15803d", "#b91c1c", "#7c3aed",
                                    "#c2410c", "#0891b2", "#db2777", "#84cc16", "#f59e0b"};
  constexpr int side = 16, left = 70, top = 110, width = 480, right = 630;
  constexpr double reach = 3, scale = width / (2 * reach);
  example::svg page(1160, 660, "The latent plane of the digits");
  page.add("<text x='%d' y='%d' font-weight='600'>codes of held-out images</text>\n", left, top - 16);
  page.add("<text x='%d' y='%d' font-weight='600'>what is drawn for points of the same plane</text>\n", right,
           top - 16);
  for (const int panel : {left, right}) {
    page.add("<rect x='%d' y='%d' width='%d' height='%d' fill='#fff' stroke='#9aa5b1'/>\n", panel, top, width, width);
    for (int at = -3; at <= 3; ++at) {
      const double along = (at + reach) * scale;
      page.add("<text x='%g' y='%d' text-anchor='middle' fill='#52606d'>%d</text>\n", panel + along, top + width + 20,
               at);
      page.add("<text x='%d' y='%g' text-anchor='end' fill='#52606d'>%d</text>\n", panel - 8, top + width - along + 5,
               at);
    }
    page.add("<text x='%d' y='%d' text-anchor='middle'>first latent number</text>\n", panel + width / 2,
             top + width + 44);
  }
  page.add("<text x='28' y='%d' text-anchor='middle' transform='rotate(-90 28 %d)'>second latent number</text>\n",
           top + width / 2, top + width / 2);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const double x = double(codes(i, 0)), y = double(codes(i, 1));
    if (std::abs(x) < reach && std::abs(y) < reach)
      page.add("<text x='%.1f' y='%.1f' font-size='12' font-weight='600' text-anchor='middle' fill='%s'>%d</text>\n",
               left + (x + reach) * scale, top + (reach - y) * scale + 4, colors[labels[i]], labels[i]);
  }
  kt::tensor<float, 2> z({side * side, 2});
  constexpr double card = double(width) / side;
  for (int i = 0; i < side * side; ++i) {
    z(i, 0) = static_cast<float>((i % side + 0.5) * card / scale - reach);
    z(i, 1) = static_cast<float>(reach - (i / side + 0.5) * card / scale);
  }
  const kt::tensor<float, 2> images = decode(z);
  for (int i = 0; i < side * side; ++i)
    example::add_image(page, right + (i % side + 0.1) * card, top + (i / side + 0.1) * card, card / 10,
                       images.values().subspan(static_cast<std::size_t>(i) * 64, 64));
  page.save("latent_plane.svg");
}

int run(std::span<char* const> arguments) {
  const example::split digits = example::hold_out_a_fifth(example::load(example::data_path(arguments)));
  check_training(digits.train);
  kt::session<autoencoder> session{kt::context::best(), kt::seed{42}};
  auto train = session.compile<&autoencoder::train>();
  auto bound = session.compile<&autoencoder::bound>();

  std::vector<example::line> bounds = {
      {"trained on", "#c2410c", {}}, {"held out", "#0f766e", {}}, {"without a code", "#9aa5b1", {}}};
  const double plain = without_code(digits);
  std::printf("a pixel as dark as on average: %.2f nats for each held-out image\n", plain);
  example::progress progress("epoch", epochs);
  const int last = example::is_short() ? 1 : epochs, steps = example::is_short() ? 2 : steps_per_epoch;
  double reached = 0;
  for (int epoch = 1; epoch <= last; ++epoch) {
    double trained = 0;
    for (int step = 0; step < steps; ++step) trained += train(images_of(digits.train));
    reached = bound(images_of(digits.held_out));
    bounds[0].points.push_back({double(epoch), trained / steps});
    bounds[1].points.push_back({double(epoch), reached});
    bounds[2].points.push_back({double(epoch), plain});
    const auto so_far = example::text("lower bound %.2f nats, %.2f of held-out images", trained / steps, reached);
    if (epoch % 20 == 0) progress.report(epoch, so_far);
    else progress.update(epoch, so_far);
  }
  progress.finish();
  // The bound is drawn, too: the mean of some draws is what counts.
  constexpr int draws = 20;
  reached = 0;
  for (int i = 0; i < draws; ++i) reached += double(bound(images_of(digits.held_out))) / draws;

  auto encode = session.compile<&autoencoder::encode>();
  auto decode = session.compile<&autoencoder::decode>();
  auto sample = session.compile<&autoencoder::sample>();
  draw_curve(bounds);
  draw_samples(sample());
  draw_plane(encode(images_of(digits.held_out)), digits.held_out.labels, decode);
  for (const char* picture : {"autoencoder.svg", "digits_samples.svg", "latent_plane.svg"})
    std::printf("picture: %s\n", std::filesystem::absolute(picture).c_str());
  std::printf("lower bound of held-out images %.2f nats, %.2f more than without a code\n", reached, reached - plain);
  if (reached >= wanted_bound || example::is_short()) return 0;
  std::printf("that is less than the %.1f nats that this example should reach\n", wanted_bound);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  return example::status_of("autoencoder", [&] { return run({argv, static_cast<std::size_t>(argc)}); });
}
