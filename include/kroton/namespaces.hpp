// This header declares the namespaces of the rooms, and which names of rooms below each one sees.
//
// Names for users are in kroton itself; all other names are in the namespace of their room. `kroton::expr` is a class,
// so that the room expr has the namespace `typed`: it gives types to what the graph knows as numbers.
#pragma once

namespace kroton {

namespace arithmetic {}

namespace simd {
using namespace arithmetic;
}

namespace graph {
using namespace arithmetic;
class graph;
}  // namespace graph

// A name such as `graph` is found in a room itself before it is found in kroton, where it is the namespace.
namespace ops {
using namespace graph;
using kroton::graph::graph;
}  // namespace ops

namespace typed {
using namespace graph;
using kroton::graph::graph;
}  // namespace typed

namespace passes {
using namespace graph;
using kroton::graph::graph;
}  // namespace passes

namespace kernel {
using namespace arithmetic;
}

namespace runtime {
using namespace typed;
using namespace passes;
using kroton::graph::graph;
}  // namespace runtime

namespace tensors {
using namespace runtime;
}

namespace reference {
using namespace runtime;
using kroton::graph::graph;
}  // namespace reference

namespace nn {
using namespace typed;
}
namespace optim {
using namespace typed;
}

namespace debug {
using namespace reference;
using kroton::graph::graph;
}  // namespace debug

}  // namespace kroton
