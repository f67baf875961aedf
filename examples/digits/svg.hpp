// Draws what the digits example learnt, as two SVG pictures: the learning curve and the images read wrongly.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <vector>

#include "../svg_chart.hpp"

namespace example {

/// One point of the learning curve; accuracy is a share, 0 to 1.
struct curve_point {
  int epoch;
  double loss, accuracy;
};

/// One image that was read wrongly, with the probability that the model gave to what it read.
struct misread {
  std::span<const float, 64> image;  ///< row by row, 0 (paper) to 1 (ink)
  int truth, read;
  double probability;
};

/// Writes loss and held-out accuracy against the epoch; throws std::runtime_error naming a file that cannot
/// be written.
inline void write_learning_curve(const std::filesystem::path& path, std::span<const curve_point> points) {
  svg page(960, 436, "Learning curve");
  line loss{"loss", "#c2410c", {}}, accuracy{"accuracy", "#0f766e", {}};
  for (const curve_point& p : points) {
    loss.points.push_back({double(p.epoch), p.loss});
    accuracy.points.push_back({double(p.epoch), 100 * p.accuracy});
  }
  if (points.empty()) {
    page.add("<text x='40' y='90'>No epoch was trained.</text>\n");
  } else {
    add_chart(page, {64, 114, 400, 250, "training loss", "epoch"}, {&loss, 1});
    add_chart(page, {536, 114, 400, 250, "held-out accuracy", "epoch", "%", 99, 100}, {&accuracy, 1});
  }
  page.save(path);
}

/// Writes the images read wrongly out of `total`, the most certain mistakes first; throws as
/// write_learning_curve.
inline void write_misclassified(const std::filesystem::path& path, std::vector<misread> wrong, std::size_t total) {
  constexpr int columns = 5, card_width = 182, card_height = 164, square = 14;
  constexpr std::size_t most = 60;
  std::ranges::sort(wrong, std::ranges::greater{}, &misread::probability);
  const int shown = static_cast<int>(std::min(wrong.size(), most));
  svg page(960, 130 + std::max(1, (shown + columns - 1) / columns) * card_height, "Misclassified digits");
  page.add(
      "<text x='40' y='72' fill='#52606d'>%zu of %zu held-out images were read wrongly (%.2f%% "
      "right)%s</text>\n",
      wrong.size(), total, total == 0 ? 0.0 : 100.0 * double(total - wrong.size()) / double(total),
      wrong.size() > most ? "; here are the 60 most certain"
      : wrong.size() > 1  ? "; the most certain first"
                          : "");
  if (wrong.empty()) {
    page.add(
        "<circle cx='480' cy='158' r='34' fill='#0f766e'/><path d='M464 159l11 11 22-24' fill='none' "
        "stroke='#fff' stroke-width='6' stroke-linecap='round' stroke-linejoin='round'/>\n"
        "<text x='480' y='226' font-size='17' text-anchor='middle'>Every digit was read right.</text>\n");
  }
  for (int i = 0; i < shown; ++i) {
    const misread& card = wrong[static_cast<std::size_t>(i)];
    const int left = 40 + i % columns * card_width, top = 104 + i / columns * card_height;
    page.add("<rect x='%d' y='%d' width='114' height='114' rx='3' fill='#fff' stroke='#d9d4c9'/>\n", left - 1, top - 1);
    add_image(page, left, top, square, card.image);
    page.add(
        "<text x='%d' y='%d' font-size='12.5'>true %d, <tspan fill='#c2410c' font-weight='600'>read "
        "%d</tspan> "
        "(p=%.2f)</text>\n",
        left, top + 132, card.truth, card.read, card.probability);
  }
  page.save(path);
}

}  // namespace example
