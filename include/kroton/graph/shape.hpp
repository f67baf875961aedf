// This header has shapes as values. An extent is a number or a symbol, and symbols are rows of a table of named, free
// and derived extents.
//
//     (batch, 2 * batch, 3)  ->  extent codes {-1, -2, 3}; symbols: batch, product of 2 and -1
#pragma once

#include <kroton/config.hpp>
#include <kroton/graph/array.hpp>

#include <cstdint>
#include <limits>

namespace kroton {

/// An extent: a number when >= 0, else the symbol `extent_symbol(-1 - e)` of the graph's extent table.
using extent_code = std::int64_t;

/// The extents of a tensor, axis after axis, as rules of shape see them.
struct shape {
  int rank = 0;
  extent_code extent[max_rank] = {};

  constexpr extent_code& operator[](int axis) { return extent[axis]; }
  constexpr extent_code operator[](int axis) const { return extent[axis]; }
  constexpr void append(extent_code e) { extent[rank++] = e; }
  friend constexpr bool operator==(const shape& x, const shape& y) {
    if (x.rank != y.rank) return false;
    for (int i = 0; i < x.rank; ++i)
      if (x.extent[i] != y.extent[i]) return false;
    return true;
  }
  constexpr std::uint32_t hash() const {
    std::uint32_t h = static_cast<std::uint32_t>(rank);
    for (int i = 0; i < rank; ++i) h = (h ^ static_cast<std::uint32_t>(extent[i])) * 0x01000193u;
    return h ^ (h >> 16);
  }
};

namespace graph {
/// How the value of a symbolic extent is found when a function is called.
enum class extent_kind : std::uint8_t {
  named,       ///< a kt::dim: every argument that carries it must agree
  free,        ///< kt::any: read from axis b of argument a
  of_shared,   ///< kt::any of a shared variable: axis b of shared variable a
  scalar,      ///< the value of the scalar integer argument a (a slice bound)
  minimum,     ///< the smaller one of a and b
  sum,         ///< a + b
  difference,  ///< a - b
  product,     ///< a * b
  ceil_divide  ///< (a + b - 1) / b
};

/// Whether an extent follows from two others.
constexpr bool is_derived(extent_kind kind) {
  return kind == extent_kind::minimum || kind == extent_kind::sum || kind == extent_kind::difference ||
         kind == extent_kind::product || kind == extent_kind::ceil_divide;
}

struct extent_symbol {
  extent_kind kind = extent_kind::named;
  std::int64_t a = 0, b = 0;   ///< a named extent has its identity in `a`
  const char* name = nullptr;  ///< of a named extent
  friend constexpr bool operator==(const extent_symbol& x, const extent_symbol& y) {
    return x.kind == y.kind && x.a == y.a && x.b == y.b;
  }
  constexpr std::uint32_t hash() const {
    const std::uint32_t h = hash_more(hash_more(static_cast<std::uint32_t>(kind), a), b);
    return h ^ (h >> 16);
  }
};

/// A condition checked at the call, before anything runs.
struct requirement {
  /// `fits`: at most b, so that an element type holds it
  enum class kind : std::uint8_t { equal, at_most, positive, fits } what = kind::equal;
  extent_code a = 0, b = 0;
  const char* operation = nullptr;
  /// Whether it holds for these values of `a` and `b`.
  constexpr bool holds(std::int64_t x, std::int64_t y) const {
    return what == kind::equal ? x == y : what == kind::positive ? x > 0 : x <= y;
  }
  /// The same condition, whichever operation needs it: addresses of string literals cannot be compared in constants.
  friend constexpr bool operator==(const requirement& x, const requirement& y) {
    return x.what == y.what && x.a == y.a && x.b == y.b;
  }
  constexpr std::uint32_t hash() const {
    const std::uint32_t h = hash_more(hash_more(static_cast<std::uint32_t>(what), a), b);
    return h ^ (h >> 16);
  }
};

/// How far a view moves in its buffer from one iteration of a loop to the next, and the same for a loop around it.
struct loop_motion {
  int loop = 0;
  bool goes_back = false;
  extent_code stride = 0;  ///< elements
  int outer = -1;          ///< another motion of the same view, -1: none
  friend constexpr bool operator==(const loop_motion&, const loop_motion&) = default;
  constexpr std::uint32_t hash() const {
    return hash_more(hash_more(static_cast<std::uint32_t>(2 * loop + goes_back), stride), outer);
  }
};

/// The symbols of a graph, the arithmetic on extents that makes new ones, and the conditions it could not decide.
class extent_table {
 public:
  interned_list<extent_symbol> symbols;
  interned_list<requirement> requirements;
  interned_list<loop_motion> motions;

