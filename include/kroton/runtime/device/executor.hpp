// Runs programs of which some places are devices: their steps are put on streams, and the host goes on until it needs what they compute.
#pragma once

#include <kroton/runtime/context_copy.hpp>
#include <kroton/runtime/host/executor.hpp>

namespace kroton::on_device {

/// A step with the addresses of its operands, on its way to a stream.
struct step_call {
  const step& what;
  on_host::bound_step& bound;
  const plan_view& plan;
  const std::int64_t* symbols;
  std::byte* scratch;  ///< as many bytes as the launcher asks for

  std::int64_t value(extent_code e) const { return extent_value(e, symbols); }
};
struct launcher {
  void (*run)(device_stream& stream, const step_call& call) = nullptr;
  std::int64_t (*scratch)(device_stream& stream, const step_call& call) = nullptr;
};

/// No template: what differs from one function to another is data. A function without a place on a device runs as it does on the host.
class executor : on_host::executor {
 public:
  using on_host::executor::cannot_fail;
  using on_host::executor::largest_extent;

  /// `host`, `device`: launchers by the number of the kernel; `products`: of matrix products of float and double.
  executor(const plan_view& plan, const on_host::launcher* host, const launcher* device, const launcher* products, const int* kernel_of,
           std::vector<context> places)
      : on_host::executor(plan, host, kernel_of, std::move(places)), device_launchers_(device), products_(products) {
    for (const context& place : places_) streams_.push_back(place.stream());
    has_devices_ = std::any_of(streams_.begin(), streams_.end(), [](const auto* stream) { return stream != nullptr; });
    if (!has_devices_) return;
    for (std::size_t p = 0; p < streams_.size(); ++p)
      if (first_ == nullptr && streams_[p] != nullptr) first_ = streams_[p];
    is_all_on_devices_ = std::all_of(plan.steps.begin(), plan.steps.end(), [&](const step& s) { return stream_of(s) != nullptr && !is_transfer_between(s); }) &&
                         std::all_of(plan.checks.begin(), plan.checks.end(), [](const index_range_check& c) { return c.after < 0; });
    waits_.resize(plan.steps.size());
    events_.resize(plan.steps.size());
    scratch_.resize(streams_.size());
    staged_.resize(plan.steps.size());
    for (device_stream* stream : streams_) ends_.push_back(stream == nullptr || stream == first_ ? nullptr : stream->make_event());
    begin_ = first_->make_event();
    home_ = (streams_[0] == nullptr ? first_ : streams_[0])->make_event();
    done_ = first_->make_event();
  }
  executor(executor&&) = default;
  ~executor() {
    if (done_ != nullptr) done_->synchronize();  // staging is in use till then
  }

  void bind(const std::int64_t* symbols) {
    if (is_bound(symbols)) return;
    if (!has_devices_) return on_host::executor::bind(symbols);
    done_->synchronize();
    graph_ = nullptr;
    calls_ = 0;
    on_host::executor::bind(symbols);
    bound_ = false;  // until everything is there
    place_staging();
    place_scratch();
    find_waits();
    bound_ = true;
  }

  /// Runs all steps. Outputs are there when it returns; new values of shared variables on devices are for whoever uses the stream next.
  void run(const std::byte* const* inputs, std::byte* const* shared, std::byte* const* outputs) {
    if (!has_devices_) return on_host::executor::run(inputs, shared, outputs);
    memory_.place(inputs, shared, outputs);
    check_arguments();
    done_->synchronize();
    for (const passage& in : inputs_) copy_bytes(in.staged, memory_.given(in.buffer), memory_.bytes(in.buffer));
    const bool same = shared_.size() == shared_count_ && std::equal(shared_.begin(), shared_.end(), shared);
    if (graph_ == nullptr || !same) {
      shared_.assign(shared, shared + shared_count_);
      graph_ = nullptr;
      if (is_all_on_devices_ && calls_ > 0) {
        first_->begin_capture();
        enqueue();
        graph_ = first_->end_capture();
      }
    }
    if (graph_ != nullptr) first_->launch(*graph_);
    else enqueue();
    ++calls_;
    first_->record(*done_);
    if (outputs_.empty()) return;
    done_->synchronize();
    for (const passage& out : outputs_) copy_bytes(memory_.given(out.buffer), out.staged, memory_.bytes(out.buffer));
  }

