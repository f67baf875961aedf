// This header declares the namespaces of the rooms, which are the folders of Kroton, and the rooms whose names each
// room sees.
//
// Names for users are in kroton itself; all other names are in the namespace of their room. `kroton::expr` is a class,
// so the room expr has the namespace `typed` instead: this room gives types to the element types and extents that the
// graph holds as numbers.
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

// In these rooms, `graph` must mean the class: this using-declaration is found before the namespace kroton::graph.
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

namespace io {
using namespace runtime;
}

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
