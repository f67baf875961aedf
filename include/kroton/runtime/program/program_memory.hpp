// This header owns the arenas of a function and knows the address of every buffer of a call: in an argument, a shared
// variable, an output, or an arena.
//
//     bind(extents) -> sizes and arenas; set_addresses(inputs, shared, outputs) -> address(0) is that of argument 0
#pragma once

#include <kroton/runtime/context/context.hpp>
#include <kroton/arithmetic/indexed.hpp>
#include <kroton/runtime/context/memory.hpp>
#include <kroton/runtime/program/memory_sizes.hpp>

#include <algorithm>

namespace kroton::runtime {

/// An object that adds workspaces to the arenas of a program.
class workspace_plan {
 public:
  virtual void add_workspaces(memory_sizes& sizes, const std::int64_t* symbols) const = 0;

 protected:
  ~workspace_plan() = default;
};

/// The places whose contexts are devices.
inline place_set devices_among(const std::vector<context>& places) {
  place_set found;
  for (std::size_t p = 0; p < places.size(); ++p) found[p] = places[p].stream() != nullptr;
  return found;
}

class program_memory {
 public:
  [[gnu::cold]] program_memory(const plan_view& plan, const std::vector<context>& places)
      : plan_(plan), sizes_(plan), arenas_(plan.places), addresses_(plan.buffers.size()), given_(plan.buffers.size()),
        is_device_(devices_among(places)) {
    accounts_.reserve(places.size());
    for (const context& place : places) accounts_.push_back(place.account());
  }
  /// Makes room for these workspaces in the arenas; `plan` must live as long as this object.
  void plan_workspaces(const workspace_plan& plan) { workspaces_ = &plan; }

  /// Leaves outputs out of the count, because they lie in memory that is counted elsewhere.
  void leave_outputs_out() { counts_outputs_ = false; }
  /// Fixes sizes and offsets for these values of the symbols, and gives each place an arena of exactly the size it
  /// needs. Throws memory_error, before anything changes, if temporaries and outputs do not fit into the budget of
  /// their context.
  void bind(const std::int64_t* symbols) {
    memory_sizes wanted = sizes_for(symbols);
    for (std::size_t p = 0; p < arenas_.size(); ++p)
      if (!fits(wanted, p)) refuse(wanted, p, symbols);
    for (std::size_t p = 0; p < arenas_.size(); ++p)  // all arenas are released first, because places can share a
                                                      // budget
      if (wanted.arenas[p] != arenas_[p].size()) arenas_[p] = {};
    for (std::size_t p = 0; p < arenas_.size(); ++p)
      if (wanted.arenas[p] != arenas_[p].size()) arenas_[p] = context_block(accounts_[p], wanted.arenas[p]);
    sizes_ = std::move(wanted);
    for (std::size_t i = 0; i < addresses_.size(); ++i)
      addresses_[i] = sizes_.offsets[i] >= 0 ? arenas_[plan_.buffers[i].place].data() + sizes_.offsets[i] : nullptr;
  }
  void release() {
    for (context_block& arena : arenas_) arena = {};
  }
  /// Sets the addresses of arguments, shared variables and outputs to those of the call. `turn`: which half of their
  /// memory arguments on a device use.
  void set_addresses(const std::byte* const* inputs, std::byte* const* shared, std::byte* const* outputs,
                     std::size_t turn = 0) {
    for (std::size_t i = 0; i < addresses_.size(); ++i) {
      const buffer& b = plan_.buffers[i];
      if (b.kind == buffer_kind::input && sizes_.offsets[i] >= 0) addresses_[i] = argument(i, turn);
      if (b.kind == buffer_kind::input) given_[i] = const_cast<std::byte*>(inputs[b.index]);
      else if (b.kind == buffer_kind::shared) given_[i] = shared[b.index];
      else if (b.kind == buffer_kind::output) given_[i] = outputs[b.index];
      if (b.kind != buffer_kind::temporary && sizes_.offsets[i] < 0) addresses_[i] = given_[i];
    }
    for (std::size_t i = 0; i < addresses_.size(); ++i)
      if (plan_.buffers[i].lies_in >= 0) addresses_[i] = address(plan_.buffers[i].lies_in);
  }

  /// The largest value of a dimension, up to `most`, with which a call would fit into the budget, with the other
  /// symbols as they are; -1 if not even 0 would.
  std::int64_t largest_extent(int dimension, const std::int64_t* symbols, std::int64_t most) const {
    indexed_vector<std::int64_t> values(symbols, symbols + plan_.symbols.size());
    return largest_fitting(most, [&](std::int64_t value) {
      values[dimension] = value;
      derive_extents(plan_.symbols.data(), static_cast<int>(values.size()), values.data());
      return fits(values.data());
    });
  }
  /// Whether a call with these values of the symbols would fit into the budget.
  bool fits(const std::int64_t* symbols) const {
    try {
      const memory_sizes wanted = sizes_for(symbols);
      for (std::size_t p = 0; p < arenas_.size(); ++p)
        if (!fits(wanted, p)) return false;
    } catch (const memory_error&) {
      return false;
    }
    return true;
  }

