// Runs the steps of a program on the host.
#pragma once

#include <kroton/runtime/executor.hpp>
#include <kroton/runtime/host/binding.hpp>
#include <kroton/runtime/host/blas.hpp>
#include <kroton/runtime/host/index_checker.hpp>
#include <kroton/runtime/host/parallel.hpp>
#include <kroton/runtime/host/queues.hpp>

#include <cstring>

namespace kroton::on_host {

/// Multiplications below which a matrix product stays on one thread; with a vector it reads a number for each, and gains
/// earlier.
inline constexpr std::int64_t serial_products = std::int64_t{1} << 22, serial_vector_products = std::int64_t{1} << 17;

class executor : public kroton::executor {
 public:
  /// `kernel_of`: the launcher of each step, -1 for products and transfers. `places`: the context of each place.
  executor(const plan_view& plan, const launcher* launchers, const int* kernel_of, std::vector<context> places)
      : plan_(plan), launchers_(launchers), kernel_of_(kernel_of), places_(std::move(places)), memory_(plan, places_),
        symbols_(plan.symbols.size(), -1), steps_(plan.steps.size()) {
    for (const step& s : plan.steps)
      if (places_[static_cast<std::size_t>(s.place)].worker() != nullptr) queues_ = std::make_unique<queues>(plan, places_);
  }

  /// Whether loops and memory are fixed for these values of the symbols.
  bool is_bound(const std::int64_t* symbols) const { return bound_ && std::equal(symbols_.begin(), symbols_.end(), symbols); }
  void bind(const std::int64_t* symbols) override {
    if (is_bound(symbols)) return;
    bound_ = false;
    std::copy_n(symbols, symbols_.size(), symbols_.begin());
    memory_.bind(symbols);
    const step_binder binder(plan_, symbols_.data());
    for (std::size_t s = 0; s < steps_.size(); ++s) binder.bind(plan_.steps[s], steps_[s]);
    if (queues_ != nullptr) queues_->find_waits(memory_);
    bound_ = true;
  }
  memory_sizes sizes_for(const std::int64_t* symbols) const override { return memory_.sizes_for(symbols); }
  void release() override {
    bound_ = false;
    memory_.release();
  }
  void leave_outputs_out() override { memory_.leave_outputs_out(); }
  bool fits(const std::int64_t* symbols) const override { return memory_.fits(symbols); }
  std::int64_t largest_extent(int dimension, const std::int64_t* symbols, std::int64_t most) const override {
    return memory_.largest_extent(dimension, symbols, most);
  }

  bool cannot_fail() const override {
    return std::all_of(plan_.checks.begin(), plan_.checks.end(), [](const index_range_check& check) { return check.after < 0; });
  }
  void run(const std::byte* const* inputs, std::byte* const* shared, std::byte* const* outputs, std::uint64_t) override {
    memory_.place(inputs, shared, outputs);
    check_indices(-1);
    const auto one = [this](std::size_t s) {
      run_step(s);
      if (!plan_.checks.empty()) check_indices(static_cast<int>(s));
    };
    if (queues_ != nullptr) queues_->run(one);
    else
      for (std::size_t s = 0; s < steps_.size(); ++s) one(s);
    for (const write_back& w : plan_.writes) {
      const std::int64_t count = w.from < 0 ? 0 : memory_.bytes(w.from);
      if (count > 0) std::memcpy(memory_.address(w.to), memory_.address(w.from), static_cast<std::size_t>(count));
    }
  }
  std::shared_ptr<pending_value> pending_output(std::size_t) const override { return nullptr; }

 protected:
  plan_view plan_;
  const launcher* launchers_;
  const int* kernel_of_;
  std::vector<context> places_;
  program_memory memory_;
  std::unique_ptr<queues> queues_;  // none: all steps run in the thread of the caller
  bool bound_ = false;
  std::vector<std::int64_t> symbols_;
  std::vector<bound_step> steps_;

  std::int64_t value(extent_code e) const { return extent_value(e, symbols_.data()); }

  /// A step with the addresses of its operands.
  bound_step& with_addresses(std::size_t index) {
    bound_step& b = steps_[index];
    for (std::size_t i = 0; i < b.operands.size(); ++i) {
      std::byte* base = b.buffers[i] < 0 ? nullptr : memory_.address(b.buffers[i]);
      b.operands[i].start = nest::moved(base, b.starts[i]);
    }
    b.loops.operands = b.operands.data();
    b.loops.parameters = b.parameters.data();
    return b;
  }
  void run_step(std::size_t index) {
    const step& s = plan_.steps[index];
    bound_step& b = with_addresses(index);
    const int threads = places_[static_cast<std::size_t>(s.place)].threads();
    if (has_kernel(s)) return launchers_[kernel_of_[index]](b, threads);
    if (s.kind == step_kind::transfer) {
      const std::int64_t bytes = b.parameters[0] * size_of(s.type);
      if (bytes > 0) std::memcpy(b.operands[1].start, b.operands[0].start, static_cast<std::size_t>(bytes));
      return;
    }
    std::int64_t work = b.parameters[0];
    for (int axis = 0; axis < s.space.rank; ++axis) work *= value(s.space[axis]);
    const int rank = s.space.rank;
    const bool with_vector = value(s.space[rank - 2]) == 1 || value(s.space[rank - 1]) == 1;
    const thread_limit limit(work < (with_vector ? serial_vector_products : serial_products) ? 1 : threads);
    if (s.type == dtype::float32) run_dot<float>(s, b, threads);
    else run_dot<double>(s, b, threads);
  }
  template <class T>
  void run_dot(const step& s, bound_step& b, int threads) {
    const int rank = s.space.rank;
    const std::int64_t m = value(s.space[rank - 2]), n = value(s.space[rank - 1]), k = b.parameters[0];
    std::int64_t batches = 1;
    for (int i = 0; i < rank - 2; ++i) batches *= value(s.space[i]);
    const T* x = reinterpret_cast<const T*>(b.operands[0].start);
    const T* y = reinterpret_cast<const T*>(b.operands[1].start);
    T* z = reinterpret_cast<T*>(b.operands[2].start);
    const auto given = [&](int operand) { return reinterpret_cast<const T*>(b.operands[static_cast<std::size_t>(operand) + 1].start); };
    const auto scaled = [&](double number, int scale) { return static_cast<T>(number) * (scale < 0 ? T(1) : *given(scale)); };
    const gemm_form& form = s.product;
    const T alpha = scaled(form.alpha, form.alpha_scale);
    T beta = T(0);
    if (form.added >= 0) {
      beta = scaled(form.beta, form.beta_scale);
      const T* old = given(form.added);
      if (form.decays || beta == T(0) || old != z) {  // BLAS does not read what it multiplies by 0
        constexpr std::int64_t grain = 1 << 15;
        parallel_for(batches * m * n, grain, threads, [&, by = beta](std::int64_t begin, std::int64_t end) {
          keep(form, alpha, by, old + begin, z + begin, end - begin);
        });
        beta = T(1);
      }
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
      if (check.after == after) index_checker(plan_, check, symbols_.data(), memory_.address(check.where.buffer)).run();
  }
};

}  // namespace kroton::on_host
