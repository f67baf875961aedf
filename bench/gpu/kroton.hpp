// What the benchmarks of Kroton on a GPU share: its stream, and a comparison with the reference interpreter before
// anything is timed.
#pragma once

#include <kroton/cuda.hpp>
#include <kroton/debug/verify.hpp>

#include "timing.hpp"

namespace kt = kroton;

namespace bench {

/// The stream of a context, so that all contestants run on the same.
inline cudaStream_t stream_of(const kt::context& where) {
  return static_cast<kt::runtime::on_cuda::stream&>(*where.stream()).get();
}

/// Compares calls of a function of a model of small extents with the reference interpreter. Returns whether the
/// function is to be timed too.
template <auto Member, class Model, class... Extent>
bool verify(suite& all, const std::string& workload, Extent... extents) {
  if (!all.wants(workload)) return false;
  kt::session<Model> session{kt::context::best(), kt::seed{1}};
  session.resize(extents...);
  auto f = session.template compile<Member>();
  for (int call = 0; call < 5; ++call) {  // as it is, captured twice, and both replayed
    const kt::debug::comparison found = kt::debug::verify(f);
    all.count_check();
    if (!found)
      all.complain(workload, found.where + " is " + std::to_string(found.found) + ", the reference interpreter says " +
                                 std::to_string(found.expected));
  }
  return !all.checks_only();
}

}  // namespace bench
