// This header has tensors and views without the rest of Kroton, for files that pass them around. It is a light header.
#pragma once

#include <kroton/runtime/tensor.hpp>
