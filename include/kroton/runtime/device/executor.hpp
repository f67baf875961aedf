// This header runs programs with places on devices: it puts their steps on streams, and the host goes on until code
// reads an output.
//
//     f(x) -> x is copied to staging memory and on to the device, kernels and the copy of z back are put on a stream;
//     z(0, 0) -> the host waits for the stream
#pragma once

#include <kroton/runtime/device/order.hpp>
#include <kroton/runtime/device/staging.hpp>
#include <kroton/runtime/device/steps.hpp>
#include <kroton/runtime/device/streams.hpp>
#include <kroton/runtime/program/program_executor.hpp>

#include <cstring>
#include <optional>

namespace kroton::runtime::on_device {

/// The executor of a program with at least one place on a device. Two calls may be under way: the host prepares one
/// while the devices run the other.
class executor final : public program_executor {
 public:
  /// `host`: the functions that run steps on the host. `table`: the kernels for devices.
  executor(const plan_view& plan, const step_runners& host, const kernel_table& table,
           const std::vector<context>& places, product_math math)
      : executor(plan, host, places, device_steps(plan, table, place_streams::of(places), math)) {}
  void bind(const std::int64_t* symbols) override {
    if (is_bound_for(symbols)) return;
    for (staged_call& call : under_way_) call.finish();
    const held_streams held = streams_.hold();
    calls_ = 0;
    bind_program(symbols);
    wait_for_memory();
    checked_.reset();
    staging_.bind(memory_);
    for (staged_call& call : under_way_) call.allocate(staging_.bytes);
    epilogues_ = device_.epilogues(memory_.sizes(), symbols_.data());
    order_.bind(memory_);
    bound_ = true;
  }

  void release() override {
    for (staged_call& call : under_way_) call.finish();
    program_executor::release();
  }

  /// Puts all steps on streams. An output that a device computes has arrived when its `pending_output` is settled. The
  /// streams of the devices order new values of shared variables there. `version`: the version of the integers among
  /// the shared variables.
  void run(const std::byte* const* inputs, std::byte* const* shared, std::byte* const* outputs,
           std::uint64_t version) override {
    const std::size_t turn = calls_ % under_way_.size();
    memory_.set_addresses(inputs, shared, outputs, turn);
    staged_call& call = under_way_[turn];
    call.finish();
    last_ = turn;  // also of a call that is refused: later work elsewhere comes after what it has put on the streams
    const held_streams held = streams_.hold();
    check_indices_before(version);
    for (const passage& in : staging_.in)
      copy_bytes(call.at(in.offset), memory_.given(in.buffer), memory_.bytes(in.buffer));
    for (const passage& out : staging_.out) call.expect(output_index(out));
    try {
      send_arguments(call, turn);
      streams_.join();  // work that other functions have put on the other streams comes first
      if (calls_ == 0) clear_gaps();
      note_addresses(shared);
      if (!needs_host_ && calls_ > 0 && is_graph(call)) replay(call);
      else enqueue(call);
      if (!placed_.empty()) call.seen = addresses_;
      streams_.fork();
    } catch (...) {
      end_refused(call);
      throw;
    }
    streams_.first().record(*call.done);
    ++calls_;
    for (const passage& out : staging_.out)
      call.promise(output_index(out), call.at(out.offset), memory_.given(out.buffer), memory_.bytes(out.buffer));
  }
  void run_between(list_view<stream_use> streams, const std::byte* const* inputs, std::byte* const* shared,
                   std::byte* const* outputs, std::uint64_t version) override {
    for (const stream_use& use : streams) begin_after(use);
    try {
      run(inputs, shared, outputs, version);
    } catch (...) {
      end_before(streams);
      throw;
    }
    end_before(streams);
  }
  std::shared_ptr<pending_value> pending_output(std::size_t index) const override {
    return under_way_[last_].outputs[index];
  }

