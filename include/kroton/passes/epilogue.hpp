// Finds what a library of matrix products can do to a product while it writes it: add a bias and set negative elements to 0, or the gradient of that.
#pragma once

#include <kroton/graph/ops/add.hpp>
#include <kroton/graph/ops/greater.hpp>
#include <kroton/graph/ops/maximum.hpp>
#include <kroton/graph/ops/sum.hpp>
#include <kroton/graph/ops/where.hpp>
#include <kroton/passes/program.hpp>

#include <array>
#include <span>

namespace kroton {

/// What the step that reads a product does, so that the product does it instead: product + bias, max(0, that), or where(h > 0, product, 0) and the
/// sums of its columns, h being what another product has written as max(0, ...).
struct epilogue {
  int reader = -1;        ///< the step; -1: there is nothing to do
  bool has_relu = false;
  int bias = -1;          ///< access of a vector, -1: none
  int result = -1;        ///< access that is written; -1: the product's own
  int mask_of = -1;       ///< the product that has written h, -1: none
  bool has_sums = false;  ///< the reader needs the sums of the columns still, and goes on from there
};

template <program_size Size>
class epilogue_search {
 public:
  constexpr explicit epilogue_search(const program<Size>& p) : p_(p), uses_(Size.buffers, 0), last_use_(Size.buffers, -1), relu_of_(Size.buffers, -1), has_check_(Size.steps, false) {
    for (int s = 0; s < Size.steps; ++s)
      for (int a = 0; a < p.steps[s].accesses; ++a)
        if (const int buffer = p.accesses[p.steps[s].first_access + a].buffer; buffer >= 0) ++uses_[buffer], last_use_[buffer] = s;
    for (const write_back& w : std::span(p.writes, Size.writes))
      if (w.from >= 0) ++uses_[w.from];
    for (const index_range_check& check : std::span(p.checks, Size.checks))
      if (check.after >= 0) has_check_[check.after] = true;
  }

  /// Of the product that is step `s`, after those before it.
  constexpr epilogue find(int s) {
    const step& product = p_.steps[s];
    if (product.kind != step_kind::dot || product.type != dtype::float32 || product.space.rank != 2 || has_check_[s]) return {};
    if (product.product.added >= 0 || product.product.alpha_scale >= 0) return {};
    const int z = p_.accesses[product.first_access + result_access(product)].buffer, r = last_use_[z];
    if (p_.buffers[z].kind != buffer_kind::temporary || r == s || uses_[z] != 2) return {};  // what is read twice has one access still
    const step& reader = p_.steps[r];
    if (!(reader.space == product.space) || reader.place != product.place) return {};
    epilogue e = r == s + 1 && reader.kind == step_kind::map ? bias_and_relu(r, z) : epilogue();
    if (e.reader >= 0 && e.has_relu) relu_of_[p_.accesses[e.result].buffer] = s;
    if (e.reader < 0 && (reader.kind == step_kind::map || (reader.kind == step_kind::columns && reader.reduced == 1))) return gradient_of_relu(r, z);
    return e;
  }

 private:
  const program<Size>& p_;
  array_list<int> uses_, last_use_;  // of each buffer, by accesses of steps and by writes of new values
  array_list<int> relu_of_;          // the product that writes a buffer as max(0, ...), -1: none
  array_list<bool> has_check_;       // steps after which indices are looked at

  constexpr const instruction& at(const step& s, int i) const { return p_.instructions[s.first_instruction + i]; }
  constexpr const access& access_of(const step& s, const instruction& i) const { return p_.accesses[s.first_access + i.value]; }
  constexpr int root_of(int buffer) const { return p_.buffers[buffer].lies_in < 0 ? buffer : p_.buffers[buffer].lies_in; }
  template <class Op>
  constexpr bool applies(const instruction& x) const {
    return x.kind == instruction_kind::apply && x.op->id == id_of<Op>;
  }
  constexpr bool is_zero(const instruction& x) const { return x.kind == instruction_kind::constant && x.value == 0; }  // bits of the double +0
  /// Whether an instruction loads or stores all elements of a matrix of floats in their order.
  constexpr bool is_whole(const step& s, const instruction& x, instruction_kind kind) const {
    if (x.kind != kind || x.stride != stride_class::unit || x.type != dtype::float32) return false;
    const access& a = access_of(s, x);
    return a.offset == 0 && a.stride[0] == s.space[1] && a.stride[1] == 1;
  }
  constexpr bool loads(const step& s, int i, int buffer) const {
    return is_whole(s, at(s, i), instruction_kind::load) && access_of(s, at(s, i)).buffer == buffer;
  }
  /// The only store, -1: there are several, or it does not write a whole matrix.
  constexpr int only_store(const step& s) const {
    int found = -1;
    for (int i = 0; i < s.instructions; ++i) {
      if (at(s, i).kind != instruction_kind::store) continue;
      if (found >= 0 || !is_whole(s, at(s, i), instruction_kind::store)) return -1;
      found = i;
    }
    return found;
  }

