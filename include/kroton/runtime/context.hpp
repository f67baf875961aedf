// Where functions run: a device, how many threads they may use there, and how much memory.
#pragma once

#include <kroton/expr/place.hpp>
#include <kroton/runtime/flags.hpp>
#include <kroton/runtime/host/worker.hpp>
#include <kroton/runtime/memory.hpp>

#include <cstdio>
#include <system_error>

#ifdef _OPENMP
#include <omp.h>
#endif

namespace kroton {

class context {
 public:
  /// The host with at most `threads` threads; 0: as many as OpenMP would use (OMP_NUM_THREADS).
  static context host(int threads = 0) {
    return within_memory([&] { return context({device::kind::whole, 0}, threads, flags::of_environment().budget); });
  }
  /// The device with this name: cpu, cpuN (one core of the host), cuda or cudaN. Throws device_error if there is none.
  static context on(std::string_view name) {
    const std::optional<device> found = device::named(trimmed(name));
    if (!found) throw parse_error(message("kroton: \"", name, "\" is no device; devices are cpu, cpuN, cuda and cudaN, where N is a number"));
    return within_memory([&] { return on(*found); });
  }
  /// The whole host as all functions of the program share it that are told no other: its memory, and what of its budget is left.
  static context shared_host() {
    static const context& shared = *new context(host());  // see context::best
    return shared;
  }
  /// The device that KROTON_FLAGS names; else the fastest there is: the first GPU, in a program for GPUs, or the host. Where such a program
  /// finds no GPU, it says so on stderr, once. It is the same context each time, with one budget.
  static context best();

  /// What the name of a context means in this program, as in KROTON_FLAGS="contexts=dev0->cpu0". Says so on stderr, unless
  /// KROTON_FLAGS has print_active_device=0. Throws parse_error if the name is none or is mapped already, and device_error
  /// if there is no such device.
  static void map(std::string_view name, std::string_view target);
  /// The same with a context, which may have a budget or a resource of its own: `kt::context::map("dev0", kt::context::on("cuda0").with_budget(1 << 30))`.
  static void map(std::string_view name, const context& target);
  /// The context that a name was mapped to: `kt::context::named(dev0)`. Throws device_error if it was not.
  template <named_context Tag>
  static context named(Tag) {
    if constexpr (std::is_same_v<Tag, struct host>) return shared_host();
    else return named(std::string_view(type_name<Tag>().text));
  }
  static context named(std::string_view name);

  /// The same device with a budget of so many bytes for the shared variables and temporaries of what is made with the
  /// returned context; what a call returns has to fit too, and counts no more once it is the caller's. Sessions, and calls
  /// of functions, that would exceed it throw memory_error before anything changes.
  context with_budget(std::int64_t bytes) const {
    if (bytes < 0) throw memory_error(message("kroton: with_budget: a budget of ", bytes, " bytes; budgets are 0 or more"));
    return within_memory([&] { return context(where_, threads_, bytes, account()->resource(), state_->gpu); });
  }
  /// The same device and budget with shared variables and temporaries in memory of `resource`, of that device, which must outlive them, and
  /// which several threads use if functions that run at the same time have a place in this context.
  context with_resource(std::pmr::memory_resource& resource) const {
    return within_memory([&] { return context(where_, threads_, account()->now().budget, resource, state_->gpu); });
  }
  /// What shared variables and temporaries take, and what is free.
  memory_use memory() const {
    memory_use use = state_->account->now();
    use.free = state_->gpu == nullptr ? free_host_bytes() : installed_driver()->free_bytes(where_.index);
    return use;
  }
  std::shared_ptr<memory_account> account() const { return state_->account; }
  /// The thread that runs what is in this context, started when it is first asked for; none, if that of the caller does.
  std::shared_ptr<on_host::worker> worker() const {
    if (where_.what != device::kind::core) return nullptr;
    try {
      std::call_once(state_->started, [this] { state_->worker = std::make_shared<on_host::worker>(where_.index); });
    } catch (const std::system_error& refused) {
      throw device_error(message("kroton: ", where_.name(), ": its thread cannot be started: ", refused.what()));
    }
    return state_->worker;
  }
  const device& where() const { return where_; }
  /// What a GPU does for this context, in order; none on the host.
  device_stream* stream() const { return state_->gpu == nullptr ? nullptr : state_->gpu->stream.get(); }
  /// Another one, through which arguments arrive meanwhile.
  device_stream* arrivals() const { return state_->gpu == nullptr ? nullptr : state_->gpu->arrivals.get(); }

  int threads() const {
    if (where_.what == device::kind::core) return 1;
#ifdef _OPENMP
    return threads_ > 0 ? threads_ : omp_get_max_threads();
#else
    return 1;
#endif
  }