  /// The memory that a call with these values of the symbols takes.
  memory_sizes sizes_for(const std::int64_t* symbols) const {
    memory_sizes sizes(plan_, symbols, is_device_);
    if (workspaces_ != nullptr) workspaces_->add_workspaces(sizes, symbols);
    return sizes;
  }
  const memory_sizes& sizes() const { return sizes_; }
  std::byte* workspace(std::size_t place) const { return arenas_[place].data() + sizes_.workspaces[place].offset; }

  std::byte* address(int buffer) const { return addresses_[buffer]; }
  /// The address that the caller gave for an argument, a shared variable or an output.
  std::byte* given(int buffer) const { return given_[buffer]; }
  /// Whether an argument or output has memory on a device, beside that of the caller.
  bool passes(int buffer) const {
    const auto kind = plan_.buffers[buffer].kind;
    return (kind == buffer_kind::input || kind == buffer_kind::output) && sizes_.offsets[buffer] >= 0;
  }
  std::int64_t bytes(int buffer) const { return sizes_.bytes[buffer]; }
  /// Whether two buffers have memory in common.
  bool overlap(int x, int y) const { return sizes_.overlap(plan_, x, y); }

 private:
  std::byte* argument(std::size_t i, std::size_t turn) const {
    return arenas_[plan_.buffers[i].place].data() + sizes_.offsets[i] +
           static_cast<std::int64_t>(turn) * sizes_.argument_step;
  }
  plan_view plan_;
  const workspace_plan* workspaces_ = nullptr;
  memory_sizes sizes_;
  indexed_vector<std::shared_ptr<memory_account>> accounts_;
  indexed_vector<context_block> arenas_;
  indexed_vector<std::byte*> addresses_, given_;
  place_set is_device_;
  bool counts_outputs_ = true;

  /// Bytes in the context of a place. Other places can belong to the same context.
  struct need {
    std::int64_t arenas = 0, held = 0, outputs = 0;
  };
  need need_of(const memory_sizes& wanted, std::size_t place) const {
    need every;
    for (std::size_t p = 0; p < arenas_.size(); ++p) {
      if (accounts_[p] != accounts_[place]) continue;
      every.arenas += wanted.arenas[p];
      every.held += arenas_[p].size();
      if (counts_outputs_) every.outputs += wanted.outputs(plan_, p);
    }
    return every;
  }
  bool fits(const memory_sizes& wanted, std::size_t place) const {
    const need every = need_of(wanted, place);
    return accounts_[place]->has(every.arenas - every.held + every.outputs);
  }
  [[gnu::cold]] [[noreturn]] void refuse(const memory_sizes& wanted, std::size_t place,
                                         const std::int64_t* symbols) const {
    const need every = need_of(wanted, place);
    const memory_use use = accounts_[place]->now();
    throw over_budget(message(every.arenas, " bytes of temporaries and ", every.outputs, " of outputs needed"),
                      use.budget, use.in_use - every.held, counted(wanted, place),
                      ", or call with smaller extents" + largest_extents(symbols));
  }
  /// The buffers and workspaces that take memory in the context of a place, with their bytes.
  [[gnu::cold]] std::vector<named_bytes> counted(const memory_sizes& wanted, std::size_t place) const {
    std::vector<named_bytes> every;
    const auto is_here = [&](std::size_t p) { return accounts_[p] == accounts_[place]; };
    for (std::size_t i = 0; i < wanted.bytes.size(); ++i) {
      const buffer& b = plan_.buffers[i];
      const bool is_counted = wanted.offsets[i] >= 0 || (b.kind == buffer_kind::output && counts_outputs_);
      if (!is_counted || b.lies_in >= 0 || !is_here(static_cast<std::size_t>(b.place))) continue;
      every.push_back({b.kind == buffer_kind::input
                           ? *b.argument != '\0' ? message("argument ", b.argument) : message("argument ", b.index + 1)
                       : b.kind == buffer_kind::output
                           ? message("output ", b.index + 1)
                           : message(b.name, " %", b.node, b.is_workspace ? ", workspace" : ""),
                       wanted.bytes[i]});
    }
    if (is_here(wanted.argument_place)) every.push_back({"next arguments", wanted.argument_step});
    for (std::size_t p = 0; p < wanted.workspaces.size(); ++p)
      if (is_here(p)) every.push_back({"workspace", wanted.workspaces[p].bytes});
    return every;
  }
  /// A text with the largest value of each named dimension for which the call would fit, with the other dimensions as
  /// they are. It leaves out dimensions for which no value above 0 would fit.
  [[gnu::cold]] std::string largest_extents(const std::int64_t* symbols) const {
    std::string text;
    for (std::size_t dimension = 0; dimension < plan_.symbols.size(); ++dimension) {
      if (plan_.symbols[dimension].kind != extent_kind::named) continue;
      const std::int64_t largest = largest_extent(static_cast<int>(dimension), symbols, symbols[dimension] - 1);
      if (largest > 0) text += message("; ", plan_.symbols[dimension].name, " up to ", largest, " would fit");
    }
    return text;
  }
};

}  // namespace kroton::runtime
