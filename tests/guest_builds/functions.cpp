// Functions as a user might write them: `run` compiles them with several compilers and flags, and runs each.
// Status 0 when every number is right.
#include "guest.hpp"

inline constexpr struct n : kt::dim<n> {} n;

int main() {
  auto f = kt::function([](kt::var<double, n> x, kt::var<double> scale) {
    const auto y = kt::sum(kt::tanh(x) * scale + kt::pow(x, 3));
    return kt::outputs(y, kt::grad(y, x), kt::grad(y, scale));
  });
  const std::vector<double> x{-2, -0.5, 0, 1, 3};
  check(kt::debug::verify(f, x, 2), "a gradient");
  const auto [y, by_x, by_scale] = f(x, 2);
  check(by_x(2) == 2, "a slope at 0");

  auto mixed = kt::function([](kt::var<float, n, 8> a, kt::var<int, n> index, kt::var<bool, n> chosen) {
    const auto taken = kt::take(a, index);
    return kt::outputs(kt::nn::softmax(taken), kt::sum(index), kt::cast<std::uint8_t>(index), kt::all(chosen),
                       kt::max(kt::where(chosen, kt::sum(a, kt::axis<1>), 0)), a[kt::cols(2, 5)]);
  });
  std::vector<float> values(24);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) - 12;
  const kt::tensor<bool, 1> chosen({3}, {true, false, true});
  check(kt::debug::verify(mixed, kt::view(values.data(), {3, 8}), std::vector{2, 0, 1}, chosen), "many element types");

  const auto report = kt::debug::verify_grad(
      [](kt::var<double, n> a, kt::var<double, n> c) { return kt::log(kt::exp(a) + kt::sqr(c)) / kt::sqrt(c); },
      {{{3}, {0.5, -1, 2}}, {{3}, {1, 2, 3}}});
  check(report.ok, "a gradient against differences");

  bool refused = false;
  try {
    mixed(kt::view(values.data(), {3, 8}), std::vector{2, 0}, chosen);
  } catch (const kt::shape_error& mistake) {
    refused = std::string_view(mistake.what()).starts_with("kroton: ");
  }
  check(refused, "the refusal of extents that differ");
  return wrong == 0 ? 0 : 1;
}