 private:
  /// Streams of a GPU and the memory that they use.
  struct gpu_state {
    std::unique_ptr<device_stream> stream, arrivals;
    std::unique_ptr<std::pmr::memory_resource> memory;
  };
  context(const device& where, int threads, std::int64_t budget, std::pmr::memory_resource& resource = *std::pmr::get_default_resource(),
          std::shared_ptr<gpu_state> gpu = nullptr)
      : where_(where), threads_(threads), state_(std::make_shared<state>(std::make_shared<memory_account>(budget, resource, gpu), gpu)) {}
  static context on(const device& where) {
    require_device(where);
    const std::int64_t budget = flags::of_environment().budget;
    if (where.what != device::kind::cuda) return context(where, 0, budget);
    const auto gpu = std::make_shared<gpu_state>();
    gpu->stream = installed_driver()->make_stream(where.index);
    gpu->arrivals = installed_driver()->make_stream(where.index);
    gpu->memory = installed_driver()->memory_of(where.index, *gpu->stream);
    return context(where, 0, budget, *gpu->memory, gpu);
  }
  static context on(const context_entry& entry) {
    require(entry);
    return on(entry.where);
  }
  /// Throws device_error if the device of an entry is not there.
  static void require(const context_entry& entry) {
    try {
      require_device(entry.where);
    } catch (const device_error& missing) {
      throw device_error(message("kroton: ", entry.told, ": ", std::string_view(missing.what()).substr(std::string_view("kroton: ").size())));
    }
  }
  friend class context_registry;

  struct state {
    state(std::shared_ptr<memory_account> counted, std::shared_ptr<gpu_state> device) : account(std::move(counted)), gpu(std::move(device)) {}
    std::shared_ptr<memory_account> account;
    std::shared_ptr<gpu_state> gpu;
    std::once_flag started;
    std::shared_ptr<on_host::worker> worker;
  };
  device where_;
  int threads_;
  std::shared_ptr<state> state_;
};

/// What the names of contexts mean. Those of KROTON_FLAGS are mapped when the first name is asked for.
class context_registry {
 public:
  static context_registry& of_program() {
    static context_registry& registry = *new context_registry(flags::of_environment());  // not destroyed, see context::best
    return registry;
  }
  explicit context_registry(const flags& settings) : says_so_(settings.print_active_device) {
    for (const context_entry& entry : settings.contexts) {
      context::require(entry);
      mapped_.push_back({entry, std::nullopt});
    }
    for (const mapping& each : mapped_) tell(each.entry);  // when all are there
  }

  /// Without a target, the device is that of the entry, which begins to work when the name is first used.
  void map(const context_entry& entry, std::optional<context> target) {
    context::require(entry);
    const std::lock_guard lock(mutex_);
    if (const mapping* known = find(entry.name))
      throw parse_error(message("kroton: ", entry.told, ": the context ", entry.name, " is mapped to ", known->entry.where.name(), " already"));
    mapped_.push_back({entry, std::move(target)});
    tell(entry);
  }
  context at(std::string_view name) {
    const std::lock_guard lock(mutex_);
    if (mapping* known = find(name)) {
      if (!known->where) known->where = context::on(known->entry);
      return *known->where;
    }
    (void)context_map_reader("kt::context::named", 1).pair(name, "cpu");  // what cannot be mapped is refused as such
    std::string others;
    for (const mapping& each : mapped_) others += (others.empty() ? "; mapped are " : ", ") + each.entry.name;
    throw device_error(message("kroton: no device is mapped to the context ", name, others, "; say KROTON_FLAGS=\"contexts=", name,
                               "->cpu\" or kt::context::map(\"", name, "\", \"cpu\")"));
  }

 private:
  struct mapping {
    context_entry entry;
    std::optional<context> where;  ///< none before it is used
  };
  std::mutex mutex_;
  std::vector<mapping> mapped_;
  bool says_so_;

  void tell(const context_entry& entry) const {
    if (says_so_) std::fprintf(stderr, "Mapped name %s to device %s: %s\n", entry.name.c_str(), entry.where.name().c_str(), description(entry.where).c_str());
  }
  mapping* find(std::string_view name) {
    for (mapping& each : mapped_)
      if (each.entry.name == name) return &each;
    return nullptr;
  }
};

/// A program for GPUs says once if there is none.
inline void tell_of_no_gpu() {
  const device_driver* const driver = installed_driver();
  if (driver == nullptr || driver->count() > 0) return;
  static const bool is_said = std::fprintf(stderr, "kroton: no GPU was found%s; what is not mapped to one runs on the host\n", driver->why_none().c_str()) >= 0;
  (void)is_said;
}

inline context context::best() {
  tell_of_no_gpu();
  const std::optional<context_entry>& wanted = flags::of_environment().where;
  const device_driver* driver = installed_driver();
  if (wanted ? wanted->where.what == device::kind::whole : driver == nullptr || driver->count() == 0) return shared_host();
  // one for all; not destroyed when the program ends, because CUDA may be gone by then
  static const context& chosen = *new context(wanted ? on(*wanted) : on(device{device::kind::cuda, 0}));
  return chosen;
}
inline void context::map(std::string_view name, std::string_view target) {
  within_memory([&] {
    context_registry::of_program().map(context_map_reader("kt::context::map", 1).pair(name, target), std::nullopt);
  });
}
inline void context::map(std::string_view name, const context& target) {
  within_memory([&] { context_registry::of_program().map(context_map_reader("kt::context::map", 1).pair(name, target.where().name()), target); });
}
inline context context::named(std::string_view name) {
  return within_memory([&] { return context_registry::of_program().at(name); });
}

}  // namespace kroton
