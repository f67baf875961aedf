// Runs an example, and compares its functions with the reference interpreter.
#pragma once

#include <kroton/debug/verify.hpp>

#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>

namespace example {

/// Throws std::runtime_error where a function of training and the reference interpreter differ:
/// `require_same(kt::debug::verify(train, x))`.
inline void require_same(const kroton::debug::comparison& found) {
  if (!found)
    throw std::runtime_error("training: " + found.where + " is " + std::to_string(found.found) +
                             ", the reference interpreter says " + std::to_string(found.expected));
}

/// The status of a program that is `run`. An exception is printed with the name of the example, and the status is 1.
int status_of(const char* name, const auto& run) {
  try {
    return run();
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "%s: %s\n", name, problem.what());
    return 1;
  }
}

}  // namespace example
