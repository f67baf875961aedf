// This header evaluates routines in double and in 64-bit integers, by their own function for the host.
#pragma once

#include <kroton/graph/routine.hpp>
#include <kroton/runtime/context/error.hpp>
#include <kroton/runtime/reference/tensor.hpp>

#include <vector>

namespace kroton::reference {

/// The elements of a tensor in the types that routines have in the reference: double, int64, uint64 or bool.
class routine_elements {
 public:
  routine_elements(dtype type, const reference_tensor& x) : type_(reference_type(type)), extents_(x.extents) {
    if (type_ == dtype::float64) numbers_ = x.values;
    for (std::size_t i = 0; type_ != dtype::float64 && i < x.values.size(); ++i)
      if (type_ == dtype::boolean) truths_.push_back(x.integer(i) != 0);
      else integers_.push_back(x.integer(i));
  }
  reference_array array() {
    reference_array a{type_ == dtype::float64   ? static_cast<void*>(numbers_.data())
                      : type_ == dtype::boolean ? static_cast<void*>(truths_.data())
                                                : integers_.data(),
                      type_,
                      static_cast<int>(extents_.size()),
                      {}};
    for (std::size_t axis = 0; axis < extents_.size(); ++axis) a.extents[axis] = extents_[axis];
    return a;
  }
  std::vector<double>& numbers() { return numbers_; }
  /// Element `i` of a tensor of integers or bool.
  std::int64_t integer(std::size_t i) const { return type_ == dtype::boolean ? truths_[i] : integers_[i]; }

 private:
  dtype type_;
  index_list extents_;
  std::vector<double> numbers_;
  std::vector<std::int64_t> integers_;
  std::vector<unsigned char> truths_;  // each holds a bool
};

/// Runs the routine of node `n` on operands, into a result of the type of the node. Throws error where the routine's
/// rules for types do not fit each other.
inline void run_routine(const node& n, std::vector<routine_elements>& operands, routine_elements& result) {
  std::vector<reference_array> arrays;
  std::vector<shape> shapes;
  std::vector<dtype> types;
  for (routine_elements& x : operands) {
    const reference_array& a = arrays.emplace_back(x.array());
    shape& s = shapes.emplace_back();
    for (int axis = 0; axis < a.rank; ++axis) s.append(a.extents[axis]);
    types.push_back(a.type);
  }
  extent_table numbers_alone;
  const extent_code bytes = n.op->routine->workspace(numbers_alone, shapes.data(), types.data(), n.attr);
  std::vector<double> workspace(static_cast<std::size_t>(bytes) / sizeof(double) + 1);
  if (!n.op->routine->reference(
          {n.attr, result.array(), arrays.data(), reinterpret_cast<std::byte*>(workspace.data())}))
    throw error(message("kroton: the routine ", n.op->name, " has a result of ", name_of(n.type),
                        ", which its rule gives for no operands in double and 64-bit integers; see kt::routine"));
}

}  // namespace kroton::reference
