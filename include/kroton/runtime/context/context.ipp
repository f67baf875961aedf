// This file makes and finds contexts, and has the state that a context holds.
#pragma once

#include <kroton/runtime/context/context.hpp>
#include <kroton/runtime/context/context_registry.hpp>
#include <kroton/runtime/context/flags.hpp>
#include <kroton/runtime/context/product_library.hpp>
#include <kroton/runtime/context/worker.hpp>
#include <kroton/runtime/context/memory.hpp>

#include <cstdio>
#include <mutex>
#include <system_error>

#ifdef _OPENMP
#include <omp.h>
#endif

namespace kroton::runtime {

/// Streams of a GPU and the memory that they use.
struct context::gpu_state {
  std::unique_ptr<device_stream> stream, arrivals;
  std::unique_ptr<std::pmr::memory_resource> memory;
};
struct context::state {
  state(std::shared_ptr<memory_account> counted, std::shared_ptr<gpu_state> device)
      : account(std::move(counted)), gpu(std::move(device)) {
    if (gpu != nullptr) lender = shared_host().lender();  // outputs are on the host
    else if (account->keeps()) lender = account.get();
  }
  state(const state&) = delete;
  state& operator=(const state&) = delete;
  ~state() { account->close(); }  // outputs may outlive the context

  std::shared_ptr<memory_account> account;
  memory_account* lender = nullptr;
  std::shared_ptr<gpu_state> gpu;
  std::once_flag started;
  std::shared_ptr<runtime::worker> worker;
};

[[gnu::cold]] KROTON_DEFINITION context::context(const device& where, int threads, std::int64_t budget,
                                                 std::pmr::memory_resource& resource, std::shared_ptr<gpu_state> gpu)
    : where_(where), threads_(threads),
      state_(std::make_shared<state>(
          std::make_shared<memory_account>(budget, resource, gpu, gpu == nullptr ? buffer_alignment : device_alignment),
          gpu)) {}

[[gnu::cold]] KROTON_DEFINITION context context::host(int threads) {
  if (threads < 0)
    throw value_error(message("kroton: host: ", threads, " threads; 0 is as many as OpenMP would use, else 1 or more"));
  return within_memory([&] { return context({device::kind::whole, 0}, threads, flags::of_environment().budget); });
}
[[gnu::cold]] KROTON_DEFINITION context context::on(std::string_view name) {
  const std::optional<device> found = device::named(trimmed(name));
  if (!found)
    throw parse_error(
        message("kroton: \"", name, "\" is no device; devices are cpu, cpuN, cuda and cudaN, where N is a number"));
  return within_memory([&] { return on(*found); });
}
[[gnu::cold]] KROTON_DEFINITION context context::on(const device& where) {
  require_device(where);
  const std::int64_t budget = flags::of_environment().budget;
  if (where.what != device::kind::cuda) return context(where, 0, budget);
  const auto gpu = std::make_shared<gpu_state>();
  gpu->stream = installed_driver()->make_stream(where.index);
  gpu->arrivals = installed_driver()->make_stream(where.index);
  gpu->memory = installed_driver()->memory_of(where.index, *gpu->stream);
  return context(where, 0, budget, *gpu->memory, gpu);
}
[[gnu::cold]] KROTON_DEFINITION context context::on(const context_entry& entry) {
  require(entry);
  return on(entry.where);
}
/// Throws device_error if the device of an entry does not exist.
[[gnu::cold]] KROTON_DEFINITION void context::require(const context_entry& entry) {
  try {
    require_device(entry.where);
  } catch (const device_error& missing) {
    throw device_error(message("kroton: ", entry.told, ": ",
                               std::string_view(missing.what()).substr(std::string_view("kroton: ").size())));
  }
}
[[gnu::cold]] KROTON_DEFINITION context context::shared_host() {
  static const context& shared = *new context(host());  // see context::best
  return shared;
}

[[gnu::cold]] KROTON_DEFINITION void tell_of_no_gpu() {
  const device_driver* const driver = installed_driver();
  if (driver == nullptr || driver->count() > 0) return;
  static const bool is_said =
      std::fprintf(stderr, "kroton: no GPU was found%s; what is not mapped to one runs on the host\n",
                   driver->why_none().c_str()) >= 0;
  (void)is_said;
}
[[gnu::cold]] KROTON_DEFINITION context context::best() {
  tell_of_no_gpu();
  const std::optional<context_entry>& wanted = flags::of_environment().where;
  const device_driver* driver = installed_driver();
  if (wanted ? wanted->where.what == device::kind::whole : driver == nullptr || driver->count() == 0)
    return shared_host();
  // one context for all calls; it is not destroyed at the end of the program, because CUDA may have ended before
  static const context& chosen = *new context(wanted ? on(*wanted) : on(device{device::kind::cuda, 0}));
  return chosen;
}

[[gnu::cold]] KROTON_DEFINITION void context::map(std::string_view name, std::string_view target) {
  within_memory([&] {
    context_registry::of_program().map(context_map_reader("kt::context::map", 1).pair(name, target), std::nullopt);
  });
}
[[gnu::cold]] KROTON_DEFINITION void context::map(std::string_view name, const context& target) {
  within_memory([&] {
    context_registry::of_program().map(context_map_reader("kt::context::map", 1).pair(name, target.where().name()),
                                       target);
  });
}
[[gnu::cold]] KROTON_DEFINITION context context::named(std::string_view name) {
  return within_memory([&] { return context_registry::of_program().at(name); });
}

[[gnu::cold]] KROTON_DEFINITION context context::with_budget(std::int64_t bytes) const {
  if (bytes < 0)
    throw memory_error(message("kroton: with_budget: a budget of ", bytes, " bytes; budgets are 0 or more"));
  return within_memory([&] { return context(where_, threads_, bytes, account()->resource(), state_->gpu); });
}
[[gnu::cold]] KROTON_DEFINITION context context::with_resource(std::pmr::memory_resource& resource) const {
  return within_memory([&] { return context(where_, threads_, account()->now().budget, resource, state_->gpu); });
}
KROTON_DEFINITION memory_use context::memory() const {
  memory_use use = state_->account->now();
  use.free = state_->gpu == nullptr ? free_host_bytes() : installed_driver()->free_bytes(where_.index);
  return use;
}
KROTON_DEFINITION std::int64_t context::trim() const { return state_->lender == nullptr ? 0 : state_->lender->trim(); }
KROTON_DEFINITION std::shared_ptr<memory_account> context::account() const { return state_->account; }
KROTON_DEFINITION memory_account* context::lender() const { return state_->lender; }
KROTON_DEFINITION std::shared_ptr<runtime::worker> context::worker() const {
  if (where_.what != device::kind::core) return nullptr;
  try {
    std::call_once(state_->started, [this] { state_->worker = std::make_shared<runtime::worker>(where_.index); });
  } catch (const std::system_error& refused) {
    throw device_error(message("kroton: ", where_.name(), ": its thread cannot be started: ", refused.what()));
  }
  return state_->worker;
}
KROTON_DEFINITION device_stream* context::stream() const {
  return state_->gpu == nullptr ? nullptr : state_->gpu->stream.get();
}
KROTON_DEFINITION device_stream* context::arrivals() const {
  return state_->gpu == nullptr ? nullptr : state_->gpu->arrivals.get();
}
KROTON_DEFINITION int context::threads() const {
  if (where_.what == device::kind::core) return 1;
#ifdef _OPENMP
  return threads_ > 0 ? threads_ : omp_get_max_threads();
#else
  return 1;
#endif
}
[[gnu::cold]] KROTON_DEFINITION std::string context::product_library() const {
  return where_.what == device::kind::cuda ? "cuBLASLt" : runtime::product_library();
}

[[gnu::cold]] KROTON_DEFINITION std::vector<context> contexts_of(const place_name* const* names, int count,
                                                                 const context& where) {
  std::vector<context> contexts{where};
  if (count > at_host) contexts.push_back(where.where().what == device::kind::whole ? where : context::shared_host());
  for (int place = first_named_place; place < count; ++place)
    contexts.push_back(context::named(std::string_view(names[place - first_named_place]->text)));
  return contexts;
}

}  // namespace kroton::runtime
