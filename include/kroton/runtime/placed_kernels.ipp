// This file makes executors of programs that may have places on devices.
#pragma once

#include <kroton/runtime/device/executor.hpp>
#include <kroton/runtime/host/executor.hpp>
#include <kroton/runtime/placed_kernels.hpp>

namespace kroton::runtime::on_device {

KROTON_DEFINITION std::unique_ptr<runtime::executor> make_executor(const plan_view& plan, const step_runners& host,
                                                                   const kernel_table& table,
                                                                   const std::vector<context>& places,
                                                                   product_math math) {
  tell_of_no_gpu();
  const auto is_device = [](const context& place) { return place.stream() != nullptr; };
  if (std::none_of(places.begin(), places.end(), is_device))
    return std::make_unique<on_host::executor>(plan, host, places);
  return std::make_unique<executor>(plan, host, table, places, math);
}

}  // namespace kroton::runtime::on_device
