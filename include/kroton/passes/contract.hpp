// Finds matrix products whose result is only added to a shared variable, so that BLAS accumulates in place.
#pragma once

#include <kroton/passes/rewrite.hpp>

namespace kroton {

class contraction {
 public:
  constexpr explicit contraction(graph& g) : g_(g), uses_(g.size(), 0) {
    for (int operand : g.operands) ++uses_[operand];
    for (int id : g.outputs) ++uses_[id];
    for (const update_entry& u : g.updates) ++uses_[u.source];
  }

  /// Replaces the new values `c +- s * dot(x, y)` of shared variables c by a `gemm`.
  constexpr void run() {
    for (update_entry& u : g_.updates) {
      if (uses_[u.source] != 1) continue;
      const node n = g_.nodes[u.source];
      const bool minus = n.op->id == id_of<ops::sub>;
      if (!minus && n.op->id != id_of<ops::add>) continue;
      for (int side = minus ? 1 : 0; side < 2; ++side) {
        const int product = g_.operand(u.source, side), kept = g_.operand(u.source, 1 - side);
        if (g_.nodes[kept].op->id != id_of<ops::shared> || g_.nodes[kept].shape != n.shape) continue;
        const int made = accumulate(n, kept, product, minus ? -1.0 : 1.0);
        if (made < 0) continue;
        u.source = made;
        break;
      }
    }
  }

 private:
  graph& g_;
  array_list<int> uses_;

  constexpr int accumulate(const node& n, int kept, int product, double alpha) {
    int scale = -1;
    if (uses_[product] != 1 || g_.nodes[product].shape != n.shape) return -1;
    if (g_.nodes[product].op->id == id_of<ops::mul>) {
      const int a = g_.operand(product, 0), b = g_.operand(product, 1);
      const int dot = g_.nodes[a].op->id == id_of<ops::dot> ? a : b;
      scale = dot == a ? b : a;
      if (g_.shape_of(scale).rank != 0 || uses_[dot] != 1) return -1;
      product = dot;
    }
    if (g_.nodes[product].op->id != id_of<ops::dot> || g_.nodes[product].shape != n.shape) return -1;
    if (scale >= 0 && is_constant({&g_, scale})) {
      alpha *= constant_value(g_.nodes[scale]);
      scale = -1;
    }
    const int args[] = {g_.operand(product, 0), g_.operand(product, 1), kept, scale};
    return g_.add(op<ops::gemm>, n.type, n.shape, {std::bit_cast<std::int64_t>(alpha), 0, 0}, args, scale < 0 ? 3 : 4);
  }
};

}  // namespace kroton