 private:
  /// An argument or output, and memory of the host that a device can copy.
  struct passage {
    int buffer;
    std::byte* staged;
  };
  const launcher* device_launchers_;
  const launcher* products_;
  std::vector<device_stream*> streams_;  // of the places; none: it is on the host
  device_stream* first_ = nullptr;
  bool has_devices_ = false, is_all_on_devices_ = false;
  std::vector<std::vector<std::size_t>> waits_;        // of each step: those on other streams that it waits for
  std::vector<std::unique_ptr<device_event>> events_;  // of the steps that others wait for
  std::unique_ptr<device_event> begin_, home_, done_;
  std::vector<std::unique_ptr<device_event>> ends_;    // of the places on streams other than the first
  std::vector<context_block> scratch_;                 // of each place
  context_block staging_;
  std::vector<passage> inputs_, outputs_;
  std::vector<std::byte*> staged_;                     // of each step that is a transfer between the host and a device
  std::vector<std::size_t> arriving_;                  // transfers to the host that are under way
  std::unique_ptr<device_graph> graph_;
  std::size_t shared_count_ = [this] {
    int count = 0;
    for (const buffer& b : plan_.buffers)
      if (b.kind == buffer_kind::shared) count = std::max(count, b.index + 1);
    return static_cast<std::size_t>(count);
  }();
  std::vector<std::byte*> shared_;  // where shared variables were when the graph was captured
  int calls_ = 0;

  static void copy_bytes(std::byte* to, const std::byte* from, std::int64_t bytes) {
    if (bytes > 0) std::memcpy(to, from, static_cast<std::size_t>(bytes));
  }
  device_stream* stream_of(const step& s) const { return streams_[static_cast<std::size_t>(s.place)]; }
  device_stream* stream_at(int buffer) const { return streams_[static_cast<std::size_t>(plan_.buffers[static_cast<std::size_t>(buffer)].place)]; }
  const access& access_of(const step& s, int i) const { return plan_.accesses[static_cast<std::size_t>(s.first_access + i)]; }
  bool is_transfer_between(const step& s) const {
    if (s.kind != step_kind::transfer) return false;
    return (stream_at(access_of(s, 0).buffer) == nullptr) != (stream_at(access_of(s, 1).buffer) == nullptr);
  }

