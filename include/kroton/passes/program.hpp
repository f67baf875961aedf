// This header defines programs, which lowering makes and backends run: buffers, and the steps that compute them.
//
//     z = exp(x) + 1  ->  buffers {argument 0, output 0}
//                         accesses {x: buffer 0, strides {1}}, {z: buffer 1, strides {1}}
//                         step {map over (n): load 0, exp #0, constant 1, add #1 #2, store 1 of #3}
#pragma once

#include <kroton/arithmetic/kernel_kinds.hpp>
#include <kroton/graph/frozen.hpp>
#include <kroton/graph/ops/gemm.hpp>

namespace kroton::passes {

enum class buffer_kind : std::uint8_t { input, shared, output, temporary };

struct buffer {
  buffer_kind kind = buffer_kind::temporary;
  int index = 0;  ///< argument, shared variable or output
  dtype type = dtype::float32;
  extent_code elements = 0;
  int first = 0, last = 0;  ///< steps that use it, or a buffer that lies in it
  int lies_in = -1;         ///< the buffer whose memory it has taken over; -1: it has its own
  place_id place = at_home;
  int node = -1;              ///< whose values it holds; -1: a shared variable that is only written
  bool is_workspace = false;  ///< of the routine that computes the node
  const char* name = "";      ///< of the operation that computes it, or of the variable
  const char* argument = "";  ///< the name of an argument that has one
  bool is_placed = false;     ///< an argument or output that the caller has at its place
  int body = -1;              ///< the loop of which each iteration writes and reads it anew, -1: none
};

/// How a step addresses a buffer: element offset and a stride for each axis of the step's space.
struct access {
  int buffer = -1;  ///< -1: the address itself is the value (instruction_kind::index)
  extent_code offset = 0;
  extent_code stride[max_rank] = {};
  bool written = false;
  int move = -1;  ///< in the iterations of a loop (program::moves), -1: none
};

/// How an access moves in the iterations of a loop: iteration t has row t - `back` of a buffer, in which rows are
/// `stride` elements apart.
struct access_move {
  int loop = 0;
  int back = 0;
  int rows = 0;  ///< of the buffer, in which one takes the place of another; 0: one for each iteration
  bool goes_back = false;
  extent_code stride = 0, offset = 0;  ///< elements; the offset is that of row 0
  int outer = -1;                      ///< the move of the same access in a loop around this one, -1: none
  access initial = {};  ///< what there is before row 0: its rows, the first of which is read by the first iteration
};
/// The steps [first, past) that are repeated. Loops in others follow these.
struct loop_of_steps {
  int loop = 0, first = 0, past = 0;
  extent_code iterations = 0;
  access guard = {};     ///< a bool: whether it runs; without a buffer it does
  access more = {};      ///< a bool of each iteration: whether later ones change anything; without a buffer they do
  extent_code rows = 0;  ///< how many rows threads can divide, see loop_division.hpp; 0: they cannot
};

struct instruction {
  instruction_kind kind = instruction_kind::apply;
  bool reduced = false;  ///< one value for each reduced element of the space
  dtype type = dtype::float32;
  stride_class stride = stride_class::zero;
  const operation* op = &no_operation;
  int operand[most_operands] = {-1, -1, -1, -1};  ///< instructions
  std::int64_t payload = 0;                       ///< read and written by what follows, as its kind says

  /// Of load, store and index: which access of the step.
  constexpr int access() const { return static_cast<int>(payload); }
  constexpr void set_access(int number) { payload = number; }
  /// Of extent: which parameter of the step.
  constexpr int parameter() const { return static_cast<int>(payload); }
  constexpr void set_parameter(int number) { payload = number; }
  /// Of constant, see constant_form.
  constexpr std::int64_t bits() const { return payload; }
  constexpr void set_bits(std::int64_t bits) { payload = bits; }
  /// Of a lookup: the type of its indices.
  constexpr void set_index_type(dtype indices) { payload = static_cast<std::int64_t>(indices); }
  constexpr dtype index_type() const { return static_cast<dtype>(payload); }

