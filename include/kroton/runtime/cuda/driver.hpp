// This header is the driver of the GPUs of this machine, through the CUDA runtime.
#pragma once

#include <kroton/runtime/cuda/products.hpp>

#include <mutex>

namespace kroton::runtime::on_cuda {

class event final : public device_event {
 public:
  explicit event(int device) : device_(device) {
    const current_device here(device);
    check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "cudaEventCreate");
  }
  event(const event&) = delete;
  event& operator=(const event&) = delete;
  ~event() override {
    const current_device here(device_, std::nothrow);
    (void)cudaEventDestroy(event_);
  }
  void synchronize() override { check(cudaEventSynchronize(event_), "what a device was told to do"); }
  cudaEvent_t get() const { return event_; }

 private:
  int device_;
  cudaEvent_t event_ = nullptr;
};

class graph final : public device_graph {
 public:
  explicit graph(cudaGraph_t captured) {
    const cudaError_t found = cudaGraphInstantiate(&executable_, captured, 0);
    (void)cudaGraphDestroy(captured);
    check(found, "cudaGraphInstantiate");
  }
  graph(const graph&) = delete;
  graph& operator=(const graph&) = delete;
  ~graph() override { (void)cudaGraphExecDestroy(executable_); }
  cudaGraphExec_t get() const { return executable_; }
  /// Takes over the addresses of `captured` if that graph does the same work with other addresses. Returns whether it
  /// does.
  bool becomes(cudaGraph_t captured) {
    cudaGraphExecUpdateResultInfo found{};
    if (cudaGraphExecUpdate(executable_, captured, &found) != cudaSuccess) {
      (void)cudaGetLastError();
      return false;
    }
    (void)cudaGraphDestroy(captured);
    return true;
  }

 private:
  cudaGraphExec_t executable_ = nullptr;
};

class stream final : public device_stream {
 public:
  explicit stream(int device) : device_(device), products_(device) {
    const current_device here(device);
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
  }
  stream(const stream&) = delete;
  stream& operator=(const stream&) = delete;
  ~stream() override {
    const current_device here(device_, std::nothrow);
    (void)cudaStreamSynchronize(stream_);
    (void)cudaStreamDestroy(stream_);
  }
  cudaStream_t get() const { return stream_; }
  int device() const { return device_; }

  void copy_in(std::byte* to, const std::byte* from, std::int64_t bytes, const char* what) override {
    copy(to, from, bytes, cudaMemcpyHostToDevice, what);
  }
  void copy_out(std::byte* to, const std::byte* from, std::int64_t bytes, const char* what) override {
    copy(to, from, bytes, cudaMemcpyDeviceToHost, what);
  }
  void clear(std::byte* from, std::int64_t bytes, const char* what) override {
    const current_device here(device_);
    check(cudaMemsetAsync(from, 0, static_cast<std::size_t>(bytes), stream_), what);
  }
  void copy(std::byte* to, const std::byte* from, std::int64_t bytes, const char* what) override {
    copy(to, from, bytes, cudaMemcpyDeviceToDevice, what);
  }
  bool reaches(const device_stream& other) const override {
    const int there = static_cast<const stream&>(other).device_;
    int can = 1;
    if (there != device_) check(cudaDeviceCanAccessPeer(&can, device_, there), "cudaDeviceCanAccessPeer");
    return can != 0;
  }
  /// Copies directly if the devices reach each other, else through the host, which cannot be captured.
  void copy_from(device_stream& other, std::byte* to, const std::byte* from, std::int64_t bytes,
                 const char* what) override {
    if (reaches(other)) return copy(to, from, bytes, cudaMemcpyDefault, what);
    const current_device here(device_);
    check(cudaMemcpyPeerAsync(to, device_, from, static_cast<stream&>(other).device_, static_cast<std::size_t>(bytes),
                              stream_),
          what);
  }
  void multiply(const device_product& product, const char* what) override {
    products_.multiply(product, stream_, what);
  }
  std::int64_t workspace_of(const device_product& product, const char* what) override {
    return products_.workspace_of(product, what);
  }

