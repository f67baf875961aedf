// A chart of lines on an SVG page: ticks at round numbers, axes, and a legend where there are several lines.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "svg_page.hpp"

namespace example {

struct point {
  double x, y;
};

/// One line of a chart; NaN and infinity leave a gap.
struct line {
  std::string name;
  const char* color;
  std::vector<point> points;
};

/// Where a chart is, and what it says. Its vertical axis contains `low` and `high`, and what lies below `cut` or above
/// `cut_above` is cut off.
struct chart {
  int left, top, width, height;
  const char *title, *across, *unit = "";
  double low = 0, high = 1e-6, cut = -HUGE_VAL, cut_above = HUGE_VAL;
};

/// A round step: 1, 2 or 5 times a power of ten that divides `range` into at most `parts`.
inline double round_step(double range, int parts) {
  const double power = std::pow(10.0, std::floor(std::log10(range / parts)));
  const double times = range / parts / power;
  return power * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10);
}
inline int decimals_of(double step) { return std::max(0, -static_cast<int>(std::floor(std::log10(step) + 1e-9))); }

/// The names of lines with their colours, one below the other.
inline void add_legend(svg& page, int left, int top, std::span<const line> lines) {
  for (const line& each : lines) {
    page.add("<path d='M%d %dh22' stroke='%s' stroke-width='3'/><text x='%d' y='%d'>%s</text>\n", left, top - 4,
             each.color, left + 30, top, each.name.c_str());
    top += 22;
  }
}

/// Draws lines into a chart. A single line gives its colour to the title, beside which its last value stands; the names
/// of several are for `add_legend`.
inline void add_chart(svg& page, chart c, std::span<const line> lines) {
  double first = HUGE_VAL, last = -HUGE_VAL;
  const auto is_shown = [&](const point& p) { return std::isfinite(p.y) && p.y >= c.cut && p.y <= c.cut_above; };
  for (const line& each : lines)
    for (const point& p : each.points) {
      first = std::min(first, p.x);
      last = std::max(last, p.x);
      if (!is_shown(p)) continue;
      c.low = std::min(c.low, p.y);
      c.high = std::max(c.high, p.y);
    }
  if (!(last > first)) last = first + 1;
  const double step = round_step(c.high - c.low, 6);
  const int steps = static_cast<int>(std::ceil(c.high / step - 1e-6) - std::floor(c.low / step + 1e-6));
  c.low = std::floor(c.low / step + 1e-6) * step;
  const auto x = [&](double at) { return c.left + c.width * (at - first) / (last - first); };
  const auto y = [&](double at) { return c.top + c.height * (1 - (at - c.low) / (steps * step)); };

  const bool single = lines.size() == 1;
  page.add("<text x='%d' y='%d' font-size='15' font-weight='600' fill='%s'>%s</text>\n", c.left, c.top - 22,
           single ? lines[0].color : "#1f2933", c.title);
  for (int tick = 0; tick <= steps; ++tick) {
    const double at = c.low + tick * step;
    page.add("<path d='M%d %.1fh%d' stroke='%s'/>\n", c.left, y(at), c.width, tick == 0 ? "#9aa5b1" : "#e6e2d9");
    page.add("<text x='%d' y='%.1f' text-anchor='end' fill='#52606d'>%.*f%s</text>\n", c.left - 9, y(at) + 4.5,
             decimals_of(step), std::abs(at) < step / 2 ? 0.0 : at, c.unit);
  }
  const double stride = round_step(last - first, c.width < 300 ? 5 : 10);
  for (double at = std::ceil(first / stride - 1e-6) * stride; at <= last + 1e-6 * stride; at += stride) {
    page.add("<path d='M%.1f %dv5' stroke='#9aa5b1'/>\n", x(at), c.top + c.height);
    page.add("<text x='%.1f' y='%d' text-anchor='middle' fill='#52606d'>%.*f</text>\n", x(at), c.top + c.height + 21,
             decimals_of(stride), std::abs(at) < stride / 2 ? 0.0 : at);
  }
  page.add("<text x='%d' y='%d' text-anchor='middle'>%s</text>\n", c.left + c.width / 2, c.top + c.height + 44,
           c.across);

  for (const line& each : lines) {
    page.add("<path fill='none' stroke='%s' stroke-width='%s' stroke-linejoin='round' stroke-linecap='round' d='",
             each.color, single ? "2.5" : "2");
    const point* end = nullptr;
    bool pen_down = false;
    for (const point& p : each.points) {
      if (is_shown(p)) page.add("%c%.1f %.1f", pen_down ? 'L' : 'M', x(p.x), y(p.y));
      if (is_shown(p)) end = &p;
      pen_down = is_shown(p);
    }
    page.add("'/>\n");
    if (end == nullptr || !single) continue;
    page.add("<circle cx='%.1f' cy='%.1f' r='4.5' fill='%s' stroke='#fcfbf8' stroke-width='1.5'/>\n", x(end->x),
             y(end->y), each.color);
    page.add("<text x='%d' y='%d' font-size='15' font-weight='600' text-anchor='end' fill='%s'>%.*f%s</text>\n",
             c.left + c.width, c.top - 22, each.color, *c.unit == '%' ? 2 : 4, end->y, c.unit);
  }
}

}  // namespace example
