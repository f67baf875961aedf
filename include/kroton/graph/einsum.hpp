// This header has sums of products whose axes have letters, which are made of products of matrices, two operands at a
// time, in the order that takes fewest operations.
//
//     ab,bc,cd->ad of (n, 100), (100, 2), (2, 100)  ->  %3 = ab,bc->ac (n, 2), %4 = ac,cd->ad (n, 100)
#pragma once

#include <kroton/graph/ops.hpp>

namespace kroton::graph {

/// The letters of the axes of an operand or of the result.
struct axis_letters {
  char letter[max_rank] = {};
  int count = 0;

  constexpr int find(char c) const {
    int i = 0;
    while (i < count && letter[i] != c) ++i;
    return i < count ? i : -1;
  }
  constexpr bool has(char c) const { return find(c) >= 0; }
  constexpr void add(char c) { letter[count++] = c; }
};
/// A tensor whose axes have letters.
struct lettered {
  term value;
  axis_letters letters;
};

/// What `kt::einsum` is given as text, `ij,jk->ik`; without `->`, the letters that occur once, in their order in the
/// alphabet.
struct einsum_text {
  static constexpr int most = 8;
  axis_letters operands[most];
  axis_letters result;
  int count = 0;
  bool is_valid = true;

  constexpr einsum_text(const char* text, int size) {
    bool is_result = false;
    axis_letters* now = operands;
    count = 1;
    for (int i = 0; i < size && is_valid; ++i) {
      const char c = text[i];
      const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      if (c == ' ') continue;
      if (is_letter && now->count < max_rank) now->add(c);
      else if (c == ',' && !is_result && count < most) now = operands + count++;
      else if (c == '-' && !is_result && i + 1 < size && text[i + 1] == '>') is_result = true, now = &result, ++i;
      else is_valid = false;
    }
    if (!is_result)
      for (char c = 'A'; c <= 'z'; ++c)
        if (occurrences(c) == 1) {
          if (result.count == max_rank) is_valid = false;
          else result.add(c);
        }
    for (int i = 0; i < result.count; ++i)
      is_valid = is_valid && occurrences(result.letter[i]) > 0 && result.find(result.letter[i]) == i;
  }
  constexpr int occurrences(char c) const {
    int found = 0;
    for (int k = 0; k < count; ++k)
      for (int i = 0; i < operands[k].count; ++i) found += operands[k].letter[i] == c ? 1 : 0;
    return found;
  }
};

class einsum_product {
 public:
  constexpr explicit einsum_product(const axis_letters& result) : result_(result) {}

  constexpr term of(array_list<lettered> operands) {
    for (lettered& x : operands) x = without_repetition(x);
    while (operands.size() > 1) {
      int first = 0, second = 1;
      cheapest(operands, first, second);
      array_list<lettered> rest;
      for (int i = 0; i < operands.size(); ++i)
        if (i != first && i != second) rest.push_back(operands[i]);
      rest.push_back(multiplied(operands[first], operands[second], rest));
      operands = rest;
    }
    const array_list<lettered> none;
    return in_order(summed(operands[0], none, none), result_).value;
  }

 private:
  axis_letters result_;

  constexpr bool is_wanted(char c, const array_list<lettered>& rest) const {
    for (const lettered& x : rest)
      if (x.letters.has(c)) return true;
    return result_.has(c);
  }
  /// Operands whose letters differ: of axes with one letter the diagonal is left.
  static constexpr lettered without_repetition(lettered x) {
    for (int i = 0; i < x.letters.count; ++i) {
      const int first = x.letters.find(x.letters.letter[i]);
      if (first == i) continue;
      graph& g = *x.value.owner;
      const shape s = x.value.extents();  // a copy, because new nodes move the graph's shapes
      const auto along = [&](int axis) { return lying_along(iota(g, dtype::int64, s[axis]), axis, s.rank); };
      g.extents.unify(s[first], s[i], "einsum");
      x.value = reduce_term<ops::sum>(where(along(first) == along(i), x.value, 0), std::int64_t{1} << i);
      for (int k = i; k + 1 < x.letters.count; ++k) x.letters.letter[k] = x.letters.letter[k + 1];
      --x.letters.count;
      --i;
    }
    return x;
  }
  /// Sums over the axes that nothing else has: neither `others` nor `rest` nor the result.
  constexpr lettered summed(lettered x, const array_list<lettered>& others, const array_list<lettered>& rest) const {
    std::int64_t mask = 0;
    axis_letters left;
    for (int i = 0; i < x.letters.count; ++i) {
      const char c = x.letters.letter[i];
      bool is_kept = is_wanted(c, rest);
      for (const lettered& other : others) is_kept = is_kept || other.letters.has(c);
      if (is_kept) left.add(c);
      else mask |= std::int64_t{1} << i;
    }
    if (mask != 0) x.value = cast(reduce_term<ops::sum>(x.value, mask), x.value.type());
    x.letters = left;
    return x;
  }
  /// The axes in another order.
  static constexpr lettered in_order(const lettered& x, const axis_letters& order) {
    std::int64_t packed = 0;
    for (int i = 0; i < order.count; ++i)
      packed |= static_cast<std::int64_t>(x.letters.find(order.letter[i])) << (4 * i);
    return {transpose_term(x.value, packed), order};
  }
  /// The axes with the letters of `all`, of extent 1 where `x` has none, to which it broadcasts.
  static constexpr term aligned(const lettered& x, const axis_letters& all) {
    axis_letters own;
    std::int64_t ones = 0;
    for (int i = 0; i < all.count; ++i) {
      if (x.letters.has(all.letter[i])) own.add(all.letter[i]);
      else ones |= std::int64_t{1} << i;
    }
    const term t = in_order(x, own).value;
    return reshape_term(t, with_ones(t.extents(), ones));
  }

