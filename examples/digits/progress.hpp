// Shows how training gets on: one redrawn line on a terminal, else one plain line an epoch.
#pragma once

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace example {

/// What is known after one epoch; accuracy is a share, 0 to 1.
struct epoch_report {
  int epoch;
  double loss, accuracy, samples_per_second;
};

class progress {
 public:
  explicit progress(int epochs, std::FILE* out = stdout)
      : epochs_(epochs), out_(out), terminal_(isatty(fileno(out)) != 0) {}
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;
  ~progress() { finish(); }

  /// During an epoch, as often as is convenient: `done` is the share of it that is done. Only terminals show
  /// it.
  void update(int epoch, double done, double loss) {
    const auto now = std::chrono::steady_clock::now();
    if (!terminal_ || now - drawn_ < std::chrono::milliseconds(50)) return;
    last_.epoch = epoch;
    last_.loss = loss;
    draw(done, now);
  }

  /// After each epoch, which are counted from 1.
  void report(const epoch_report& epoch) {
    last_ = epoch;
    known_ = true;
    if (terminal_) {
      draw(1.0, std::chrono::steady_clock::now());
    } else {
      std::fprintf(out_, "%s\n", text().c_str());
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
  std::string text() const {
    const int digits = static_cast<int>(std::to_string(epochs_).size());
    char line[128];
    int length = std::snprintf(line, sizeof line, "epoch %*d/%d  loss %.4f", digits, last_.epoch, epochs_, last_.loss);
    if (known_ && length > 0 && static_cast<std::size_t>(length) < sizeof line) {
      const auto used = static_cast<std::size_t>(length);
      std::snprintf(line + used, sizeof line - used, "  accuracy %6.2f%%  %s samples/s", 100 * last_.accuracy,
                    grouped(last_.samples_per_second).c_str());
    }
    return line;
  }

  // 1234567.8 as "1,234,568".
  static std::string grouped(double number) {
    if (!std::isfinite(number) || number < 0 || number > 1e15) return "?";
    std::string digits = std::to_string(std::llround(number));
    for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3) {
      digits.insert(static_cast<std::size_t>(at), 1, ',');
    }
    return digits;
  }

  void draw(double done, std::chrono::steady_clock::time_point now) {
    const std::string line = text();
    winsize window{};
    const bool sized = ioctl(fileno(out_), TIOCGWINSZ, &window) == 0 && window.ws_col > 0;
    const int columns = sized ? window.ws_col : 80;
    const int width = std::clamp(columns - static_cast<int>(line.size()) - 3, 0, 24);
    std::fprintf(out_, "\r\x1b[K%s%.*s", width < 4 ? "" : bar(done, width).c_str(),
                 std::max(columns - (width < 4 ? 2 : width + 3), 0), line.c_str());
    std::fflush(out_);
    drawn_ = now;
  }

  std::string bar(double done, int width) const {
    const double share = (last_.epoch - 1 + std::clamp(done, 0.0, 1.0)) / std::max(epochs_, 1);
    const auto filled = static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * width));
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

  int epochs_;
  std::FILE* out_;
  bool terminal_;
  bool known_ = false;  // whether an epoch has ended
  std::string_view full_ = speaks_utf8() ? "█" : "#";
  std::string_view empty_ = speaks_utf8() ? "░" : ".";
  epoch_report last_{};
  std::chrono::steady_clock::time_point drawn_{};
};

}  // namespace example
