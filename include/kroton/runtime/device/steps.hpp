// How the steps of a program run on devices: what starts them, which of them products do as well, and what memory they need beside their operands.
#pragma once

#include <kroton/passes/epilogue.hpp>
#include <kroton/runtime/device/driver.hpp>
#include <kroton/runtime/host/binding.hpp>
#include <kroton/runtime/memory_sizes.hpp>

namespace kroton::on_device {

/// What a product writes instead of itself, see `epilogue`.
struct product_end {
  std::byte* result = nullptr;  ///< none: the product
  const std::byte* bias = nullptr;
  bool has_relu = false;
};
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
  /// Whether product `s` does what the next step does as well. It must not write over what it reads, which that step could.
  bool has_end(std::size_t s, const memory_sizes& sizes, const std::int64_t* symbols) const {
    const epilogue& e = table_.epilogues[s];
    if (!e.is_there || stream_of(s) == nullptr || (e.has_relu && !stream_of(s)->has_relu())) return false;
    if (extent_value(plan_.parameters[static_cast<std::size_t>(plan_.steps[s].first_parameter)], symbols) == 0) return false;
    const auto result = static_cast<std::size_t>(plan_.accesses[static_cast<std::size_t>(e.result)].buffer);
    for (int i = 0; i < 2; ++i)
      if (sizes.overlap(plan_, result, static_cast<std::size_t>(plan_.accesses[static_cast<std::size_t>(plan_.steps[s].first_access + i)].buffer))) return false;
    return true;
  }
  step_call call(std::size_t s, on_host::bound_step& bound, const std::int64_t* symbols, std::byte* workspace) const {
    return {plan_.steps[s], bound, plan_, symbols, workspace, precision_, {}};
  }
  /// What a product with an end writes. `next`: the step after it, bound.
  product_end end_of(std::size_t s, const on_host::bound_step& next) const {
    const epilogue& e = table_.epilogues[s];
    const auto start = [&](int at) { return next.operands[static_cast<std::size_t>(at - plan_.steps[s + 1].first_access)].start; };
    return {start(e.result), e.bias < 0 ? nullptr : start(e.bias), e.has_relu};
  }

  /// Adds memory that the steps at each place share to its arena.
  void add_workspaces(memory_sizes& sizes, const std::int64_t* symbols) const {
    const on_host::step_binder binder(plan_, symbols);
    std::vector<std::int64_t> bytes(streams_.size());
    for (std::size_t s = 0; s < plan_.steps.size(); ++s) {
      if (stream_of(s) == nullptr || launcher_of(s) == nullptr) continue;
      on_host::bound_step bound = example(binder, s), next;
      step_call asked = call(s, bound, symbols, nullptr);
      if (has_end(s, sizes, symbols)) {
        next = example(binder, s + 1);
        asked.end = end_of(s, next);
      }
      std::int64_t& most = bytes[static_cast<std::size_t>(plan_.steps[s].place)];
      most = std::max(most, launcher_of(s)->workspace(*stream_of(s), asked));
    }
    for (std::size_t p = 0; p < bytes.size(); ++p)
      if (bytes[p] > 0) sizes.add_workspace(p, bytes[p]);
  }

 private:
  plan_view plan_;
  kernel_table table_;
  std::vector<device_stream*> streams_;
  product_precision precision_;

  /// A step whose operands have the alignment that they will have.
  on_host::bound_step example(const on_host::step_binder& binder, std::size_t s) const {
    on_host::bound_step b;
    binder.bind(plan_.steps[s], b);
    for (std::size_t i = 0; i < b.operands.size(); ++i) b.operands[i].start = std::bit_cast<std::byte*>(std::uintptr_t{4096} + static_cast<std::uintptr_t>(b.starts[i]));
    b.loops.operands = b.operands.data();
    b.loops.parameters = b.parameters.data();
    return b;
  }
};

}  // namespace kroton::on_device
