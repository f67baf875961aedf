// A small SVG picture: text in printf's format goes in, a file comes out.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <span>
#include <stdexcept>
#include <string>

namespace example {

/// A page with a title at its top left; `add` takes at most 1,023 characters at a time, already escaped.
class svg {
 public:
  svg(int width, int height, const char* title) {
    add("<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' viewBox='0 0 %d %d' font-size='13' "
        "font-family=\"system-ui,'Segoe UI',Helvetica,Arial,'DejaVu Sans',sans-serif\" fill='#1f2933'>\n"
        "<title>%s</title>\n<rect width='100%%' height='100%%' fill='#fcfbf8'/>\n"
        "<text x='40' y='46' font-size='22' font-weight='600'>%s</text>\n",
        width, height, width, height, title, title);
  }

  [[gnu::format(printf, 2, 3)]] void add(const char* format, ...) {
    char text[1024];
    std::va_list values;
    va_start(values, format);
    std::vsnprintf(text, sizeof text, format, values);
    va_end(values);
    text_ += text;
  }

  void save(const std::filesystem::path& path) const {
    std::ofstream file(path);
    if (!(file << text_ << "</svg>\n" << std::flush)) throw std::runtime_error(path.string() + ": cannot be written");
  }

 private:
  std::string text_;
};

/// A grey image of 8 columns, row by row, 0 (paper) to 1 (ink), whose pixels are squares of so many units.
inline void add_image(svg& page, double left, double top, double square, std::span<const float> image) {
  page.add("<g shape-rendering='crispEdges'>");
  for (std::size_t at = 0; at < image.size(); ++at) {
    const int grey = static_cast<int>(std::lround(255 - 225 * std::clamp(image[at], 0.0F, 1.0F)));
    if (grey == 255) continue;
    page.add("<rect x='%g' y='%g' width='%g' height='%g' fill='#%02x%02x%02x'/>",
             left + static_cast<double>(at % 8) * square, top + static_cast<double>(at / 8) * square, square, square,
             grey, grey, grey);
  }
  page.add("</g>\n");
}

}  // namespace example