 private:
  executor(const plan_view& plan, const step_runners& host, const std::vector<context>& places,
           const device_steps& device)
      : program_executor(plan, host, places), device_(device), staging_(plan, devices_among(places)), streams_(places),
        order_(plan, streams_.of_places()) {
    memory_.plan_workspaces(device_);
    needs_host_ = staging_.needs_host() || !copies_fit_graphs();
    arriving_.reserve(plan.steps.size());
    for (const context& place : places)
      if (arrivals_ == nullptr)
        arrivals_ = place.arrivals();  // the stream of home, if the function has arguments on a device
    for (const buffer& b : plan.buffers) {
      if (b.kind == buffer_kind::shared) shared_count_ = std::max(shared_count_, static_cast<std::size_t>(b.index) + 1);
      if (b.kind == buffer_kind::output) output_count_ = std::max(output_count_, static_cast<std::size_t>(b.index) + 1);
      if (b.is_placed) placed_.push_back(static_cast<int>(&b - plan.buffers.data()));
    }
    for (staged_call& call : under_way_) {
      call.arrived = arrivals_->make_event();
      call.done = streams_.first().make_event();
      call.outputs.resize(output_count_);
      call.captured.reserve(shared_count_ + placed_.size());  // so that no memory is taken while a graph is captured
    }
  }

  device_steps device_;
  staging_plan staging_;
  place_streams streams_;
  step_order order_;
  bool needs_host_ = false;            // whether the host has work during a call, so that the call is no graph
  device_stream* arrivals_ = nullptr;  // the stream on which arguments arrive
  product_epilogues epilogues_;        // the work of products for other steps
  std::array<staged_call, 2> under_way_;
  std::vector<std::size_t> arriving_;     // transfers that the host waits for
  std::optional<std::uint64_t> checked_;  // the version of the integers when indices were last checked
  std::vector<int> placed_;               // buffers that the caller has at their places
  std::vector<std::byte*> addresses_;     // of the call, see note_addresses
  std::size_t shared_count_ = 0, output_count_ = 0, calls_ = 0, last_ = 0;

  /// New memory can be used on the stream of its context, and then on those that wait for it: those of other places do
  /// at the beginning of each call.
  void wait_for_memory() {
    const std::unique_ptr<device_event> taken = streams_.home().make_event();
    streams_.home().record(*taken);
    arrivals_->wait(*taken);
  }
  /// Whether calls are ordered on a stream anyhow, as all streams of the program are.
  bool is_own(const device_stream* stream) const {
    return stream == nullptr || std::any_of(streams_.of_places().begin(), streams_.of_places().end(),
                                            [&](const device_stream* each) { return each == stream; });
  }
  void begin_after(const stream_use& use) {
    if (!use.is_users && is_own(use.stream)) return;
    std::unique_ptr<device_event> reached;
    if (!use.is_users) {
      const std::lock_guard lock(use.stream->mutex);
      reached = use.stream->make_event();
      use.stream->record(*reached);
    }
    const held_streams held = streams_.hold();
    for (device_stream* stream : streams_.of_places()) {
      if (stream == nullptr) continue;
      if (use.is_users) stream->wait_for_users(use.users);
      else stream->wait(*reached);
    }
  }
  void end_before(list_view<stream_use> streams) {
    for (const stream_use& use : streams) {
      if (use.is_users) {
        const std::lock_guard lock(streams_.first().mutex);
        streams_.first().go_before_users(use.users);
      } else if (!is_own(use.stream)) {
        const std::lock_guard lock(use.stream->mutex);
        use.stream->wait(*under_way_[last_].done);
      }
    }
  }
  std::size_t output_index(const passage& out) const {
    return static_cast<std::size_t>(plan_.buffers[out.buffer].index);
  }
  static void copy_bytes(std::byte* to, const std::byte* from, std::int64_t bytes) {
    if (bytes > 0) std::memcpy(to, from, static_cast<std::size_t>(bytes));
  }
  device_stream* stream_of(const step& s) const { return streams_[s.place]; }
  device_stream* stream_at(int buffer) const { return streams_[plan_.buffers[buffer].place]; }

