// This header has the registry of a program's contexts, by their names.
#pragma once

#include <kroton/runtime/context/context.hpp>
#include <kroton/runtime/context/flags.hpp>

#include <cstdio>
#include <mutex>

namespace kroton::runtime {

/// The contexts to which names are mapped. The names in KROTON_FLAGS are mapped when the first name is looked up.
class context_registry {
 public:
  static context_registry& of_program() {
    static context_registry& registry =
        *new context_registry(flags::of_environment());  // not destroyed, see context::best
    return registry;
  }
  [[gnu::cold]] explicit context_registry(const flags& settings) : says_so_(settings.print_active_device) {
    for (const context_entry& entry : settings.contexts) {
      context::require(entry);
      mapped_.push_back({entry, std::nullopt});
    }
    for (const mapping& each : mapped_) tell(each.entry);  // after all entries are checked
  }

  /// Maps the name of an entry to `target`. Without a target, the device is that of the entry, and nothing starts on it
  /// before the name is first used.
  [[gnu::cold]] void map(const context_entry& entry, std::optional<context> target) {
    context::require(entry);
    const std::lock_guard lock(mutex_);
    if (const mapping* known = find(entry.name))
      throw parse_error(message("kroton: ", entry.told, ": the context ", entry.name, " is mapped to ",
                                known->entry.where.name(), " already"));
    mapped_.push_back({entry, std::move(target)});
    tell(entry);
  }
  [[gnu::cold]] context at(std::string_view name) {
    const std::lock_guard lock(mutex_);
    if (mapping* known = find(name)) {
      if (!known->where) known->where = context::on(known->entry);
      return *known->where;
    }
    (void)context_map_reader("kt::context::named", 1).pair(name, "cpu");  // refuses a name that cannot be mapped
    std::string others;
    for (const mapping& each : mapped_) others += (others.empty() ? "; mapped are " : ", ") + each.entry.name;
    throw device_error(message("kroton: no device is mapped to the context ", name, others,
                               "; say KROTON_FLAGS=\"contexts=", name, "->cpu\" or kt::context::map(\"", name,
                               "\", \"cpu\")"));
  }

 private:
  struct mapping {
    context_entry entry;
    std::optional<context> where;  ///< none before the name is first used
  };
  std::mutex mutex_;
  std::vector<mapping> mapped_;
  bool says_so_;

  [[gnu::cold]] void tell(const context_entry& entry) const {
    if (says_so_)
      std::fprintf(stderr, "Mapped name %s to device %s: %s\n", entry.name.c_str(), entry.where.name().c_str(),
                   description(entry.where).c_str());
  }
  mapping* find(std::string_view name) {
    for (mapping& each : mapped_)
      if (each.entry.name == name) return &each;
    return nullptr;
  }
};

}  // namespace kroton::runtime
