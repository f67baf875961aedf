// Loops whose rows threads divide. All parts of a loop are also run one after the other, so that a part which needs
// rows of another one finds the wrong ones.
#include <kroton/kroton.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <tuple>
#include <vector>

namespace kt = kroton;

namespace {

inline constexpr struct n : kt::dim<n> {} n;
inline constexpr struct batch : kt::dim<batch> {} batch;
constexpr int width = 24, steps = 40;

using rows = kt::var<float, batch, width>;
using sequence = kt::var<float, n, batch, width>;
using square = kt::var<float, width, width>;

/// How many loops of a function have rows that threads divide.
template <class Function, class Backend>
constexpr int divided_loops(const kt::runtime::compiled_function<Function, Backend>&) {
  constexpr const auto& program = kt::runtime::function_stats<Function, Backend>::program;
  int count = 0;
  for (int l = 0; l < program.size.loops; ++l) count += program.loops[l].rows != 0;
  return count;
}

template <class Tensor>
Tensor filled(Tensor made, float most) {
  unsigned bits = 1;
  for (float& x : made) x = (static_cast<float>((bits = bits * 1664525u + 1013904223u) >> 8) * 0x1p-23f - 1) * most;
  return made;
}

/// The numbers of all results.
template <class Result>
std::vector<float> values_of(const Result& results) {
  std::vector<float> all;
  const auto add = [&](const auto&... each) { (all.insert(all.end(), each.begin(), each.end()), ...); };
  if constexpr (requires { results.begin(); }) add(results);
  else std::apply(add, results);
  return all;
}

/// Calls a function of x, a start and a matrix with several threads, with their parts one after the other, and with one
/// thread, which gives what is expected.
template <class Body>
void check(const std::string& name, Body body, int expected_divided, std::int64_t count) {
  CAPTURE(name);
  CAPTURE(count);
  auto alone = kt::function(body, kt::context::host(1)), together = kt::function(body, kt::context::host(3));
  CHECK(divided_loops(alone) == expected_divided);
  const auto x = filled(kt::tensor<float, 3>({steps, count, width}), 1);
  const auto begin = filled(kt::tensor<float, 2>({count, width}), 0.5f);
  const auto U = filled(kt::tensor<float, 2>({width, width}), 0.2f);
  const auto compare = [&](const std::vector<float>& found) {  // draws are those of as many calls
    const std::vector<float> expected = values_of(alone(x, begin, U));
    REQUIRE(found.size() == expected.size());
    float worst = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const float difference = std::abs(found[i] - expected[i]) / (1 + std::abs(expected[i]));
      if (!(difference <= worst)) worst = difference;
    }
    CHECK(worst < 1e-4f);
  };
  compare(values_of(together(x, begin, U)));
  std::vector<float> in_turn;
#ifdef _OPENMP
#pragma omp parallel num_threads(2)
#pragma omp single
#endif
  in_turn = values_of(together(x, begin, U));
  compare(in_turn);
}

