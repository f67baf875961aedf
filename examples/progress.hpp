// Shows how training gets on: one redrawn line on a terminal, else a plain line for each report.
#pragma once

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace example {

/// Whether a program should take a few steps alone, which show how it uses memory but teach it nothing: sanitizers make
/// it a hundred times slower. The environment says so.
inline bool is_short() { return std::getenv("KROTON_EXAMPLE_SHORT") != nullptr; }

/// Text in printf's format, of at most 255 characters.
[[gnu::format(printf, 1, 2)]] inline std::string text(const char* format, ...) {
  char line[256];
  std::va_list values;
  va_start(values, format);
  std::vsnprintf(line, sizeof line, format, values);
  va_end(values);
  return line;
}

/// A number with commas: 1234567.8 is "1,234,568".
inline std::string grouped(double number) {
  if (!std::isfinite(number) || number < 0 || number > 1e15) return "?";
  std::string digits = std::to_string(std::llround(number));
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), 1, ',');
  return digits;
}

/// `example::progress progress("epoch", 40);`, and then `update` and `report`, which count from 1.
class progress {
 public:
  explicit progress(std::string_view unit, int total, std::FILE* out = stdout)
      : unit_(unit), total_(total), out_(out), terminal_(isatty(fileno(out)) != 0) {}
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;
  ~progress() { finish(); }

  /// As often as is convenient: `done` units are done, the last of which may be a fraction. Only terminals show it.
  void update(double done, const std::string& what) {
    const auto now = std::chrono::steady_clock::now();
    if (terminal_ && now - drawn_ >= std::chrono::milliseconds(50)) draw(done, what, now);
  }

  /// After some units, as often as a reader wants a line.
  void report(int done, const std::string& what) {
    if (terminal_) {
      draw(done, what, std::chrono::steady_clock::now());
    } else {
      std::fprintf(out_, "%s\n", line(done, what).c_str());
      std::fflush(out_);
    }
  }

  /// Leaves the drawn line, so that what is printed next starts on its own.
  void finish() {
    if (drawn_.time_since_epoch().count() != 0) std::fprintf(out_, "\n");
    std::fflush(out_);
    drawn_ = {};
  }

 private:
  std::string line(double done, const std::string& what) const {
    const int digits = static_cast<int>(std::to_string(total_).size());
    const int at = static_cast<int>(std::ceil(done - 1e-9));
    return text("%.*s %*d/%d  %s", static_cast<int>(unit_.size()), unit_.data(), digits, at, total_, what.c_str());
  }

  void draw(double done, const std::string& what, std::chrono::steady_clock::time_point now) {
    const std::string shown = line(done, what);
    winsize window{};
    const bool sized = ioctl(fileno(out_), TIOCGWINSZ, &window) == 0 && window.ws_col > 0;
    const int columns = sized ? window.ws_col : 80;
    const int width = std::clamp(columns - static_cast<int>(shown.size()) - 3, 0, 24);
    std::fprintf(out_, "\r\x1b[K%s%.*s", width < 4 ? "" : bar(done, width).c_str(),
                 std::max(columns - (width < 4 ? 2 : width + 3), 0), shown.c_str());
    std::fflush(out_);
    drawn_ = now;
  }

  std::string bar(double done, int width) const {
    const auto filled = static_cast<int>(std::lround(std::clamp(done / std::max(total_, 1), 0.0, 1.0) * width));
    std::string drawn;
    for (int i = 0; i < width; ++i) drawn += i < filled ? full_ : empty_;
    return drawn + "  ";
  }

  static bool speaks_utf8() {
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
      const char* value = std::getenv(name);
      if (value != nullptr && *value != '\0') {
        const std::string_view locale = value;
        return locale.find("UTF-8") != locale.npos || locale.find("utf8") != locale.npos;
      }
    }
    return false;
  }

  std::string unit_;
  int total_;
  std::FILE* out_;
  bool terminal_;
  std::string_view full_ = speaks_utf8() ? "█" : "#";
  std::string_view empty_ = speaks_utf8() ? "░" : ".";
  std::chrono::steady_clock::time_point drawn_{};
};

}  // namespace example
