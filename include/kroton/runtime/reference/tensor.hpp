// This header has the tensors of the reference, and walks over their indices.
#pragma once

#include <kroton/arithmetic/dtype.hpp>
#include <kroton/arithmetic/indexed.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace kroton::reference {

/// A tensor of any element type as doubles, in row-major order; bool as 0 and 1. Integers that doubles would round are
/// also in `integers`, without rounding, those of uint64 as their bits. If `integers` is empty, `values` has all
/// elements exactly.
struct reference_tensor {
  indexed_vector<std::int64_t> extents;
  indexed_vector<double> values;
  indexed_vector<std::int64_t> integers{};

  double operator[](std::integral auto i) const { return values[i]; }
  /// An element of a tensor of integers or bool.
  std::int64_t integer(std::integral auto i) const {
    if (!integers.empty()) return integers[i];
    const double value = values[i];  // the upper half of uint64 does not fit int64
    return value < 0x1p63 ? static_cast<std::int64_t>(value)
                          : static_cast<std::int64_t>(static_cast<std::uint64_t>(value));
  }
};

using index_list = indexed_vector<std::int64_t>;

inline std::size_t size_of(const index_list& extents) {
  std::size_t n = 1;
  for (std::int64_t e : extents) n *= static_cast<std::size_t>(e);
  return n;
}

/// Position of `index` in row-major order. Axes are aligned at the right, and along an axis of extent 1 every index is
/// 0, as broadcasting reads it.
inline std::size_t offset(const index_list& extents, const index_list& index) {
  const std::size_t missing = index.size() - extents.size();
  std::size_t at = 0;
  for (std::size_t axis = 0; axis < extents.size(); ++axis)
    at = at * static_cast<std::size_t>(extents[axis]) +
         (extents[axis] == 1 ? 0 : static_cast<std::size_t>(index[missing + axis]));
  return at;
}

/// As `offset`, for an operand of a product that may lack the batch axes; extents of 1 are not broadcast.
inline std::size_t matrix_offset(const reference_tensor& x, const index_list& index) {
  const std::size_t missing = index.size() - x.extents.size();
  return offset(x.extents, index_list(index.begin() + static_cast<std::ptrdiff_t>(missing), index.end()));
}

/// Calls `visit(index)` for every index below `extents`, in row-major order; once, with no axes, for a
/// scalar.
template <class F>
void for_each_index(const index_list& extents, F visit) {
  index_list index(extents.size(), 0);
  for (std::size_t left = size_of(extents); left > 0; --left) {
    visit(static_cast<const index_list&>(index));
    for (std::size_t axis = extents.size(); axis-- > 0;) {
      if (++index[axis] < extents[axis]) break;
      index[axis] = 0;
    }
  }
}

/// Random numbers, the same on every machine (splitmix64): 64 bits, or a number in [0, 1).
class uniform_numbers {
 public:
  explicit uniform_numbers(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  double operator()() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

/// The text of an integer of `type`.
inline std::string text_of(dtype type, std::int64_t bits) {
  return type == dtype::uint64 ? std::to_string(static_cast<std::uint64_t>(bits)) : std::to_string(bits);
}

/// The text of a list, such as `[2, 3]`.
inline std::string text_of(const index_list& list) {
  std::string text = "[";
  for (std::size_t i = 0; i < list.size(); ++i) {
    text += i == 0 ? "" : ", ";
    text += std::to_string(list[i]);
  }
  text += "]";
  return text;
}

}  // namespace kroton::reference
