// This header has the operation multinomial: how many of several trials have each outcome.
#pragma once

#include <kroton/arithmetic/counts.hpp>
#include <kroton/graph/routine.hpp>

namespace kroton {

namespace graph {
/// Divides the count of a row: each outcome gets a binomial number of what is left, with its share of the weights of
/// those that follow and itself. The last outcome that has a weight gets all that is left, because its share is 1.
template <std::same_as<double> T>
struct multinomial_task {
  const std::uint64_t* bits;
  const T *counts, *weights;
  T* result;
  std::int64_t outcomes;
  KROTON_HD void operator()(std::int64_t row) const {
    const T* const of = weights + row * outcomes;
    T* const to = result + row * outcomes;
    T total = 0;
    bool are_shares = true;
    for (std::int64_t i = outcomes; i-- > 0;) {
      to[i] = total += of[i];
      are_shares = are_shares && of[i] >= 0 && total < std::numeric_limits<T>::infinity();
    }
    T left = are_shares ? std::floor(counts[row]) : std::numeric_limits<T>::quiet_NaN();
    simd::further_numbers<T> next(bits[row]);
    for (std::int64_t i = 0; i < outcomes; ++i) {
      const T k = left == 0 ? left : simd::binomial_next(next, left, of[i] / to[i]);
      to[i] = k;
      left -= k;
    }
  }
};
}  // namespace graph

namespace ops {
/// The operands are 64 random bits and a count for each row, and weights, whose last axis has the outcomes. Attributes:
/// along_form of that axis.
struct multinomial : routine<multinomial, 3, operands::integral> {
  using form = along_form;
  static constexpr const char* name = "multinomial";
  static constexpr int cost = 150;
  static constexpr bool cannot_fail = true;
  static constexpr bool piecewise_constant = true;
  static constexpr bool types_agree(const dtype* types, int) {
    return types[0] == dtype::uint64 && types[1] == dtype::float64 && types[2] == dtype::float64;
  }
  static constexpr dtype result(const dtype*, int) { return dtype::float64; }
  static constexpr shape result_shape(auto&, const shape* x, const form&) { return x[2]; }
  static constexpr int batch(form f, int, int axis) { return axis == f.axis ? -1 : axis; }

  static void host(const auto& call) { run(call); }
  static void cuda(const auto& call) { run(call); }

 private:
  static void run(const auto& call) {
    const auto& [bits, counts, weights] = call.operands;
    call.for_each(bits.size(),
                  multinomial_task<double>{bits.data, counts.data, weights.data, call.result.data, weights.extent(-1)});
  }
};
}  // namespace ops

}  // namespace kroton
