// This pass finds the epilogues of products: what a library of matrix products can do to a result before it writes it.
// An epilogue adds a bias and applies relu or gelu_tanh, or multiplies by the gradient of these and sums columns. An
// epilogue without a function can sum the columns of the product's second factor, which the product reads anyhow.
//
//     step 2: dot(x, w), step 3: map relu(#2 + bias)  ->  epilogue of step 2: reader 3, function relu, bias
//     step 7: dot(x', dz), step 8: db = sum over rows of dz  ->  epilogue of step 7: reader 8, sums, written to db
//     steps 3 and 8 are done when 2 and 7 are; the program stays as it is, because the host runs all steps.
#pragma once

#include <kroton/arithmetic/indexed.hpp>
#include <kroton/graph/ops/add.hpp>
#include <kroton/graph/ops/gelu_tanh.hpp>
#include <kroton/graph/ops/greater.hpp>
#include <kroton/graph/ops/maximum.hpp>
#include <kroton/graph/ops/mul.hpp>
#include <kroton/graph/ops/where.hpp>
#include <kroton/graph/product_function.hpp>
#include <kroton/passes/column_sums.hpp>

namespace kroton::passes {

/// The work of the step that reads a product, which the product does instead: f(product + bias), where f is relu or
/// gelu_tanh; or the gradient of f, where(h > 0, product, 0) with h = relu(...) or product * gelu_tanh_derivative(...),
/// and the sums of its columns; or the sums of the columns of the product's second factor.
struct epilogue {
  int reader = -1;  ///< the step; -1: there is nothing to do
  product_function function = product_function::none;
  bool is_gradient = false;
  int bias = -1;    ///< access of a vector, -1: none
  int result = -1;  ///< access that is written; -1: the product's own
  int aux = -1;     ///< access where the operand of gelu_tanh is kept, or read: the reader's for the derivative, in its
                    ///< stead, or the product's own; -1: none
  bool is_in_place = false;  ///< it is kept in the product's own place, from where the derivative is computed
  int other = -1;  ///< of a gradient, the product with the function; of a function with `aux`, that with the gradient
  bool has_sums = false;  ///< the reader sums columns: of the gradient, or else of the product's second factor
  int sums_to = -1;       ///< access where the reader, which comes next, only stores the sums; -1: it goes on from them
};

template <program_size Size>
class epilogue_search {
 public:
  constexpr explicit epilogue_search(const program<Size>& p)
      : p_(p), uses_(Size.buffers, 0), last_use_(Size.buffers, -1), aux_by_(Size.buffers, -1),
        summed_by_(Size.buffers, -1), has_check_(Size.steps, false) {
    for (int s = 0; s < Size.steps; ++s)
      for (int a = 0; a < p.steps[s].accesses; ++a)
        if (const int buffer = p.accesses[p.steps[s].first_access + a].buffer; buffer >= 0)
          ++uses_[buffer], last_use_[buffer] = s;
    for (int s = 0; s < Size.steps; ++s)
      if (const int buffer = summed_matrix(p, p.steps[s]); buffer >= 0) summed_by_[buffer] = s;
    for (const write_back& w : list_view(p.writes, Size.writes))
      if (w.from >= 0) ++uses_[w.from];
    for (const index_range_check& check : list_view(p.checks, Size.checks))
      if (check.after >= 0) has_check_[check.after] = true;
  }

  /// Of each step.
  constexpr auto run() {
    for (int s = 0; s < Size.steps; ++s) {
      if (!can_have_epilogue(s)) continue;
      epilogue& e = found_[s] = of_result(s);
      if (e.reader < 0) e = of_factor(s);
      if (e.reader < 0) continue;
      if (e.has_sums && e.reader == s + 1) e.sums_to = stored_sums(p_, p_.steps[e.reader]);
      if (e.is_gradient) found_[e.other].other = s;
      else if (e.function == product_function::relu || e.aux >= 0)
        aux_by_[p_.accesses[e.aux >= 0 ? e.aux : e.result].buffer] = s;
    }
    for (epilogue& e : found_)
      if (e.aux >= 0 && e.other < 0) e = {};  // something else needs the derivative
    return found_;
  }

 private:
  const program<Size>& p_;
  array_list<int> uses_, last_use_;  // of each buffer, by accesses of steps and by writes of new values
  array_list<int>
      aux_by_;  // the product that writes a buffer from which the gradient of its function follows, -1: none
  array_list<int> summed_by_;   // the step that sums the columns of a buffer, and which no product does yet, -1: none
  array_list<bool> has_check_;  // steps after which indices are looked at
  indexed_array<epilogue, Size.steps + 1> found_{};

