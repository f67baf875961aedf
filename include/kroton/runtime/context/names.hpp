// This header lets the runtime name what the rooms below have, without their namespaces.
#pragma once

namespace kroton::passes {}

namespace kroton::runtime {
using namespace passes;
}
namespace kroton::reference {
using namespace runtime;
}
