// Binds the steps of a program to extents and buffers, and runs them on the host.
#pragma once

#include <kroton/kernel/fused.hpp>
#include <kroton/passes/memory.hpp>
#include <kroton/runtime/aligned_block.hpp>
#include <kroton/runtime/host/blas.hpp>
#include <kroton/runtime/host/fused.hpp>
#include <kroton/runtime/host/indexed.hpp>

#include <array>
#include <vector>

namespace kroton::host {

/// Multiplications below which a matrix product stays on one thread.
inline constexpr std::int64_t serial_products = std::int64_t{1} << 22;

/// A step with its extents known.
struct bound_step {
  nest loops;
  std::vector<nest_operand> operands;
  std::vector<int> buffers;             ///< of the operands
  std::vector<std::int64_t> starts;     ///< of the operands, in bytes
  std::vector<std::int64_t> parameters;
};

template <const auto& P>
class executor {
 public:
  using program_type = std::remove_cvref_t<decltype(P)>;
  static constexpr program_size size = program_type::size;
  /// What calls read, apart from the rest of the program, which is for the compiler alone.
  static constexpr call_plan<size> plan = P;

  /// Bytes of temporaries for the bound extents.
  std::int64_t arena_bytes() const { return arena_size_; }

  void bind(const std::int64_t* symbols) {
    for (int i = 0; i < size.symbols; ++i) symbols_[i] = symbols[i];
    std::int64_t bytes[size.buffers + 1];
    for (int i = 0; i < size.buffers; ++i) bytes[i] = value(plan.buffers[i].elements) * size_of(plan.buffers[i].type);
    std::int64_t offsets[size.buffers + 1];
    const std::int64_t wanted = plan_arena(plan.buffers, size.buffers, bytes, offsets);
    if (wanted != arena_size_) {
      arena_ = {};
      arena_size_ = 0;
      arena_ = aligned_block(static_cast<std::size_t>(wanted));
      arena_size_ = wanted;
    }
    for (int i = 0; i < size.buffers; ++i) {
      addresses_[i] = offsets[i] >= 0 ? arena_.data() + offsets[i] : nullptr;
      bytes_[i] = bytes[i];
    }
    steps_.resize(static_cast<std::size_t>(size.steps));
    for (int s = 0; s < size.steps; ++s) bind_step(plan.steps[s], steps_[static_cast<std::size_t>(s)]);
  }

  /// Runs all steps; new values of shared variables are in place when it returns.
  void run(const std::byte* const* inputs, std::byte* const* shared, std::byte* const* outputs, int threads) {
    for (int i = 0; i < size.buffers; ++i) {
      const buffer& b = plan.buffers[i];
      if (b.kind == buffer_kind::input) addresses_[i] = const_cast<std::byte*>(inputs[b.index]);
      else if (b.kind == buffer_kind::shared) addresses_[i] = shared[b.index];
      else if (b.kind == buffer_kind::output) addresses_[i] = outputs[b.index];
    }
    for (int i = 0; i < size.buffers; ++i)
      if (plan.buffers[i].lies_in >= 0) addresses_[i] = addresses_[plan.buffers[i].lies_in];
    check_indices();
    for (int s = 0; s < size.steps; ++s) run_step(s, threads);
    for (int i = 0; i < size.writes; ++i) {
      const write_back& w = plan.writes[i];
      if (bytes_[w.from] > 0) std::memcpy(addresses_[w.to], addresses_[w.from], static_cast<std::size_t>(bytes_[w.from]));
    }
  }

 private:
  aligned_block arena_;
  std::int64_t arena_size_ = 0;
  std::int64_t symbols_[size.symbols + 1] = {};
  std::vector<bound_step> steps_;
  std::byte* addresses_[size.buffers + 1] = {};
  std::int64_t bytes_[size.buffers + 1] = {};

  std::int64_t value(extent_code e) const { return e >= 0 ? e : symbols_[-1 - e]; }

  /// Which loop an axis belongs to.
  enum class place { outer, middle, inner };
  struct axis_loop {
    place where;
    std::int64_t extent;
    std::vector<std::int64_t> stride;  // of each operand
  };

