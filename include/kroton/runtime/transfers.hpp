// This header lists the transfers of a function as constants.
#pragma once

#include <kroton/runtime/stats.hpp>

#include <array>
#include <string_view>

namespace kroton::runtime {

/// A transfer of a function, from one place to another. A place is the name of a context, `host`, or `session` for the
/// context of the session.
struct transfer_fact {
  std::string_view from, to;
  bool is_inserted = false;  ///< a pass inserted it; the user did not write it
  dtype type = dtype::float32;
  extent_code elements = 0;
};

/// The transfers of a function, in the order in which they run.
template <class Function>
class transfer_list {
 public:
  static constexpr int size() { return static_cast<int>(items.size()); }
  static constexpr bool empty() { return items.empty(); }
  static constexpr auto begin() { return items.begin(); }
  static constexpr auto end() { return items.end(); }
  constexpr const transfer_fact& operator[](int i) const { return items[static_cast<std::size_t>(i)]; }

  /// Bytes that all transfers move, or that transfer `i` moves: `bytes(batch(128))`, `bytes(0, batch(128))`.
  template <class... Tag>
  static constexpr std::int64_t bytes(extent_value_of<Tag>... given) {
    std::int64_t total = 0;
    for (int i = 0; i < size(); ++i) total += bytes(i, given...);
    return total;
  }
  template <class... Tag>
  static constexpr std::int64_t bytes(int i, extent_value_of<Tag>... given) {
    reject<facts::template problem<Tag...>, Function, Tag...>();
    const typename facts::symbols value(given...);
    const transfer_fact& t = items[static_cast<std::size_t>(i)];
    return value(t.elements) * size_of(t.type);
  }

 private:
  using facts = function_stats<Function>;
  static constexpr const auto& program = facts::program;
  static constexpr std::size_t count = [] {
    std::size_t n = 0;
    for (int s = 0; s < program.size.steps; ++s) n += program.steps[s].kind == step_kind::transfer;
    return n;
  }();

 public:
  static constexpr std::array<transfer_fact, count> items = [] {
    std::array<transfer_fact, count> every;
    std::size_t n = 0;
    constexpr const auto& names = facts::source::value.places;
    for (int i = 0; i < program.size.steps; ++i) {
      const step& s = program.steps[i];
      if (s.kind != step_kind::transfer) continue;
      const place_id from = program.buffers[program.accesses[s.first_access].buffer].place;
      every[n++] = {place_text(names, from), place_text(names, s.place), s.is_inserted, s.type,
                    program.parameters[s.first_parameter]};
    }
    return every;
  }();
};

/// The transfers of a model's function: `static_assert(kt::transfers<&digits::train>().empty());`
template <auto Member, class Scope = scope_of<Member>>
constexpr auto transfers() {
  static_cast<void>(stats<Member, Scope>());  // refuses a function that has a mistake
  return transfer_list<member_function<Member, Scope>>();
}
/// The transfers of a function made from a lambda.
template <class Function, class Backend>
constexpr auto transfers(const compiled_function<Function, Backend>&) {
  return transfer_list<Function>();
}
/// Refuses an object in angle brackets.
template <auto& Object>
constexpr auto transfers() {
  reject<complaint::object_in_brackets, decltype(Object)>();
  return transfers(Object);
}

}  // namespace kroton::runtime

namespace kroton {
using runtime::transfer_fact;
using runtime::transfer_list;
using runtime::transfers;
}  // namespace kroton
