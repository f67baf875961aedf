// This header reads the names of devices: `cpu`, `cpu3`, `cuda0`.
#pragma once

#include <kroton/config.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kroton::runtime {

/// A device: the host with all its cores, one core of the host, or a GPU.
struct device {
  enum class kind { whole, core, cuda };  ///< the host, a core of it, a GPU
  kind what = kind::whole;
  int index = 0;  ///< of a core among those that the process may use, or of a GPU
  friend bool operator==(const device&, const device&) = default;

  /// The device that `name` means: `cpu`, `cpu0`, `cuda0`, or `cuda`, which is cuda0. None, if `name` is not the name
  /// of a device.
  static std::optional<device> named(std::string_view name);
  std::string name() const;
};

/// The cores that the process may use, by the numbers of the operating system: `kt::host_cores().size()` devices
/// `cpu0`, `cpu1`, ...
const std::vector<int>& host_cores();

}  // namespace kroton::runtime

namespace kroton {
using runtime::device;
using runtime::host_cores;
}  // namespace kroton

#if KROTON_HAS_DEFINITIONS
#include <kroton/runtime/context/device.ipp>
#endif
