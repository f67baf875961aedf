// This header has vectors that are indexed by integers of any type, because the numbers of steps, buffers and places
// are ints: `operands[step.first_access]`.
#pragma once

#include <concepts>
#include <utility>
#include <vector>

namespace kroton::runtime {

/// A std::vector whose `v[i]` takes an int as well: `v[step.place]`. Indices are not negative, which is not checked.
template <class T>
class indexed_vector : public std::vector<T> {
 public:
  using std::vector<T>::vector;
  indexed_vector() = default;
  indexed_vector(std::vector<T> items) : std::vector<T>(std::move(items)) {}
  decltype(auto) operator[](std::integral auto i) { return std::vector<T>::operator[](static_cast<std::size_t>(i)); }
  decltype(auto) operator[](std::integral auto i) const {
    return std::vector<T>::operator[](static_cast<std::size_t>(i));
  }
};

}  // namespace kroton::runtime
