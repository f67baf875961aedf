// This pass lets a matrix product scale its result and add to it, which BLAS does while it multiplies. Rows that are
// added up at indices are added to a tensor, likewise, so that the other rows of it are not touched.
//
//     %3 = dot(%0, %1), %4 = mul(%3, 0.5), %5 = add(%2, %4)  ->  %5 = gemm(%0, %1, %2), alpha 0.5, beta 1
//     %3 = scatter_add(%0, %1), %4 = sub(%2, %3)             ->  %4 = scatter_onto(%0, %1, %2), alpha -1
#pragma once

#include <kroton/graph/ops/scatter_onto.hpp>
#include <kroton/passes/layout.hpp>

namespace kroton::passes {

/// Turns multiples of products, and their sums with tensors of the same shape, into `gemm` nodes, and those of
/// scattered rows into `scatter_onto` nodes; what is said of products here is meant of both. A sum that BLAS makes is
/// stored, while one in a fused kernel need not be, so that only sums which cost no more passes over memory are taken;
/// see `pays`.
class contraction {
 public:
  constexpr explicit contraction(graph& g)
      : g_(g), uses_(g.size(), 0), in_kernel_(g.size(), false), is_new_value_(g.size(), false),
        will_be_product_(g.size(), false) {
    for (int id : g.outputs) ++uses_[id];
    for (const update_entry& u : g.updates) {
      ++uses_[u.source];
      is_new_value_[u.source] = true;
    }
    for (int id = g.size() - 1; id >= 0; --id)
      if (uses_[id] > 0) use_operands(id);
    for (int id = 0; id < g.size(); ++id) will_be_product_[id] = uses_[id] == 1 && is_of_products(id);
  }

  constexpr void run() {
    for (int id = g_.size() - 1; id >= 0; --id) {  // readers come before the values that they read
      if (uses_[id] == 0 || scale(id) || accumulate(id)) continue;
      const node& n = g_.nodes[id];
      if (is_view(n) ? in_kernel_[id] : n.op->kind == op_kind::map || n.op->kind == op_kind::reduce)
        for (int i = 0; i < n.count; ++i) in_kernel_[g_.operand(id, i)] = true;
    }
  }

 private:
  graph& g_;
  array_list<int> uses_;              // by outputs, updates, and nodes that these need
  array_list<bool> in_kernel_;        // read elementwise or reduced, by a kernel that can compute it too
  array_list<bool> is_new_value_;     // of a shared variable
  array_list<bool> will_be_product_;  // sums and multiples of products, used once

  /// Node `core` times a number, times a scalar if there is one.
  struct multiple {
    int core = -1;
    double number = 1;
    int scale = -1;
    bool has_factor = false;  ///< other than powers of two
    int uses = 1;             ///< of the core, if nothing else uses it
  };

  constexpr bool is(int id, operation_id op) const { return g_.nodes[id].op->id == op; }
  constexpr bool is_sum(int id) const { return is(id, id_of<ops::add>) || is(id, id_of<ops::sub>); }
  constexpr void use_operands(int id) {
    for (int i = 0; i < g_.nodes[id].count; ++i) ++uses_[g_.operand(id, i)];
  }
  /// Removes a use of `id`, and if that was the last one, a use of each operand.
  constexpr void release(int id) {
    if (--uses_[id] > 0) return;
    for (int i = 0; i < g_.nodes[id].count; ++i) release(g_.operand(id, i));
  }

