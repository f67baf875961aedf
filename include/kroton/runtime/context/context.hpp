// This header has contexts. A context is a device, with the number of threads and bytes that functions may use there.
#pragma once

#include <kroton/expr/place.hpp>
#include <kroton/runtime/context/device.hpp>
#include <kroton/runtime/context/memory_use.hpp>

#include <memory>
#include <memory_resource>
#include <string>
#include <string_view>
#include <vector>

namespace kroton::runtime {

class device_stream;
class memory_account;
struct context_entry;
class worker;

/// A device with its memory, threads and budget, where functions run and sessions keep their variables:
/// `kt::session<digits> s(kt::context::host(4));`.
class context {
 public:
  /// A copy is the same context. A move is a copy too, so that a context that was moved can still be used.
  context(const context&) = default;
  context& operator=(const context&) = default;

  /// The host with at most `threads` threads; 0: as many as OpenMP would use (OMP_NUM_THREADS). Throws value_error if
  /// `threads` is negative.
  static context host(int threads = 0);
  /// The device with this name: cpu, cpuN (one core of the host), cuda or cudaN. Throws parse_error if the text is not
  /// the name of a device, and device_error if this machine does not have the device. `kt::context::on("cuda0")`.
  static context on(std::string_view name);
  /// The context of the whole host that functions share if they are given no other context: they share its memory and
  /// its budget.
  static context shared_host();
  /// The context of the device that KROTON_FLAGS names. If it names none, it is the first GPU in a program for GPUs,
  /// else the host. A program for GPUs that finds no GPU prints this on stderr, once. Each call returns the same
  /// context, with one budget.
  static context best();

  /// Maps the name of a context to a device, as in KROTON_FLAGS="contexts=dev0->cpu0". Prints the mapping on stderr,
  /// unless KROTON_FLAGS has print_active_device=0. Throws parse_error if the name is not valid or is mapped already,
  /// and device_error if there is no such device.
  static void map(std::string_view name, std::string_view target);
  /// The same with a context, which may have a budget or a resource of its own: `kt::context::map("dev0",
  /// kt::context::on("cuda0").with_budget(1 << 30))`.
  static void map(std::string_view name, const context& target);
  /// The context that a name was mapped to: `kt::context::named(dev0)`. Throws device_error if the name was not mapped.
  template <named_context Tag>
  static context named(Tag) {
    if constexpr (std::is_same_v<Tag, struct host>) return shared_host();
    else return named(std::string_view(type_name<Tag>().text));
  }
  static context named(std::string_view name);

  /// The same device with a budget of `bytes` for the shared variables and temporaries of the sessions and functions
  /// that are made with the returned context. The outputs of a call have to fit too, and do not count after the call
  /// has returned. A session or call that would exceed the budget throws memory_error before anything changes.
  context with_budget(std::int64_t bytes) const;
  /// The same device and budget with shared variables and temporaries in memory of `resource`, which gives memory of
  /// that device and must outlive them. Several threads use it if functions run in this context at the same time.
  context with_resource(std::pmr::memory_resource& resource) const;
  /// The bytes of shared variables, of temporaries and, during a call, of copies of views with strides; the bytes that
  /// are kept for later; and the free bytes.
  memory_use memory() const;
  /// Returns kept memory to the system: large blocks of the host's memory that temporaries, shared variables or outputs
  /// of this context had, and that later ones would get without touching new pages. The result is the number of bytes.
  /// A call does the same before it fails for want of memory.
  std::int64_t trim() const;
  std::shared_ptr<memory_account> account() const;
  /// The account that lends the memory of large outputs; null if they are from the system, because the context has a
  /// memory resource of the user.
  memory_account* lender() const;
  /// The thread that runs the steps of this context, started at the first call; null if the caller's thread runs them.
  std::shared_ptr<runtime::worker> worker() const;
  const device& where() const { return where_; }
  /// The stream of a GPU for this context; null on the host.
  device_stream* stream() const;
  /// A second stream of a GPU, on which arguments arrive while the first stream computes; null on the host.
  device_stream* arrivals() const;

  int threads() const;
  /// The library that multiplies matrices here, and its kernels: "Kroton's own products, for AVX-512", and with
  /// KROTON_BLAS "OpenBLAS 0.3.21, kernels for Cooperlake".
  std::string product_library() const;

 private:
  struct gpu_state;
  struct state;
  context(const device& where, int threads, std::int64_t budget,
          std::pmr::memory_resource& resource = *std::pmr::get_default_resource(),
          std::shared_ptr<gpu_state> gpu = nullptr);
  static context on(const device& where);
  static context on(const context_entry& entry);
  static void require(const context_entry& entry);
  friend class context_registry;

  device where_;
  int threads_;
  std::shared_ptr<state> state_;
};

/// Prints once, in a program for GPUs, if there is no GPU.
void tell_of_no_gpu();

/// The contexts of the first `count` places of a function that is bound to the context `where`. Throws device_error if
/// a name is not mapped.
std::vector<context> contexts_of(const place_name* const* names, int count, const context& where);

}  // namespace kroton::runtime

namespace kroton {
using runtime::context;
}  // namespace kroton

#if KROTON_HAS_DEFINITIONS
#include <kroton/runtime/context/context.ipp>
#endif