  friend constexpr bool operator==(const instruction& x, const instruction& y) {
    bool are_same = x.kind == y.kind && x.op->id == y.op->id && x.payload == y.payload && x.stride == y.stride &&
                    x.type == y.type && x.reduced == y.reduced;
    for (int i = 0; i < most_operands; ++i) are_same = are_same && x.operand[i] == y.operand[i];
    return are_same;
  }
};

struct step {
  step_kind kind = step_kind::map;
  place_id place = at_home;
  shape space;
  dtype type = dtype::float32;  ///< of a matrix product or a transfer
  bool is_inserted = false;     ///< a transfer that the user did not write
  bool can_fail = false;        ///< a routine that may throw
  bool begins = false;          ///< it copies a tensor of which the next steps change a part
  bool has_short_rows = false;  ///< see finds_short_rows
  bool is_done = false;         ///< nothing is left to do, because what it copies lies there
  attributes attr;              ///< of a routine or a scatter
  gemm_form product;  ///< of a product or a scatter; its operands from the third on are accesses, one further on
  int segments = 1;   ///< of a joined step: contiguous tensors, one after the other; see joined_steps.hpp
  int row_axis = -1;  ///< of a step whose rows can be divided: their axis; the rank: the rows that a product sums over
  int blocked = 0;    ///< how many steps, beginning with this, can run by blocks of rows, see row_blocks.hpp
  int reduced = 0;    ///< how many last (rows, full) or first (columns) axes are reduced
  int first_instruction = 0, instructions = 0;
  int first_access = 0, accesses = 0;
  int first_parameter = 0, parameters = 0;  ///< extent codes
};

/// The access through which a step that is not fused writes its result.
constexpr int result_access(const step& s) {
  return s.kind == step_kind::routine ? 0 : s.kind == step_kind::transfer ? 1 : 2;
}
/// Whether a step reduces an axis of its space.
constexpr bool is_reduced(const step& s, int axis) {
  return s.kind == step_kind::over_columns ? axis < s.reduced : axis >= s.space.rank - s.reduced;
}
/// How far access `a` of a step moves from a row to the next along an axis. The axis after the last is that over which
/// a product sums. The result of a product, and what is added to it, are contiguous; -1: how far is known only at a
/// call.
constexpr extent_code row_distance(const step& s, int a, const access& x, int axis) {
  const int rank = s.space.rank;
  if (axis == rank) return a < 2 ? x.stride[a == 0 ? rank - 1 : rank - 2] : 0;
  if (s.kind != step_kind::dot || a == 0) return x.stride[axis];
  if (a == 1) return axis == rank - 2 ? 0 : x.stride[axis];
  if (a > 2 && a != s.product.added + 1) return 0;  // a factor
  if (axis == rank - 2) return s.space[rank - 1];
  extent_code distance = 1;
  for (int i = axis + 1; i < rank; ++i) {
    if (s.space[i] < 0) return -1;
    distance *= s.space[i];
  }
  return distance;
}
/// Whether a step has a kernel: matrix products are BLAS calls, and transfers are copies.
constexpr bool has_kernel(const step& s) { return s.kind != step_kind::dot && s.kind != step_kind::transfer; }

/// The accesses of a segment of a step.
constexpr int accesses_of_segment(const step& s) { return s.accesses / s.segments; }

/// Calls `use` with each access through which a step writes results. `instructions`: those of the program.
constexpr void for_each_result(const auto& instructions, const step& s, auto use) {
  if (!is_fused(s.kind)) return use(result_access(s));
  for (int segment = 0; segment < s.segments; ++segment)
    for (int i = s.first_instruction, past = i + s.instructions; i < past; ++i)
      if (instructions[i].kind == instruction_kind::store)
        use(segment * accesses_of_segment(s) + instructions[i].access());
}

/// The first of the buffers that have the memory of buffer `i`: an old and a new value of a shared variable are two.
constexpr int memory_of(const auto& buffers, int i) {
  if (buffers[i].lies_in >= 0) i = buffers[i].lies_in;
  if (buffers[i].kind != buffer_kind::shared) return i;
  int first = 0;
  while (buffers[first].kind != buffer_kind::shared || buffers[first].index != buffers[i].index) ++first;
  return first;
}

/// The most elements of a row that is short, and of a line of a map. The host computes short rows side by side, which
/// takes strided loads; these cost less than packs of which most lanes are empty.
inline constexpr int most_of_short_row = 24, most_of_short_line = 4;
/// Whether a fused step reduces short rows, or is a map of short lines: its last axes up to the first over which some
/// access does not move evenly. `accesses`: those of the step.
constexpr bool finds_short_rows(const step& s, const access* accesses) {
  const bool is_map = s.kind == step_kind::map;
  if (!is_map && (s.kind != step_kind::over_rows || s.reduced == 0)) return false;
  const int most = is_map ? most_of_short_line : most_of_short_row;
  int axis = s.space.rank - 1;
  std::int64_t elements = 1;
  const auto is_even = [&] {
    for (int i = 0; i < s.accesses; ++i)
      if (accesses[i].stride[axis] != accesses[i].stride[axis + 1] * s.space[axis + 1]) return false;
    return true;
  };
  for (; axis >= 0 && (is_map ? elements == 1 || is_even() : is_reduced(s, axis)); --axis) {
    if (s.space[axis] < 0 || s.space[axis] > most) return false;
    elements *= s.space[axis];
  }
  return axis >= 0 && elements <= most;
}

/// Whether two steps run the same kernel.
constexpr bool same_kernel(const instruction* instructions, const step& x, const step& y) {
  if ((x.segments > 1) != (y.segments > 1) || x.has_short_rows != y.has_short_rows) return false;
  if (x.kind != y.kind || x.instructions != y.instructions) return false;
  for (int i = 0; i < x.instructions; ++i)
    if (!(instructions[x.first_instruction + i] == instructions[y.first_instruction + i])) return false;
  return true;
}

/// The different kernels among `Steps` steps.
template <int Steps>
struct distinct_kernels {
  plain_array<int, Steps + 1> representative = {};  ///< a step of each kernel
  plain_array<int, Steps + 1> of_step = {};         ///< kernel of each step, -1: it has none
  int count = 0;
  int fused = 0;  ///< how many of them are fused kernels

