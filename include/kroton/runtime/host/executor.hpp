// Runs the steps of a program on the host.
#pragma once

#include <kroton/passes/memory.hpp>
#include <kroton/runtime/host/binding.hpp>
#include <kroton/runtime/host/blas.hpp>
#include <kroton/runtime/host/index_checker.hpp>
#include <kroton/runtime/host/parallel.hpp>
#include <kroton/runtime/memory.hpp>

#include <algorithm>
#include <bit>
#include <cstring>

namespace kroton::host {

/// Multiplications below which a matrix product stays on one thread; with a vector it reads a number for each, and gains
/// earlier.
inline constexpr std::int64_t serial_products = std::int64_t{1} << 22, serial_vector_products = std::int64_t{1} << 17;

/// Runs a bound step.
using launcher = void (*)(const bound_step&, int threads);

/// No template: what differs from one function to another is the plan and the kernels, which are data here.
class executor {
 public:
  /// `kernel_of`: the launcher of each step, -1 for a matrix product.
  executor(const plan_view& plan, const launcher* launchers, const int* kernel_of, std::shared_ptr<memory_account> account)
      : plan_(plan), launchers_(launchers), kernel_of_(kernel_of), account_(std::move(account)), symbols_(plan.symbols.size(), -1),
        addresses_(plan.buffers.size()), bytes_(plan.buffers.size()), offsets_(plan.buffers.size()), steps_(plan.steps.size()) {}

  /// Bytes of temporaries for the bound extents.
  std::int64_t arena_bytes() const { return arena_.size(); }

  /// Fixes loops and memory for these values of the symbols, unless they are fixed for them already. Throws memory_error
  /// if temporaries and outputs do not fit into the budget.
  void bind(const std::int64_t* symbols) {
    if (bound_ && std::equal(symbols_.begin(), symbols_.end(), symbols)) return;
    bound_ = false;
    std::copy_n(symbols, symbols_.size(), symbols_.begin());
    for (std::size_t i = 0; i < bytes_.size(); ++i) bytes_[i] = value(plan_.buffers[i].elements) * size_of(plan_.buffers[i].type);
    const std::int64_t wanted = plan_arena(plan_.buffers.data(), static_cast<int>(bytes_.size()), bytes_.data(), offsets_.data());
    check_budget(wanted);
    if (wanted != arena_.size()) {
      arena_ = {};
      arena_ = context_block(account_, wanted);
    }
    for (std::size_t i = 0; i < addresses_.size(); ++i) addresses_[i] = offsets_[i] >= 0 ? arena_.data() + offsets_[i] : nullptr;
    const step_binder binder(plan_, symbols_.data());
    for (std::size_t s = 0; s < steps_.size(); ++s) binder.bind(plan_.steps[s], steps_[s]);
    bound_ = true;
  }

  /// Runs all steps; new values of shared variables are in place when it returns.
  void run(const std::byte* const* inputs, std::byte* const* shared, std::byte* const* outputs, int threads) {
    for (std::size_t i = 0; i < addresses_.size(); ++i) {
      const buffer& b = plan_.buffers[i];
      if (b.kind == buffer_kind::input) addresses_[i] = const_cast<std::byte*>(inputs[b.index]);
      else if (b.kind == buffer_kind::shared) addresses_[i] = shared[b.index];
      else if (b.kind == buffer_kind::output) addresses_[i] = outputs[b.index];
    }
    for (std::size_t i = 0; i < addresses_.size(); ++i)
      if (plan_.buffers[i].lies_in >= 0) addresses_[i] = address(plan_.buffers[i].lies_in);
    check_indices(-1);
    for (std::size_t s = 0; s < steps_.size(); ++s) {
      run_step(s, threads);
      if (!plan_.checks.empty()) check_indices(static_cast<int>(s));
    }
    for (const write_back& w : plan_.writes) {
      const std::int64_t count = w.from < 0 ? 0 : bytes_[static_cast<std::size_t>(w.from)];
      if (count > 0) std::memcpy(address(w.to), address(w.from), static_cast<std::size_t>(count));
    }
  }

 private:
  plan_view plan_;
  const launcher* launchers_;
  const int* kernel_of_;
  std::shared_ptr<memory_account> account_;
  context_block arena_;
  bool bound_ = false;
  std::vector<std::int64_t> symbols_;
  std::vector<std::byte*> addresses_;
  std::vector<std::int64_t> bytes_, offsets_;
  std::vector<bound_step> steps_;

  std::int64_t value(extent_code e) const { return extent_value(e, symbols_.data()); }
  std::byte* address(int buffer) const { return addresses_[static_cast<std::size_t>(buffer)]; }

