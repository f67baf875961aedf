// Where the buffers of a program lie: in arguments, shared variables, results, and an arena for each place.
#pragma once

#include <kroton/passes/memory.hpp>
#include <kroton/passes/program.hpp>
#include <kroton/runtime/context.hpp>

#include <algorithm>

namespace kroton::on_host {

class program_memory {
 public:
  program_memory(const plan_view& plan, const std::vector<context>& places)
      : plan_(plan), arenas_(static_cast<std::size_t>(plan.places)), addresses_(plan.buffers.size()), bytes_(plan.buffers.size()),
        offsets_(plan.buffers.size()) {
    for (const context& place : places) accounts_.push_back(place.account());
  }

  /// Fixes sizes and offsets for these values of the symbols, and gives each place an arena of exactly the size it needs. Throws
  /// memory_error, before anything changes, if temporaries and outputs do not fit into the budget of their place.
  void bind(const std::int64_t* symbols) {
    for (std::size_t i = 0; i < bytes_.size(); ++i)
      bytes_[i] = extent_value(plan_.buffers[i].elements, symbols) * size_of(plan_.buffers[i].type);
    std::vector<std::int64_t> wanted(arenas_.size());
    for (std::size_t p = 0; p < arenas_.size(); ++p)
      wanted[p] = plan_arena(plan_.buffers.data(), static_cast<int>(bytes_.size()), static_cast<place_id>(p), bytes_.data(), offsets_.data());
    for (std::size_t p = 0; p < arenas_.size(); ++p) check_budget(p, wanted);
    for (std::size_t p = 0; p < arenas_.size(); ++p) {
      if (wanted[p] == arenas_[p].size()) continue;
      arenas_[p] = {};
      arenas_[p] = context_block(accounts_[p], wanted[p]);
    }
    for (std::size_t i = 0; i < addresses_.size(); ++i)
      addresses_[i] = offsets_[i] >= 0 ? arenas_[static_cast<std::size_t>(plan_.buffers[i].place)].data() + offsets_[i] : nullptr;
  }
  /// Puts arguments, shared variables and outputs where the call has them.
  void place(const std::byte* const* inputs, std::byte* const* shared, std::byte* const* outputs) {
    for (std::size_t i = 0; i < addresses_.size(); ++i) {
      const buffer& b = plan_.buffers[i];
      if (b.kind == buffer_kind::input) addresses_[i] = const_cast<std::byte*>(inputs[b.index]);
      else if (b.kind == buffer_kind::shared) addresses_[i] = shared[b.index];
      else if (b.kind == buffer_kind::output) addresses_[i] = outputs[b.index];
    }
    for (std::size_t i = 0; i < addresses_.size(); ++i)
      if (plan_.buffers[i].lies_in >= 0) addresses_[i] = address(plan_.buffers[i].lies_in);
  }

  /// Whether two buffers have memory in common.
  bool overlap(int x, int y) const {
    const int i = root(x), j = root(y);
    const buffer &a = plan_.buffers[static_cast<std::size_t>(i)], &b = plan_.buffers[static_cast<std::size_t>(j)];
    if (i == j) return true;
    if (a.kind != b.kind) return false;
    if (a.kind != buffer_kind::temporary) return a.index == b.index;
    const std::int64_t from_a = offsets_[static_cast<std::size_t>(i)], from_b = offsets_[static_cast<std::size_t>(j)];
    return a.place == b.place && from_a < from_b + bytes(j) && from_b < from_a + bytes(i);
  }
  std::byte* address(int buffer) const { return addresses_[static_cast<std::size_t>(buffer)]; }
  std::int64_t bytes(int buffer) const { return bytes_[static_cast<std::size_t>(buffer)]; }

 private:
  plan_view plan_;
  std::vector<std::shared_ptr<memory_account>> accounts_;
  std::vector<context_block> arenas_;
  std::vector<std::byte*> addresses_;
  std::vector<std::int64_t> bytes_, offsets_;

  int root(int buffer) const {
    const int in = plan_.buffers[static_cast<std::size_t>(buffer)].lies_in;
    return in < 0 ? buffer : root(in);
  }
  /// Whether a buffer takes memory of the context of `place`, to which other places can belong too.
  bool belongs(const buffer& b, std::size_t place) const { return accounts_[static_cast<std::size_t>(b.place)] == accounts_[place]; }

  void check_budget(std::size_t place, const std::vector<std::int64_t>& wanted) const {
    std::int64_t arena = 0, held = 0, outputs = 0;
    for (std::size_t p = 0; p < arenas_.size(); ++p) {
      if (accounts_[p] != accounts_[place]) continue;
      arena += wanted[p];
      held += arenas_[p].size();
    }
    for (std::size_t i = 0; i < bytes_.size(); ++i)
      if (plan_.buffers[i].kind == buffer_kind::output && belongs(plan_.buffers[i], place)) outputs += bytes_[i];
    if (accounts_[place]->has(arena - held + outputs)) return;
    const memory_use use = accounts_[place]->now();
    throw memory_error(message("kroton: ", arena, " bytes of temporaries and ", outputs, " of outputs needed, but of a budget of ",
                               use.budget, " bytes ", use.in_use - held, " are in use; the largest: ", largest_buffers(place),
                               "; raise the budget, or call with smaller extents"));
  }
  /// The sizes of the five largest temporaries and outputs.
  std::string largest_buffers(std::size_t place) const {
    std::vector<std::int64_t> sizes;
    for (std::size_t i = 0; i < bytes_.size(); ++i) {
      const buffer& b = plan_.buffers[i];
      if (b.kind >= buffer_kind::output && b.lies_in < 0 && belongs(b, place)) sizes.push_back(bytes_[i]);
    }
    std::sort(sizes.rbegin(), sizes.rend());
    std::string text;
    for (std::size_t i = 0; i < std::min<std::size_t>(5, sizes.size()); ++i) text += (i > 0 ? ", " : "") + std::to_string(sizes[i]);
    return text;
  }
};

}  // namespace kroton::on_host