  constexpr explicit distinct_kernels(const auto& program) : distinct_kernels(program.instructions, program.steps) {}
  constexpr distinct_kernels(const instruction* instructions, const step* steps) {
    for (int s = 0; s < Steps; ++s) {
      of_step[s] = -1;
      if (!has_kernel(steps[s])) continue;
      for (int k = 0; k < count && of_step[s] < 0; ++k)
        if (same_kernel(instructions, steps[s], steps[representative[k]])) of_step[s] = k;
      if (of_step[s] >= 0) continue;
      of_step[s] = count;
      representative[count++] = s;
      fused += is_fused(steps[s].kind);
    }
  }
};

/// Indices that must lie in [0, bound).
struct index_range_check {
  access where;
  shape extents;
  extent_code bound = 0;
  int after = -1;  ///< the step that computes them; -1: an argument or a shared variable, checked before anything runs
};

/// A new value and where it belongs.
struct write_back {
  int from = 0, to = 0;  ///< buffers; from -1: it was written in place
};

/// A lowered function, while it is being built.
struct program_builder {
  array_list<buffer> buffers;
  array_list<access> accesses;
  array_list<instruction> instructions;
  array_list<extent_code> parameters;
  array_list<step> steps;
  array_list<index_range_check> checks;
  array_list<write_back> writes;
  array_list<access_move> moves;
  array_list<loop_of_steps> loops;
  extent_table extents;
  int places = 0;
};

struct program_size {
  int buffers, accesses, instructions, parameters, steps, checks, writes, moves, loops, symbols, requirements;
  int places = 1;  ///< numbers of places that buffers lie at, at most
};

/// Whether all extents are numbers, and the steps run once each, at one place, check no indices and change no
/// variables.
constexpr bool has_numbers_alone(const program_size& s) {
  return s.symbols + s.requirements + s.loops + s.checks + s.writes == 0 && s.places == 1;
}

using kroton::graph::extent_lists;
constexpr const extent_table& extent_lists(const program_builder& p) { return p.extents; }

/// Calls `use` with each list that a call needs of programs, and with that of the others; `of` may be a builder, a call
/// plan, a view of one, or a program_size, which has a number for each list.
constexpr void for_each_plan_list(auto use, auto&... of) {
  use(of.buffers...);
  use(of.accesses...);
  use(of.parameters...);
  use(of.steps...);
  use(of.checks...);
  use(of.writes...);
  use(of.moves...);
  use(of.loops...);
  use(extent_lists(of).symbols...);
  use(extent_lists(of).requirements...);
}
/// The same of all lists of programs. A new list is named in program_size, in the structs below and here.
constexpr void for_each_list_of_program(auto use, auto&... of) {
  for_each_plan_list(use, of...);
  use(of.instructions...);
}

constexpr program_size size_of(const program_builder& p) {
  program_size size{};
  for_each_list_of_program([](int& count, const auto& list) { count = list.size(); }, size, p);
  size.places = p.places;
  return size;
}

/// The part of a lowered function that a call needs. Apart from the instructions, because these refer to operations: a
/// program that had them at hand when it runs would contain the derivatives of all its operations.
template <program_size Size>
struct call_plan {
  static constexpr program_size size = Size;
  plain_array<buffer, Size.buffers + 1> buffers;
  plain_array<access, Size.accesses + 1> accesses;
  plain_array<extent_code, Size.parameters + 1> parameters;
  plain_array<step, Size.steps + 1> steps;
  plain_array<index_range_check, Size.checks + 1> checks;
  plain_array<write_back, Size.writes + 1> writes;
  plain_array<access_move, Size.moves + 1> moves;
  plain_array<loop_of_steps, Size.loops + 1> loops;
  plain_array<extent_symbol, Size.symbols + 1> symbols;
  plain_array<requirement, Size.requirements + 1> requirements;
};

/// Of the program `Code::value`; all that may be referred to when programs run.
template <class Code>
inline constexpr call_plan<Code::size> call_plan_of = Code::value;

/// A call plan of any size.
struct plan_view {
  list_view<buffer> buffers;
  list_view<access> accesses;
  list_view<extent_code> parameters;
  list_view<step> steps;
  list_view<index_range_check> checks;
  list_view<write_back> writes;
  list_view<access_move> moves;
  list_view<loop_of_steps> loops;
  list_view<extent_symbol> symbols;
  list_view<requirement> requirements;
  int places;

  constexpr const access& access_of(const step& s, int i) const { return accesses[s.first_access + i]; }
  /// Whether a loop repeats step `s`.
  constexpr bool is_repeated(std::size_t s) const {
    for (const loop_of_steps& loop : loops)
      if (loop.first <= static_cast<int>(s) && static_cast<int>(s) < loop.past) return true;
    return false;
  }

  template <program_size Size>
  constexpr plan_view(const call_plan<Size>& p) : places(Size.places) {
    for_each_plan_list([](auto& view, const auto* items, int count) { view = list_view(items, count); }, *this, p,
                       Size);
  }
};

/// A lowered function as arrays of exact size.
template <program_size Size>
struct program : call_plan<Size> {
  plain_array<instruction, Size.instructions + 1> instructions;
};

template <program_size Size>
constexpr void fill(program<Size>& p, const program_size& used, const auto& from) {
  for_each_list_of_program([](auto* to, int count, const auto& list) { copy_items(to, list, count); }, p, used, from);
}

constexpr bool fits(const program_size& used, const program_size& room) {
  bool fit = true;
  for_each_list_of_program([&](int count, int most) { fit = fit && count <= most; }, used, room);
  return fit;
}

}  // namespace kroton::passes
