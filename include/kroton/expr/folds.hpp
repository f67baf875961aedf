// This header has loops of which only a part of the results is wanted: kt::map, kt::reduce, kt::foldl and kt::foldr.
//
//     kt::foldl(body, x, h)  ->  kt::scan(body, x, h).last, where x are sequences and h is what is carried
#pragma once

#include <kroton/expr/scan.hpp>

namespace kroton {

namespace typed {
template <class All>
constexpr auto all_values(const loop_output<All>& made) {
  return made.all;
}
constexpr auto all_values(const loop_value<refused_expression, refused_expression>& made) { return made.all; }
template <expression Count>
constexpr auto all_values(const Count& iterations) {
  return iterations;
}
template <class... Made>
constexpr auto all_values(const std::tuple<Made...>& made) {
  return std::apply([](const auto&... each) { return std::tuple{all_values(each)...}; }, made);
}
template <class All, class Last>
constexpr auto last_values(const loop_value<All, Last>& made) {
  return made.last;
}
template <class All, class Last>
constexpr std::tuple<Last> last_of(const loop_value<All, Last>& made) {
  return {made.last};
}
template <class All>
constexpr std::tuple<> last_of(const loop_output<All>&) {
  return {};
}
template <expression Count>
constexpr std::tuple<Count> last_of(const Count& iterations) {
  return {iterations};
}
template <class... Made>
constexpr auto last_values(const std::tuple<Made...>& made) {
  const auto found = std::apply([](const auto&... each) { return std::tuple_cat(last_of(each)...); }, made);
  if constexpr (std::tuple_size_v<decltype(found)> == 1) return std::get<0>(found);
  else return found;
}
}  // namespace typed

/// What `body` makes of each row of the sequences: `kt::map([&](auto row) { return kt::dot(row, W); },
/// kt::sequences(x))` is (n, ...), or a tuple if the body returns one. The body carries nothing; elementwise work and
/// products with what all rows share take no loop.
template <class Body, class... Items>
constexpr auto map(const Body& body, const Items&... items) {
  if constexpr ((typed::is_carried<Items> || ...)) {
    typed::reject<typed::complaint::loop_items, typed::functions::scan, Items...>();
    return refused_expression();
  } else {
    return typed::all_values(scan(body, items...));
  }
}
/// What a loop carries after its last iteration, a tuple if that is several values:
/// `kt::reduce([](auto row, auto sum) { return sum + row; }, kt::sequences(x), kt::carried(0.0f))`. Takes what kt::scan
/// takes.
template <class Body, class... Items>
constexpr auto reduce(const Body& body, const Items&... items) {
  if constexpr (!(typed::is_carried<Items> || ...)) {
    typed::reject<typed::complaint::loop_items, typed::functions::scan, Items...>();
    return refused_expression();
  } else {
    return typed::last_values(scan(body, items...));
  }
}
/// The same from the first row to the last: `kt::foldl(body, kt::sequences(x), kt::carried(0.0f))`.
template <class Body, class... X, class... C>
constexpr auto foldl(const Body& body, const typed::sequence_list<X...>& sequences,
                     const typed::carried_list<C...>& carried) {
  return reduce(body, sequences, carried);
}
/// The same from the last row to the first: `kt::foldr(body, kt::sequences(x), kt::carried(0.0f))`.
template <class Body, class... X, class... C>
constexpr auto foldr(const Body& body, const typed::sequence_list<X...>& sequences,
                     const typed::carried_list<C...>& carried) {
  return reduce(body, sequences, carried, scan_options{.go_backwards = true});
}

}  // namespace kroton
