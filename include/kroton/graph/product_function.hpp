// This header lists the functions that an epilogue can apply to a product: relu and gelu_tanh.
#pragma once

#include <cstdint>

namespace kroton::graph {

enum class product_function : std::uint8_t { none, relu, gelu_tanh };

}  // namespace kroton::graph
