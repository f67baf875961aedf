// Tensors and views without the rest of Kroton: for files that pass them around. A light header.
#pragma once

#include <kroton/runtime/tensor.hpp>