  static constexpr bool is_power_of_two(double x) {
    const double size = x < 0 ? -x : x;
    return size >= 0x1p-8 && size <= 0x1p8 && (std::bit_cast<std::uint64_t>(x) & 0xfffffffffffff) == 0;
  }
  /// Multiplies `m` by scalar `id`. Not by 0 or an infinity, which are no numbers for BLAS, and not by a second factor
  /// that is no power of two: the product of two can overflow or vanish where the formula as written does not.
  constexpr bool multiply(multiple& m, int id) const {
    if (is_constant({&g_, id})) {
      const double value = constant_value(g_.nodes[id]);
      if (value == 0 || value - value != 0) return false;
      if (!is_power_of_two(value)) {
        if (m.has_factor) return false;
        m.has_factor = true;
      }
      m.number *= value;
      return true;
    }
    if (is(id, id_of<ops::neg>)) {
      m.number = -m.number;
      return multiply(m, g_.operand(id, 0));
    }
    if (is(id, id_of<ops::mul>))
      for (int side = 0; side < 2; ++side) {
        const int x = g_.operand(id, side);
        if (!is_constant({&g_, x}) || !is_power_of_two(constant_value(g_.nodes[x]))) continue;
        m.number *= constant_value(g_.nodes[x]);
        return multiply(m, g_.operand(id, 1 - side));
      }
    if (m.has_factor) return false;
    m.scale = id;
    return m.has_factor = true;
  }
  /// The node of which `id` is a multiple, if all values between them are used only `uses` times, by the caller.
  constexpr multiple peel(int id, int uses) const {
    multiple m;
    m.core = id;
    m.uses = uses;
    while (uses_[m.core] == m.uses) {
      const node& n = g_.nodes[m.core];
      if (is(m.core, id_of<ops::neg>)) {
        m.number = -m.number;
        m.core = g_.operand(m.core, 0);
        m.uses = 1;
      } else if (is(m.core, id_of<ops::add>) && g_.operand(m.core, 0) == g_.operand(m.core, 1)) {
        m.number *= 2;
        m.core = g_.operand(m.core, 0);
        m.uses = 2;
      } else if (is(m.core, id_of<ops::mul>)) {
        const int side = g_.shape_of(g_.operand(m.core, 0)).rank == 0 ? 0 : 1, other = g_.operand(m.core, 1 - side);
        multiple scaled = m;
        if (g_.shape_of(g_.operand(m.core, side)).rank != 0 || g_.nodes[other].shape != n.shape) break;
        if (!multiply(scaled, g_.operand(m.core, side))) break;
        m = scaled;
        m.core = other;
        m.uses = 1;
      } else {
        break;
      }
    }
    return m;
  }
  /// The product of which `m` is a multiple; -1: there is no such product, or it is used elsewhere. Products with
  /// vectors are reshaped.
  constexpr int product_of(const multiple& m) const {
    int id = m.core, uses = m.uses;
    for (; is(id, id_of<ops::reshape>) && uses_[id] == uses; uses = 1) id = g_.operand(id, 0);
    if (uses_[id] != uses) return -1;
    const bool is_of_integers = !is_floating(g_.nodes[id].type), is_scaled = m.number != 1 || m.scale >= 0;
    return is_of_integers ? (is_scatter(id) && !is_scaled ? id : -1)
                          : (is_scatter(id) || is(id, id_of<ops::dot>) ? id : -1);
  }
  constexpr bool is_scatter(int id) const { return is(id, id_of<ops::scatter_add>); }
  constexpr bool is_of_products(int id) const {
    const auto one = [&](int i) { return product_of(peel(g_.operand(id, i), 1)) >= 0; };
    if (!is_sum(id)) return product_of(peel(id, 1)) >= 0;
    return (one(0) && will_be_product_[g_.operand(id, 1)]) || (one(1) && will_be_product_[g_.operand(id, 0)]);
  }

  /// Whether a kernel of its own may have to make this scalar, which fused kernels compute where they need it.
  constexpr bool needs_kernel(int scalar) const {
    if (scalar < 0) return false;
    while (is_view(g_.nodes[scalar])) scalar = g_.operand(scalar, 0);
    return g_.nodes[scalar].op->kind == op_kind::map || g_.nodes[scalar].op->kind == op_kind::extent;
  }
  /// Whether node `id` may be a product that adds to `kept` (used `uses` times by it). Where a kernel reads `id`, that
  /// can add as well, and only a tensor which is in memory anyway and dies here is added to. A tensor that lives on is
  /// copied, which is no more than the kernel would read and write, but what a kernel computes would have to be stored
  /// first.
  constexpr bool pays(int id, int kept, int uses, int scalar_kernels) const {
    bool dies = uses_[kept] == uses;
    const bool is_product = dies && will_be_product_[kept];
    for (; is(kept, id_of<ops::reshape>); kept = g_.operand(kept, 0)) dies = dies && uses_[g_.operand(kept, 0)] == 1;
    const op_kind kind = g_.nodes[kept].op->kind;
    if (scalar_kernels > (in_kernel_[id] ? 0 : 1)) return false;
    if (is_product || (is_whole_tensor(kind) && dies)) return true;
    if (in_kernel_[id]) return false;
    if (kind == op_kind::map || kind == op_kind::reduce)
      return dies && !is_view(g_.nodes[kept]) && !is_new_value_[id] && scalar_kernels == 0;
    return kind == op_kind::input || kind == op_kind::shared || is_whole_tensor(kind);
  }

