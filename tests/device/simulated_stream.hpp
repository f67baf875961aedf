// Streams of simulated devices, which do nothing until somebody waits for them, and what CUDA asks of those that
// capture a graph.
#pragma once

#include "product.hpp"
#include "simulated_graph.hpp"
#include "simulated_memory.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <set>

namespace simulated {

struct event final : kt::runtime::device_event {
  std::shared_ptr<stream*> recorded_on;  // to none once the stream is gone
  std::int64_t at = 0;                   // how much the stream has done then
  bool is_captured = false;
  std::weak_ptr<capture> captured_in;  // nothing once that has ended
  graph::numbers after;
  void synchronize() override;
};

class stream final : public kt::runtime::device_stream {
 public:
  explicit stream(int device) : device_(device) {}
  ~stream() override {
    advance(noted());
    *self_ = nullptr;
  }
  void copy_in(std::byte* to, const std::byte* from, std::int64_t bytes, const char* what) override {
    if (bytes > 0 && !staging.has(from, bytes))
      throw kt::device_error(
          kt::runtime::message("kroton: simulated: ", what, ": copied from memory that is not pinned"));
    move(to, from, bytes);
  }
  void copy_out(std::byte* to, const std::byte* from, std::int64_t bytes, const char* what) override {
    if (bytes > 0 && !staging.has(to, bytes))
      throw kt::device_error(
          kt::runtime::message("kroton: simulated: ", what, ": copied to memory that is not pinned"));
    move(to, from, bytes);
  }
  void clear(std::byte* from, std::int64_t bytes, const char*) override {
    put([=] { std::memset(from, 0, static_cast<std::size_t>(bytes)); });
  }
  void copy(std::byte* to, const std::byte* from, std::int64_t bytes, const char*) override { move(to, from, bytes); }
  /// The last device is far from the others.
  bool reaches(const kt::runtime::device_stream& other) const override {
    return (device_ == 3) == (static_cast<const stream&>(other).device_ == 3);
  }
  void copy_from(kt::runtime::device_stream& other, std::byte* to, const std::byte* from, std::int64_t bytes,
                 const char*) override {
    if (capture_ != nullptr && !reaches(other))
      throw kt::device_error("kroton: simulated: a copy that cannot be part of a graph");
    move(to, from, bytes);
  }
  void multiply(const kt::runtime::device_product& p, const char*) override {
    if (!asked_.contains(shape_of(p)))
      throw kt::device_error("kroton: simulated: a product whose workspace nobody has asked for");
    ++launches;
    if (p.is_gradient) ++gradients;
    else if (p.bias != nullptr || p.function != kt::graph::product_function::none) ++epilogues;
    else if (p.sums != nullptr) ++sums;
    put([p] { simulated::multiply(p); });
  }
  std::int64_t workspace_of(const kt::runtime::device_product& p, const char*) override {
    asked_.insert(shape_of(p));
    return 100;
  }
  bool supports_epilogue(const kt::runtime::device_product& p, const char*) override {
    forbid_in_capture("a product is tried");
    return supports_epilogues && (keeps_nan || p.math.is_finite);
  }
  std::unique_ptr<kt::runtime::device_event> make_event() override { return std::make_unique<event>(); }
  void record(kt::runtime::device_event& recorded) override {
    event& e = static_cast<event&>(recorded);
    e.recorded_on = self_;
    e.at = noted();
    e.is_captured = capture_ != nullptr;
    e.captured_in = capture_;
    e.after = last_;
  }
  void wait(kt::runtime::device_event& awaited) override {
    event& e = static_cast<event&>(awaited);
    if (e.is_captured || capture_ != nullptr) return wait_in_capture(e);
    stream* const source = e.recorded_on == nullptr ? nullptr : *e.recorded_on;
    if (source == nullptr || source == this) return;
    put([from = e.recorded_on, at = e.at] {
      if (*from != nullptr) (*from)->advance(at);
    });
  }
  void wait_for_users(void* users) override {
    forbid_in_capture("a stream waits for one of the user");
    if (users == nullptr) return;
    event reached;
    static_cast<stream*>(users)->record(reached);
    wait(reached);
  }
  void go_before_users(void* users) override {
    forbid_in_capture("a stream of the user waits");
    if (users == nullptr) return;
    event reached;
    record(reached);
    static_cast<stream*>(users)->wait(reached);
  }
  void synchronize() override {
    forbid_in_capture("the host waits for a stream");
    ++waits;
    advance(noted());
  }
  void begin_capture() override {
    forbid_in_capture("another capture begins");
    broken_rule = nullptr;
    ++captures;
    capture_ = std::make_shared<capture>();
    capture_->streams.push_back(this);
    last_.clear();
  }
  std::unique_ptr<kt::runtime::device_graph> end_capture(std::unique_ptr<kt::runtime::device_graph>) override {
    const std::shared_ptr<capture> done = capture_;
    --captures;
    bool is_joined = true;
    for (stream* each : done->streams) {
      is_joined = is_joined && done->made.comes_before(each->last_, last_);
      each->capture_ = nullptr;
    }
    if (broken_rule != nullptr)
      throw kt::device_error(kt::runtime::message("kroton: simulated: ", broken_rule, " while a graph is captured"));
    if (!is_joined)
      throw kt::device_error("kroton: simulated: a capture ends before it has waited for all of its streams");
    return std::make_unique<graph>(done->made);
  }
  void launch(kt::runtime::device_graph& g) override {
    forbid_in_capture("a graph is launched");
    put([all = static_cast<graph&>(g)] { all.run(); });
    ++graphs;
  }

