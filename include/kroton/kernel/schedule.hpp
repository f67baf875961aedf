// This header decides when each instruction of a fused kernel is evaluated: in which phase, that is in which of several
// loops over a row, and in which later phases it is evaluated again.
//
//     softmax: load, max, sub, exp, sum, div, store
//       ->  phase 0: load, max    phase 1: load, sub, exp, sum    phase 2: exp, read again from the output, div, store
#pragma once

#include <kroton/kernel/fused.hpp>

namespace kroton::kernel {

/// The facts about an instruction type that the schedule needs.
struct instruction_info {
  instruction_kind kind;
  bool reduced;
  int access = -1;
  int operand[most_operands] = {-1, -1, -1, -1};
  dtype type = dtype::boolean;
  stride_class stride = stride_class::zero;
  int cost = 0;
};

template <class I>
struct instruction_traits;
template <int A, class T, stride_class S, bool R>
struct instruction_traits<load<A, T, S, R>> {
  using type = computed_in_t<T>;
  static constexpr instruction_info info{
      .kind = instruction_kind::load, .reduced = R, .access = A, .type = dtype_of<T>, .stride = S};
};
template <int A, class T, stride_class S, bool R>
struct instruction_traits<index<A, T, S, R>> {
  using type = T;
  static constexpr instruction_info info{instruction_kind::index, R, A};
};
template <class T, std::int64_t B>
struct instruction_traits<constant<T, B>> {
  using type = T;
  static constexpr instruction_info info{instruction_kind::constant, true};
};
template <int P, class T>
struct instruction_traits<extent<P, T>> {
  using type = T;
  static constexpr instruction_info info{instruction_kind::extent, true};
};
template <class Op, class T, bool R, int... O>
struct instruction_traits<apply<Op, T, R, O...>> {
  using type = T;
  static constexpr instruction_info info = [] {
    instruction_info i{instruction_kind::apply, R};
    const int operands[] = {O...};
    for (int j = 0; j < static_cast<int>(sizeof...(O)); ++j) i.operand[j] = operands[j];
    i.type = dtype_of<T>;
    if constexpr (requires { Op::cost; }) i.cost = Op::cost;
    return i;
  }();
};
template <class T, bool R, int O>
struct instruction_traits<convert<T, R, O>> {
  using type = computed_in_t<T>;
  static constexpr instruction_info info{instruction_kind::cast, R, -1, {O, -1, -1, -1}};
};
template <class Op, class T, int O>
struct instruction_traits<reduce<Op, T, O>> {
  using type = T;
  static constexpr instruction_info info{instruction_kind::reduce, true, -1, {O, -1, -1, -1}};
};
template <int A, class T, stride_class S, bool R, int O>
struct instruction_traits<store<A, T, S, R, O>> {
  using type = computed_in_t<T>;
  static constexpr instruction_info info{instruction_kind::store, R, A, {O, -1, -1, -1}, dtype_of<T>, S};
};

/// The phases of `Count` instructions. Element values of phase p are computed in the p-th loop over the innermost axes;
/// reduced values of phase p are known before that loop begins. `needed[p][i]`: loop p needs element value i. A loop
/// computes the values of earlier loops again, from the row in the cache. An expensive value is kept instead, if the
/// kernel has an output of its type: it lies in the memory of the output until the output itself is written, and
/// `kept_in[i]` is the access of that store, or -1.
template <int Count>
struct schedule {
  plain_array<int, Count> phase = {};
  int phases = 0;
  plain_array<plain_array<bool, Count + 1>, Count> needed = {};
  plain_array<int, Count> kept_in = {};
  int accesses = 0;

  /// `how`: the stride of stores whose outputs may keep a value.
  constexpr explicit schedule(const instruction_info* info, stride_class how = stride_class::unit) {
    for (int i = 0; i < Count; ++i) {
      const instruction_info& x = info[i];
      kept_in[i] = -1;
      for (int j = 0; j < most_operands; ++j)
        if (x.operand[j] >= 0 && phase[x.operand[j]] > phase[i]) phase[i] = phase[x.operand[j]];
      if (x.kind == instruction_kind::reduce) ++phase[i];
      if (x.access >= accesses) accesses = x.access + 1;
      const bool loops = x.kind == instruction_kind::reduce || (x.kind == instruction_kind::store && !x.reduced);
      const int last = x.kind == instruction_kind::reduce ? phase[i] : phase[i] + 1;
      if (loops && last > phases) phases = last;
    }
    find_needed(info);
    for (int s = 0; s < Count; ++s)
      if (info[s].kind == instruction_kind::store && !info[s].reduced && info[s].stride == how)
        keep_something_in(info, s);
  }

