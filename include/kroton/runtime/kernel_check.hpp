// This header checks that all operations of a function have kernels at the places where they may run. There is no
// fallback: if a kernel is missing, the function does not compile.
#pragma once

#include <kroton/expr/diagnose.hpp>
#include <kroton/passes/pipeline.hpp>

namespace kroton::runtime {

/// An operation that lacks a kernel.
struct missing_kernel {
  const operation* op = &no_operation;  ///< never null, because g++ cannot compare with a null pointer under UBSan
  dtype type = dtype::boolean;
  backend_kind where = backend_kind::host;

  /// Whether there is such an operation; else no kernel is missing.
  constexpr bool is_missing() const { return op->id != no_operation.id; }
};

/// Whether a node at `place` may run on backend `where`, in a program whose devices are of kind `devices`. A node that
/// is placed on the host runs there. Every other place may be a device or the host, because contexts are mapped when
/// the program runs. The interpreter has no places.
constexpr bool may_run(place_id place, backend_kind where, backend_kind devices) {
  if (devices == backend_kind::reference) return where == devices;
  return where == backend_kind::host || (where == devices && place != at_host);
}

/// The kernel that node `id` lacks.
template <graph_size Size>
constexpr missing_kernel missing_at(const frozen_graph<Size>& f, int id, backend_kind devices) {
  const node& n = f.nodes[id];
  const bool computes = n.op->kind == op_kind::map || n.op->kind == op_kind::reduce;
  const dtype type = computes                         ? f.nodes[f.operands[n.first + n.count - 1]].type
                     : n.op->kind == op_kind::routine ? f.nodes[f.operands[n.first]].type
                                                      : n.type;
  for (const backend_kind where : {backend_kind::host, backend_kind::cuda, backend_kind::reference}) {
    if (!may_run(n.place, where, devices)) continue;
    if (!n.op->kernels.has(where, type)) return {n.op, type, where};
    if (n.op->id == id_of<ops::cast> && !n.op->kernels.has(where, n.type))
      return {n.op, n.type, where};  // the kernel of a cast has two types
  }
  return {};
}

/// The missing kernel of the first operation of `f` that lacks one.
template <graph_size Size>
constexpr missing_kernel find_missing_kernel(const frozen_graph<Size>& f, backend_kind devices) {
  array_list<bool> live;
  for (int id = 0; id < Size.nodes; ++id) {
    const missing_kernel found = missing_at(f, id, devices);
    if (!found.is_missing()) continue;
    if (live.empty()) live = live_nodes(f);
    if (live[id]) return found;
  }
  return {};
}

template <class Captured, backend_kind Devices>
inline constexpr missing_kernel missing_kernel_of = find_missing_kernel(placed<Captured>::value, Devices);

/// Whether the host, and devices of this kind, have all kernels of a captured function.
template <class Captured, backend_kind Devices>
inline constexpr bool has_kernels = !missing_kernel_of<Captured, Devices>.is_missing();

/// Refuses a function that lacks a kernel, and names the kernel.
template <class Captured, backend_kind Devices>
constexpr void require_kernels() {
  if constexpr (!has_kernels<Captured, Devices>) {
    constexpr missing_kernel found = missing_kernel_of<Captured, Devices>;
    no_kernel<operation_struct<found.op>, element_t<found.type>, found.where>();
  }
}

}  // namespace kroton::runtime
