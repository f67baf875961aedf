// This header runs matrix products whose extents are small numbers, one for each element of their leading axes.
//
//     (1000, 3, 3) by (1000, 3, 3)  ->  fixed_product<3, 3, 3> for each of 1000
#pragma once

#include <kroton/runtime/host/fixed_product.hpp>
#include <kroton/runtime/program/parallel.hpp>
#include <kroton/runtime/program/step_runners.hpp>

namespace kroton::runtime::on_host {

template <class T, fixed_extents E, bool Scaled>
void run_fixed_product(const product_call& call) {
  const bound_step& b = call.bound;
  const nest& batch = b.loops;
  const nest_operand &left = b.operands[0], &right = b.operands[1];
  const int last = batch.outer_rank - 1;
  const std::int64_t row = last < 0 ? 1 : batch.outer[last], x_step = last < 0 ? 0 : left.outer[last],
                     y_step = last < 0 ? 0 : right.outer[last];
  const T alpha = Scaled ? call.factor<T>(call.what.product.alpha, call.what.product.alpha_scale) : T(1);
  // a grain takes some microseconds; a number that is moved costs as much as 8 multiplications, several of which are
  // done at a time
  constexpr std::int64_t cost = E.m * E.n * E.k + 8 * (E.m * E.n + E.m * E.k + E.n * E.k),
                         grain = (std::int64_t{1} << 20) / cost + 1;
  parallel_for(batch.rows, grain, call.threads, [&](std::int64_t begin, std::int64_t end) {
    T* z = reinterpret_cast<T*>(b.operands[2].start) + begin * E.m * E.n;
    while (begin < end) {  // up to the end of the last leading axis
      const std::byte *x = left.start + batch.outer_offset(left, begin),
                      *y = right.start + batch.outer_offset(right, begin);
      std::int64_t count = row - begin % row;
      if (count > end - begin) count = end - begin;
      begin += count;
      for (; count > 0; --count, x += x_step, y += y_step, z += E.m * E.n)
        multiply_fixed<T, E, Scaled>(reinterpret_cast<const T*>(x), reinterpret_cast<const T*>(y), z, alpha);
    }
  });
}

}  // namespace kroton::runtime::on_host