  /// Whether each device reaches all devices from which it copies.
  bool copies_fit_graphs() const {
    for (const step& s : plan_.steps) {
      if (s.kind != step_kind::transfer) continue;
      const device_stream *const to = stream_of(s), *const from = stream_at(plan_.access_of(s, 0).buffer);
      if (to != nullptr && from != nullptr && to != from && !to->reaches(*from)) return false;
    }
    return true;
  }
  /// Clears the memory between outputs, and between the rows of masks. It is copied too, and should have been written
  /// before.
  void clear_gaps() {
    if (const auto& results = staging_.outputs; results.bytes > 0)
      streams_.home().clear(results.start, results.bytes, "output");
    for (std::size_t p = 0; p < streams_.of_places().size(); ++p)
      if (const std::int64_t kept = epilogues_.bytes_held(static_cast<place_id>(p)); kept > 0)
        streams_[p]->clear(memory_.workspace(p), kept, "workspace");
  }
  /// Copies arguments to their memory for this turn, which the call before does not use.
  void send_arguments(staged_call& call, std::size_t turn) {
    const auto& given = staging_.arguments;
    if (given.bytes == 0) return;
    arrivals_->copy_in(given.start + static_cast<std::int64_t>(turn) * memory_.sizes().argument_step,
                       call.at(given.offset), given.bytes, "argument");
    arrivals_->record(*call.arrived);
    streams_.first().wait(*call.arrived);
  }
  /// Notes the addresses of the call that can differ from those of the calls before: of shared variables, and of
  /// arguments and outputs that the caller has at their places.
  void note_addresses(std::byte* const* shared) {
    addresses_.assign(shared, shared + shared_count_);
    for (const int buffer : placed_) addresses_.push_back(memory_.given(buffer));
  }
  /// Whether the call runs as a graph. One step is put on its stream as fast as a graph of it. Tensors at places may
  /// have new addresses in each call: a graph is captured when addresses come for the second time.
  bool is_graph(const staged_call& call) const {
    if (plan_.steps.size() == 1 && plan_.loops.empty()) return false;
    return placed_.empty() || addresses_ == call.captured || addresses_ == call.seen;
  }
  /// Runs the call as a graph. The graph is captured for the first such call, and again for other addresses.
  void replay(staged_call& call) {
    if (call.graph == nullptr || addresses_ != call.captured) {
      streams_.first().begin_capture();
      try {
        enqueue(call);
      } catch (...) {
        try {
          streams_.first().end_capture(nullptr);
        } catch (const error&) {  // the first error is reported
        }
        throw;
      }
      call.captured = addresses_;
      call.graph = streams_.first().end_capture(std::move(call.graph));
    }
    streams_.first().launch(*call.graph);
  }
  step_call call_of(std::size_t s) {
    step_call call = device_.call(s, with_addresses(s), symbols_.data(), epilogues_,
                                  memory_.workspace(static_cast<std::size_t>(plan_.steps[s].place)));
    if (epilogues_[s].is_there) device_.add_epilogue(call, s, with_addresses(device_.reader_of(s)));
    return call;
  }

  /// Checks the indices that exist before any step runs. Indices in arguments are checked in the memory of the caller.
  /// Those that lie on a device are copied to the host: shared variables only when integers have changed.
  void check_indices_before(std::uint64_t version) {
    for (const index_range_check& check : plan_.checks) {
      const bool is_far = memory_.given(check.where.buffer) == memory_.address(check.where.buffer) &&
                          stream_at(check.where.buffer) != nullptr;
      const bool is_shared = plan_.buffers[check.where.buffer].kind == buffer_kind::shared;
      if (check.after >= 0 || (is_far && is_shared && checked_ == version)) continue;
      check_on_host(check, memory_.passes(check.where.buffer) ? memory_.given(check.where.buffer) : nullptr);
    }
    checked_ = version;
  }
  /// `known`: the address of the indices on the host; null: they lie in their buffer, at its place.
  void check_on_host(const index_range_check& check, const std::byte* known) const {
    const location at = location_of(check.where.buffer, check.where.move);
    device_stream* const stream = stream_at(at.buffer);
    if (known == nullptr && stream != nullptr) {
      const std::int64_t bytes = memory_.bytes(at.buffer);
      std::vector<std::byte> copy(static_cast<std::size_t>(bytes));
      read_from(*stream, copy.data(), memory_.address(at.buffer), bytes, "index_check");
      check_indices(check, copy.data() + (at.start - memory_.address(at.buffer)));
    } else {
      check_indices(check, known == nullptr ? at.start : known);
    }
  }

