// This header includes all operations.
#pragma once

#include <kroton/graph/ops/abs.hpp>
#include <kroton/graph/ops/acos.hpp>
#include <kroton/graph/ops/acosh.hpp>
#include <kroton/graph/ops/add.hpp>
#include <kroton/graph/ops/after.hpp>
#include <kroton/graph/ops/all.hpp>
#include <kroton/graph/ops/any.hpp>
#include <kroton/graph/ops/argmax.hpp>
#include <kroton/graph/ops/argmin.hpp>
#include <kroton/graph/ops/argsort.hpp>
#include <kroton/graph/ops/asin.hpp>
#include <kroton/graph/ops/asinh.hpp>
#include <kroton/graph/ops/atan.hpp>
#include <kroton/graph/ops/atan2.hpp>
#include <kroton/graph/ops/atanh.hpp>
#include <kroton/graph/ops/binomial.hpp>
#include <kroton/graph/ops/broadcast_to.hpp>
#include <kroton/graph/ops/cast.hpp>
#include <kroton/graph/ops/ceil.hpp>
#include <kroton/graph/ops/concatenate.hpp>
#include <kroton/graph/ops/constant.hpp>
#include <kroton/graph/ops/copy.hpp>
#include <kroton/graph/ops/cos.hpp>
#include <kroton/graph/ops/cosh.hpp>
#include <kroton/graph/ops/cumprod.hpp>
#include <kroton/graph/ops/cumsum.hpp>
#include <kroton/graph/ops/custom_gradient.hpp>
#include <kroton/graph/ops/disconnected_grad.hpp>
#include <kroton/graph/ops/div.hpp>
#include <kroton/graph/ops/dot.hpp>
#include <kroton/graph/ops/equal.hpp>
#include <kroton/graph/ops/erf.hpp>
#include <kroton/graph/ops/erfc.hpp>
#include <kroton/graph/ops/exp.hpp>
#include <kroton/graph/ops/exp2.hpp>
#include <kroton/graph/ops/expm1.hpp>
#include <kroton/graph/ops/extent.hpp>
#include <kroton/graph/ops/floor.hpp>
#include <kroton/graph/ops/floor_div.hpp>
#include <kroton/graph/ops/fwd.hpp>
#include <kroton/graph/ops/gelu.hpp>
#include <kroton/graph/ops/gelu_tanh.hpp>
#include <kroton/graph/ops/gemm.hpp>
#include <kroton/graph/ops/grad_clip.hpp>
#include <kroton/graph/ops/grad_scale.hpp>
#include <kroton/graph/ops/greater.hpp>
#include <kroton/graph/ops/greater_equal.hpp>
#include <kroton/graph/ops/held_positions.hpp>
#include <kroton/graph/ops/index_check.hpp>
#include <kroton/graph/ops/input.hpp>
#include <kroton/graph/ops/iota.hpp>
#include <kroton/graph/ops/isinf.hpp>
#include <kroton/graph/ops/isnan.hpp>
#include <kroton/graph/ops/less.hpp>
#include <kroton/graph/ops/less_equal.hpp>
#include <kroton/graph/ops/log.hpp>
#include <kroton/graph/ops/log10.hpp>
#include <kroton/graph/ops/log1p.hpp>
#include <kroton/graph/ops/log2.hpp>
#include <kroton/graph/ops/log_erfc.hpp>
#include <kroton/graph/ops/logcumsumexp.hpp>
#include <kroton/graph/ops/logical_and.hpp>
#include <kroton/graph/ops/logical_not.hpp>
#include <kroton/graph/ops/logical_or.hpp>
#include <kroton/graph/ops/logical_xor.hpp>
#include <kroton/graph/ops/loop.hpp>
#include <kroton/graph/ops/max.hpp>
#include <kroton/graph/ops/maximum.hpp>
#include <kroton/graph/ops/min.hpp>
#include <kroton/graph/ops/minimum.hpp>
#include <kroton/graph/ops/mod.hpp>
#include <kroton/graph/ops/mul.hpp>
#include <kroton/graph/ops/multinomial.hpp>
#include <kroton/graph/ops/neg.hpp>
#include <kroton/graph/ops/normal_cdf.hpp>
#include <kroton/graph/ops/normal_pdf.hpp>
#include <kroton/graph/ops/normal_quantile.hpp>
#include <kroton/graph/ops/not_equal.hpp>
#include <kroton/graph/ops/poisson.hpp>
#include <kroton/graph/ops/pow.hpp>
#include <kroton/graph/ops/prod.hpp>
#include <kroton/graph/ops/random_below.hpp>
#include <kroton/graph/ops/random_bits.hpp>
#include <kroton/graph/ops/random_state.hpp>
#include <kroton/graph/ops/rem.hpp>
#include <kroton/graph/ops/reshape.hpp>
#include <kroton/graph/ops/round.hpp>
#include <kroton/graph/ops/scaled_bits.hpp>
#include <kroton/graph/ops/scatter_onto.hpp>
#include <kroton/graph/ops/searchsorted.hpp>
#include <kroton/graph/ops/set_rows.hpp>
#include <kroton/graph/ops/sigmoid.hpp>
#include <kroton/graph/ops/sign.hpp>
#include <kroton/graph/ops/sin.hpp>
#include <kroton/graph/ops/sinh.hpp>
#include <kroton/graph/ops/slice.hpp>
#include <kroton/graph/ops/softplus.hpp>
#include <kroton/graph/ops/sqr.hpp>
#include <kroton/graph/ops/sqrt.hpp>
#include <kroton/graph/ops/standard_gamma.hpp>
#include <kroton/graph/ops/standard_normal.hpp>
#include <kroton/graph/ops/sub.hpp>
#include <kroton/graph/ops/sum.hpp>
#include <kroton/graph/ops/take.hpp>
#include <kroton/graph/ops/tan.hpp>
#include <kroton/graph/ops/tanh.hpp>
#include <kroton/graph/ops/transfer.hpp>
#include <kroton/graph/ops/transpose.hpp>
#include <kroton/graph/ops/trunc.hpp>
#include <kroton/graph/ops/truncated_normal.hpp>
#include <kroton/graph/ops/unit_interval.hpp>
#include <kroton/graph/ops/where.hpp>

