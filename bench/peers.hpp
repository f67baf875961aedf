// What the contestants of bench/peers share: their names, the numbers that all are given, and the sizes of workloads.
#pragma once

#include <kroton/kroton.hpp>

#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace kt = kroton;

namespace peers {

/// A contestant: `call` does the work once, `value` is what has come of it since the last `begin`.
struct contestant {
  std::function<void()> call;
  std::function<double()> value;
};
inline std::map<std::string, std::function<contestant()>> contestants;

/// The numbers that all contestants are given, whatever their language.
template <int Rank>
kt::tensor<float, Rank> numbers(const std::array<std::int64_t, Rank>& extents, double seed, double scale = 1) {
  kt::tensor<float, Rank> made(extents);
  for (std::int64_t i = 0; i < made.size(); ++i)
    made.data()[i] = static_cast<float>(std::sin(static_cast<double>(i) * 0.37 + seed) * scale);
  return made;
}
template <class Tensor>
double sum_of(const Tensor& x) {
  double sum = 0;
  for (const float each : x) sum += each;
  return sum;
}
template <class T>
double number_of(const T& x) {
  return static_cast<double>(static_cast<float>(x));
}

/// Code that writes to `z`.
template <class Body>
void add_code(const std::string& name, std::int64_t results, Body body) {
  contestants[name] = [=] {
    auto z = std::make_shared<std::vector<float>>(static_cast<std::size_t>(results));
    return contestant{[=] { body(z->data()); }, [=] { return sum_of(*z); }};
  };
}

inline kt::tensor<std::int64_t, 1> integers(std::int64_t count, std::int64_t limit) {
  kt::tensor<std::int64_t, 1> made({count});
  for (std::int64_t i = 0; i < count; ++i) made(i) = i * 7919 % limit;
  return made;
}

constexpr std::int64_t many = std::int64_t{1} << 22, side = 1024, tall = 4096;
/// Rates are so small that the cost of each step of training is that of the first, about.
constexpr float rate = 1e-9f;
constexpr int inputs = 256, hidden = 512, classes = 10;
constexpr std::int64_t observations = 10'000, trained = 10'000'000, words = 100'000;
constexpr std::int64_t options = std::int64_t{1} << 18;
constexpr int length = 50, batch = 32, width = 128, features = 64;
constexpr int images = 32, picture = 28, kernel = 5, channels = 8, convolved = picture - kernel + 1,
              pooled = convolved / 2;

/// Whether each observation of the logistic regression is of the second kind.
inline kt::tensor<float, 1> kinds() {
  auto y = numbers<1>({observations}, 5);
  for (float& each : y) each = each > 0 ? 1.0f : 0.0f;
  return y;
}
/// Spots, strikes, times, rates of interest and volatilities of options.
inline std::vector<kt::tensor<float, 1>> market() {
  const auto around = [](float middle, double seed, double scale) {
    auto made = numbers<1>({options}, seed, scale);
    for (float& each : made) each += middle;
    return made;
  };
  return {around(100, 1, 20), around(100, 2, 20), around(1, 3, 0.5), around(0.03f, 4, 0.02), around(0.3f, 5, 0.1)};
}

}  // namespace peers