  constexpr bool is_candidate(const node& n) const {
    return (computed_in(n.type) == n.type || !is_floating(n.type)) && g_.shapes[n.shape].rank > 0;
  }
  /// Makes node `id` a product with this form; it keeps its place, so that operands stand before it still.
  constexpr void become(int id, gemm_form form, int product, int kept, int alpha_scale, int beta_scale) {
    int args[5] = {g_.operand(product, 0), g_.operand(product, 1)}, count = 2;
    const auto add = [&](int operand) {
      if (operand < 0) return -1;
      args[count] = operand;
      return count++;
    };
    form.added = add(kept);
    form.alpha_scale = add(alpha_scale);
    form.beta_scale = add(beta_scale);
    const node old = g_.nodes[id];
    const operation* made = is_scatter(product) ? op<ops::scatter_onto> : op<ops::gemm>;
    g_.nodes[id] = {made, form, old.shape, g_.operands.size(), count, old.type, old.place};
    for (int i = 0; i < count; ++i) g_.operands.push_back(args[i]);
    use_operands(id);
    for (int i = 0; i < old.count; ++i) release(g_.operands[old.first + i]);
  }

  /// a * dot(x, y)
  constexpr bool scale(int id) {
    if (!is_candidate(g_.nodes[id]) || in_kernel_[id] || g_.nodes[id].op->kind != op_kind::map) return false;
    const multiple m = peel(id, uses_[id]);
    const int product = product_of(m);
    if (product < 0) return false;
    gemm_form form;
    form.alpha = m.number;
    become(id, form, product, -1, m.scale, -1);
    return true;
  }

  /// b * c + a * dot(x, y)
  constexpr bool accumulate(int id) {
    if (!is_candidate(g_.nodes[id]) || !is_sum(id)) return false;
    for (int side = 1; side >= 0; --side) {
      const int kept = g_.operand(id, 1 - side);
      if (kept == g_.operand(id, side) || g_.nodes[kept].shape != g_.nodes[id].shape) continue;
      multiple m = peel(g_.operand(id, side), 1);
      if (g_.nodes[m.core].shape != g_.nodes[id].shape) continue;
      double kept_sign = 1;
      if (is(id, id_of<ops::sub>)) (side == 1 ? m.number : kept_sign) *= -1;
      const int product = product_of(m);
      if (product >= 0 ? add_to(id, kept, kept_sign, m, product) : kept_sign > 0 && decay(id, kept, m)) return true;
    }
    return false;
  }
  constexpr bool add_to(int id, int kept, double sign, const multiple& m, int product) {
    multiple c = peel(kept, 1);
    // a kernel computes b * c as it computes c; a product scales itself
    if (c.core != kept && (is_scatter(product) || product_of(c) >= 0 || !is_in_memory(c.core))) c = {kept};
    if (is_scatter(product) && sign < 0) return false;
    const int kernels = needs_kernel(m.scale) + needs_kernel(c.scale);
    if (!pays(id, c.core, c.uses, kernels)) return false;
    gemm_form form;
    form.alpha = m.number;
    form.beta = sign * c.number;
    become(id, form, product, c.core, m.scale, c.scale);
    return true;
  }
  constexpr bool is_in_memory(int id) const {
    while (is(id, id_of<ops::reshape>)) id = g_.operand(id, 0);
    const op_kind kind = g_.nodes[id].op->kind;
    return kind == op_kind::input || kind == op_kind::shared || is_whole_tensor(kind);
  }
  /// c + a * (b * c + dot(x, y)), what an optimiser makes of a cost with weight decay
  constexpr bool decay(int id, int kept, const multiple& m) {
    if (!is_sum(m.core) || uses_[m.core] != m.uses) return false;
    for (int side = 0; side < 2; ++side) {
      const multiple p = peel(g_.operand(m.core, side), 1), c = peel(g_.operand(m.core, 1 - side), 1);
      const int product = product_of(p);
      if (product < 0 || is_scatter(product) || p.has_factor || c.core != kept) continue;
      if (!pays(id, kept, -1, needs_kernel(m.scale) + needs_kernel(c.scale))) continue;
      // the product's own number goes into a, and out of b
      const double signs = is(m.core, id_of<ops::sub>) ? -1 : 1;
      gemm_form form;
      form.decays = true;
      form.alpha = m.number * p.number * (side == 1 ? signs : 1);
      form.beta = c.number / p.number * signs;
      become(id, form, product, kept, m.scale, c.scale);
      return true;
    }
    return false;
  }
};

}  // namespace kroton::passes