  /// The first loop that needs element value `i`; -1 if none does.
  constexpr int first(int i) const {
    for (int p = 0; p < phases; ++p)
      if (needed[p][i]) return p;
    return -1;
  }
  /// Whether each kept value is computed in the loop of its own phase, so that it is written before it is read again.
  constexpr bool computes_what_it_keeps() const {
    for (int i = 0; i < Count; ++i)
      if (kept_in[i] >= 0 && !needed[phase[i]][i]) return false;
    return true;
  }

 private:
  static constexpr int expensive = 8;

  constexpr void find_needed(const instruction_info* info) {
    for (int p = 0; p < phases; ++p)
      for (int i = 0; i < Count; ++i) needed[p][i] = false;
    for (int p = 0; p < phases; ++p)
      for (int i = Count - 1; i >= 0; --i) {
        const instruction_info& x = info[i];
        const bool sink = (x.kind == instruction_kind::reduce && phase[i] == p + 1) ||
                          (x.kind == instruction_kind::store && !x.reduced && phase[i] == p);
        if (sink) needed[p][i] = true;
        if (!needed[p][i] || (kept_in[i] >= 0 && p > phase[i])) continue;
        for (int j = 0; j < most_operands; ++j)
          if (x.operand[j] >= 0 && !info[x.operand[j]].reduced) needed[p][x.operand[j]] = true;
      }
  }
  /// Keeps an expensive value in the output that store `s` writes later, if the loop of the value's own phase computes
  /// it. The exponential of softmax is kept, because the sum needs it; the one in `exp(x) * sum(x)` is not, because the
  /// sum does not need it. The output may lie in the memory of an operand (a new value that is written in place), so
  /// later loops must not load elements of its type.
  constexpr void keep_something_in(const instruction_info* info, int s) {
    for (int i = Count - 1; i >= 0; --i) {
      const instruction_info& x = info[i];
      if (x.kind != instruction_kind::apply || x.reduced || x.cost < expensive || x.type != info[s].type) continue;
      if (kept_in[i] >= 0 || phase[i] >= phase[s] || !needed[phase[s]][i]) continue;
      if (!needed[phase[i]][i]) continue;  // the loop that would write it does not compute it
      kept_in[i] = info[s].access;
      find_needed(info);
      bool safe = true;
      for (int p = phase[i]; p < phases; ++p)
        for (int l = 0; l < Count; ++l)
          if (needed[p][l] && info[l].kind == instruction_kind::load && !info[l].reduced && p > phase[i] &&
              info[l].type == x.type && info[l].stride != stride_class::zero)
            safe = false;
      for (int p = phase[s] + 1; p < phases; ++p)  // the output has replaced the value by then
        if (needed[p][i]) safe = false;
      if (safe) return;
      kept_in[i] = -1;
      find_needed(info);
    }
  }
};

/// Some instructions of a kernel, in order.
template <int Count>
struct selection {
  plain_array<int, Count + 1> of = {};
  int size = 0;
  constexpr void add_if(bool wanted, int k) {
    if (wanted) of[size++] = k;
  }
};

template <class Fused>
struct plan_of;
template <step_kind Kind, class... I>
struct plan_of<fused<Kind, I...>> {
  static constexpr int count = sizeof...(I);
  static constexpr step_kind kind = Kind;
  static constexpr instruction_info info[] = {instruction_traits<I>::info...};
  /// Columns have elements in outputs only where they are rows side by side, whose elements are any distance apart.
  static constexpr stride_class kept_stride =
      Kind == step_kind::over_columns ? stride_class::strided : stride_class::unit;
  static constexpr schedule<count> when{info, kept_stride};
  static_assert(when.computes_what_it_keeps());

  /// The instructions that loop `phase` evaluates for each element; none if there is no such loop.
  static constexpr selection<count> evaluated(int phase) {
    selection<count> every;
    for (int k = 0; k < count && phase < when.phases; ++k) every.add_if(when.needed[phase][k], k);
    return every;
  }
  /// The reductions of loop `phase`.
  static constexpr selection<count> reductions(int phase) {
    selection<count> every;
    for (int k = 0; k < count && phase < when.phases; ++k)
      every.add_if(when.needed[phase][k] && info[k].kind == instruction_kind::reduce, k);
    return every;
  }
  /// The instructions with values of whole rows that are known when loop `phase` begins, and not earlier.
  static constexpr selection<count> due(int phase) {
    selection<count> every;
    for (int k = 0; k < count; ++k) every.add_if(info[k].reduced && when.phase[k] == phase, k);
    return every;
  }
};

}  // namespace kroton::kernel
