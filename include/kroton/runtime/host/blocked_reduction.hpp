// This header runs full reductions whose elements come in blocks of rows, between other steps (blocked_steps.hpp).
//
//     sum of f(z) over (100000), z in blocks  ->  begin, add(128 rows), add(128 rows), ...  for each chunk of rows; at
//     last `end` adds up the totals of the chunks in their order, and writes the result
#pragma once

#include <kroton/runtime/host/sweep.hpp>
#include <kroton/runtime/program/step_runners.hpp>

#include <new>

namespace kroton::runtime::on_host {

template <class Fused>
class blocked_reduction {
  using eval = evaluator<Fused>;
  using row_eval = row_evaluator<Fused>;
  using types = typename eval::types;
  using totals = typename types::totals;
  using row_values = typename types::row_values;

 public:
  static void begin(std::byte* to) { new (to) totals; }
  /// Adds the elements of a block to totals, and writes what the kernel stores of them.
  static void add(const nest& n, std::byte* to) {
    typename types::draws bits;
    const eval e(n, {}, bits);
    const auto start = e.row(0);
    row_values values{};
    totals part;
    row_eval::template rows<0>(e, start, values, part);
    for (std::int64_t m = 0; m < n.middles; ++m)
      sweep<Fused, 0>::run(e, e.line(start, m), 0, n.inner, values, part, m * n.inner);
    merge(*std::launder(reinterpret_cast<totals*>(to)), part);
  }
  /// Adds up the totals of chunks, which are `distance` bytes apart, and writes what depends on the sum.
  static void end(const nest& n, const std::byte* from, std::int64_t distance, std::int64_t chunks) {
    totals whole;
    for (std::int64_t c = 0; c < chunks; ++c)
      merge(whole, *std::launder(reinterpret_cast<const totals*>(from + c * distance)));
    typename types::draws bits;
    const eval e(n, {}, bits);
    const auto start = e.row(0);
    row_values values{};
    row_eval::template rows<0>(e, start, values, whole);
    row_eval::template rows<1>(e, start, values, whole);
  }
  static constexpr reduction_runner runner{sizeof(totals), begin, add, end};

 private:
  static void merge(totals& to, const totals& part) {
    types::merge(typename types::template loop<0>::reductions(), to, part);
  }
};

}  // namespace kroton::runtime::on_host