  void bind_step(const step& s, bound_step& b) {
    const auto count = static_cast<std::size_t>(s.accesses);
    b.operands.assign(count, {});
    b.buffers.resize(count);
    b.starts.resize(count);
    b.parameters.clear();
    for (int i = 0; i < s.parameters; ++i) b.parameters.push_back(value(plan.parameters[s.first_parameter + i]));
    std::vector<std::int64_t> unit(count);
    for (std::size_t i = 0; i < count; ++i) {
      const access& a = plan.accesses[s.first_access + static_cast<int>(i)];
      b.buffers[i] = a.buffer;
      unit[i] = a.buffer < 0 ? 1 : size_of(plan.buffers[a.buffer].type);
      b.starts[i] = value(a.offset) * unit[i];
    }
    if (s.kind >= step_kind::dot) return;
    std::vector<axis_loop> axes;
    const int rank = s.space.rank;
    for (int axis = 0; axis < rank; ++axis) {
      axis_loop loop{place::outer, value(s.space[axis]), {}};
      for (std::size_t i = 0; i < count; ++i)
        loop.stride.push_back(value(plan.accesses[s.first_access + static_cast<int>(i)].stride[axis]) * unit[i]);
      if (axis == rank - 1) loop.where = place::inner;
      else if (s.kind == step_kind::columns ? axis < s.reduced : (s.kind != step_kind::map && axis >= rank - s.reduced)) loop.where = place::middle;
      axes.push_back(loop);
    }
    merge_axes(s, axes);
    fill_nest(axes, b);
  }
  /// Merges neighbouring axes over which every operand moves evenly.
  static void merge_axes(const step& s, std::vector<axis_loop>& axes) {
    for (std::size_t i = axes.size(); i-- > 1;) {
      axis_loop &slow = axes[i - 1], &fast = axes[i];
      const bool inner_joins = fast.where == place::inner &&
                               (slow.where == (s.kind == step_kind::map || s.kind == step_kind::columns ? place::outer : place::middle)) &&
                               !(s.kind == step_kind::rows && s.reduced == 0);
      if (slow.where != fast.where && !inner_joins) continue;
      bool even = true;
      for (std::size_t o = 0; o < fast.stride.size(); ++o) even = even && slow.stride[o] == fast.stride[o] * fast.extent;
      if (!even) continue;
      fast.extent *= slow.extent;
      axes.erase(axes.begin() + static_cast<std::ptrdiff_t>(i) - 1);
    }
  }
  static void fill_nest(const std::vector<axis_loop>& axes, bound_step& b) {
    nest& n = b.loops;
    n = {};
    for (const axis_loop& axis : axes) {
      if (axis.where == place::inner) {
        n.inner = axis.extent;
        for (std::size_t i = 0; i < b.operands.size(); ++i) b.operands[i].inner = axis.stride[i];
        continue;
      }
      const bool outer = axis.where == place::outer;
      int& rank = outer ? n.outer_rank : n.middle_rank;
      (outer ? n.outer : n.middle)[rank] = axis.extent;
      (outer ? n.rows : n.middles) *= axis.extent;
      for (std::size_t i = 0; i < b.operands.size(); ++i)
        (outer ? b.operands[i].outer : b.operands[i].middle)[rank] = axis.stride[i];
      ++rank;
    }
  }

  using launcher = void (*)(const bound_step&, int threads);
  /// Runs a step like step `S`; steps with equal instructions share one launcher.
  template <int S>
  static void launch(const bound_step& b, int threads) {
    constexpr step s = P.steps[S];
    constexpr instruction first = P.instructions[s.first_instruction];
    using T = element_t<first.type>;
    if constexpr (s.kind < step_kind::dot) {
      fused_kernel<kernel::kernel_of<P, S>>::run(b.loops, threads);
    } else {
      using Index = element_t<static_cast<dtype>(first.value)>;
      const auto* x = b.operands[0].start;
      const auto* y = b.operands[1].start;
      T* result = reinterpret_cast<T*>(b.operands[2].start);
      if constexpr (s.kind == step_kind::take)
        take_rows(reinterpret_cast<const T*>(x), reinterpret_cast<const Index*>(y), result, b.parameters[0], b.parameters[1]);
      else
        scatter_add_rows(reinterpret_cast<const Index*>(x), reinterpret_cast<const T*>(y), result, b.parameters[0], b.parameters[1], b.parameters[2]);
    }
  }
  static constexpr distinct_kernels<size.steps> kernels{P.instructions, P.steps};
  template <int... K>
  static constexpr std::array<launcher, sizeof...(K) + 1> make_launchers(std::integer_sequence<int, K...>) {
    return {&launch<kernels.representative[K]>..., nullptr};
  }
  static constexpr auto launchers = make_launchers(std::make_integer_sequence<int, kernels.count>{});

  void run_step(int index, int threads) {
    const step& s = plan.steps[index];
    bound_step& b = steps_[static_cast<std::size_t>(index)];
    for (std::size_t i = 0; i < b.operands.size(); ++i) {
      std::byte* base = b.buffers[i] < 0 ? nullptr : addresses_[b.buffers[i]];
      b.operands[i].start = std::bit_cast<std::byte*>(std::bit_cast<std::intptr_t>(base) + b.starts[i]);
    }
    b.loops.operands = b.operands.data();
    b.loops.parameters = b.parameters.data();
    if (s.kind == step_kind::dot) {
      const std::int64_t k = b.parameters[0];
      std::int64_t work = k;
      for (int axis = 0; axis < s.space.rank; ++axis) work *= value(s.space[axis]);
      const thread_limit limit(work < serial_products ? 1 : threads);
      if (s.type == dtype::float32) run_dot<float>(s, b);
      else run_dot<double>(s, b);
    } else {
      launchers[static_cast<std::size_t>(kernels.of_step[index])](b, threads);
    }
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
    const access *ax = &plan.accesses[s.first_access], *ay = ax + 1;
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
  void check_indices() const {
    for (int c = 0; c < size.checks; ++c) {
      const index_range_check& check = plan.checks[c];
      const std::int64_t bound = value(check.bound);
      const buffer& b = plan.buffers[check.buffer];
      with_element(b.type, [&]<class T>() {
        if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
          const T* values = reinterpret_cast<const T*>(addresses_[check.buffer]);
          for (std::int64_t i = 0; i < value(b.elements); ++i)
            if (static_cast<std::int64_t>(values[i]) < 0 || static_cast<std::int64_t>(values[i]) >= bound)
              throw index_error("kroton: index " + std::to_string(values[i]) + " at position " + std::to_string(i) +
                                (b.kind == buffer_kind::input ? " of argument " : " of shared variable ") +
                                std::to_string(b.index + 1) + " is outside [0, " + std::to_string(bound) + ")");
        }
      });
    }
  }
};

}  // namespace kroton::host
