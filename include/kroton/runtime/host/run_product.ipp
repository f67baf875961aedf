// This file runs the matrix products of programs.
#pragma once

#include <kroton/runtime/program/parallel.hpp>
#include <kroton/runtime/host/products.hpp>
#include <kroton/runtime/host/vector_product.hpp>
#include <kroton/runtime/program/step_runners.hpp>

namespace kroton::runtime::on_host {

/// A product of fewer multiplications stays on one thread. A product with a vector reads a number for each
/// multiplication, and gains from threads earlier.
#ifdef KROTON_BLAS
inline constexpr std::int64_t serial_products = std::int64_t{1} << 22;
#else
inline constexpr std::int64_t serial_products = std::int64_t{1} << 19;
#endif
inline constexpr std::int64_t serial_vector_products = std::int64_t{1} << 17;

template <class T>
void multiply_all(const product_call& call, int threads) {
  const step& s = call.what;
  const bound_step& b = call.bound;
  const auto value = [&](extent_code e) { return extent_value(e, call.symbols); };
  const int rank = s.space.rank;
  const std::int64_t m = value(s.space[rank - 2]), n = value(s.space[rank - 1]), k = b.parameters[0];
  const std::int64_t batches = b.loops.rows;
  T* z = reinterpret_cast<T*>(b.operands[2].start);
  const gemm_form& form = s.product;
  const T alpha = call.factor<T>(form.alpha, form.alpha_scale);
  T beta = T(0);
  if (form.added >= 0) {
    beta = call.factor<T>(form.beta, form.beta_scale);
    const T* old = reinterpret_cast<const T*>(b.operands[static_cast<std::size_t>(form.added) + 1].start);
    if (form.decays || beta == T(0) || old != z) {  // BLAS does not read an addend that it multiplies by 0
      constexpr std::int64_t grain = 1 << 15;
      parallel_for(batches * m * n, grain, call.threads, [&, by = beta](std::int64_t begin, std::int64_t end) {
        keep(form, alpha, by, old + begin, z + begin, end - begin);
      });
      beta = T(1);
    }
  }
  if (call.sums.count > 0)
    return add_chunk_sums(m * n, reinterpret_cast<const T*>(call.sums.start), call.sums.count, {z, n, alpha, beta});
  const access *ax = &call.plan.accesses[s.first_access], *ay = ax + 1;
  const std::int64_t xs[] = {value(ax->stride[rank - 2]), value(ax->stride[rank - 1])};
  const std::int64_t ys[] = {value(ay->stride[rank - 2]), value(ay->stride[rank - 1])};
  const auto multiply_some = [&](std::int64_t begin, std::int64_t end, int threads_of_each) {
    for (std::int64_t i = begin; i < end; ++i) {
      const auto start = [&](int operand) {
        const nest_operand& o = b.operands[operand];
        return reinterpret_cast<const T*>(o.start + b.loops.outer_offset(o, i));
      };
      multiply(m, n, k, alpha, start(0), xs, start(1), ys, beta, z + i * m * n, threads_of_each);
    }
  };
  if (threads > 1 && batches >= threads && m * n * k < serial_products)
    parallel_for(batches, 1, threads, [&](std::int64_t begin, std::int64_t end) { multiply_some(begin, end, 1); });
  else multiply_some(0, batches, threads);
}

template <class T>
void run_product(const product_call& call) {
  const step& s = call.what;
  const auto extent = [&](int axis) { return extent_value(s.space[axis], call.symbols); };
  const int rank = s.space.rank;
  std::int64_t work = call.bound.parameters[0];
  for (int axis = 0; axis < rank; ++axis) {
    if (extent(axis) == 0) return;  // the result has no elements, however large the other extents are
    work = product_of_extents(work, extent(axis));
  }
  const bool with_vector = extent(rank - 2) == 1 || extent(rank - 1) == 1;
  const int threads = work < (with_vector ? serial_vector_products : serial_products) ? 1 : call.threads;
  const thread_limit limit(threads);
  multiply_all<T>(call, threads);
}

#ifdef KROTON_IMPLEMENTATION
template void run_product<float>(const product_call&);
template void run_product<double>(const product_call&);
#endif

}  // namespace kroton::runtime::on_host
