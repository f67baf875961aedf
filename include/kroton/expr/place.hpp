// Names of contexts, as types.
#pragma once

#include <kroton/expr/extents.hpp>

namespace kroton {

/// Base of the names of contexts: `inline constexpr struct dev0 : kt::context_name<dev0> {} dev0;`. What device a name
/// means is said by KROTON_FLAGS or kt::context::map.
template <class Tag>
struct context_name {};

template <class Tag>
concept named_context = std::derived_from<Tag, context_name<Tag>>;

}  // namespace kroton