  bool supports_epilogue(const device_product& product, const char* what) override {
    return products_.supports_epilogue(product, stream_, what);
  }

  std::unique_ptr<device_event> make_event() override { return std::make_unique<event>(device_); }
  void record(device_event& e) override {
    const current_device here(device_);
    check(cudaEventRecord(static_cast<event&>(e).get(), stream_), "cudaEventRecord");
  }
  void wait(device_event& e) override {
    const current_device here(device_);
    check(cudaStreamWaitEvent(stream_, static_cast<event&>(e).get(), 0), "cudaStreamWaitEvent");
  }
  void wait_for_users(void* users) override {
    const current_device here(device_);
    event reached(device_);
    check(cudaEventRecord(reached.get(), static_cast<cudaStream_t>(users)), "cudaEventRecord");
    wait(reached);
  }
  void go_before_users(void* users) override {
    const current_device here(device_);
    event reached(device_);
    record(reached);
    check(cudaStreamWaitEvent(static_cast<cudaStream_t>(users), reached.get(), 0), "cudaStreamWaitEvent");
  }
  void synchronize() override { check(cudaStreamSynchronize(stream_), "what a device was told to do"); }

  void begin_capture() override {
    const current_device here(device_);
    check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
  }
  std::unique_ptr<device_graph> end_capture(std::unique_ptr<device_graph> old) override {
    const current_device here(device_);
    cudaGraph_t captured = nullptr;
    check(cudaStreamEndCapture(stream_, &captured), "cudaStreamEndCapture");
    if (old != nullptr && static_cast<graph&>(*old).becomes(captured)) return old;
    return std::make_unique<graph>(captured);
  }
  void launch(device_graph& g) override {
    const current_device here(device_);
    check(cudaGraphLaunch(static_cast<graph&>(g).get(), stream_), "cudaGraphLaunch");
  }

 private:
  int device_;
  cudaStream_t stream_ = nullptr;
  products products_;

  void copy(std::byte* to, const std::byte* from, std::int64_t bytes, cudaMemcpyKind kind, const char* what) {
    const current_device here(device_);
    check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), kind, stream_), what);
  }
};

/// Memory in the order of a stream: the next work on the stream can use new memory, and memory that was released before
/// it. Other streams wait for the stream before they use it.
class stream_memory final : public std::pmr::memory_resource {
 public:
  explicit stream_memory(stream& s) : stream_(s) {}

 private:
  stream& stream_;