  void place_staging() {
    inputs_.clear();
    outputs_.clear();
    std::int64_t size = 0;
    const auto room = [&](std::int64_t bytes) {
      const std::int64_t at = size;
      size += (bytes + arena_alignment - 1) / arena_alignment * arena_alignment;
      return at;
    };
    std::vector<std::int64_t> offsets;
    for (int i = 0; i < static_cast<int>(plan_.buffers.size()); ++i) {
      if (!memory_.passes(i)) continue;
      (plan_.buffers[static_cast<std::size_t>(i)].kind == buffer_kind::input ? inputs_ : outputs_).push_back({i, nullptr});
      offsets.push_back(room(memory_.bytes(i)));
    }
    std::vector<std::int64_t> of_steps(plan_.steps.size(), -1);
    for (std::size_t s = 0; s < plan_.steps.size(); ++s)
      if (is_transfer_between(plan_.steps[s])) of_steps[s] = room(memory_.bytes(access_of(plan_.steps[s], 1).buffer));
    staging_ = {};
    staging_ = staging_block(size);
    std::size_t next = 0, in = 0, out = 0;
    for (int i = 0; i < static_cast<int>(plan_.buffers.size()); ++i) {
      if (!memory_.passes(i)) continue;
      passage& p = plan_.buffers[static_cast<std::size_t>(i)].kind == buffer_kind::input ? inputs_[in++] : outputs_[out++];
      p.staged = staging_.data() + offsets[next++];
    }
    for (std::size_t s = 0; s < of_steps.size(); ++s) staged_[s] = of_steps[s] < 0 ? nullptr : staging_.data() + of_steps[s];
  }
  const launcher* launcher_of(std::size_t index) const {
    const step& s = plan_.steps[index];
    if (s.kind == step_kind::dot) return &products_[s.type == dtype::float64 ? 1 : 0];
    return s.kind == step_kind::transfer ? nullptr : &device_launchers_[kernel_of_[index]];
  }
  step_call call_of(std::size_t index) {
    const auto place = static_cast<std::size_t>(plan_.steps[index].place);
    return {plan_.steps[index], with_addresses(index), plan_, symbols_.data(), scratch_[place].data()};
  }
  void place_scratch() {
    std::vector<std::int64_t> sizes(streams_.size());
    for (std::size_t s = 0; s < plan_.steps.size(); ++s) {
      const auto place = static_cast<std::size_t>(plan_.steps[s].place);
      if (streams_[place] == nullptr || launcher_of(s) == nullptr) continue;
      sizes[place] = std::max(sizes[place], launcher_of(s)->scratch(*streams_[place], call_of(s)));
    }
    for (std::size_t p = 0; p < sizes.size(); ++p) {
      if (sizes[p] == scratch_[p].size()) continue;
      scratch_[p] = {};
      scratch_[p] = context_block(places_[p].account(), sizes[p]);
    }
  }

  bool conflict(const step& x, const step& y) const {
    for (int i = 0; i < x.accesses; ++i)
      for (int j = 0; j < y.accesses; ++j) {
        const access &a = access_of(x, i), &b = access_of(y, j);
        if ((a.written || b.written) && a.buffer >= 0 && b.buffer >= 0 && memory_.overlap(a.buffer, b.buffer)) return true;
      }
    return false;
  }
  /// Finds the last step of each other stream that a step must not overtake.
  void find_waits() {
    for (std::size_t s = 0; s < waits_.size(); ++s) {
      waits_[s].clear();
      std::vector<const device_stream*> found{stream_of(plan_.steps[s])};
      for (std::size_t t = s; t-- > 0;) {
        device_stream* const other = stream_of(plan_.steps[t]);
        if (other == nullptr || found[0] == nullptr || std::find(found.begin(), found.end(), other) != found.end()) continue;
        if (!conflict(plan_.steps[s], plan_.steps[t])) continue;
        found.push_back(other);
        waits_[s].push_back(t);
        if (events_[t] == nullptr) events_[t] = other->make_event();
      }
    }
  }

  /// Checks the indices that are there before anything runs. Those of arguments are looked at where the caller has them.
  void check_arguments() const {
    for (const index_range_check& check : plan_.checks)
      if (check.after < 0) check_on_host(check, memory_.passes(check.where.buffer) ? memory_.given(check.where.buffer) : nullptr);
  }
  /// `known`: where the host has the indices; none: wherever they lie.
  void check_on_host(const index_range_check& check, const std::byte* known) const {
    device_stream* const stream = stream_at(check.where.buffer);
    if (known == nullptr && stream != nullptr) {
      const std::int64_t bytes = memory_.bytes(check.where.buffer);
      const context_block copy = staging_block(bytes);
      if (bytes > 0) stream->copy_out(copy.data(), memory_.address(check.where.buffer), bytes, "index_check");
      stream->synchronize();
      on_host::index_checker(plan_, check, symbols_.data(), copy.data()).run();
    } else {
      on_host::index_checker(plan_, check, symbols_.data(), known == nullptr ? memory_.address(check.where.buffer) : known).run();
    }
  }

