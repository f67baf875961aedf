// This header has contexts: a device, how many threads functions may use there, and how much memory.
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

/// Where functions run and sessions keep their variables: a device with its memory, threads and budget:
/// `kt::session<digits> s(kt::context::host(4));`.
class context {
 public:
  /// Copies are the same context. It has no move of its own, so that one that was moved is still there.
  context(const context&) = default;
  context& operator=(const context&) = default;

  /// The host with at most `threads` threads; 0: as many as OpenMP would use (OMP_NUM_THREADS). Throws value_error for
  /// fewer than 0.
  static context host(int threads = 0);
  /// The device with this name: cpu, cpuN (one core of the host), cuda or cudaN. Throws device_error if there is none.
  static context on(std::string_view name);
  /// The whole host as all functions of the program share it that are told no other: its memory, and what of its budget
  /// is left.
  static context shared_host();
  /// The device that KROTON_FLAGS names; else the fastest there is: the first GPU, in a program for GPUs, or the host.
  /// Where such a program finds no GPU, it says so on stderr, once. It is the same context each time, with one budget.
  static context best();

  /// What the name of a context means in this program, as in KROTON_FLAGS="contexts=dev0->cpu0". Says so on stderr,
  /// unless KROTON_FLAGS has print_active_device=0. Throws parse_error if the name is none or is mapped already, and
  /// device_error if there is no such device.
  static void map(std::string_view name, std::string_view target);
  /// The same with a context, which may have a budget or a resource of its own: `kt::context::map("dev0",
  /// kt::context::on("cuda0").with_budget(1 << 30))`.
  static void map(std::string_view name, const context& target);
  /// The context that a name was mapped to: `kt::context::named(dev0)`. Throws device_error if it was not.
  template <named_context Tag>
  static context named(Tag) {
    if constexpr (std::is_same_v<Tag, struct host>) return shared_host();
    else return named(std::string_view(type_name<Tag>().text));
  }
  static context named(std::string_view name);

  /// The same device with a budget of so many bytes for the shared variables and temporaries of what is made with the
  /// returned context; what a call returns has to fit too, and counts no more once it is the caller's. Sessions, and
  /// calls of functions, that would exceed it throw memory_error before anything changes.
  context with_budget(std::int64_t bytes) const;
  /// The same device and budget with shared variables and temporaries in memory of `resource`, of that device, which
  /// must outlive them, and which several threads use if functions that run at the same time have a place in this
  /// context.
  context with_resource(std::pmr::memory_resource& resource) const;
  /// What shared variables, temporaries and, while a call lasts, copies of views with strides take, what is kept for
  /// later, and what is free.
  memory_use memory() const;
  /// Returns to the system what is kept: large blocks of the host's memory that temporaries, shared variables or
  /// outputs of this context had, which others get without touching new pages. That happens by itself where a budget or
  /// an allocation would fail otherwise. How many bytes it was.
  std::int64_t trim() const;
  std::shared_ptr<memory_account> account() const;
  /// Who has the memory of large outputs; none: the system, because that of the context is from a resource of the user.
  memory_account* lender() const;
  /// The thread that runs what is in this context, started when it is first asked for; none, if that of the caller
  /// does.
  std::shared_ptr<runtime::worker> worker() const;
  const device& where() const { return where_; }
  /// What a GPU does for this context, in order; none on the host.
  device_stream* stream() const;
  /// Another one, through which arguments arrive meanwhile.
  device_stream* arrivals() const;

  int threads() const;
  /// What multiplies matrices here, and with which kernels: "Kroton's own products, for AVX-512", and with KROTON_BLAS
  /// "OpenBLAS 0.3.21, kernels for Cooperlake".
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

/// A program for GPUs says once if there is none.
void tell_of_no_gpu();

/// The contexts of the first `count` places of a function that is bound to the context `where`. Throws device_error if
/// a name is not mapped.
std::vector<context> contexts_of(const place_name* names, int count, const context& where);

}  // namespace kroton::runtime

namespace kroton {
using runtime::context;
}  // namespace kroton

#if KROTON_HAS_DEFINITIONS
#include <kroton/runtime/context/context.ipp>
#endif
