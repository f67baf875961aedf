// This header knows how the steps of a program run on devices: which launcher starts a step, which steps the epilogue
// of a product does, and how much workspace a step needs.
//
//     step 2 dot, step 3 relu of it  ->  launcher_of(2) multiplies with an epilogue; epilogues()[3].is_done
#pragma once

#include <kroton/arithmetic/indexed.hpp>
#include <kroton/runtime/device/step_call.hpp>
#include <kroton/runtime/program/binding.hpp>
#include <kroton/runtime/program/program_memory.hpp>

namespace kroton::runtime::on_device {

class device_steps final : public workspace_plan {
 public:
  /// `streams`: the stream of each place; null for a place on the host.
  device_steps(const plan_view& plan, const kernel_table& table, std::vector<device_stream*> streams, product_math math)
      : plan_(plan), table_(table), streams_(std::move(streams)), math_(math) {}

  device_stream* stream_of(std::size_t s) const { return streams_[plan_.steps[s].place]; }
  /// The launcher of a step; null for a transfer, which is a copy.
  const launcher* launcher_of(std::size_t index) const {
    const step& s = plan_.steps[index];
    if (s.kind == step_kind::dot) return &table_.products[s.type == dtype::float64 ? 1 : 0];
    return s.kind == step_kind::transfer ? nullptr : &table_.kernels[table_.kernel_of[index]];
  }
  /// The epilogues of the products for these values of the symbols.
  product_epilogues epilogues(const memory_sizes& sizes, const std::int64_t* symbols) const {
    product_epilogues every(plan_.steps.size(), streams_.size());
    const step_binder binder(plan_, symbols);
    for (std::size_t s = 0; s < plan_.steps.size(); ++s) {
      const epilogue& e = table_.epilogues[s];
      if (e.reader < 0 || plan_.is_repeated(s) || plan_.is_repeated(reader_of(s))) continue;
      const epilogue_needs mine = needs(s, sizes);
      if (!supports_epilogue(binder, s, sizes, symbols, mine)) continue;
      const auto other = static_cast<std::size_t>(std::max(0, e.other));
      if (e.is_gradient &&
          (!every[other].is_there || !supports_epilogue(binder, other, sizes, symbols, {.mask = mine.mask})))
        continue;
      if (!e.is_gradient && e.aux >= 0 && !supports_epilogue(binder, other, sizes, symbols, needs(other, sizes)))
        continue;
      const shape& z = plan_.steps[s].space;
      every.add(static_cast<int>(s), e, plan_.steps[s].place, extent_value(z[0], symbols), extent_value(z[1], symbols),
                mine.sums);
    }
    return every;
  }
  /// The argument of step `s`. `workspace`: the workspace of the step's place.
  step_call call(std::size_t s, bound_step& bound, const std::int64_t* symbols, const product_epilogues& wanted,
                 std::byte* workspace) const {
    step_call made{plan_.steps[s], bound, plan_, symbols, workspace + wanted.bytes_held(plan_.steps[s].place),
                   math_,          {}};
    if (wanted[s].mask >= 0) made.epilogue.aux = workspace + wanted[s].mask;
    if (wanted[s].sums >= 0) made.epilogue.sums = workspace + wanted[s].sums;
    return made;
  }
  /// Whether product `s` writes what its reader would, the next step that runs, so that it also reads the operands of
  /// that step.
  bool is_for_next(std::size_t s, const product_epilogues& wanted) const {
    const epilogue& e = table_.epilogues[s];
    return wanted[s].is_there && (e.result >= 0 || (e.has_sums && wanted[s].sums < 0));
  }
  /// The step whose work product `s` does.
  std::size_t reader_of(std::size_t s) const { return static_cast<std::size_t>(table_.epilogues[s].reader); }
  /// Adds to the call of a product the epilogue that it does for its reader. It writes sums where the reader stores
  /// them, unless the call has another place for them.
  void add_epilogue(step_call& call, std::size_t s, const bound_step& reader) const {
    const epilogue& e = table_.epilogues[s];
    const auto start = [&](int at) { return reader.operands[at - plan_.steps[reader_of(s)].first_access].start; };
    call.epilogue.function = e.function;
    call.epilogue.is_gradient = e.is_gradient;
    if (e.result >= 0) call.epilogue.result = start(e.result);
    if (e.bias >= 0) call.epilogue.bias = start(e.bias);
    if (e.has_sums && call.epilogue.sums == nullptr) call.epilogue.sums = start(e.sums_to);
    if (e.aux >= 0)
      call.epilogue.aux = e.is_in_place ? call.bound.operands[result_access(call.what)].start : start(e.aux);
  }

