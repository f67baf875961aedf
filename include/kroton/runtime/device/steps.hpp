// How the steps of a program run on devices: what starts them, which of them products do as well, and what memory they need beside their operands.
#pragma once

#include <kroton/runtime/device/ends.hpp>
#include <kroton/runtime/host/binding.hpp>

namespace kroton::on_device {

/// A step with the addresses of its operands, on its way to a stream.
struct step_call {
  const step& what;
  on_host::bound_step& bound;
  const plan_view& plan;
  const std::int64_t* symbols;
  std::byte* workspace;  ///< as many bytes as the launcher asks for
  product_precision precision;
  product_end end;

  std::int64_t value(extent_code e) const { return extent_value(e, symbols); }
  /// The operation that computes its result, for messages.
  const char* name() const {
    for (int i = 0; i < what.accesses; ++i) {
      const access& a = plan.accesses[static_cast<std::size_t>(what.first_access + i)];
      if (a.written && a.buffer >= 0) return plan.buffers[static_cast<std::size_t>(a.buffer)].name;
    }
    return "kernel";
  }
};
struct launcher {
  void (*run)(device_stream& stream, const step_call& call) = nullptr;
  std::int64_t (*workspace)(device_stream& stream, const step_call& call) = nullptr;
  /// Does what is left of a kernel when a product has summed its columns.
  void (*finish)(device_stream& stream, const step_call& call) = nullptr;
  /// Whether a product can do what is asked beside multiplying.
  bool (*can_end)(device_stream& stream, const step_call& call) = nullptr;
};

/// The kernels of a program.
struct kernel_table {
  const launcher* kernels;    ///< by their numbers
  const launcher* products;   ///< of float and double
  const epilogue* epilogues;  ///< of each step
  const int* kernel_of;       ///< the number of each step's kernel
};

class device_steps {
 public:
  /// `streams`: of the places; none: it is on the host.
  device_steps(const plan_view& plan, const kernel_table& table, std::vector<device_stream*> streams, product_precision precision)
      : plan_(plan), table_(table), streams_(std::move(streams)), precision_(precision) {}

  device_stream* stream_of(std::size_t s) const { return streams_[static_cast<std::size_t>(plan_.steps[s].place)]; }
  /// None for transfers, which are copies.
  const launcher* launcher_of(std::size_t index) const {
    const step& s = plan_.steps[index];
    if (s.kind == step_kind::dot) return &table_.products[s.type == dtype::float64 ? 1 : 0];
    return s.kind == step_kind::transfer ? nullptr : &table_.kernels[table_.kernel_of[index]];
  }
  /// What products do beside multiplying.
  product_ends ends(const memory_sizes& sizes, const std::int64_t* symbols) const {
    product_ends all(plan_.steps.size(), streams_.size());
    const on_host::step_binder binder(plan_, symbols);
    for (std::size_t s = 0; s < plan_.steps.size(); ++s) {
      const epilogue& e = table_.epilogues[s];
      if (e.reader < 0 || stream_of(s) == nullptr || writes_over_factor(s, sizes)) continue;
      const shape& z = plan_.steps[s].space;
      const std::int64_t m = extent_value(z[0], symbols), n = extent_value(z[1], symbols);
      const std::int64_t k = extent_value(plan_.parameters[static_cast<std::size_t>(plan_.steps[s].first_parameter)], symbols);
      if (m <= 0 || n <= 0 || k <= 0) continue;  // below 0: extents that no call has, while those that fit are looked for
      const auto masking = static_cast<std::size_t>(std::max(0, e.mask_of));
      if (e.mask_of >= 0 && (!all[masking].is_there || !can_end(binder, masking, symbols, {.mask = true}))) continue;
      if (can_end(binder, s, symbols, {.mask = e.mask_of >= 0, .sums = e.has_sums})) all.add(static_cast<int>(s), e, plan_.steps[s].place, m, n);
    }
    return all;
  }
  /// `workspace`: of the step's place.
  step_call call(std::size_t s, on_host::bound_step& bound, const std::int64_t* symbols, const product_ends& ends, std::byte* workspace) const {
    step_call made{plan_.steps[s], bound, plan_, symbols, workspace + ends.kept(plan_.steps[s].place), precision_, {}};
    if (ends[s].mask >= 0) made.end.mask = workspace + ends[s].mask;
    if (ends[s].sums >= 0) made.end.sums = workspace + ends[s].sums;
    return made;
  }
  /// Whether a product writes what the next step would, and reads what that would read.
  bool is_for_next(std::size_t s, const product_ends& ends) const { return ends[s].is_there && table_.epilogues[s].result >= 0; }
  /// Adds to the call of a product what it does for the next step, which is `next`.
  void take_on(step_call& call, std::size_t s, const on_host::bound_step& next) const {
    const epilogue& e = table_.epilogues[s];
    const auto start = [&](int at) { return next.operands[static_cast<std::size_t>(at - plan_.steps[s + 1].first_access)].start; };
    call.end.result = start(e.result);
    call.end.bias = e.bias < 0 ? nullptr : start(e.bias);
    call.end.has_relu = e.has_relu;
  }