  constexpr lettered multiplied(lettered x, lettered y, const array_list<lettered>& rest) const {
    array_list<lettered> other;
    other.push_back(y);
    x = summed(x, other, rest);
    other[0] = x;
    y = summed(y, other, rest);
    graph& g = *x.value.owner;
    axis_letters batches, of_x, of_y, over;
    for (int i = 0; i < x.letters.count; ++i) {
      const char c = x.letters.letter[i];
      if (y.letters.has(c)) g.extents.unify(x.value.extents()[i], y.value.extents()[y.letters.find(c)], "einsum");
      (!y.letters.has(c) ? of_x : is_wanted(c, rest) ? batches : over).add(c);
    }
    for (int i = 0; i < y.letters.count; ++i)
      if (!x.letters.has(y.letters.letter[i])) of_y.add(y.letters.letter[i]);
    axis_letters made = batches;
    for (int i = 0; i < of_x.count; ++i) made.add(of_x.letter[i]);
    for (int i = 0; i < of_y.count; ++i) made.add(of_y.letter[i]);
    if (over.count == 0) return {aligned(x, made) * aligned(y, made), made};
    if (!is_floating(x.value.type())) {
      axis_letters all = made;
      for (int i = 0; i < over.count; ++i) all.add(over.letter[i]);
      return summed({aligned(x, all) * aligned(y, all), all}, array_list<lettered>(), rest);
    }
    const term left = matrices(x, batches, of_x, over), right = matrices(y, batches, over, of_y);
    shape target;
    for (int i = 0; i < batches.count; ++i) target.append(extent_of(x, batches.letter[i]));
    for (int i = 0; i < of_x.count; ++i) target.append(extent_of(x, of_x.letter[i]));
    for (int i = 0; i < of_y.count; ++i) target.append(extent_of(y, of_y.letter[i]));
    return {reshape_term(dot_term(left, right), target), made};
  }
  static constexpr extent_code extent_of(const lettered& x, char c) { return x.value.extents()[x.letters.find(c)]; }
  /// (batches, rows, columns), with the rows as one axis and the columns as one.
  static constexpr term matrices(const lettered& x, const axis_letters& batches, const axis_letters& rows,
                                 const axis_letters& columns) {
    extent_table& extents = x.value.owner->extents;
    axis_letters order = batches;
    shape target;
    for (int i = 0; i < batches.count; ++i) target.append(extent_of(x, batches.letter[i]));
    for (const axis_letters* list : {&rows, &columns}) {
      extent_code all = 1;
      for (int i = 0; i < list->count; ++i) {
        order.add(list->letter[i]);
        all = extents.multiply(all, extent_of(x, list->letter[i]));
      }
      target.append(all);
    }
    return reshape_term(in_order(x, order).value, target);
  }

  /// An operand, for the order: its letters as bits.
  using letter_set = std::uint64_t;
  static constexpr letter_set bit_of(char c) { return letter_set{1} << (c & 63); }
  struct sizes {
    double of[64] = {};
  };
  /// The operations that the product of operands takes in the best order, and the pair that it begins with.
  static constexpr double best_order(const array_list<letter_set>& sets, letter_set result, const sizes& extents,
                                     int& first, int& second) {
    double best = -1;
    for (int i = 0; i < sets.size(); ++i)
      for (int j = i + 1; j < sets.size(); ++j) {
        array_list<letter_set> rest;
        letter_set wanted = result;
        for (int k = 0; k < sets.size(); ++k)
          if (k != i && k != j) rest.push_back(sets[k]), wanted |= sets[k];
        double cost = 1;
        for (int c = 0; c < 64; ++c)
          if ((((sets[i] | sets[j]) >> c) & 1) != 0) cost *= extents.of[c];
        rest.push_back((sets[i] | sets[j]) & wanted);
        int a = 0, b = 0;
        if (constexpr int most_tried = 5; rest.size() > 1 && sets.size() <= most_tried)
          cost += best_order(rest, result, extents, a, b);
        if (best >= 0 && cost >= best) continue;
        best = cost;
        first = i;
        second = j;
      }
    return best;
  }
  constexpr void cheapest(const array_list<lettered>& operands, int& first, int& second) const {
    constexpr double unknown = 1000;  // as many as an extent that is no number
    if (operands.size() == 2) return;
    sizes extents;
    array_list<letter_set> sets;
    letter_set result = 0;
    for (int i = 0; i < result_.count; ++i) result |= bit_of(result_.letter[i]);
    for (const lettered& x : operands) {
      letter_set own = 0;
      for (int i = 0; i < x.letters.count; ++i) {
        own |= bit_of(x.letters.letter[i]);
        const extent_code e = x.value.extents()[i];
        extents.of[x.letters.letter[i] & 63] = e >= 0 ? static_cast<double>(e) : unknown;
      }
      sets.push_back(own);
    }
    best_order(sets, result, extents, first, second);
  }
};

}  // namespace kroton::graph
