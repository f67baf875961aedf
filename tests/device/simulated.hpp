// A device that is simulated on the host: its threads are loops, its streams do nothing until somebody waits for them, and its memory is not that of the
// host, so that what forgets to copy or to wait is found where there is no GPU.
#pragma once

#include "product.hpp"

#include <kroton/kroton.hpp>
#include <kroton/runtime/device/kernels.hpp>
#include <kroton/runtime/error.hpp>

#include <algorithm>
#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <numeric>

#include <sys/mman.h>

namespace simulated {

namespace kt = kroton;

/// `Size` threads that run one after the other between two points at which they would wait for each other.
template <int Size>
struct group {
  static constexpr int size = Size;
  template <class State>
  struct locals {
    explicit locals(group&) : of(static_cast<std::size_t>(Size)) {}
    std::vector<State> of;
  };
  template <class State, class Body>
  void each(locals<State>& all, const Body& body) {
    for (int t = 0; t < Size; ++t) body(t, all.of[static_cast<std::size_t>(t)]);
  }
  /// In halves, as a GPU does.
  template <class State, class Get, class Merge>
  void all_reduce(locals<State>& all, const Get& get, const Merge& merge) {
    for (int half = Size / 2; half > 0; half /= 2)
      for (int t = 0; t < half; ++t) merge(get(all.of[static_cast<std::size_t>(t)]), get(all.of[static_cast<std::size_t>(t + half)]));
    for (int t = 1; t < Size; ++t) get(all.of[static_cast<std::size_t>(t)]) = get(all.of[0]);
  }
  /// Merges threads whose numbers are the same modulo `Across` into the first of them.
  template <int Across, class State, class Merge>
  void reduce_depth(locals<State>& all, const Merge& merge) {
    for (int t = Across; t < Size; ++t) merge(all.of[static_cast<std::size_t>(t % Across)], all.of[static_cast<std::size_t>(t)]);
  }
};

/// Held while anything is simulated.
inline std::recursive_mutex simulation;

/// Of devices and of staging memory: allocations before one fails; -1: none does.
inline std::atomic<long> allocations_left = -1;
inline void count_allocation() {
  if (allocations_left >= 0 && allocations_left-- == 0) throw std::bad_alloc();
}
/// Memory of the host that devices copy from and to.
class staging_memory final : public std::pmr::memory_resource {
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    const std::lock_guard lock(simulation);
    count_allocation();
    return std::pmr::new_delete_resource()->allocate(bytes, alignment);
  }
  void do_deallocate(void* start, std::size_t bytes, std::size_t alignment) override { std::pmr::new_delete_resource()->deallocate(start, bytes, alignment); }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

/// Memory of devices, which nobody can touch but streams at work.
class device_memory final : public std::pmr::memory_resource {
 public:
  inline static std::int64_t in_use = 0;
  /// While one lives, the memory can be used.
  struct access {
    access() { change(+1); }
    access(const access&) = delete;
    access& operator=(const access&) = delete;
    ~access() { change(-1); }

   private:
    const std::lock_guard<std::recursive_mutex> lock_{simulation};
  };

