// This file reads and writes the names of devices, and finds the cores of the host.
#pragma once

#include <kroton/runtime/context/device.hpp>
#include <kroton/runtime/context/error.hpp>

#include <cctype>
#include <charconv>
#include <utility>

#ifdef __linux__
#include <sched.h>
#endif
#ifdef _OPENMP
#include <omp.h>
#endif

namespace kroton::runtime {

[[gnu::cold]] KROTON_DEFINITION std::optional<device> device::named(std::string_view name) {
  for (const auto& [prefix, numbered] : {std::pair{std::string_view("cpu"), kind::core}, {"cuda", kind::cuda}}) {
    if (!name.starts_with(prefix)) continue;
    const std::string_view digits = name.substr(prefix.size());
    if (digits.empty()) return device{numbered == kind::core ? kind::whole : kind::cuda, 0};
    int index = 0;
    const auto [rest, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
    const bool plain =
        std::isdigit(static_cast<unsigned char>(digits[0])) != 0 && (digits[0] != '0' || digits.size() == 1);
    if (plain && problem == std::errc() && rest == digits.data() + digits.size()) return device{numbered, index};
  }
  return std::nullopt;
}
[[gnu::cold]] KROTON_DEFINITION std::string device::name() const {
  if (what == kind::whole) return "cpu";
  return message(what == kind::core ? "cpu" : "cuda", index);
}

[[gnu::cold]] KROTON_DEFINITION const std::vector<int>& host_cores() {
  static const std::vector<int> cores = [] {
    std::vector<int> found;
#ifdef __linux__
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
      for (int core = 0; core < CPU_SETSIZE; ++core)
        if (CPU_ISSET(static_cast<std::size_t>(core), &allowed)) found.push_back(core);
#endif
#ifdef _OPENMP
    for (int core = 0; found.empty() && core < omp_get_num_procs(); ++core) found.push_back(core);
#endif
    if (found.empty()) found.push_back(0);
    return found;
  }();
  return cores;
}

}  // namespace kroton::runtime