constexpr auto recurrent = [](sequence x, rows begin, square U) {
  const auto h = kt::scan([&](auto row, auto before) { return kt::tanh(kt::dot(before, U) + row); }, kt::sequences(x),
                          kt::carried(begin));
  const auto cost = kt::sum(kt::sqr(h.last)) + kt::sum(h.all);
  return kt::outputs(h.all, kt::grad(cost, U), kt::grad(cost, begin), kt::grad(cost, x));
};
/// Gates are columns of one product, as in an LSTM.
constexpr auto gated = [](sequence x, rows begin, square U) {
  const auto all = kt::concatenate(kt::axis<1>, U, kt::transpose(U), U);
  const auto [h, c] = kt::scan(
      [&](auto row, auto before, auto cell) {
        const auto gates = kt::dot(before, all) + kt::concatenate(kt::axis<1>, row, row, row);
        const auto next = kt::sigmoid(gates[kt::cols<0, 24>()]) * cell + kt::tanh(gates[kt::cols<24, 48>()]);
        return std::tuple{kt::sigmoid(gates[kt::cols<48, 72>()]) * kt::tanh(next), next};
      },
      kt::sequences(x), kt::carried(begin, begin));
  const auto cost = kt::sum(h.last * c.last);
  return kt::outputs(cost, h.last, kt::grad(cost, U), kt::grad(cost, begin));
};
constexpr auto by_rows = [](sequence x, rows begin, square U) {
  const auto [h, s] = kt::scan(
      [&](auto row, auto before, auto sum) {
        const auto p = kt::nn::softmax(kt::dot(before, U) + row);
        return std::tuple{p - kt::mean(row, kt::axis<1>, kt::keep_dims), sum * 0.5f + kt::sum(p * before, kt::axis<1>)};
      },
      kt::sequences(x), kt::carried(begin, kt::sum(begin, kt::axis<1>)));
  return kt::outputs(h.all, s.all, s.last);
};
constexpr auto with_taps = [](sequence x, rows begin, square U) {
  const auto h = kt::scan([&](auto row, auto first, auto second) { return kt::sin(first + kt::dot(second, U) * row); },
                          kt::sequences(x),
                          kt::carried(kt::taps<-2, -1>(kt::concatenate(kt::axis<0>, kt::reshape<1, batch, width>(begin),
                                                                       kt::reshape<1, batch, width>(begin)))),
                          kt::scan_options{.go_backwards = true});
  return kt::outputs(h.last);
};
constexpr auto in_loop = [](sequence x, rows begin, square U) {
  const auto h = kt::scan(
      [&](auto row, auto before) {
        return kt::scan([&](auto inner) { return kt::cos(inner + row) + before * 0.1f; },
                        kt::carried(kt::dot(before, U)), kt::steps<5>())
            .last;
      },
      kt::sequences(x), kt::carried(begin));
  return kt::outputs(h.last, kt::grad(kt::sum(h.last), begin));
};
/// The values of all iterations of which `Next` says the next.
template <auto Next>
constexpr auto rows_of = [](sequence x, rows begin, square U) {
  const auto h =
      kt::scan([&](auto row, auto before) { return Next(row, before, U); }, kt::sequences(x), kt::carried(begin));
  return kt::outputs(h.all);
};
constexpr auto drawing =
    rows_of<[](auto row, auto before, auto U) { return kt::nn::dropout(kt::dot(before, U) + row, 0.25); }>;

/// Bodies that need other rows.
constexpr auto of_all_rows = rows_of<[](auto row, auto before, auto U) {
  return kt::tanh(kt::dot(before, U) + row - kt::mean(before, kt::axis<0>));
}>;
constexpr auto of_other_rows =
    rows_of<[](auto row, auto before, auto U) { return kt::tanh(kt::dot(kt::roll(before, 1, kt::axis<0>), U) + row); }>;
constexpr auto of_reversed_rows = rows_of<[](auto row, auto before, auto U) {
  return kt::tanh(kt::dot(before, U) + kt::flip(before, kt::axis<0>) + row);
}>;
constexpr auto of_products = rows_of<[](auto row, auto before, auto U) {
  return kt::tanh(kt::dot(kt::dot(before, kt::transpose(before)), row) * 0.01f + kt::dot(before, U));
}>;

}  // namespace

TEST_CASE("loops: threads divide the rows of a body that keeps them apart") {
  constexpr std::int64_t count = 67;
  check("recurrent", recurrent, 2, count);
  check("gated", gated, 2, count);
  check("by rows", by_rows, 1, count);
  check("with taps", with_taps, 1, count);
  check("in a loop", in_loop, 2, count);
  check("drawing", drawing, 1, count);
  check("few rows", recurrent, 2, 3);
}

TEST_CASE("loops: threads do not divide rows that a body needs together") {
  constexpr std::int64_t count = 67;
  check("of all rows", of_all_rows, 0, count);
  check("of other rows", of_other_rows, 0, count);
  check("of reversed rows", of_reversed_rows, 0, count);
  check("of products", of_products, 0, count);
}