  void enqueue() {
    arriving_.clear();
    fork(*first_, *begin_);
    device_stream* home = nullptr;  // arguments lie in the context of the session
    for (const passage& in : inputs_) {
      home = stream_at(in.buffer);
      if (memory_.bytes(in.buffer) > 0) home->copy_in(memory_.address(in.buffer), in.staged, memory_.bytes(in.buffer), "argument");
    }
    if (home != nullptr) fork(*home, *home_);
    for (std::size_t s = 0; s < plan_.steps.size(); ++s) {
      device_stream* const stream = stream_of(plan_.steps[s]);
      if (stream == nullptr) {
        if (is_transfer_between(plan_.steps[s])) {
          leave(s);
        } else {
          arrive();
          run_step(s);
        }
      } else {
        for (std::size_t t : waits_[s]) stream->wait(*events_[t]);
        put(s, *stream);
        if (events_[s] != nullptr) stream->record(*events_[s]);
      }
      for (const index_range_check& check : plan_.checks)
        if (check.after == static_cast<int>(s)) check_on_host(check, nullptr);
    }
    arrive();
    for (const write_back& w : plan_.writes) {
      const std::int64_t bytes = w.from < 0 ? 0 : memory_.bytes(w.from);
      if (bytes == 0) continue;
      if (device_stream* const stream = stream_at(w.to)) stream->copy(memory_.address(w.to), memory_.address(w.from), bytes, "update");
      else std::memcpy(memory_.address(w.to), memory_.address(w.from), static_cast<std::size_t>(bytes));
    }
    for (const passage& out : outputs_)
      if (memory_.bytes(out.buffer) > 0) stream_at(out.buffer)->copy_out(out.staged, memory_.address(out.buffer), memory_.bytes(out.buffer), "output");
    join();
  }
  /// What comes after on any stream comes after what is on `from` now.
  void fork(device_stream& from, device_event& event) {
    from.record(event);
    for (device_stream* stream : streams_)
      if (stream != nullptr && stream != &from) stream->wait(event);
  }
  /// What comes after on the first stream comes after everything.
  void join() {
    for (std::size_t p = 0; p < streams_.size(); ++p) {
      if (ends_[p] == nullptr) continue;
      streams_[p]->record(*ends_[p]);
      first_->wait(*ends_[p]);
    }
  }
  void put(std::size_t s, device_stream& stream) {
    const step_call call = call_of(s);
    if (const launcher* known = launcher_of(s)) return known->run(stream, call);
    const std::int64_t bytes = call.bound.parameters[0] * size_of(call.what.type);
    if (bytes == 0) return;
    std::byte *const from = call.bound.operands[0].start, *const to = call.bound.operands[1].start;
    device_stream* const source = stream_at(access_of(call.what, 0).buffer);
    if (source == &stream) stream.copy(to, from, bytes, "transfer");
    else if (source != nullptr) stream.copy_from(*source, to, from, bytes, "transfer");
    else {
      std::memcpy(staged_[s], from, static_cast<std::size_t>(bytes));
      stream.copy_in(to, staged_[s], bytes, "transfer");
    }
  }
  /// Starts a transfer to the host.
  void leave(std::size_t s) {
    const step_call call = call_of(s);
    const std::int64_t bytes = call.bound.parameters[0] * size_of(call.what.type);
    if (bytes > 0) stream_at(access_of(call.what, 0).buffer)->copy_out(staged_[s], call.bound.operands[0].start, bytes, "transfer");
    arriving_.push_back(s);
  }
  /// Waits for the transfers to the host, before the host reads anything.
  void arrive() {
    for (std::size_t s : arriving_) {
      stream_at(access_of(plan_.steps[s], 0).buffer)->synchronize();
      const on_host::bound_step& b = with_addresses(s);
      copy_bytes(b.operands[1].start, staged_[s], b.parameters[0] * size_of(plan_.steps[s].type));
    }
    arriving_.clear();
  }
};

}  // namespace kroton::on_device
