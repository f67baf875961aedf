// A device that is simulated on the host: its threads are loops, its streams do nothing until somebody waits for them,
// and its memory is not that of the host, so that what forgets to copy or to wait is found where there is no GPU. It
// computes and orders as a GPU may; see seed.hpp.
#pragma once

#include "simulated_launch.hpp"

namespace simulated {

struct driver final : kt::runtime::device_driver {
  int streams_made = 0;
  int count() const override { return 4; }
  std::string description(int device) const override { return "simulated device " + std::to_string(device); }
  std::int64_t free_bytes(int) const override { return std::int64_t{1} << 30; }
  std::unique_ptr<std::pmr::memory_resource> memory_of(int, kt::runtime::device_stream& s) override {
    return std::make_unique<device_memory>([&of = static_cast<stream&>(s)](const std::function<void()>& what) {
      const std::lock_guard ours(of.mutex);
      of.put(what);
    });
  }
  bool holds(int, const std::byte* start) const override { return device_memory::has(start); }
  std::unique_ptr<kt::runtime::device_stream> make_stream(int device) override {
    ++streams_made;
    return std::make_unique<stream>(device);
  }
  std::pmr::memory_resource& staging() override { return simulated::staging; }
};
/// Makes `cuda0` to `cuda3` simulated devices.
inline void install() {
  static driver one;
  kt::runtime::installed_driver() = &one;
}

/// Functions compiled for the host and for simulated devices.
struct backend {
  static constexpr kt::backend_kind kind = kt::backend_kind::cuda;
  template <class Code>
  using kernels_of = kt::runtime::on_device::kernels_of<Code, launch>;
};

}  // namespace simulated
