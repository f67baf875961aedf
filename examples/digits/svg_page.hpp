// A small SVG picture: text in printf's format goes in, a file comes out.
#pragma once

#include <cstdarg>
#include <cstdio>
#include <filesystem>
#include <fstream>
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

}  // namespace example
