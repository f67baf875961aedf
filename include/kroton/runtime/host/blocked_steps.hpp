// This header runs consecutive steps for one block of rows after the other, so that a matrix that several of them read
// comes from memory once (passes/row_blocks.hpp).
//
//     z = X w, r = g(z), X' r of (100000, 256) floats  ->  8 chunks of 12,504 rows, which threads divide; in each, 128
//     rows pass through all three steps before the next do, and X' r adds to the sums of the chunk; at last the sums
//     are added
//
// Extents alone decide where chunks and blocks end, so that results do not depend on the number of threads.
#pragma once

#include <kroton/passes/memory.hpp>
#include <kroton/runtime/context/memory_block.hpp>
#include <kroton/runtime/host/vector_product.hpp>
#include <kroton/runtime/program/binding.hpp>
#include <kroton/runtime/program/step_runners.hpp>

#include <algorithm>
#include <vector>

namespace kroton::runtime::on_host {

class blocked_steps {
 public:
  /// Whether the matrix may be larger than the caches, and has so few columns that its sums are small. Else the steps
  /// that begin with number `first` run one after the other. `bound`: all steps, bound to the extents of a call.
  static bool pays(const plan_view& plan, std::size_t first, const std::vector<bound_step>& bound,
                   const std::int64_t* symbols) {
    constexpr std::int64_t least_bytes = 1 << 24;
    const std::size_t last = last_of(plan, first);
    const std::int64_t columns = columns_of(plan.steps[last], symbols);
    return columns <= most_chunked_columns &&
           product_of_extents(bound[last].parameters[0], columns) * size_of(plan.steps[last].type) >= least_bytes;
  }
  blocked_steps(const plan_view& plan, const step_runners& runners, const std::vector<bound_step>& bound,
                std::size_t first, const std::int64_t* symbols, int threads)
      : plan_(plan), runners_(runners), whole_(bound.data() + first), first_(first), last_(last_of(plan, first)),
        symbols_(symbols), threads_(threads) {
    const step& sum = plan.steps[last_];
    rows_ = bound[last_].parameters[0];
    columns_ = columns_of(sum, symbols);
    number_ = size_of(sum.type);
    const std::int64_t row = columns_ * number_;
    chunk_ = rounded((rows_ + row_chunks - 1) / row_chunks);
    const std::int64_t blocks = (chunk_ * row + block_bytes - 1) / block_bytes;
    block_ = rounded((chunk_ + blocks - 1) / blocks);
    chunks_.resize(static_cast<std::size_t>((rows_ + chunk_ - 1) / chunk_));
    for (std::size_t s = first_; s <= last_; ++s) {
      offsets_.push_back(totals_of_chunk_);
      if (reduces(s)) totals_of_chunk_ += passes::bytes_in_arena(reduction(s).bytes);
    }
    totals_.resize(chunks_.size() * static_cast<std::size_t>(totals_of_chunk_) / sizeof(aligned_bytes));
    for (std::size_t c = 0; c < chunks_.size(); ++c) {
      const std::int64_t rows = std::min(chunk_, rows_ - static_cast<std::int64_t>(c) * chunk_);
      bind(chunks_[c].blocks, std::min(block_, rows));
      if (rows % block_ != 0) bind(chunks_[c].rest, rows % block_);
    }
  }
  void run() {
    alignas(buffer_alignment) plain_array<std::byte, most_sum_bytes> sums;
    const auto count = static_cast<std::int64_t>(chunks_.size());
    parallel_for(count, 1, threads_, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t c = begin; c < end; ++c) run(static_cast<std::size_t>(c), sums + c * columns_ * number_);
    });
    for (std::size_t s = first_; s < last_; ++s)
      if (reduces(s)) reduction(s).end(whole_[s - first_].loops, totals(0, s), totals_of_chunk_, count);
    multiply(last_, plan_.steps[last_], whole_[last_ - first_], {sums, count});
  }

 private:
  static constexpr std::int64_t block_bytes = 1 << 17;  // a part of the second cache
  static constexpr int most_sum_bytes =
      static_cast<int>(row_chunks * most_chunked_columns * std::int64_t{sizeof(double)});
  /// A step that is bound to a number of rows, and how far its operands move from a row to the next, in bytes.
  struct part {
    step what;
    bound_step bound;
    std::vector<std::int64_t> distances;
  };
  struct chunk {
    std::vector<part> blocks, rest;  // the steps for each block, and for the last one if it has fewer rows
  };
  struct aligned_bytes {
    alignas(buffer_alignment) std::byte bytes[buffer_alignment];
  };
  plan_view plan_;
  step_runners runners_;
  const bound_step* whole_;  // the steps, for all rows
  std::size_t first_, last_;
  const std::int64_t* symbols_;
  int threads_;
  std::int64_t rows_, columns_, number_, chunk_ = 0, block_ = 0;
  std::vector<chunk> chunks_;
  std::vector<aligned_bytes> totals_;  // of each chunk, one after the other
  std::int64_t totals_of_chunk_ = 0;   // bytes
  std::vector<std::int64_t> offsets_;  // of each step: where its totals begin in those of a chunk

  static std::size_t last_of(const plan_view& plan, std::size_t first) {
    return first + static_cast<std::size_t>(plan.steps[first].blocked) - 1;
  }
  /// Of the product that sums over rows, one extent is 1.
  static std::int64_t columns_of(const step& sum, const std::int64_t* symbols) {
    return product_of_extents(extent_value(sum.space[0], symbols), extent_value(sum.space[1], symbols));
  }
  /// Whether a step reduces all rows, and what does so.
  bool reduces(std::size_t s) const { return plan_.steps[s].kind == step_kind::full; }
  const reduction_runner& reduction(std::size_t s) const { return runners_.reductions[runners_.kernel_of[s]]; }
  std::byte* totals(std::size_t number, std::size_t s) {
    std::byte* const first = reinterpret_cast<std::byte*>(totals_.data());
    return first + static_cast<std::int64_t>(number) * totals_of_chunk_ + offsets_[s - first_];
  }
  /// Whole groups of rows, which products of vectors take together.
  static std::int64_t rounded(std::int64_t rows) { return (rows + 7) / 8 * 8; }

  void bind(std::vector<part>& parts, std::int64_t rows) const {
    const step_binder binder(plan_, symbols_);
    parts.resize(last_ - first_ + 1);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      part& p = parts[i];
      p.what = plan_.steps[first_ + i];
      binder.bind_rows(p.what, 1, rows, p.bound);  // from row 1 on, which is as far from row 0 as rows are apart
      for (std::size_t a = 0; a < p.bound.operands.size(); ++a)
        p.distances.push_back(p.bound.starts[a] - whole_[i].starts[a]);
      p.bound.loops.operands = p.bound.operands.data();
      p.bound.loops.parameters = p.bound.parameters.data();
    }
    gemm_form& sums = parts.back().what.product;  // what is added to all rows is added at the end
    sums.beta = 1;
    sums.beta_scale = -1;
    sums.decays = false;
  }
  void run(std::size_t number, std::byte* sums) {
    chunk& c = chunks_[number];
    for (std::size_t s = first_; s < last_; ++s)
      if (reduces(s)) reduction(s).begin(totals(number, s));
    const std::int64_t first = static_cast<std::int64_t>(number) * chunk_, past = std::min(rows_, first + chunk_);
    for (std::int64_t row = first; row < past; row += block_) {
      std::vector<part>& parts = past - row < block_ && !c.rest.empty() ? c.rest : c.blocks;
      for (std::size_t i = 0; i < parts.size(); ++i) {
        part& p = parts[i];
        if (p.what.is_done) continue;
        for (std::size_t a = 0; a < p.bound.operands.size(); ++a)
          p.bound.operands[a].start = nest::moved(whole_[i].operands[a].start, p.distances[a] * row);
        if (first_ + i == last_) {
          p.bound.operands[2].start = sums;
          p.what.product.added = row == first ? -1 : 1;  // the operand after the factors, which are the sums
        }
        if (reduces(first_ + i)) reduction(first_ + i).add(p.bound.loops, totals(number, first_ + i));
        else if (has_kernel(p.what)) runners_.launchers[runners_.kernel_of[first_ + i]](p.bound, 1);
        else multiply(first_ + i, p.what, p.bound, {});
      }
    }
  }
  void multiply(std::size_t index, const step& s, const bound_step& b, const chunk_sums& sums) const {
    runners_.products[runners_.product_of[index]]({plan_, s, b, symbols_, 1, sums});
  }
};

}  // namespace kroton::runtime::on_host