  /// Orders the work that devices got before a failure before all later work. A device that has failed gets no more
  /// work.
  void end_refused(staged_call& call) {
    try {
      streams_.join();
      streams_.first().record(*call.done);
      streams_.fork();
    } catch (const device_error&) {}
  }
  void enqueue(staged_call& call) {
    arriving_.clear();
    streams_.fork();
    const auto one = [&](std::size_t s) {
      device_stream* const stream = stream_of(plan_.steps[s]);
      if (stream != nullptr) {
        order_.before(s, *stream);
        if (device_.is_for_next(s, epilogues_)) order_.before(s + 1, *stream);
        if (!plan_.steps[s].is_done) put(s, *stream, call);
        order_.after(s, *stream);
      } else if (staging_.kinds[s] != host_transfer::none) {
        leave(s, call);
      } else {
        arrive(call);
        run_step(s);
      }
      for (const index_range_check& check : plan_.checks) {
        if (check.after != static_cast<int>(s)) continue;
        if (stream_at(check.where.buffer) == nullptr) arrive(call);
        check_on_host(check, nullptr);
      }
    };
    for_each_run(one, [&] { end_iteration(call); });
    arrive(call);
    if (std::any_of(plan_.writes.begin(), plan_.writes.end(), [](const write_back& w) { return w.from >= 0; })) {
      streams_.join();  // other devices may still read the values that are overwritten
      streams_.fork();
    }
    for (const write_back& w : plan_.writes) {
      const std::int64_t bytes = w.from < 0 ? 0 : memory_.bytes(w.from);
      if (bytes == 0) continue;
      if (device_stream* const stream = stream_at(w.to))
        stream->copy(memory_.address(w.to), memory_.address(w.from), bytes, "update");
      else std::memcpy(memory_.address(w.to), memory_.address(w.from), static_cast<std::size_t>(bytes));
    }
    if (const auto& results = staging_.outputs; results.bytes > 0)
      streams_.home().copy_out(call.at(results.offset), results.start, results.bytes, "output");
    streams_.join();
  }
  /// The next iteration writes where this one may still read: on other streams, and in staging memory.
  void end_iteration(const staged_call& call) {
    arrive(call);
    streams_.join();
    if (needs_host_) streams_.first().synchronize();
    streams_.fork();
  }
  void put(std::size_t s, device_stream& stream, const staged_call& here) {
    const step_call call = call_of(s);
    const launcher* const known = device_.launcher_of(s);
    if (epilogues_[s].is_done && call.epilogue.sums == nullptr) return;
    if (epilogues_[s].is_done) return known->finish(stream, call);
    if (known != nullptr) return known->run(stream, call);
    const std::int64_t bytes = bytes_moved(call);
    if (bytes == 0) return;
    std::byte *const from = call.bound.operands[0].start, *const to = call.bound.operands[1].start;
    device_stream* const source = stream_at(plan_.access_of(call.what, 0).buffer);
    if (source == &stream) stream.copy(to, from, bytes, "transfer");
    else if (source != nullptr) stream.copy_from(*source, to, from, bytes, "transfer");
    else {
      std::byte* const staged = here.at(staging_.of_steps[s]);
      if (staging_.kinds[s] != host_transfer::early) {
        arrive(here);  // the value may still be on its way from another device
        copy_bytes(staged, from, bytes);
      }
      stream.copy_in(to, staged, bytes, "transfer");
    }
  }
  static std::int64_t bytes_moved(const step_call& call) { return call.bound.parameters[0] * size_of(call.what.type); }
  /// Starts a transfer to the host.
  void leave(std::size_t s, const staged_call& here) {
    const step_call call = call_of(s);
    const std::int64_t bytes = bytes_moved(call);
    if (bytes > 0)
      stream_at(plan_.access_of(call.what, 0).buffer)
          ->copy_out(here.at(staging_.of_steps[s]), call.bound.operands[0].start, bytes, "transfer");
    if (staging_.kinds[s] != host_transfer::late) arriving_.push_back(s);
  }
  /// Waits for the transfers to the host, before the host reads anything.
  void arrive(const staged_call& here) {
    for (std::size_t s : arriving_) {
      stream_at(plan_.access_of(plan_.steps[s], 0).buffer)->synchronize();
      const step_call call = call_of(s);
      copy_bytes(call.bound.operands[1].start, here.at(staging_.of_steps[s]), bytes_moved(call));
    }
    arriving_.clear();
  }
};

}  // namespace kroton::runtime::on_device
