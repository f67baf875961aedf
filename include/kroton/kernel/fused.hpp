// This header has fused kernels as types: a list of instructions without names and shapes. Equal lists are one type,
// which is compiled once for each backend.
//
//     0.5 * x + y   and   y + x * 0.5, where x is read first
//       ->  fused<step_kind::map, constant<float, (0.5)>, load<0, float, unit, false>,
//                 apply<ops::mul, float, false, 0, 1>, load<1, float, unit, false>,
//                 apply<ops::add, float, false, 2, 3>, store<2, float, unit, false, 4>>
#pragma once

#include <kroton/arithmetic/dtype.hpp>
#include <kroton/arithmetic/kernel_kinds.hpp>
#include <kroton/arithmetic/plain_array.hpp>

namespace kroton::kernel {

template <int Access, class T, stride_class Stride, bool Reduced>
struct load {};
/// The value is the address of the access as a number, which is the index along an axis.
template <int Access, class T, stride_class Stride, bool Reduced>
struct index {};
template <class T, std::int64_t Bits>
struct constant {};
template <int Parameter, class T>
struct extent {};
template <class Op, class T, bool Reduced, int... Operands>
struct apply {};
template <class T, bool Reduced, int Operand>
struct convert {};
template <class Op, class T, int Operand>
struct reduce {};
template <int Access, class T, stride_class Stride, bool Reduced, int Operand>
struct store {};

/// `Kind`: map, rows, columns or full.
template <step_kind Kind, class... Instructions>
struct fused {};

}  // namespace kroton::kernel