  /// Adds memory that the steps at each place share to its arena.
  void add_workspaces(memory_sizes& sizes, const std::int64_t* symbols) const {
    const product_ends ends = this->ends(sizes, symbols);
    const on_host::step_binder binder(plan_, symbols);
    std::vector<std::int64_t> bytes(streams_.size());
    for (std::size_t s = 0; s < plan_.steps.size(); ++s) {
      if (stream_of(s) == nullptr || launcher_of(s) == nullptr || ends[s].is_done) continue;
      std::int64_t& most = bytes[static_cast<std::size_t>(plan_.steps[s].place)];
      const extras with{.next = is_for_next(s, ends), .mask = ends[s].mask >= 0, .sums = ends[s].sums >= 0};
      most = std::max(most, ask(binder, s, symbols, with, launcher_of(s)->workspace));
    }
    for (std::size_t p = 0; p < bytes.size(); ++p)
      if (const std::int64_t all = ends.kept(static_cast<place_id>(p)) + bytes[p]; all > 0) sizes.add_workspace(p, all);
  }

 private:
  plan_view plan_;
  kernel_table table_;
  std::vector<device_stream*> streams_;
  product_precision precision_;

  /// What a product reads or writes beside its operands.
  struct extras {
    bool next = false, mask = false, sums = false;
  };
  /// Asks a question about a step, with memory that has the alignment that its operands will have.
  template <class Answer>
  Answer ask(const on_host::step_binder& binder, std::size_t s, const std::int64_t* symbols, const extras& with,
             Answer (*question)(device_stream&, const step_call&)) const {
    const std::lock_guard lock(stream_of(s)->mutex);
    on_host::bound_step bound = example(binder, s), next;
    step_call asked{plan_.steps[s], bound, plan_, symbols, aligned_start(), precision_, {}};
    if (with.next) {
      next = example(binder, s + 1);
      take_on(asked, s, next);
    }
    if (with.mask) asked.end.mask = aligned_start();
    if (with.sums) asked.end.sums = aligned_start();
    return question(*stream_of(s), asked);
  }
  bool can_end(const on_host::step_binder& binder, std::size_t s, const std::int64_t* symbols, extras with) const {
    with.next = table_.epilogues[s].result >= 0;
    return ask(binder, s, symbols, with, launcher_of(s)->can_end);
  }
  /// Whether the next step, in whose stead product `s` would write, writes over what the product reads.
  bool writes_over_factor(std::size_t s, const memory_sizes& sizes) const {
    if (table_.epilogues[s].result < 0) return false;
    const auto result = static_cast<std::size_t>(plan_.accesses[static_cast<std::size_t>(table_.epilogues[s].result)].buffer);
    for (int i = 0; i < 2; ++i)
      if (sizes.overlap(plan_, result, static_cast<std::size_t>(plan_.accesses[static_cast<std::size_t>(plan_.steps[s].first_access + i)].buffer))) return true;
    return false;
  }
  static std::byte* aligned_start() { return std::bit_cast<std::byte*>(std::uintptr_t{4096}); }
  on_host::bound_step example(const on_host::step_binder& binder, std::size_t s) const {
    on_host::bound_step b;
    binder.bind(plan_.steps[s], b);
    for (std::size_t i = 0; i < b.operands.size(); ++i) b.operands[i].start = aligned_start() + b.starts[i];
    b.loops.operands = b.operands.data();
    b.loops.parameters = b.parameters.data();
    return b;
  }
};

}  // namespace kroton::on_device
