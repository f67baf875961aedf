// Finds what a library of matrix products can do to a product while it writes it: add a bias, and set negative elements to 0.
#pragma once

#include <kroton/graph/ops/add.hpp>
#include <kroton/graph/ops/maximum.hpp>
#include <kroton/passes/program.hpp>

#include <array>
#include <bit>

namespace kroton {

/// What the step after a product does, so that it need not run: result = product + bias, or max(0, that).
struct epilogue {
  bool is_there = false, has_relu = false;
  int bias = -1;    ///< access of a vector, -1: none
  int result = -1;  ///< access that is written
};

template <program_size Size>
class epilogue_search {
 public:
  constexpr explicit epilogue_search(const program<Size>& p) : p_(p) {}

  /// Of the product that is step `s`.
  constexpr epilogue find(int s) const {
    const step &product = p_.steps[s], &next = p_.steps[s + 1 < Size.steps ? s + 1 : s];
    if (product.kind != step_kind::dot || product.type != dtype::float32 || product.space.rank != 2) return {};
    if (product.product.added >= 0 || product.product.alpha_scale >= 0) return {};
    if (next.kind != step_kind::map || !(next.space == product.space) || next.place != product.place) return {};
    const int z = p_.accesses[product.first_access + result_access(product)].buffer;
    if (p_.buffers[z].kind != buffer_kind::temporary || is_used_elsewhere(z, s)) return {};
    epilogue found = parse(next, z);
    for (const index_range_check& check : std::span(p_.checks, Size.checks))
      if (check.after == s) found.is_there = false;
    return found;
  }

 private:
  const program<Size>& p_;

  /// By a step other than `s` and the one after it.
  constexpr bool is_used_elsewhere(int buffer, int s) const {
    for (int t = 0; t < Size.steps; ++t)
      for (int a = 0; t != s && t != s + 1 && a < p_.steps[t].accesses; ++a)
        if (p_.accesses[p_.steps[t].first_access + a].buffer == buffer) return true;
    for (int w = 0; w < Size.writes; ++w)
      if (p_.writes[w].from == buffer) return true;
    return false;
  }
  constexpr const instruction& at(const step& s, int i) const { return p_.instructions[s.first_instruction + i]; }
  constexpr bool loads(const step& s, int i, int buffer) const {
    const instruction& x = at(s, i);
    return x.kind == instruction_kind::load && x.stride == stride_class::unit && x.type == dtype::float32 && access_of(s, x).buffer == buffer &&
           is_whole(s, access_of(s, x));
  }
  constexpr const access& access_of(const step& s, const instruction& i) const { return p_.accesses[s.first_access + i.value]; }
  /// Whether an access visits all elements in their order.
  constexpr bool is_whole(const step& s, const access& a) const { return a.offset == 0 && a.stride[0] == s.space[1] && a.stride[1] == 1; }

  constexpr epilogue parse(const step& s, int z) const {
    epilogue e;
    int stores = 0, store = -1, used = 1;
    for (int i = 0; i < s.instructions; ++i)
      if (at(s, i).kind == instruction_kind::store) ++stores, store = i;
    if (stores != 1) return {};
    const instruction& last = at(s, store);
    if (last.type != dtype::float32 || last.stride != stride_class::unit || !is_whole(s, access_of(s, last))) return {};
    e.result = s.first_access + static_cast<int>(last.value);
    int value = last.operand[0];
    if (at(s, value).kind == instruction_kind::apply && at(s, value).op->id == id_of<ops::maximum>) {
      const instruction& relu = at(s, value);
      const int zero = relu.operand[0];
      if (at(s, zero).kind != instruction_kind::constant || at(s, zero).value != 0) return {};  // bits of the double +0
      e.has_relu = true;
      value = relu.operand[1];
      used += 2;
    }
    if (at(s, value).kind == instruction_kind::apply && at(s, value).op->id == id_of<ops::add>) {
      for (int side = 0; side < 2 && e.bias < 0; ++side)
        if (loads(s, at(s, value).operand[1 - side], z)) e.bias = bias_of(s, at(s, at(s, value).operand[side]));
      if (e.bias < 0) return {};
      used += 3;
    } else if (loads(s, value, z)) {
      used += 1;
    } else {
      return {};
    }
    e.is_there = used == s.instructions;
    return e;
  }
  /// The access of a vector with one element for each column, -1: it is none.
  constexpr int bias_of(const step& s, const instruction& load) const {
    if (load.kind != instruction_kind::load || load.type != dtype::float32 || load.stride != stride_class::unit) return -1;
    const access& a = access_of(s, load);
    return a.offset == 0 && a.stride[0] == 0 && a.stride[1] == 1 ? s.first_access + static_cast<int>(load.value) : -1;
  }
};

/// Of each step of a program.
template <program_size Size>
constexpr std::array<epilogue, static_cast<std::size_t>(Size.steps) + 1> find_epilogues(const program<Size>& p) {
  std::array<epilogue, static_cast<std::size_t>(Size.steps) + 1> all{};
  const epilogue_search<Size> search(p);
  for (int s = 0; s + 1 < Size.steps; ++s) all[static_cast<std::size_t>(s)] = search.find(s);
  return all;
}

}  // namespace kroton
