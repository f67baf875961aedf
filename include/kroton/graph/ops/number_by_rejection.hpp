// This header has the base of operations that make a number of random bits by rejection: poisson, binomial,
// standard_gamma.
#pragma once

#include <kroton/arithmetic/further_numbers.hpp>
#include <kroton/graph/ops/random_bits.hpp>

namespace kroton::ops {

/// The operands are 64 random bits, and parameters; parameters and result are doubles, in which all is decided. Each
/// element computes its number by itself, because one rejects more often than another.
template <class Op, int Parameters>
struct number_by_rejection {
  static constexpr op_kind kind = op_kind::map;
  static constexpr int arity = 1 + Parameters, cost = 150;
  static constexpr operands takes = operands::numeric;

  static constexpr bool types_agree(const dtype* types, int count) {
    return types[0] == dtype::uint64 && types[1] == dtype::float64 && all_equal(types + 1, count - 1);
  }
  static constexpr dtype result(const dtype*, int) { return dtype::float64; }
  static constexpr bool has_kernel(backend_kind, dtype type) { return type == dtype::float64; }

  template <std::same_as<double>... P>
  static KROTON_HD double apply(std::uint64_t bits, P... parameters) {
    return Op::number(simd::further_numbers<double>(bits), parameters...);
  }
  template <simd::any_pack B, simd::any_pack... P>
  static simd::rebind<double, B> apply(const B& bits, const P&... parameters) {
    return simd::map_lanes<simd::rebind<double, B>>([](auto... x) { return Op::apply(x...); }, bits, parameters...);
  }
  static double reference_of_bits(std::uint64_t bits, const double* parameters) {
    return [&]<int... I>(std::integer_sequence<int, I...>) { return apply(bits, parameters[I]...); }
    (std::make_integer_sequence<int, Parameters>());
  }
};

}  // namespace kroton::ops
