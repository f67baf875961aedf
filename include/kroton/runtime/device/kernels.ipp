// How executors of programs on devices are made.
#pragma once

#include <kroton/runtime/device/executor.hpp>
#include <kroton/runtime/device/kernels.hpp>

namespace kroton::on_device {

KROTON_DEFINITION std::unique_ptr<kroton::executor> make_executor(const plan_view& plan,
                                                                  const on_host::step_runners& host,
                                                                  const kernel_table& table,
                                                                  const std::vector<context>& places,
                                                                  product_freedom freedom) {
  tell_of_no_gpu();
  return std::make_unique<executor>(plan, host, table, places, freedom);
}

}  // namespace kroton::on_device
