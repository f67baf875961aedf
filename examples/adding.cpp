// A network with long short-term memory (Hochreiter and Schmidhuber 1997) adds two numbers that lie anywhere in a long
// sequence, each beside a mark. It is a loop with two carried values; sequences are drawn in the compiled function.
#include <kroton/kroton.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "program.hpp"
#include "progress.hpp"
#include "svg_chart.hpp"

namespace kt = kroton;

constexpr int length = 40, batch = 64, hidden = 32, training_steps = 1000;
constexpr double wanted_error = 0.005;  // of the mean square; 0.167 without a look at the numbers

struct adding : kt::model {
  kt::shared<float, 2, 4 * hidden> W{this, "W", kt::init::glorot_uniform};
  kt::shared<float, hidden, 4 * hidden> U{this, "U", kt::init::glorot_uniform};
  kt::shared<float, 4 * hidden> b{this, "b"};
  kt::shared<float, hidden, 1> V{this, "V", kt::init::glorot_uniform};
  kt::optim::adam optimiser{this, {.clip = {.norm = 1}}};

  /// The sum that the network says, (batch), of numbers and marks (length, batch, 2).
  constexpr auto read(kt::var<float, length, batch, 2> x) const {
    const auto zeros = kt::zeros<float, batch, hidden>();
    const auto [h, c] = kt::scan(
        [&](auto row, auto output, auto memory) {
          const auto gates = kt::dot(row, W) + kt::dot(output, U) + b;
          const auto forget = kt::sigmoid(gates[kt::cols<0, hidden>()] + 1.0f);
          const auto write = kt::sigmoid(gates[kt::cols<hidden, 2 * hidden>()]);
          const auto show = kt::sigmoid(gates[kt::cols<2 * hidden, 3 * hidden>()]);
          const auto next = forget * memory + write * kt::tanh(gates[kt::cols<3 * hidden, 4 * hidden>()]);
          return std::tuple{show * kt::tanh(next), next};
        },
        kt::sequences(x), kt::carried(zeros, zeros));
    return kt::dot(h.last, V)[kt::at(kt::all, 0)];
  }
  /// Numbers and marks, one of them in each half, and the sum of the marked numbers.
  static constexpr auto drawn() {
    const auto numbers = kt::random::uniform<float, length, batch>();
    const auto place = kt::random::integers<int, 2, batch>(0, length / 2);
    const auto time = kt::arange<int, length>()[kt::at(kt::all, kt::newaxis)];
    const auto marks = kt::cast<float>(time == place[0] || time == place[1] + length / 2);
    return std::tuple{kt::stack(kt::axis<2>, numbers, marks), kt::sum(numbers * marks, kt::axis<0>)};
  }
  constexpr auto error() const {
    const auto [x, sum] = drawn();
    return kt::mean(kt::sqr(read(x) - sum));
  }
  constexpr auto train(kt::var<float> rate) const {
    const auto cost = error();
    return kt::outputs(cost).updates(optimiser(cost, parameters(), rate));
  }
  constexpr auto test() const { return error(); }
};

int run() {
  kt::session<adding> session{kt::context::best(), kt::seed{4}};
  auto train = session.compile<&adding::train>();
  auto test = session.compile<&adding::test>();

  const int total = example::is_short() ? 3 : training_steps;
  example::line curve{"error", "#c2410c", {}};
  example::progress progress("step", total);
  double mean = 0;
  for (int step = 1; step <= total; ++step) {
    const float rate = step < total * 2 / 3 ? 0.01f : 0.002f;
    mean += static_cast<double>(static_cast<float>(train(rate)));
    if (step % 50 != 0) continue;
    curve.points.push_back({static_cast<double>(step), mean / 50});
    const auto so_far = example::text("error %.4f", mean / 50);
    if (step % 250 == 0) progress.report(step, so_far);
    else progress.update(step, so_far);
    mean = 0;
  }
  progress.finish();
  double error = 0;
  for (int i = 0; i < 10; ++i) error += static_cast<double>(static_cast<float>(test())) / 10;
  if (!curve.points.empty()) {
    example::svg page(760, 480, "Adding two of 40 numbers by a long short-term memory");
    example::add_chart(page, {76, 134, 600, 270, "mean square error", "step"}, std::span(&curve, 1));
    page.save("adding.svg");
    std::printf("picture: %s\n", std::filesystem::absolute("adding.svg").c_str());
  }
  std::printf("mean square error of sequences that were not trained on: %.5f\n", error);
  if (error < wanted_error || example::is_short()) return 0;
  std::printf("that is more than the %.3f that this example should reach\n", wanted_error);
  return 1;
}

int main() { return example::status_of("adding", run); }
