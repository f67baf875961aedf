// This header brings the instructions of a step into one order for all steps that compute the same, so that they share
// a kernel. Constants come first, each of them once, and the operands of commutative operations have the order of their
// numbers.
//
//     load 0, constant 2, mul #0 #1, store 1 of #2  ->  constant 2, load 0, mul #0 #1, store 1 of #2
#pragma once

#include <kroton/passes/program.hpp>

#include <utility>

namespace kroton::passes {

/// Brings the instructions from `first` to the end of the list, those of one step, into that order.
class canonical_kernel {
 public:
  constexpr canonical_kernel(array_list<instruction>& list, int first) : list_(list), first_(first) {
    array_list<instruction> written;
    written.append(list.items + first, list.size() - first);
    while (list.size() > first) list.pop_back();
    for (const instruction& i : written)
      if (i.kind == instruction_kind::constant) insert_constant(i);
    array_list<int> now(written.size(), 0);  // the number of each instruction in the new order
    for (int i = 0; i < written.size(); ++i) {
      if (written[i].kind == instruction_kind::constant) {
        while (!(list[first + now[i]] == written[i])) ++now[i];
      } else {
        now[i] = list.size() - first;
        list.push_back(with_operands(written[i], now));
      }
    }
  }

 private:
  array_list<instruction>& list_;
  int first_;

  static constexpr bool before(const instruction& x, const instruction& y) {
    return x.type != y.type ? x.type < y.type : x.payload < y.payload;
  }
  constexpr void insert_constant(const instruction& c) {
    int to = first_;
    while (to < list_.size() && before(list_[to], c)) ++to;
    if (to < list_.size() && list_[to] == c) return;
    list_.push_back(c);
    for (int i = list_.size() - 1; i > to; --i) list_[i] = list_[i - 1];
    list_[to] = c;
  }
  static constexpr instruction with_operands(instruction x, const array_list<int>& now) {
    for (int& operand : x.operand)
      if (operand >= 0) operand = now[operand];
    if (x.op->commutative && x.operand[0] > x.operand[1] && x.operand[1] >= 0) std::swap(x.operand[0], x.operand[1]);
    return x;
  }
};

}  // namespace kroton::passes