 private:
  inline static std::map<void*, std::size_t> blocks;
  inline static int users = 0;
  static std::size_t pages(std::size_t bytes) { return (bytes + 4095) / 4096 * 4096; }
  static void change(int by) {
    const int before = users;
    users += by;
    if ((before > 0) == (users > 0)) return;
    for (const auto& [start, bytes] : blocks) mprotect(start, pages(bytes), users > 0 ? PROT_READ | PROT_WRITE : PROT_NONE);
  }
  void* do_allocate(std::size_t bytes, std::size_t) override {
    const std::lock_guard lock(simulation);
    count_allocation();
    void* const start = mmap(nullptr, pages(bytes), users > 0 ? PROT_READ | PROT_WRITE : PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED) throw std::bad_alloc();
    blocks[start] = bytes;
    in_use += static_cast<std::int64_t>(bytes);
    return start;
  }
  void do_deallocate(void* start, std::size_t bytes, std::size_t) override {
    const std::lock_guard lock(simulation);
    in_use -= static_cast<std::int64_t>(bytes);
    blocks.erase(start);
    munmap(start, pages(bytes));
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

class stream;
struct event final : kt::device_event {
  std::shared_ptr<stream*> recorded_on;  // to none once the stream is gone
  std::int64_t at = 0;  // how much the stream has done then
  void synchronize() override;
};
using work = std::function<void()>;
struct graph final : kt::device_graph {
  std::vector<std::pair<stream*, work>> all;
  std::vector<stream*> captured;  // while it is made
};

class stream final : public kt::device_stream {
 public:
  explicit stream(int device) : device_(device) {}
  ~stream() override {
    advance(noted());
    *self_ = nullptr;
  }
  void copy_in(std::byte* to, const std::byte* from, std::int64_t bytes, const char*) override { put([=] { std::memcpy(to, from, static_cast<std::size_t>(bytes)); }); }
  void copy_out(std::byte* to, const std::byte* from, std::int64_t bytes, const char* what) override { copy_in(to, from, bytes, what); }
  void clear(std::byte* from, std::int64_t bytes, const char*) override { put([=] { std::memset(from, 0, static_cast<std::size_t>(bytes)); }); }
  void copy(std::byte* to, const std::byte* from, std::int64_t bytes, const char* what) override { copy_in(to, from, bytes, what); }
  /// The last device is far from the others.
  bool reaches(const kt::device_stream& other) const override { return (device_ == 3) == (static_cast<const stream&>(other).device_ == 3); }
  void copy_from(kt::device_stream& other, std::byte* to, const std::byte* from, std::int64_t bytes, const char* what) override {
    if (capture_ != nullptr && !reaches(other)) throw kt::device_error("kroton: simulated: a copy that cannot be part of a graph");
    copy_in(to, from, bytes, what);
  }
  void multiply(const kt::device_product& p, const char*) override {
    if (p.is_gradient) ++gradients;
    else if (p.bias != nullptr || p.function != kt::product_function::none) ++epilogues;
    put([p] { simulated::multiply(p); });
  }
  std::int64_t workspace_of(const kt::device_product&, const char*) override { return 100; }
  bool can_end(const kt::device_product& p, const char*) override { return can_end_products && (keeps_nan || p.freedom.is_finite); }
  std::unique_ptr<kt::device_event> make_event() override { return std::make_unique<event>(); }
  void record(kt::device_event& e) override {
    static_cast<event&>(e).recorded_on = self_;
    static_cast<event&>(e).at = noted();
  }
  void wait(kt::device_event& e) override {
    event& other = static_cast<event&>(e);
    stream* const source = other.recorded_on == nullptr ? nullptr : *other.recorded_on;
    if (source == nullptr || source == this) return;
    put([from = other.recorded_on, at = other.at, captured = capture_ != nullptr] {
      if (!captured && *from != nullptr) (*from)->advance(at);  // in a graph, the order of capture holds
    });
    if (source->capture_ != nullptr && capture_ == nullptr) {  // comes along
      capture_ = source->capture_;
      capture_->captured.push_back(this);
    }
  }
  void synchronize() override {
    ++waits;
    advance(noted());
  }
  void begin_capture() override {
    capture_ = std::make_shared<graph>();
    capture_->captured.push_back(this);
  }
  std::unique_ptr<kt::device_graph> end_capture(std::unique_ptr<kt::device_graph>) override {
    auto done = std::make_unique<graph>(*capture_);
    for (stream* each : done->captured) each->capture_ = nullptr;
    return done;
  }
  void launch(kt::device_graph& g) override {
    put([all = static_cast<graph&>(g).all] {
      for (const auto& [each, what] : all) what();
    });
    ++graphs;
  }

  void put(work w) {
    const std::lock_guard lock(simulation);
    if (capture_ != nullptr) return static_cast<void>(capture_->all.emplace_back(this, std::move(w)));
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
  int graphs = 0;     ///< launched
  int waits = 0;      ///< for everything
  int epilogues = 0;  ///< products with a bias or a function
  int gradients = 0;  ///< products with the gradient of a function
  bool can_end_products = true, keeps_nan = true;
  bool is_eager = false;  ///< does everything at once

 private:
  int device_;
  std::deque<work> waiting_;
  std::int64_t done_ = 0;
  std::shared_ptr<graph> capture_;
  std::shared_ptr<stream*> self_ = std::make_shared<stream*>(this);

  std::int64_t noted() const {
    const std::lock_guard lock(simulation);
    return done_ + static_cast<std::int64_t>(waiting_.size());
  }
};
inline void event::synchronize() {
  if (recorded_on != nullptr && *recorded_on != nullptr) (*recorded_on)->advance(at);
}

struct driver final : kt::device_driver {
  int streams_made = 0;
  int count() const override { return 4; }
  std::string description(int device) const override { return "simulated device " + std::to_string(device); }
  std::int64_t free_bytes(int) const override { return std::int64_t{1} << 30; }
  std::unique_ptr<std::pmr::memory_resource> memory_of(int, kt::device_stream&) override { return std::make_unique<device_memory>(); }
  std::unique_ptr<kt::device_stream> make_stream(int device) override {
    ++streams_made;
    return std::make_unique<stream>(device);
  }
  std::pmr::memory_resource& staging() override { return staging_; }

 private:
  staging_memory staging_;
};
/// Makes `cuda0` to `cuda3` simulated devices.
inline void install() {
  static driver one;
  kt::installed_driver() = &one;
}

class launch {
 public:
  using warp = group<32>;
  using block = group<256>;
  launch(kt::device_stream& on, const char*) : on_(static_cast<stream&>(on)) {}
  template <class Task>
  void threads(std::int64_t count, const Task& task) const {
    on_.put([=] {
      for (std::int64_t i = 0; i < count; ++i) task(i);
    });
  }
  template <class Task>
  void warps(std::int64_t count, const Task& task) const {
    groups<warp>(count, task);
  }
  template <class Task>
  void blocks(std::int64_t count, const Task& task) const {
    groups<block>(count, task);
  }
  template <class Function, class Result, class... Argument>
  void transform(std::int64_t count, const Function& function, Result* result, const Argument*... arguments) const {
    on_.put([=] {
      for (std::int64_t i = 0; i < count; ++i) result[i] = function(arguments[i]...);
    });
  }
  template <class Number>
  static std::int64_t sort_workspace(kt::device_stream&, std::int64_t, std::int64_t) {
    return 0;
  }
  /// Sorts `count` numbers and, behind them, what belongs to them, into the next 2 * count.
  std::pair<const std::int64_t*, const std::int64_t*> sort_by_first(std::int64_t* numbers, std::int64_t count, std::int64_t, std::byte*) const {
    on_.put([=] {
      std::vector<std::int64_t> order(static_cast<std::size_t>(count));
      std::iota(order.begin(), order.end(), 0);
      std::stable_sort(order.begin(), order.end(), [&](std::int64_t x, std::int64_t y) { return numbers[x] < numbers[y]; });
      for (std::int64_t i = 0; i < count; ++i) {
        numbers[2 * count + i] = numbers[order[static_cast<std::size_t>(i)]];
        numbers[3 * count + i] = numbers[count + order[static_cast<std::size_t>(i)]];
      }
    });
    return {numbers + 2 * count, numbers + 3 * count};
  }

 private:
  stream& on_;
  template <class Group, class Task>
  void groups(std::int64_t count, const Task& task) const {
    on_.put([=] {
      Group g;
      for (std::int64_t i = 0; i < count; ++i) task(g, i);
    });
  }
};

/// Functions compiled for the host and for simulated devices.
struct backend {
  static constexpr kt::backend_kind kind = kt::backend_kind::cuda;
  template <class Code>
  using kernels_of = kt::on_device::kernels_of<Code, launch>;
};

}  // namespace simulated
