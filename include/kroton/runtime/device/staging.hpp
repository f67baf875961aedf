// This header has staging memory, through which arguments and outputs of a call pass between host and device, and
// decides which buffers and transfers pass through it.
//
//     x is an argument, copied whole to dev0  ->  x goes to staging memory at offset 0, one copy moves all arguments
#pragma once

#include <kroton/runtime/context/context_copy.hpp>
#include <kroton/runtime/program/program_memory.hpp>
#include <kroton/runtime/context/pending_value.hpp>

#include <algorithm>

namespace kroton::runtime::on_device {

/// Bytes that a call moves between the caller's memory and staging memory: before its steps, or when they are done.
struct passage {
  int buffer;
  std::int64_t offset;  ///< in staging memory
};

/// One of the two calls that may be under way at the same time.
class staged_call {
 public:
  staged_call() = default;
  staged_call(staged_call&&) noexcept = default;
  ~staged_call() { finish(); }

  /// Takes staging memory for `bytes`, if the call has less. Nothing of the call may be under way.
  void allocate(std::int64_t bytes) {
    graph = nullptr;
    if (memory_.size() >= bytes) return;
    memory_ = {};
    memory_ = staging_block(bytes);
  }
  std::byte* at(std::int64_t offset) const { return memory_.data() + offset; }

  /// Waits until the devices have done the call, and gives the holders of its outputs their values, or the failure.
  void finish() noexcept {
    for (const auto& value : outputs)
      if (value != nullptr) value->finish();
    if (done == nullptr) return;
    try {
      done->synchronize();
    } catch (...) {  // the next user of the device gets the error, too
    }
  }
  /// Makes the pending value that the readers of output `index` share, before the devices get work, because it may need
  /// memory.
  void expect(std::size_t index) {
    std::shared_ptr<pending_value>& value = outputs[index];
    if (value == nullptr || value.use_count() > 1)
      value = std::make_shared<pending_value>();  // a tensor may keep the last one
  }
  /// Notes that output `index` will lie at `from` when the call is done, and is to be copied to `to`.
  void promise(std::size_t index, const std::byte* from, std::byte* to, std::int64_t bytes) {
    outputs[index]->begin(*done, from, to, bytes);
  }

  std::unique_ptr<device_event> arrived, done;  ///< the arguments have arrived; the whole call is done
  std::unique_ptr<device_graph> graph;          ///< of the steps and their copies, with this memory
  std::vector<std::byte*> captured, seen;       ///< the addresses when the graph was captured, and of the last call
  std::vector<std::shared_ptr<pending_value>> outputs;  ///< by their numbers; null: the host has computed the output

 private:
  context_block memory_;
};

/// How a step moves a tensor between the host and a device.
enum class host_transfer : std::uint8_t {
  none,   ///< it moves none
  early,  ///< an argument, which can be staged before any step
  late,   ///< an output that no other step needs, which can be fetched when all steps are done
  within  ///< another tensor, for which the host must act during the call
};

/// The buffers and transfers that pass through staging memory, and their offsets there.
class staging_plan {
 public:
  std::vector<passage> in, out;        ///< of arguments and outputs
  std::vector<host_transfer> kinds;    ///< of the steps
  std::vector<std::int64_t> of_steps;  ///< offsets of transfers between the host and a device
  std::int64_t bytes = 0;              ///< of staging memory
  /// The arguments, or the outputs, on the device, which lie side by side.
  struct block {
    std::byte* start = nullptr;
    std::int64_t offset = 0, bytes = 0;
  };
  block arguments, outputs;

  /// `is_device`: the places that are devices.
  staging_plan(const plan_view& plan, const place_set& is_device)
      : of_steps(plan.steps.size(), -1), plan_(plan), is_device_(is_device) {
    for (std::size_t s = 0; s < of_steps.size(); ++s)
      kinds.push_back(!is_between(s)        ? host_transfer::none
                      : plan.is_repeated(s) ? host_transfer::within
                      : is_early(s)         ? host_transfer::early
                      : is_late(s)          ? host_transfer::late
                                            : host_transfer::within);
  }

  void bind(const program_memory& memory) {
    in.clear();
    out.clear();
    bytes = 0;
    arguments = side_by_side(memory, buffer_kind::input, in);
    outputs = side_by_side(memory, buffer_kind::output, out);
    for (std::size_t s = 0; s < of_steps.size(); ++s) {
      if (kinds[s] == host_transfer::none) continue;
      const int from = access_of(s, 0).buffer, to = access_of(s, 1).buffer;
      of_steps[s] = room(memory.bytes(to));
      if (kinds[s] == host_transfer::early) in.push_back({from, of_steps[s]});
      else if (kinds[s] == host_transfer::late) out.push_back({to, of_steps[s]});
    }
  }
  /// Whether the host has work to do while the call is under way.
  bool needs_host() const {
    for (std::size_t s = 0; s < of_steps.size(); ++s)
      if (kinds[s] == host_transfer::within || (kinds[s] == host_transfer::none && !is_device(plan_.steps[s].place)))
        return true;
    for (const write_back& w : plan_.writes)
      if (w.from >= 0 && !is_device(buffer_at(w.to).place)) return true;
    return std::any_of(plan_.checks.begin(), plan_.checks.end(),
                       [](const index_range_check& check) { return check.after >= 0; });
  }

 private:
  plan_view plan_;
  place_set is_device_;

  bool is_device(place_id place) const { return is_device_[static_cast<std::size_t>(place)]; }
  const access& access_of(std::size_t s, int i) const { return plan_.access_of(plan_.steps[s], i); }
  const buffer& buffer_at(int i) const { return plan_.buffers[i]; }
  const buffer& buffer_of(std::size_t s, int i) const { return buffer_at(access_of(s, i).buffer); }
  bool is_between(std::size_t s) const {
    return plan_.steps[s].kind == step_kind::transfer &&
           is_device(buffer_of(s, 0).place) != is_device(buffer_of(s, 1).place);
  }
  bool is_early(std::size_t s) const {
    return buffer_of(s, 0).kind == buffer_kind::input && !is_device(buffer_of(s, 0).place) && is_whole(s);
  }
  bool is_late(std::size_t s) const {
    const int to = access_of(s, 1).buffer;
    if (buffer_of(s, 1).kind != buffer_kind::output || is_device(buffer_of(s, 1).place) || !is_whole(s)) return false;
    for (std::size_t other = 0; other < plan_.steps.size(); ++other)
      for (int i = 0; other != s && i < plan_.steps[other].accesses; ++i) {
        const int used = access_of(other, i).buffer;
        if (used >= 0 && (used == to || buffer_at(used).lies_in == to)) return false;
      }
    return std::none_of(plan_.writes.begin(), plan_.writes.end(), [&](const write_back& w) { return w.from == to; });
  }
  bool is_whole(std::size_t s) const { return buffer_of(s, 0).elements == buffer_of(s, 1).elements; }
  std::int64_t room(std::int64_t size) {
    const std::int64_t at = bytes;
    bytes += bytes_on_device(size);  // as they lie on the device, so that one copy moves all
    return at;
  }
  block side_by_side(const program_memory& memory, buffer_kind kind, std::vector<passage>& every) {
    block b;
    b.offset = bytes;
    for (int i = 0; i < static_cast<int>(plan_.buffers.size()); ++i) {
      if (buffer_at(i).kind != kind || !memory.passes(i)) continue;
      if (every.empty()) b.start = memory.address(i);
      every.push_back({i, room(memory.bytes(i))});
    }
    b.bytes = bytes - b.offset;
    return b;
  }
};

}  // namespace kroton::runtime::on_device
