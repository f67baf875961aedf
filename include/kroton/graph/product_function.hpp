// What products can do to their elements.
#pragma once

#include <cstdint>

namespace kroton {

enum class product_function : std::uint8_t { none, relu, gelu_tanh };

}  // namespace kroton