  constexpr extent_code intern(const extent_symbol& s) { return -1 - symbols.intern(s); }
  constexpr const extent_symbol& symbol(extent_code e) const { return symbols[static_cast<int>(-1 - e)]; }
  constexpr bool is_named(extent_code e) const { return e < 0 && symbol(e).kind == extent_kind::named; }

  constexpr extent_code add(extent_code a, extent_code b) {
    if (a >= 0 && b >= 0) return a + b;
    if (a == 0) return b;
    if (b == 0) return a;
    if (a < 0 && symbol(a).kind == extent_kind::difference && symbol(a).b == b) return symbol(a).a;
    if (b < 0 && symbol(b).kind == extent_kind::difference && symbol(b).b == a) return symbol(b).a;
    return intern({extent_kind::sum, a, b});
  }
  constexpr extent_code subtract(extent_code a, extent_code b) {
    if (a >= 0 && b >= 0) return a < b ? 0 : a - b;  // what is negative is no extent; a requirement reports it
    if (b == 0) return a;
    if (a == b) return 0;
    return intern({extent_kind::difference, a, b});
  }
  constexpr extent_code multiply(extent_code a, extent_code b) {
    if (a >= 0 && b >= 0) return a * b;
    if (a == 1 || b == 0) return b;
    if (b == 1 || a == 0) return a;
    if (a >= 0) return multiply(b, a);
    if (b >= 0 && symbol(a).kind == extent_kind::product && symbol(a).b >= 0)
      return intern({extent_kind::product, symbol(a).a, symbol(a).b * b});
    return intern({extent_kind::product, a, b});
  }
  constexpr extent_code ceil_divide(extent_code a, extent_code b) {
    if (a >= 0 && b > 0) return (a + b - 1) / b;
    if (b == 1) return a;
    if (a < 0 && symbol(a).kind == extent_kind::product && symbol(a).b == b) return symbol(a).a;
    return intern({extent_kind::ceil_divide, a, b});
  }

  constexpr extent_code minimum(extent_code a, extent_code b) {
    if (a >= 0 && b >= 0) return a < b ? a : b;
    if (a == b) return a;
    if (a == 0 || b == 0) return 0;
    return a < b ? intern({extent_kind::minimum, a, b}) : intern({extent_kind::minimum, b, a});
  }

  constexpr void require(const requirement& r) {
    const bool are_numbers = r.a >= 0 && r.b >= 0;
    if (!are_numbers || !r.holds(r.a, r.b)) requirements.intern(r);
  }
  /// One extent for two that must be equal: the more specific one; what cannot be decided now is checked at the call.
  constexpr extent_code unify(extent_code a, extent_code b, const char* operation) {
    if (a == b) return a;
    const bool first = a >= 0 || (is_named(a) && b < 0);
    require({requirement::kind::equal, first ? a : b, first ? b : a, operation});
    return first ? a : b;
  }

  /// The number of elements of a tensor of shape `s`, or of those along the axes of a mask.
  constexpr extent_code elements(const shape& s, std::int64_t axes = -1) {
    extent_code n = 1;
    for (int axis = 0; axis < s.rank; ++axis)
      if (((axes >> axis) & 1) != 0 && s.extent[axis] != 1) n = n == 1 ? s.extent[axis] : multiply(n, s.extent[axis]);
    return n;
  }
};

/// The value of `e`, given the value of every symbol.
constexpr std::int64_t extent_value(extent_code e, const std::int64_t* values) { return e >= 0 ? e : values[-1 - e]; }

/// The value of a derived symbol from the values of the symbols before it, or the nearest number that there is.
constexpr std::int64_t derived_extent(const extent_symbol& s, const std::int64_t* values) {
  __extension__ typedef __int128 wide;
  const wide a = extent_value(s.a, values), b = extent_value(s.b, values);
  const wide exact = s.kind == extent_kind::sum          ? a + b
                     : s.kind == extent_kind::difference ? a - b
                     : s.kind == extent_kind::product    ? a * b
                     : s.kind == extent_kind::minimum    ? (a < b ? a : b)
                     : b == 0                            ? 0
                                                         : (a + b - 1) / b;
  using limits = std::numeric_limits<std::int64_t>;
  return exact > limits::max()   ? limits::max()
         : exact < limits::min() ? limits::min()
                                 : static_cast<std::int64_t>(exact);
}
/// Fills in the values of all derived symbols, which stand after those that they are derived from.
constexpr void derive_extents(const extent_symbol* symbols, int count, std::int64_t* values) {
  for (int i = 0; i < count; ++i)
    if (is_derived(symbols[i].kind)) values[i] = derived_extent(symbols[i], values);
}
}  // namespace graph

}  // namespace kroton