  constexpr bool can_have_epilogue(int s) const {
    const step& product = p_.steps[s];
    return product.kind == step_kind::dot && product.type == dtype::float32 && product.space.rank == 2 &&
           !has_check_[s] && product.product.alpha_scale < 0;
  }
  /// Of the result of the product that is step `s`, after those before it.
  constexpr epilogue of_result(int s) const {
    const step& product = p_.steps[s];
    const int own = product.first_access + result_access(product), z = p_.accesses[own].buffer,
              uses = uses_[z];  // what a step reads twice has one access
    if (p_.buffers[z].kind != buffer_kind::temporary || last_use_[z] == s || uses > 3) return {};
    const int r = uses == 2 ? last_use_[z] : s + 1;
    const step& reader = p_.steps[r];
    if (!(reader.space == product.space) || reader.place != product.place) return {};
    // what is added to a product lies where that is written, which is the place of its result for a gradient alone
    epilogue e = r == s + 1 && reader.kind == step_kind::map && product.product.added < 0 ? function(r, z) : epilogue();
    if (uses == 3) {
      if (e.reader < 0 || e.function != product_function::gelu_tanh || e.bias >= 0 || e.aux >= 0) return {};
      e.aux = own;
      e.is_in_place = true;
      return e;
    }
    if (e.reader < 0 &&
        (reader.kind == step_kind::map || (reader.kind == step_kind::over_columns && reader.reduced == 1)))
      return gradient(r, z);
    return e;
  }

  constexpr const instruction& at(const step& s, int i) const { return p_.instructions[s.first_instruction + i]; }
  constexpr const access& access_of(const step& s, const instruction& i) const {
    return p_.accesses[s.first_access + i.access()];
  }
  constexpr int root_of(int buffer) const {
    return p_.buffers[buffer].lies_in < 0 ? buffer : p_.buffers[buffer].lies_in;
  }
  template <class Op>
  constexpr bool applies(const instruction& x) const {
    return x.kind == instruction_kind::apply && x.op->id == id_of<Op>;
  }
  constexpr bool is_zero(const instruction& x) const {
    return x.kind == instruction_kind::constant && x.bits() == 0;
  }  // bits of the double +0
  constexpr bool loads(const step& s, int i, int buffer) const {
    return is_whole(p_, s, at(s, i), instruction_kind::load) && access_of(s, at(s, i)).buffer == buffer;
  }
  constexpr int access_at(const step& s, int i) const { return s.first_access + at(s, i).access(); }

  constexpr epilogue function(int reader, int z) const {
    const step& s = p_.steps[reader];
    epilogue e;
    int stored = -1, derivative_of = -1, used = 0;
    for (int i = 0; i < s.instructions; ++i) {
      if (at(s, i).kind != instruction_kind::store) continue;
      const int value = at(s, i).operand[0];
      const bool is_derivative = applies<ops::gelu_tanh_derivative>(at(s, value));
      int& to = is_derivative ? e.aux : e.result;
      if (to >= 0 || !is_whole(p_, s, at(s, i), instruction_kind::store)) return {};
      to = access_at(s, i);
      (is_derivative ? derivative_of : stored) = is_derivative ? at(s, value).operand[0] : value;
      used += is_derivative ? 2 : 1;
    }
    if (stored < 0) return {};
    if (applies<ops::maximum>(at(s, stored)) && is_zero(at(s, at(s, stored).operand[0]))) {
      e.function = product_function::relu;
      stored = at(s, stored).operand[1];
      used += 2;
    } else if (applies<ops::gelu_tanh>(at(s, stored))) {
      e.function = product_function::gelu_tanh;
      stored = at(s, stored).operand[0];
      used += 1;
    }
    if (e.aux >= 0 && (e.function != product_function::gelu_tanh || derivative_of != stored || !is_read_once(e.aux)))
      return {};
    if (applies<ops::add>(at(s, stored))) {
      for (int side = 0; side < 2 && e.bias < 0; ++side)
        if (loads(s, at(s, stored).operand[1 - side], z)) e.bias = bias_of(s, at(s, at(s, stored).operand[side]));
      if (e.bias < 0) return {};
      used += 3;
    } else if (loads(s, stored, z)) {
      used += 1;
    } else {
      return {};
    }
    if (used == s.instructions) e.reader = reader;
    return e;
  }
  /// Whether what is written here is read once, and not by the caller.
  constexpr bool is_read_once(int written) const {
    const int buffer = p_.accesses[written].buffer;
    return p_.buffers[buffer].kind == buffer_kind::temporary && uses_[buffer] == 2;
  }
  /// The access of a vector with one element for each column; -1: the operand is no such vector.
  constexpr int bias_of(const step& s, const instruction& load) const {
    if (load.kind != instruction_kind::load || load.type != dtype::float32 || load.stride != stride_class::unit)
      return -1;
    const access& a = access_of(s, load);
    return a.offset == 0 && a.stride[0] == 0 && a.stride[1] == 1 ? s.first_access + load.access() : -1;
  }

