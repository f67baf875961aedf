// This header names the array of a known number of items, in which constants and packs keep theirs.
#pragma once

#include <cstddef>

namespace kroton::arithmetic {

/// `T[Count]`. g++ has a warning (-Wsign-conversion) where an int that depends on a template becomes the number of an
/// array's items.
template <class T, int Count>
using plain_array = T[static_cast<std::size_t>(Count)];

}  // namespace kroton::arithmetic
