// Draws what the digits example learnt, as two SVG pictures: the learning curve and the images read wrongly.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <vector>

#include "svg_page.hpp"

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

/// One panel of the learning curve: ticks, axis and the line of `value` over the epochs; NaN and infinity
/// leave a gap.
inline void add_panel(svg& page, int left, const char* name, const char* color, const char* unit,
                      std::span<const curve_point> points, double (*value)(const curve_point&)) {
  constexpr int top = 114, width = 400, height = 250;
  // A round step: 1, 2 or 5 times a power of ten that divides `range` into at most `parts`.
  const auto round_step = [](double range, int parts) {
    const double power = std::pow(10.0, std::floor(std::log10(range / parts)));
    const double times = range / parts / power;
    return power * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10);
  };
  const bool percent = *unit == '%';  // accuracy hangs from 100 %, loss stands on 0
  double low = percent ? 99.0 : 0.0, high = percent ? 100.0 : 1e-6;
  for (const auto& point : points) {
    if (!std::isfinite(value(point))) continue;
    low = std::min(low, value(point));
    high = std::max(high, value(point));
  }
  const double step = round_step(high - low, 6);
  const int steps = static_cast<int>(std::ceil(high / step - 1e-6) - std::floor(low / step + 1e-6));
  low = std::floor(low / step + 1e-6) * step;
  const int first = points.front().epoch, last = std::max(points.back().epoch, first + 1);
  const auto x = [&](int epoch) { return left + width * double(epoch - first) / (last - first); };
  const auto y = [&](double at) { return top + height * (1 - (at - low) / (steps * step)); };

  page.add("<text x='%d' y='%d' font-size='15' font-weight='600' fill='%s'>%s</text>\n", left, top - 22, color, name);
  const int decimals = std::max(0, -static_cast<int>(std::floor(std::log10(step) + 1e-9)));
  for (int tick = 0; tick <= steps; ++tick) {
    const double at = low + tick * step;
    page.add("<path d='M%d %.1fh%d' stroke='%s'/>\n", left, y(at), width, tick == 0 ? "#9aa5b1" : "#e6e2d9");
    page.add("<text x='%d' y='%.1f' text-anchor='end' fill='#52606d'>%.*f%s</text>\n", left - 9, y(at) + 4.5, decimals,
             at, unit);
  }
  const int stride = static_cast<int>(std::max(1.0, round_step(last - first, 10)));
  for (int epoch = first; epoch <= last; ++epoch) {
    if (epoch % stride != 0 && epoch != first) continue;
    page.add("<path d='M%.1f %dv5' stroke='#9aa5b1'/>\n", x(epoch), top + height);
    page.add("<text x='%.1f' y='%d' text-anchor='middle' fill='#52606d'>%d</text>\n", x(epoch), top + height + 21,
             epoch);
  }
  page.add("<text x='%d' y='%d' text-anchor='middle'>epoch</text>\n", left + width / 2, top + height + 44);

  page.add("<path fill='none' stroke='%s' stroke-width='2.5' stroke-linejoin='round' stroke-linecap='round' d='",
           color);
  const curve_point* end = nullptr;
  bool pen_down = false;
  for (const auto& point : points) {
    const bool finite = std::isfinite(value(point));
    if (finite) page.add("%c%.1f %.1f", pen_down ? 'L' : 'M', x(point.epoch), y(value(point)));
    if (finite) end = &point;
    pen_down = finite;
  }
  page.add("'/>\n");
  if (end == nullptr) return;
  page.add("<circle cx='%.1f' cy='%.1f' r='4.5' fill='%s' stroke='#fcfbf8' stroke-width='1.5'/>\n", x(end->epoch),
           y(value(*end)), color);
  page.add("<text x='%d' y='%d' font-size='15' font-weight='600' text-anchor='end' fill='%s'>%.*f%s</text>\n",
           left + width, top - 22, color, percent ? 2 : 4, value(*end), unit);
}

/// Writes loss and held-out accuracy against the epoch; throws std::runtime_error naming a file that cannot
/// be written.
inline void write_learning_curve(const std::filesystem::path& path, std::span<const curve_point> points) {
  svg page(960, 436, "Learning curve");
  if (points.empty()) {
    page.add("<text x='40' y='90'>No epoch was trained.</text>\n");
  } else {
    add_panel(page, 64, "training loss", "#c2410c", "", points, [](const curve_point& p) { return p.loss; });
    add_panel(page, 536, "held-out accuracy", "#0f766e", "%", points,
              [](const curve_point& p) { return 100 * p.accuracy; });
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
    page.add("<g shape-rendering='crispEdges'>");
    for (int at = 0; at < 64; ++at) {
      const int grey = static_cast<int>(std::lround(255 - 225 * std::clamp(card.image[std::size_t(at)], 0.0F, 1.0F)));
      if (grey == 255) continue;
      page.add("<rect x='%d' y='%d' width='%d' height='%d' fill='#%02x%02x%02x'/>", left + at % 8 * square,
               top + at / 8 * square, square, square, grey, grey, grey);
    }
    page.add(
        "</g>\n<text x='%d' y='%d' font-size='12.5'>true %d, <tspan fill='#c2410c' font-weight='600'>read "
        "%d</tspan> "
        "(p=%.2f)</text>\n",
        left, top + 132, card.truth, card.read, card.probability);
  }
  page.save(path);
}

}  // namespace example