  /// An instruction that is the gradient of a function of another product, and what else it takes.
  struct derivative {
    int at = -1;      ///< -1: there is no such step
    int of = -1;      ///< load of z
    int by = -1;      ///< the load of the other product's aux tensor
    int factor = -1;  ///< the instruction that makes a factor of it: a condition, or the derivative
  };
  constexpr derivative relu_gradient(const step& s, int i, int z) const {
    if (!applies<ops::where>(at(s, i)) || !applies<ops::greater>(at(s, at(s, i).operand[0]))) return {};
    const int condition = at(s, i).operand[0], of = at(s, i).operand[1], by = at(s, condition).operand[0];
    const bool cuts = is_zero(at(s, at(s, condition).operand[1])) && is_zero(at(s, at(s, i).operand[2]));
    return cuts && loads(s, of, z) && is_kept(s, by, product_function::relu) ? derivative{i, of, by, condition}
                                                                             : derivative();
  }
  constexpr derivative gelu_gradient(const step& s, int i, int z) const {
    for (int side = 0; side < 2; ++side) {
      const int of = at(s, i).operand[side], factor = at(s, i).operand[1 - side];
      const bool is_computed = applies<ops::gelu_tanh_derivative>(at(s, factor));
      const int by = is_computed ? at(s, factor).operand[0] : factor;
      if (!loads(s, of, z) || !is_kept(s, by, product_function::gelu_tanh)) continue;
      if (aux_of(s, by).is_in_place == is_computed) return {i, of, by, factor};
    }
    return {};
  }
  /// Whether an instruction loads what a product with this function has written for the gradient.
  constexpr bool is_kept(const step& s, int i, product_function f) const {
    if (!is_whole(p_, s, at(s, i), instruction_kind::load)) return false;
    const int by = aux_by_[access_of(s, at(s, i)).buffer];
    if (by < 0 || !(p_.steps[by].space == s.space) || p_.steps[by].place != s.place) return false;
    return aux_of(s, i).function == f;
  }
  /// The epilogue of that product.
  constexpr const epilogue& aux_of(const step& s, int i) const {
    return found_[aux_by_[access_of(s, at(s, i)).buffer]];
  }

  /// The reader may come much later, when what is stored can be where the product is, but not yet where the reader
  /// would write it.
  constexpr epilogue gradient(int reader, int z) const {
    const step& s = p_.steps[reader];
    derivative d;
    for (int i = 0; i < s.instructions && d.at < 0; ++i)
      if (!at(s, i).reduced) d = applies<ops::mul>(at(s, i)) ? gelu_gradient(s, i, z) : relu_gradient(s, i, z);
    if (d.at < 0) return {};
    epilogue e;
    e.is_gradient = true;
    e.other = aux_by_[access_of(s, at(s, d.by)).buffer];
    e.function = aux_of(s, d.by).function;
    if (e.function == product_function::gelu_tanh) e.aux = access_at(s, d.by);
    for (int i = 0; i < s.instructions; ++i) {
      const instruction& x = at(s, i);
      if (x.kind == instruction_kind::reduce) {
        if (e.has_sums || !is_sum_of_columns(x) || x.operand[0] != d.at) return {};
        e.has_sums = true;
      } else if (x.kind == instruction_kind::store && !x.reduced) {
        if (x.operand[0] != d.at || !is_whole(p_, s, x, instruction_kind::store) ||
            root_of(access_of(s, x).buffer) != root_of(z))
          return {};
      } else if (!x.reduced && i != d.at && i != d.of && i != d.by && i != d.factor) {
        return {};
      } else if (x.reduced && x.kind == instruction_kind::store && s.kind == step_kind::map) {
        return {};
      }
    }
    if (e.has_sums == (s.kind == step_kind::over_columns)) e.reader = reader;
    return e;
  }

  /// Of the product that is step `s`, if a later step sums the columns of its second factor. No other product does the
  /// work of that step then.
  constexpr epilogue of_factor(int s) {
    const step& product = p_.steps[s];
    const access& y = p_.accesses[product.first_access + 1];
    const int reader = y.buffer < 0 ? -1 : summed_by_[y.buffer];
    if (reader <= s || p_.buffers[y.buffer].kind != buffer_kind::temporary) return {};
    const shape& summed = p_.steps[reader].space;
    if (y.offset != 0 || y.stride[0] != summed[1] || y.stride[1] != 1 || summed[1] != product.space[1]) return {};
    if (summed[0] != p_.parameters[product.first_parameter] || p_.steps[reader].place != product.place) return {};
    summed_by_[y.buffer] = -1;
    return {.reader = reader, .has_sums = true};
  }
};

/// The epilogue of each step of the program `Lowered::value`.
template <class Lowered>
struct with_epilogues {
  static constexpr indexed_array<epilogue, Lowered::size.steps + 1> value =
      epilogue_search<Lowered::size>(Lowered::value).run();
};

}  // namespace kroton::passes
