// This header has vectors, arrays and spans that are indexed and counted by integers of any type, because the numbers
// of nodes, steps, buffers and axes are ints.
//
//     operands[static_cast<std::size_t>(step.first_access)]  ->  operands[step.first_access]
#pragma once

#include <array>
#include <concepts>
#include <span>
#include <utility>
#include <vector>

namespace kroton::arithmetic {

/// A std::vector whose `v[i]` takes an int as well: `v[step.place]`. Indices and counts are not negative, which is not
/// checked.
template <class T>
class indexed_vector : public std::vector<T> {
 public:
  using std::vector<T>::vector;
  indexed_vector() = default;
  indexed_vector(std::vector<T> items) : std::vector<T>(std::move(items)) {}
  explicit indexed_vector(std::integral auto count) : std::vector<T>(static_cast<std::size_t>(count)) {}
  indexed_vector(std::integral auto count, const T& value) : std::vector<T>(static_cast<std::size_t>(count), value) {}
  decltype(auto) operator[](std::integral auto i) { return std::vector<T>::operator[](static_cast<std::size_t>(i)); }
  decltype(auto) operator[](std::integral auto i) const {
    return std::vector<T>::operator[](static_cast<std::size_t>(i));
  }
};

/// A std::array of `Count` items, which `a[i]` indexes in the same way.
template <class T, int Count>
struct indexed_array : std::array<T, static_cast<std::size_t>(Count)> {
  using items = std::array<T, static_cast<std::size_t>(Count)>;
  constexpr T& operator[](std::integral auto i) { return items::operator[](static_cast<std::size_t>(i)); }
  constexpr const T& operator[](std::integral auto i) const { return items::operator[](static_cast<std::size_t>(i)); }
};

/// A std::span that `s[i]` indexes in the same way.
template <class T>
struct indexed_span : std::span<T> {
  using std::span<T>::span;
  constexpr indexed_span(std::span<T> items) : std::span<T>(items) {}
  constexpr T& operator[](std::integral auto i) const { return std::span<T>::operator[](static_cast<std::size_t>(i)); }
};

}  // namespace kroton::arithmetic
