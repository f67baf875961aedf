// When each instruction of a fused kernel is evaluated: which loop over the innermost axes, and which loops repeat it.
#pragma once

#include <kroton/kernel/fused.hpp>

namespace kroton::kernel {

/// What the schedule needs of an instruction type.
struct instruction_info {
  instruction_kind kind;
  bool reduced;
  int access;
  int operand[3];
};

template <class I>
struct instruction_traits;
template <int A, class T, stride_class S, bool R>
struct instruction_traits<load<A, T, S, R>> {
  using type = T;
  static constexpr instruction_info info{instruction_kind::load, R, A, {-1, -1, -1}};
};
template <int A, class T, stride_class S, bool R>
struct instruction_traits<index<A, T, S, R>> {
  using type = T;
  static constexpr instruction_info info{instruction_kind::index, R, A, {-1, -1, -1}};
};
template <class T, std::int64_t B>
struct instruction_traits<constant<T, B>> {
  using type = T;
  static constexpr instruction_info info{instruction_kind::constant, true, -1, {-1, -1, -1}};
};
template <int P, class T>
struct instruction_traits<extent<P, T>> {
  using type = T;
  static constexpr instruction_info info{instruction_kind::extent, true, -1, {-1, -1, -1}};
};
template <class Op, class T, bool R, int... O>
struct instruction_traits<apply<Op, T, R, O...>> {
  using type = T;
  static constexpr instruction_info info = [] {
    instruction_info i{instruction_kind::apply, R, -1, {-1, -1, -1}};
    const int operands[] = {O...};
    for (int j = 0; j < static_cast<int>(sizeof...(O)); ++j) i.operand[j] = operands[j];
    return i;
  }();
};
template <class T, bool R, int O>
struct instruction_traits<convert<T, R, O>> {
  using type = T;
  static constexpr instruction_info info{instruction_kind::cast, R, -1, {O, -1, -1}};
};
template <class Op, class T, int O>
struct instruction_traits<reduce<Op, T, O>> {
  using type = T;
  static constexpr instruction_info info{instruction_kind::reduce, true, -1, {O, -1, -1}};
};
template <int A, class T, stride_class S, bool R, int O>
struct instruction_traits<store<A, T, S, R, O>> {
  using type = T;
  static constexpr instruction_info info{instruction_kind::store, R, A, {O, -1, -1}};
};

/// Phases of `Count` instructions. Element values of phase p are computed in the p-th loop over the innermost axes;
/// reduced values of phase p are known before that loop begins. `needed[p][i]`: loop p evaluates element value i (again,
/// when an earlier loop did so already: reading the row anew from cache is cheaper than keeping it).
template <int Count>
struct schedule {
  int phase[Count] = {};
  int phases = 0;
  bool needed[Count][Count + 1] = {};
  int accesses = 0;

  constexpr explicit schedule(const instruction_info* info) {
    for (int i = 0; i < Count; ++i) {
      const instruction_info& x = info[i];
      for (int j = 0; j < 3; ++j)
        if (x.operand[j] >= 0 && phase[x.operand[j]] > phase[i]) phase[i] = phase[x.operand[j]];
      if (x.kind == instruction_kind::reduce) ++phase[i];
      if (x.access >= accesses) accesses = x.access + 1;
      const bool loops = x.kind == instruction_kind::reduce || (x.kind == instruction_kind::store && !x.reduced);
      const int last = x.kind == instruction_kind::reduce ? phase[i] : phase[i] + 1;
      if (loops && last > phases) phases = last;
    }
    for (int p = 0; p < phases; ++p)
      for (int i = Count - 1; i >= 0; --i) {
        const instruction_info& x = info[i];
        const bool sink = (x.kind == instruction_kind::reduce && phase[i] == p + 1) ||
                          (x.kind == instruction_kind::store && !x.reduced && phase[i] == p);
        if (sink) needed[p][i] = true;
        if (!needed[p][i]) continue;
        for (int j = 0; j < 3; ++j)
          if (x.operand[j] >= 0 && !info[x.operand[j]].reduced) needed[p][x.operand[j]] = true;
      }
  }
};

template <class Fused>
struct plan_of;
template <step_kind Kind, class... I>
struct plan_of<fused<Kind, I...>> {
  static constexpr int count = sizeof...(I);
  static constexpr step_kind kind = Kind;
  static constexpr instruction_info info[] = {instruction_traits<I>::info...};
  static constexpr schedule<count> when{info};
};

}  // namespace kroton::kernel
