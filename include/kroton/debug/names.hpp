// This header lets debug/ name what the rooms below have, without their namespaces.
#pragma once

#include <kroton/runtime/context/names.hpp>

namespace kroton::debug {
using namespace passes;
using namespace runtime;
using namespace reference;
}  // namespace kroton::debug
