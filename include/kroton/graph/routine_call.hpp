// This header has what a routine is called with: its result, its operands and its workspace, in memory.
//
//     z = cumsum(x, axis<1>), x (2, 3) floats  ->  call.form {axis 1}, call.result {float*, extents 2 3},
//                                                  call.operands ({const float*, extents 2 3})
#pragma once

#include <kroton/config.hpp>

#include <cstddef>
#include <cstdint>
#include <tuple>

namespace kroton {

/// A whole tensor in memory, in row-major order: `x[i]` is element `i` of `x.size()`. Axes count from the front, or
/// from the back where they are negative.
template <class T>
struct routine_tensor {
  T* data = nullptr;
  int rank = 0;
  std::int64_t extents[max_rank] = {};

  KROTON_HD constexpr T& operator[](std::int64_t i) const { return data[i]; }
  KROTON_HD constexpr std::int64_t extent(int axis) const { return extents[axis < 0 ? axis + rank : axis]; }
  KROTON_HD constexpr std::int64_t size() const { return product(0, rank); }
  /// The number of index combinations of the axes before `axis`, and of those after it: element (i, k, j) of the three
  /// groups is `x[(i * x.extent(axis) + k) * x.count_after(axis) + j]`.
  KROTON_HD constexpr std::int64_t count_before(int axis) const { return product(0, axis < 0 ? axis + rank : axis); }
  KROTON_HD constexpr std::int64_t count_after(int axis) const {
    return product((axis < 0 ? axis + rank : axis) + 1, rank);
  }
  constexpr T* begin() const { return data; }
  constexpr T* end() const { return data + size(); }

 private:
  KROTON_HD constexpr std::int64_t product(int first, int past) const {
    std::int64_t count = 1;
    for (int axis = first; axis < past; ++axis) count *= extents[axis];
    return count;
  }
};

/// The argument of a routine's functions on every backend: `const auto& [x, y] = call.operands;`. Backends add
/// `for_each`.
template <class Form, class Result, class... Operands>
struct routine_call {
  Form form;                                               ///< the numbers of this use, such as an axis
  routine_tensor<Result> result;                           ///< to be written as a whole
  std::tuple<routine_tensor<const Operands>...> operands;  ///< see routine::in_place
  std::byte* workspace = nullptr;                          ///< as many bytes as routine::workspace says
};

namespace graph {
/// A task of a device: copies an element.
template <class T>
struct copy_task {
  const T* from;
  T* to;
  KROTON_HD constexpr void operator()(std::int64_t i) const { to[i] = from[i]; }
};
}  // namespace graph

}  // namespace kroton
