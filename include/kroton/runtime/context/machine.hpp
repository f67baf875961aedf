// This header asks this machine for its devices: cores of the host, and GPUs if a driver is installed.
#pragma once

#include <kroton/runtime/context/device.hpp>
#include <kroton/runtime/context/driver.hpp>
#include <kroton/runtime/context/error.hpp>

#include <charconv>
#include <cstdio>
#include <vector>

namespace kroton::runtime {

/// `text` without the spaces around it.
[[gnu::cold]] inline std::string_view trimmed(std::string_view text) {
  constexpr std::string_view spaces = " \t\r\n";
  const std::size_t first = text.find_first_not_of(spaces);
  return first == text.npos ? std::string_view() : text.substr(first, text.find_last_not_of(spaces) - first + 1);
}

/// The text after `key :` in a file of the form of /proc/cpuinfo; empty if there is no such key.
[[gnu::cold]] inline std::string value_in_file(const char* path, std::string_view key) {
  std::FILE* const file = std::fopen(path, "r");
  if (file == nullptr) return {};
  char line[1024];
  std::string_view found;
  while (found.empty() && std::fgets(line, sizeof line, file) != nullptr) {
    const std::string_view text = line;
    if (text.starts_with(key) && text.find(':') != text.npos) found = trimmed(text.substr(text.find(':') + 1));
  }
  std::fclose(file);
  return std::string(found);
}

/// Bytes of the host's memory that are available without taking memory away from other programs.
[[gnu::cold]] inline std::int64_t free_host_bytes() {
  const std::string kilobytes = value_in_file("/proc/meminfo", "MemAvailable");
  std::int64_t count = 0;
  std::from_chars(kilobytes.data(), kilobytes.data() + kilobytes.size(), count);
  return count * 1024;
}

/// All devices of this machine.
[[gnu::cold]] inline std::vector<device> all_devices() {
  std::vector<device> found{{device::kind::whole, 0}};
  for (int core = 0; core < static_cast<int>(host_cores().size()); ++core) found.push_back({device::kind::core, core});
  const device_driver* driver = installed_driver();
  for (int gpu = 0; driver != nullptr && gpu < driver->count(); ++gpu) found.push_back({device::kind::cuda, gpu});
  return found;
}

/// Throws device_error if there is no such device.
[[gnu::cold]] inline void require_device(const device& wanted) {
  std::string names;
  for (const device& each : all_devices()) {
    if (each == wanted) return;
    names += (names.empty() ? "" : ", ") + each.name();
  }
  std::string advice;
  if (wanted.what == device::kind::cuda)
    advice = installed_driver() == nullptr
                 ? "; programs for GPUs #include <kroton/cuda.hpp> first and are compiled by nvcc -x cu"
                 : installed_driver()->why_none();
  throw device_error(message("kroton: there is no device ", wanted.name(), "; there are ", names, advice));
}

/// The description of a device, such as `AMD EPYC 9575F (2 cores)`.
[[gnu::cold]] inline std::string description(const device& d) {
  if (d.what == device::kind::cuda) return installed_driver()->description(d.index);
  const std::string model = value_in_file("/proc/cpuinfo", "model name");
  const std::string cores = d.what == device::kind::whole
                                ? message(host_cores().size(), host_cores().size() == 1 ? " core" : " cores")
                                : message("core ", host_cores()[static_cast<std::size_t>(d.index)]);
  return message(model.empty() ? "host" : model, " (", cores, ")");
}

}  // namespace kroton::runtime
