// This header spells the names of shared variables in full: W in the block `first` is `first.W`. Arguments have
// numbers, or names too.
#pragma once

#include <kroton/graph/graph.hpp>

#include <string_view>

namespace kroton::graph {

/// A name, of some length.
struct name_text {
  static constexpr int capacity = 80;
  char letters[capacity] = {};
  int length = 0;

  constexpr name_text& operator+=(const char* text) { return text == nullptr ? *this : append(text); }
  /// The same of a text that is there. In a constant g++ with -fsanitize=null does not compare the address of a name
  /// that it has made with null.
  constexpr name_text& append(const char* text) {
    for (; *text != '\0' && length < capacity; ++text) letters[length++] = *text;
    return *this;
  }
  constexpr name_text& operator+=(int number) {
    if (number >= 10) *this += number / 10;
    const char digit[] = {static_cast<char>('0' + number % 10), '\0'};
    return *this += digit;
  }
  constexpr operator std::string_view() const { return {letters, static_cast<std::size_t>(length)}; }
};

/// Appends the names of a block and of those around it, with a point after each, to a name_text or a std::string.
template <class Text, class Blocks>
constexpr void spell_block(Text& text, const Blocks& blocks, int block) {
  if (block < 0) return;
  const block_name& b = blocks[block];
  spell_block(text, blocks, b.parent);
  text += b.name;
  text += ".";
  if (b.index < 0) return;
  text += (name_text() += b.index).letters;
  text += ".";
}

/// `layers.0.W`: the name of a shared variable of a graph, or of a frozen one, with those of the blocks around it.
template <class Graph>
constexpr name_text name_of_shared(const Graph& g, int i) {
  name_text text;
  spell_block(text, g.blocks, g.shared[i].parent);
  return text += g.shared[i].name;
}
/// `argument 2`, or `argument rate` if it is a member of a struct.
template <class Graph>
constexpr name_text name_of_argument(const Graph& g, int i) {
  name_text text;
  text += "argument ";
  return *g.inputs[i].name == '\0' ? text += i + 1 : text.append(g.inputs[i].name);
}

}  // namespace kroton::graph