namespace kroton::graph {

/// Operations, for what is done with each of them. Nothing that compiles a function needs a list, so that operations
/// can be written outside the library.
template <class... Op>
struct operation_list {};
/// Those of the library, with which docs/check compares the headers.
using all_operations = operation_list<
    ops::abs, ops::acos, ops::acosh, ops::add, ops::after, ops::all, ops::any, ops::argmax, ops::argmin, ops::argsort,
    ops::arriving_gradient, ops::asin, ops::asinh, ops::atan, ops::atan2, ops::atanh, ops::binomial, ops::broadcast_to,
    ops::cast, ops::ceil, ops::concatenate, ops::constant, ops::copy, ops::cos, ops::cosh, ops::cumprod, ops::cumsum,
    ops::custom_gradient, ops::disconnected_grad, ops::div, ops::dot, ops::embed, ops::equal, ops::erf, ops::erfc,
    ops::exp, ops::exp2, ops::expm1, ops::extent, ops::floor, ops::floor_div, ops::gamma_slope, ops::gelu,
    ops::gelu_derivative, ops::gelu_tanh, ops::gelu_tanh_derivative, ops::gemm, ops::grad_clip, ops::grad_scale,
    ops::greater, ops::greater_equal, ops::held_positions, ops::index_check, ops::input, ops::iota, ops::isinf,
    ops::isnan, ops::less, ops::less_equal, ops::log, ops::log10, ops::log1p, ops::log2, ops::log_erfc,
    ops::logcumsumexp, ops::logical_and, ops::logical_not, ops::logical_or, ops::logical_xor, ops::loop_carried,
    ops::loop_last, ops::loop_row, ops::loop_rows, ops::max, ops::maximum, ops::min, ops::minimum, ops::mod, ops::mul,
    ops::multinomial, ops::neg, ops::normal_cdf, ops::normal_pdf, ops::normal_quantile, ops::not_equal,
    ops::open_interval<false>, ops::poisson, ops::pow, ops::prod, ops::random_below, ops::random_bits<32>,
    ops::random_state, ops::draw_number, ops::draw_positions, ops::rem, ops::reshape, ops::round, ops::scaled_bits,
    ops::scatter_add, ops::scatter_onto, ops::shared, ops::searchsorted, ops::set_rows, ops::sigmoid, ops::sign,
    ops::sin, ops::sinh, ops::slice, ops::softplus, ops::sqr, ops::sqrt, ops::standard_exponential, ops::standard_gamma,
    ops::standard_normal, ops::sub, ops::sum, ops::take, ops::tan, ops::tanh, ops::transfer, ops::transpose, ops::trunc,
    ops::truncated_normal, ops::unit_interval<24>, ops::where>;

}  // namespace kroton::graph