  void check_budget(std::int64_t arena) const {
    std::int64_t outputs = 0;
    for (std::size_t i = 0; i < bytes_.size(); ++i)
      if (plan_.buffers[i].kind == buffer_kind::output) outputs += bytes_[i];
    if (account_->has(arena - arena_.size() + outputs)) return;
    const memory_use use = account_->now();
    throw memory_error(message("kroton: ", arena, " bytes of temporaries and ", outputs, " of outputs needed, but of a budget of ",
                               use.budget, " bytes ", use.in_use - arena_.size(), " are in use; the largest: ", largest_buffers(),
                               "; raise the budget, or call with smaller extents"));
  }
  /// The sizes of the five largest temporaries and outputs.
  std::string largest_buffers() const {
    std::vector<std::int64_t> sizes;
    for (std::size_t i = 0; i < bytes_.size(); ++i)
      if (plan_.buffers[i].kind >= buffer_kind::output && plan_.buffers[i].lies_in < 0) sizes.push_back(bytes_[i]);
    std::sort(sizes.rbegin(), sizes.rend());
    std::string text;
    for (std::size_t i = 0; i < std::min<std::size_t>(5, sizes.size()); ++i) text += (i > 0 ? ", " : "") + std::to_string(sizes[i]);
    return text;
  }

  void run_step(std::size_t index, int threads) {
    const step& s = plan_.steps[index];
    bound_step& b = steps_[index];
    for (std::size_t i = 0; i < b.operands.size(); ++i) {
      std::byte* base = b.buffers[i] < 0 ? nullptr : address(b.buffers[i]);
      b.operands[i].start = std::bit_cast<std::byte*>(std::bit_cast<std::intptr_t>(base) + b.starts[i]);
    }
    b.loops.operands = b.operands.data();
    b.loops.parameters = b.parameters.data();
    if (s.kind != step_kind::dot) return launchers_[kernel_of_[index]](b, threads);
    std::int64_t work = b.parameters[0];
    for (int axis = 0; axis < s.space.rank; ++axis) work *= value(s.space[axis]);
    const int rank = s.space.rank;
    const bool with_vector = value(s.space[rank - 2]) == 1 || value(s.space[rank - 1]) == 1;
    const thread_limit limit(work < (with_vector ? serial_vector_products : serial_products) ? 1 : threads);
    if (s.type == dtype::float32) run_dot<float>(s, b);
    else run_dot<double>(s, b);
  }
  template <class T>
  void run_dot(const step& s, bound_step& b) {
    const int rank = s.space.rank;
    const std::int64_t m = value(s.space[rank - 2]), n = value(s.space[rank - 1]), k = b.parameters[0];
    std::int64_t batches = 1;
    for (int i = 0; i < rank - 2; ++i) batches *= value(s.space[i]);
    const T* x = reinterpret_cast<const T*>(b.operands[0].start);
    const T* y = reinterpret_cast<const T*>(b.operands[1].start);
    T* z = reinterpret_cast<T*>(b.operands[2].start);
    T alpha = T(1), beta = T(0);
    if (s.accesses > 3) {  // accumulates
      alpha = static_cast<T>(s.factor) * (s.accesses > 4 ? *reinterpret_cast<const T*>(b.operands[4].start) : T(1));
      beta = T(1);
      const T* old = reinterpret_cast<const T*>(b.operands[3].start);
      if (old != z && batches * m * n > 0) std::memcpy(z, old, static_cast<std::size_t>(batches * m * n) * sizeof(T));
    }
    const access *ax = &plan_.accesses[static_cast<std::size_t>(s.first_access)], *ay = ax + 1;
    const std::int64_t xs[] = {value(ax->stride[rank - 2]), value(ax->stride[rank - 1])};
    const std::int64_t ys[] = {value(ay->stride[rank - 2]), value(ay->stride[rank - 1])};
    for (std::int64_t i = 0; i < batches; ++i) {
      std::int64_t left = i, xo = 0, yo = 0;
      for (int axis = rank - 3; axis >= 0; --axis) {
        const std::int64_t at = left % value(s.space[axis]);
        left /= value(s.space[axis]);
        xo += at * value(ax->stride[axis]);
        yo += at * value(ay->stride[axis]);
      }
      multiply(m, n, k, alpha, x + xo, xs, y + yo, ys, beta, z + i * m * n);
    }
  }
  void check_indices(int after) const {
    for (const index_range_check& check : plan_.checks)
      if (check.after == after) index_checker(plan_, check, symbols_.data(), address(check.where.buffer)).run();
  }
};

}  // namespace kroton::host
