// Reads the handwritten digits of data/digits.txt and splits them into what is trained on and what is held
// out.
#pragma once

#include <kroton/tensor.hpp>

#include <array>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace example {

inline constexpr std::size_t image_side = 8;
inline constexpr std::size_t image_pixels = image_side * image_side;
inline constexpr std::size_t digit_classes = 10;

/// Images with their labels; image i is 64 floats, row by row from the top, 0 (paper) to 1 (ink).
struct dataset {
  std::vector<float> images;  ///< size() * 64
  std::vector<int> labels;    ///< size(), each 0 to 9

  std::size_t size() const { return labels.size(); }

  std::span<const float, image_pixels> image(std::size_t i) const {
    return std::span<const float, image_pixels>{images.data() + i * image_pixels, image_pixels};
  }

  void append(std::span<const float, image_pixels> pixels, int label) {
    images.insert(images.end(), pixels.begin(), pixels.end());
    labels.push_back(label);
  }
};

struct split {
  dataset train, held_out;
};

/// All images of a dataset, as one argument.
inline kroton::view<const float, 2> images_of(const dataset& digits) {
  return kroton::view(digits.images.data(), {static_cast<std::int64_t>(digits.size()), 64});
}

/// The share of `truth` that was read right.
double accuracy(const auto& read, const std::vector<int>& truth) {
  std::size_t right = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) right += read.values()[i] == truth[i];
  return static_cast<double>(right) / static_cast<double>(truth.size());
}

/// Adds one line of the file, "label row row row row row row row row"; throws std::runtime_error saying what
/// is wrong.
inline void append_line(dataset& digits, std::string_view line) {
  constexpr std::string_view pixel_digits = "0123456789abcdefg";
  constexpr std::size_t length = 1 + image_side * (1 + image_side);
  if (line.size() != length) {
    throw std::runtime_error("expected " + std::to_string(length) + " characters, found " +
                             std::to_string(line.size()));
  }
  if (line[0] < '0' || line[0] > '9') {
    throw std::runtime_error(std::string("expected a label, 0 to 9, found '") + line[0] + "'");
  }
  std::array<float, image_pixels> pixels{};
  for (std::size_t column = 1, pixel = 0; column < length; ++column) {
    const bool between_rows = (column - 1) % (image_side + 1) == 0;
    const auto value = between_rows ? 0 : pixel_digits.find(line[column]);
    if (between_rows ? line[column] != ' ' : value == std::string_view::npos) {
      throw std::runtime_error("column " + std::to_string(column + 1) + ": expected " +
                               (between_rows ? "a space" : "a pixel, 0 to g") + ", found '" + line[column] + "'");
    }
    if (!between_rows) pixels[pixel++] = static_cast<float>(value) / 16.0F;
  }
  digits.append(pixels, line[0] - '0');
}

/// All images of a file in the format of data/README.md; throws std::runtime_error naming file and line.
inline dataset load(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path.string() + ": cannot be opened; give the path of digits.txt");
  dataset digits;
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty() || line.front() == '#') continue;
    try {
      append_line(digits, line);
    } catch (const std::runtime_error& wrong) {
      throw std::runtime_error(path.string() + ":" + std::to_string(number) + ": " + wrong.what());
    }
  }
  if (file.bad()) throw std::runtime_error(path.string() + ": reading failed");
  if (digits.size() == 0) throw std::runtime_error(path.string() + ": holds no images");
  return digits;
}

/// Holds out every fifth image of each digit, so that both parts have all digits in equal shares; always the
/// same ones.
inline split hold_out_a_fifth(const dataset& digits) {
  split parts;
  std::array<std::size_t, digit_classes> seen{};
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const int label = digits.labels[i];
    const bool held_out = ++seen[static_cast<std::size_t>(label)] % 5 == 0;
    (held_out ? parts.held_out : parts.train).append(digits.image(i), label);
  }
  return parts;
}

/// Where the data is: the first argument of the program, else the folder it was built from, else the working
/// folder.
inline std::filesystem::path data_path(std::span<char* const> arguments) {
  if (arguments.size() > 1) return arguments[1];
#ifdef KROTON_EXAMPLE_DATA
  return std::filesystem::path(KROTON_EXAMPLE_DATA) / "digits.txt";
#else
  return "digits.txt";
#endif
}

}  // namespace example