  void* do_allocate(std::size_t bytes, std::size_t) override {
    const std::lock_guard lock(stream_.mutex);
    const current_device here(stream_.device());
    void* block = nullptr;
    check_allocation(cudaMallocAsync(&block, bytes, stream_.get()), "cudaMallocAsync");
    return block;
  }
  void do_deallocate(void* block, std::size_t, std::size_t) override {
    const std::lock_guard lock(stream_.mutex);
    const current_device here(stream_.device(), std::nothrow);
    (void)cudaFreeAsync(block, stream_.get());
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

/// Pinned memory of the host, which GPUs can copy from and to.
class pinned_memory final : public std::pmr::memory_resource {
  void* do_allocate(std::size_t bytes, std::size_t) override {
    void* block = nullptr;
    check_allocation(cudaMallocHost(&block, bytes), "cudaMallocHost");
    return block;
  }
  void do_deallocate(void* block, std::size_t, std::size_t) override { (void)cudaFreeHost(block); }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

class driver final : public device_driver {
 public:
  int count() const override { return found().count; }
  std::string why_none() const override {
    const cudaError_t status = found().status;
    return status == cudaSuccess || status == cudaErrorNoDevice ? "" : message(" (", cudaGetErrorString(status), ")");
  }
  std::string description(int device) const override {
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
    char bus[16] = {};
    check(cudaDeviceGetPCIBusId(bus, sizeof bus, device), "cudaDeviceGetPCIBusId");
    return message(properties.name, " (", bus, ")");
  }
  std::int64_t free_bytes(int device) const override {
    const current_device here(device);
    std::size_t free = 0, every = 0;
    check(cudaMemGetInfo(&free, &every), "cudaMemGetInfo");
    return static_cast<std::int64_t>(free);
  }
  std::unique_ptr<std::pmr::memory_resource> memory_of(int, device_stream& s) override {
    return std::make_unique<stream_memory>(static_cast<stream&>(s));
  }
  std::unique_ptr<device_stream> make_stream(int device) override {
    open_peers(device);
    return std::make_unique<stream>(device);
  }
  /// Memory of this device, of one that it reaches, managed memory, and memory of the host that is registered.
  bool holds(int device, const std::byte* start) const override {
    const current_device here(device);
    cudaPointerAttributes found{};
    if (cudaPointerGetAttributes(&found, start) != cudaSuccess) {
      (void)cudaGetLastError();
      return false;
    }
    if (found.type != cudaMemoryTypeDevice) return found.type != cudaMemoryTypeUnregistered;
    int reaches = 1;
    if (found.device != device)
      check(cudaDeviceCanAccessPeer(&reaches, device, found.device), "cudaDeviceCanAccessPeer");
    return reaches != 0;
  }
  std::pmr::memory_resource& staging() override { return staging_; }

 private:
  struct devices {
    int count = 0;
    cudaError_t status = cudaSuccess;
  };
  pinned_memory staging_;
  std::mutex mutex_;
  std::vector<bool> opened_;

  static const devices& found() {
    static const devices every = [] {
      devices asked;
      asked.status = cudaGetDeviceCount(&asked.count);
      (void)cudaGetLastError();
      if (asked.status != cudaSuccess) asked.count = 0;
      return asked;
    }();
    return every;
  }

  /// Lets a device keep as much released memory as small programs take, so that other extents, as those of the last
  /// batch, do not cost milliseconds. More memory than that goes back to the system when it is released.
  static void keep_little(int device) {
    constexpr std::uint64_t wanted = std::uint64_t{32} << 20;
    cudaMemPool_t pool = nullptr;
    check(cudaDeviceGetDefaultMemPool(&pool, device), "cudaDeviceGetDefaultMemPool");
    std::uint64_t kept = 0;
    check(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept), "cudaMemPoolGetAttribute");
    if (kept >= wanted) return;
    kept = wanted;
    check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept), "cudaMemPoolSetAttribute");
  }
  /// Lets a device read the memory of all others that it can reach.
  void open_peers(int device) {
    const std::lock_guard lock(mutex_);
    opened_.resize(static_cast<std::size_t>(count()));
    if (opened_[static_cast<std::size_t>(device)]) return;
    const current_device here(device);
    keep_little(device);
    for (int other = 0; other < count(); ++other) {
      int can = 0;
      if (other == device || cudaDeviceCanAccessPeer(&can, device, other) != cudaSuccess || can == 0) continue;
      const cudaError_t found = cudaDeviceEnablePeerAccess(other, 0);
      (void)cudaGetLastError();
      if (found != cudaErrorPeerAccessAlreadyEnabled) check(found, "cudaDeviceEnablePeerAccess");
      cudaMemPool_t pool = nullptr;  // its memory needs access rights of its own
      check(cudaDeviceGetDefaultMemPool(&pool, other), "cudaDeviceGetDefaultMemPool");
      cudaMemAccessDesc access{};
      access.location = {cudaMemLocationTypeDevice, device};
      access.flags = cudaMemAccessFlagsProtReadWrite;
      check(cudaMemPoolSetAccess(pool, &access, 1), "cudaMemPoolSetAccess");
    }
    opened_[static_cast<std::size_t>(device)] = true;
  }
};

/// Makes the GPUs of this machine devices of this program. CUDA is not called before the first function is made, which
/// asks for the number of GPUs.
inline const bool is_installed = [] {
  static driver one;
  if (installed_driver() == nullptr) installed_driver() = &one;
  return true;
}();

}  // namespace kroton::runtime::on_cuda