  /// Adds the workspace that the steps at each place share to the arena of the place.
  void add_workspaces(memory_sizes& sizes, const std::int64_t* symbols) const override {
    const product_epilogues wanted = this->epilogues(sizes, symbols);
    const step_binder binder(plan_, symbols);
    indexed_vector<std::int64_t> bytes(streams_.size());
    for (std::size_t s = 0; s < plan_.steps.size(); ++s) {
      if (stream_of(s) == nullptr || launcher_of(s) == nullptr || wanted[s].is_done) continue;
      std::int64_t& most = bytes[plan_.steps[s].place];
      const epilogue_needs with{
          .epilogue = wanted[s].is_there, .mask = wanted[s].mask >= 0, .sums = wanted[s].sums >= 0};
      most = std::max(most, ask(binder, s, symbols, with, launcher_of(s)->workspace));
    }
    for (std::size_t p = 0; p < bytes.size(); ++p)
      if (const std::int64_t every = wanted.bytes_held(static_cast<place_id>(p)) + bytes[p]; every > 0)
        sizes.add_workspace(p, every);
  }

 private:
  plan_view plan_;
  kernel_table table_;
  indexed_vector<device_stream*> streams_;
  product_math math_;

  /// The tensors that a product reads or writes besides its operands.
  struct epilogue_needs {
    bool epilogue = true, mask = false, sums = false;
  };
  epilogue_needs needs(std::size_t s, const memory_sizes& sizes) const {
    const epilogue& e = table_.epilogues[s];
    return {.mask = e.is_gradient && e.function == product_function::relu,
            .sums = e.has_sums && !can_store_sums(s, sizes)};
  }
  /// Asks a question about a step, with addresses that have the alignment that its operands will have.
  template <class Answer>
  Answer ask(const step_binder& binder, std::size_t s, const std::int64_t* symbols, const epilogue_needs& with,
             Answer (*question)(device_stream&, const step_call&)) const {
    const std::lock_guard lock(stream_of(s)->mutex);
    bound_step bound = example(binder, s), reader;
    step_call asked{plan_.steps[s], bound, plan_, symbols, aligned_start(), math_, {}};
    if (with.sums) asked.epilogue.sums = aligned_start();
    if (with.epilogue) {
      reader = example(binder, reader_of(s));
      add_epilogue(asked, s, reader);
    }
    if (with.mask) asked.epilogue.aux = aligned_start();
    return question(*stream_of(s), asked);
  }
  bool supports_epilogue(const step_binder& binder, std::size_t s, const memory_sizes& sizes,
                         const std::int64_t* symbols, const epilogue_needs& with) const {
    const step& product = plan_.steps[s];
    if (stream_of(s) == nullptr || writes_over_factor(s, sizes)) return false;
    for (const extent_code extent : {product.space[0], product.space[1], plan_.parameters[product.first_parameter]})
      if (extent_value(extent, symbols) <= 0)
        return false;  // extents below 0 occur in no call, but while the largest extents that fit are looked for
    return ask(binder, s, symbols, with, launcher_of(s)->supports_epilogue);
  }
  /// Whether product `s`, if it wrote the results of its reader, would write over one of its factors.
  bool writes_over_factor(std::size_t s, const memory_sizes& sizes) const {
    const epilogue& e = table_.epilogues[s];
    for (const int written : {e.result, e.is_gradient ? -1 : e.aux})
      for (int i = 0; i < 2 && written >= 0; ++i)
        if (overlap(sizes, written, plan_.steps[s].first_access + i)) return true;
    return false;
  }
  /// Whether product `s` can write the sums where its reader stores them, which is not over what the product itself
  /// reads or writes.
  bool can_store_sums(std::size_t s, const memory_sizes& sizes) const {
    const epilogue& e = table_.epilogues[s];
    if (e.sums_to < 0) return false;
    const int first = plan_.steps[s].first_access, own = first + result_access(plan_.steps[s]);
    for (const int other : {first, first + 1, own, e.aux})
      if (other >= 0 && overlap(sizes, e.sums_to, other)) return false;
    return true;
  }
  /// Whether the buffers of two accesses share memory.
  bool overlap(const memory_sizes& sizes, int x, int y) const {
    return sizes.overlap(plan_, plan_.accesses[x].buffer, plan_.accesses[y].buffer);
  }
  static std::byte* aligned_start() { return std::bit_cast<std::byte*>(std::uintptr_t{4096}); }
  bound_step example(const step_binder& binder, std::size_t s) const {
    bound_step b;
    binder.bind(plan_.steps[s], b);
    for (std::size_t i = 0; i < b.operands.size(); ++i) b.operands[i].start = aligned_start() + b.starts[i];
    b.loops.operands = b.operands.data();
    b.loops.parameters = b.parameters.data();
    return b;
  }
};

}  // namespace kroton::runtime::on_device