  void put(work w) {
    const std::lock_guard lock(simulation);
    if (capture_ != nullptr) {
      last_ = {capture_->made.add(std::move(w), last_)};
      return;
    }
    waiting_.push_back(std::move(w));
    if (is_eager) advance(noted());
  }
  /// Does what was put before this much had been put.
  void advance(std::int64_t until) {
    const device_memory::access used;
    while (done_ < until) {
      const work next = std::move(waiting_.front());
      waiting_.pop_front();
      ++done_;
      next();
    }
  }
  bool is_busy() const {
    const std::lock_guard lock(simulation);
    return !waiting_.empty();
  }
  int launches = 0;   ///< of kernels and products that were put on the stream or into a graph
  int graphs = 0;     ///< launched
  int waits = 0;      ///< for everything
  int epilogues = 0;  ///< products with a bias or a function
  int gradients = 0;  ///< products with the gradient of a function
  int sums = 0;       ///< products that sum their second factor
  bool supports_epilogues = true, keeps_nan = true;
  bool is_eager = false;  ///< does everything at once

 private:
  int device_;
  std::deque<work> waiting_;
  std::int64_t done_ = 0;
  std::shared_ptr<capture> capture_;
  graph::numbers last_;  // what comes next in the graph comes after these
  std::shared_ptr<stream*> self_ = std::make_shared<stream*>(this);
  using shape = std::array<std::int64_t, 20>;
  std::set<shape> asked_;  // about workspaces

  void move(std::byte* to, const std::byte* from, std::int64_t bytes) {
    put([=] { std::memcpy(to, from, static_cast<std::size_t>(bytes)); });
  }
  std::int64_t noted() const {
    const std::lock_guard lock(simulation);
    return done_ + static_cast<std::int64_t>(waiting_.size());
  }
  void wait_in_capture(const event& e) {
    const std::shared_ptr<capture> source = e.captured_in.lock();
    if (capture_ != nullptr && e.recorded_on == nullptr) return;
    if (capture_ != nullptr && source != capture_)
      throw kt::device_error("kroton: simulated: a stream waits in a capture for an event from elsewhere");
    if (source == nullptr)
      throw kt::device_error("kroton: simulated: a stream waits for an event of a capture that has ended");
    if (capture_ == nullptr) {  // comes along
      capture_ = source;
      capture_->streams.push_back(this);
      last_.clear();
    }
    for (const std::size_t before : e.after)
      if (std::find(last_.begin(), last_.end(), before) == last_.end()) last_.push_back(before);
  }
  /// What an algorithm may depend on.
  static shape shape_of(const kt::runtime::device_product& p) {
    const auto aligned = [](const std::byte* at, std::int64_t distance) {
      return static_cast<std::int64_t>(kt::runtime::common_alignment(at, distance));
    };
    return {static_cast<std::int64_t>(p.type),
            static_cast<std::int64_t>(p.math.precision),
            p.m,
            p.n,
            p.k,
            p.batches,
            p.x_strides[0],
            p.x_strides[1],
            p.y_strides[0],
            p.y_strides[1],
            p.x_batch,
            p.y_batch,
            p.factors_on_device,
            p.bias != nullptr,
            static_cast<std::int64_t>(p.function),
            p.aux != nullptr,
            p.sums != nullptr,
            aligned(p.x, p.x_distance),
            aligned(p.y, p.y_distance),
            std::min({aligned(p.z, p.z_distance), aligned(p.bias, 0), aligned(p.aux, 0), aligned(p.sums, 0)})};
  }
};
inline void event::synchronize() {
  if (is_captured) throw kt::device_error("kroton: simulated: the host waits for an event of a capture");
  forbid_in_capture("the host waits for an event");
  if (recorded_on != nullptr && *recorded_on != nullptr) (*recorded_on)->advance(at);
}

}  // namespace simulated
