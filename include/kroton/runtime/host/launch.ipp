// This file makes executors of programs on the host.
#pragma once

#include <kroton/runtime/host/executor.hpp>
#include <kroton/runtime/host/launch.hpp>

namespace kroton::runtime::on_host {

KROTON_DEFINITION std::unique_ptr<runtime::executor> make_executor(const plan_view& plan, const step_runners& runners,
                                                                   const std::vector<context>& places) {
  for (const context& place : places)
    if (place.stream() != nullptr)
      throw device_error(message("kroton: a function for ", place.where().name(),
                                 " is compiled for the host alone; include kroton/cuda.hpp in its file"));
  return std::make_unique<executor>(plan, runners, places);
}

}  // namespace kroton::runtime::on_host