  constexpr epilogue bias_and_relu(int reader, int z) const {
    const step& s = p_.steps[reader];
    epilogue e;
    const int store = only_store(s);
    if (store < 0) return {};
    int used = 1, value = at(s, store).operand[0];
    e.result = s.first_access + static_cast<int>(at(s, store).value);
    if (applies<ops::maximum>(at(s, value))) {
      if (!is_zero(at(s, at(s, value).operand[0]))) return {};
      e.has_relu = true;
      value = at(s, value).operand[1];
      used += 2;
    }
    if (applies<ops::add>(at(s, value))) {
      for (int side = 0; side < 2 && e.bias < 0; ++side)
        if (loads(s, at(s, value).operand[1 - side], z)) e.bias = bias_of(s, at(s, at(s, value).operand[side]));
      if (e.bias < 0) return {};
      used += 3;
    } else if (loads(s, value, z)) {
      used += 1;
    } else {
      return {};
    }
    if (used == s.instructions) e.reader = reader;
    return e;
  }
  /// The access of a vector with one element for each column, -1: it is none.
  constexpr int bias_of(const step& s, const instruction& load) const {
    if (load.kind != instruction_kind::load || load.type != dtype::float32 || load.stride != stride_class::unit) return -1;
    const access& a = access_of(s, load);
    return a.offset == 0 && a.stride[0] == 0 && a.stride[1] == 1 ? s.first_access + static_cast<int>(load.value) : -1;
  }

  /// The reader may come much later, when what is stored can be where the product is, but not yet where the reader would write it.
  constexpr epilogue gradient_of_relu(int reader, int z) const {
    const step& s = p_.steps[reader];
    epilogue e;
    int masked = 0;
    while (masked < s.instructions && (at(s, masked).reduced || !applies<ops::where>(at(s, masked)))) ++masked;
    if (masked == s.instructions) return {};
    const int condition = at(s, masked).operand[0], h = applies<ops::greater>(at(s, condition)) ? at(s, condition).operand[0] : -1;
    if (h < 0 || at(s, h).kind != instruction_kind::load || !is_zero(at(s, at(s, condition).operand[1]))) return {};
    e.mask_of = relu_of_[access_of(s, at(s, h)).buffer];
    if (e.mask_of < 0 || !is_whole(s, at(s, h), instruction_kind::load) || !(p_.steps[e.mask_of].space == s.space) || p_.steps[e.mask_of].place != s.place) return {};
    if (!loads(s, at(s, masked).operand[1], z) || !is_zero(at(s, at(s, masked).operand[2]))) return {};
    for (int i = 0; i < s.instructions; ++i) {
      const instruction& x = at(s, i);
      if (x.kind == instruction_kind::reduce) {
        if (e.has_sums || x.op->id != id_of<ops::sum> || x.type != dtype::float32 || x.operand[0] != masked) return {};
        e.has_sums = true;
      } else if (x.kind == instruction_kind::store && !x.reduced) {
        if (x.operand[0] != masked || !is_whole(s, x, instruction_kind::store) || root_of(access_of(s, x).buffer) != root_of(z)) return {};
      } else if (!x.reduced && i != masked && i != condition && i != h && i != at(s, masked).operand[1]) {
        return {};
      } else if (x.reduced && x.kind == instruction_kind::store && s.kind == step_kind::map) {
        return {};
      }
    }
    if (e.has_sums == (s.kind == step_kind::columns)) e.reader = reader;
    return e;
  }
};

/// Of each step of a program.
template <program_size Size>
constexpr std::array<epilogue, static_cast<std::size_t>(Size.steps) + 1> find_epilogues(const program<Size>& p) {
  std::array<epilogue, static_cast<std::size_t>(Size.steps) + 1> all{};
  epilogue_search<Size> search(p);
  for (int s = 0; s < Size.steps; ++s) all[static_cast<std::size_t>(s)] = search.find(s);
  return all;
}

}  // namespace kroton
