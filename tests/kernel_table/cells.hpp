// The table of kernels, cell by cell: every operation in one element type, on the host and on a device, against the
// interpreter.
#pragma once

#include "../device/device.hpp"

#include <array>

namespace test {

inline constexpr struct count : kt::dim<count> {} count;
template <class T>
using vector_of = kt::var<T, count>;
template <class T>
using matrix_of = kt::var<T, count, 6>;

/// Compares a lambda with the interpreter, on the host and on a device.
template <class Lambda, class... X>
void check_cells(Lambda lambda, const X&... x) {
  install();
  for (const kt::context& where : {kt::context::host(), device(0)}) {
    auto f = kt::function<kt::policy::none, backend>(lambda, where);
    check_call(f, x...);
  }
}

/// Whether an operation is a part of random numbers, which takes random bits alone; see check_random_numbers.
constexpr bool makes_random_numbers(const kt::graph::operation& op) {
  for (const kt::graph::operation_id each :
       {kt::graph::id_of<kt::ops::random_below>, kt::graph::id_of<kt::ops::random_bits<32>>,
        kt::graph::id_of<kt::ops::scaled_bits>, kt::graph::id_of<kt::ops::unit_interval<24>>,
        kt::graph::id_of<kt::ops::standard_normal>, kt::graph::id_of<kt::ops::standard_exponential>,
        kt::graph::id_of<kt::ops::open_interval<false>>, kt::graph::id_of<kt::ops::truncated_normal>,
        kt::graph::id_of<kt::ops::poisson>, kt::graph::id_of<kt::ops::binomial>,
        kt::graph::id_of<kt::ops::standard_gamma>})
    if (op.id == each) return true;
  return false;
}

/// The operations of one kind that the table has for `T`, eight in each list.
template <class T, kt::graph::op_kind Kind, class... Op>
struct cells {
  static constexpr bool is_there(const kt::graph::operation& op) {
    const bool special = op.id == kt::graph::id_of<kt::ops::cast> || op.id == kt::graph::id_of<kt::ops::index_check> ||
                         makes_random_numbers(op);
    const bool on_host = op.kernels.has(kt::backend_kind::host, kt::dtype_of<T>),
               on_devices = op.kernels.has(kt::backend_kind::cuda, kt::dtype_of<T>);
    return op.kind == Kind && !special && on_host && on_devices;
  }
  static constexpr std::array<bool, sizeof...(Op)> there{is_there(kt::graph::description_of<Op>)...};
  static constexpr int total = (is_there(kt::graph::description_of<Op>) + ...);
  static constexpr auto positions = [] {
    std::array<int, static_cast<std::size_t>(total) + 1> found{};
    std::size_t next = 0;
    for (std::size_t i = 0; i < sizeof...(Op); ++i)
      if (there[i]) found[next++] = static_cast<int>(i);
    return found;
  }();
  template <int I>
  using at = std::tuple_element_t<static_cast<std::size_t>(positions[static_cast<std::size_t>(I)]), std::tuple<Op...>>;
  /// Calls `use.template operator()<Op...>()` for each list.
  template <int First = 0, class Use>
  static void in_lists(Use use) {
    constexpr int size = total - First < 8 ? total - First : 8;
    if constexpr (size > 0) {
      [&]<int... I>(std::integer_sequence<int, I...>) { use.template operator()<at<First + I>...>(); }
      (std::make_integer_sequence<int, size>());
      in_lists<First + size>(use);
    }
  }
};
template <class T, kt::graph::op_kind Kind, class... Op>
cells<T, Kind, Op...> cells_of(kt::graph::operation_list<Op...>);
template <class T, kt::graph::op_kind Kind>
using all_cells = decltype(cells_of<T, Kind>(kt::graph::all_operations()));

/// An elementwise operation on as many operands as it takes.
template <class Op, class T>
constexpr auto applied(vector_of<T> x, vector_of<T> y, vector_of<bool> condition) {
  if constexpr (Op::arity == 1) return kt::typed::typed_layer::map<Op>(x);
  else if constexpr (std::is_same_v<Op, kt::ops::after>) return kt::typed::typed_layer::map<Op>(condition, x);
  else if constexpr (Op::arity == 2) return kt::typed::typed_layer::map<Op>(x, y);
  else return kt::typed::typed_layer::map<Op>(condition, x, y);
}

/// Numbers that most operations have a value for, or the truth values.
template <class T, int Rank>
kt::tensor<T, Rank> numbers(const std::array<std::int64_t, static_cast<std::size_t>(Rank)>& extents, double least) {
  auto x = random<T, Rank>(extents, 1, std::is_unsigned_v<T> && least < 0 ? 0 : least, 4);
  if constexpr (std::is_same_v<T, bool>)
    for (std::int64_t i = 0; i < x.size(); ++i) x.data()[i] = i % 3 == 0;
  return x;
}

template <class T>
void check_elementwise() {
  auto x = numbers<T, 1>({37}, -3), y = numbers<T, 1>({37}, 1);
  if constexpr (kt::is_integer(kt::dtype_of<T>)) {  // where division could trap, and sums and products wrap around
    constexpr T ends[] = {std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), T(7), T(0)},
                divisors[] = {T(0), static_cast<T>(-1), static_cast<T>(-2), T(2)};
    for (std::int64_t i = 0; i < 16; ++i) x(i) = ends[i / 4], y(i) = divisors[i % 4];
  }
  const auto condition = numbers<bool, 1>({37}, 0);
  all_cells<T, kt::graph::op_kind::map>::in_lists([&]<class... Op>() {
    check_cells([](vector_of<T> a, vector_of<T> b,
                   vector_of<bool> c) { return kt::outputs(kt::where(c, a, b), applied<Op>(a, b, c)...); },
                x, y, condition);
  });
}
template <class T>
void check_reductions() {
  auto x = numbers<T, 2>({5, 6}, 1);
  if constexpr (kt::is_floating(kt::dtype_of<T>))
    x = random<T, 2>({5, 6}, 1, 0.5, 1.5);  // their product is a half, too
  all_cells<T, kt::graph::op_kind::reduce>::in_lists([&]<class... Op>() {
    check_cells([](matrix_of<T> a) { return kt::outputs(kt::typed::typed_layer::reduce<Op>(a, kt::axis<0>)...); }, x);
    check_cells([](matrix_of<T> a) { return kt::outputs(kt::typed::typed_layer::reduce<Op>(a, kt::axis<1>)...); }, x);
    check_cells([](matrix_of<T> a) { return kt::outputs(kt::typed::typed_layer::reduce_all<Op>(a)...); }, x);
  });
}
template <class T>
void check_casts() {
  check_cells(
      [](vector_of<T> a) {
        return kt::outputs(kt::cast<bool>(a), kt::cast<kt::half>(a), kt::cast<kt::bfloat16>(a), kt::cast<float>(a),
                           kt::cast<double>(a));
      },
      numbers<T, 1>({37}, -3));
  check_cells(
      [](vector_of<T> a) {
        return kt::outputs(kt::cast<std::int8_t>(a), kt::cast<std::int16_t>(a), kt::cast<std::int32_t>(a),
                           kt::cast<std::int64_t>(a), kt::cast<std::uint8_t>(a), kt::cast<std::uint16_t>(a),
                           kt::cast<std::uint32_t>(a), kt::cast<std::uint64_t>(a));
      },
      numbers<T, 1>({37}, -3));
}

/// A matrix in the middle of a larger one.
template <class T>
constexpr auto embedded(matrix_of<T> x) {
  kt::shape s = x.untyped().extents();
  s[1] = 11;
  return kt::expr<T, kt::typed::extents_of<count, 11>>(
      kt::graph::embed_term(x.untyped(), {.axis = 1, .step = 1, .first = 2}, s));
}
template <class T>
struct variables : kt::model {
  kt::shared<T, 3> held{this, "held"};
  constexpr auto exchange(kt::var<T, 3> x) const { return kt::outputs(held).updates(kt::update(held, x)); }
};
template <class T>
void check_shapes() {
  const auto x = numbers<T, 2>({5, 6}, 0);
  check_cells(
      [](matrix_of<T> a) {
        return kt::outputs(kt::reshape<6, count>(a), kt::transpose(a), a[kt::cols<1, 4>()],
                           kt::broadcast_to<2, count, 6>(a), kt::concatenate(kt::axis<1>, a, a), embedded(a));
      },
      x);
  check_cells([](matrix_of<T> a) { return kt::outputs(kt::transfer<kt::host>(a), kt::where(kt::cast<bool>(a), a, 1)); },
              x);
  install();
  for (const kt::context& where : {kt::context::host(), device(0)}) {
    kt::session<variables<T>> session(where);
    auto f = session.template compile<&variables<T>::exchange, kt::policy::none, backend>();
    check_call(f, numbers<T, 1>({3}, 0));
  }
}
/// The rows of `x`, added at indices.
template <class T, class Index>
constexpr auto scattered(matrix_of<T> x, vector_of<Index> index) {
  const kt::term rows = x.untyped();
  return matrix_of<T>(
      kt::graph::scatter_term(kt::graph::check_index(index.untyped(), rows.extents()[0]), rows, rows.extents()));
}
template <class T, class Index>
void check_indices() {
  const auto x = numbers<T, 2>({5, 6}, 0);
  kt::tensor<Index, 1> index({5}, {Index(3), Index(0), Index(3), Index(4), Index(1)});
  check_cells([](matrix_of<T> a, vector_of<Index> i) { return kt::outputs(kt::take(a, i), kt::set(a, i, a)); }, x,
              index);
  if constexpr (!std::is_same_v<T, bool>)
    check_cells(
        [](matrix_of<T> a, vector_of<Index> i) {
          const auto rows = scattered<T, Index>(a, i);
          return kt::outputs(rows, a + scattered<T, Index>(kt::take(a, i), i));
        },
        x, index);
}
/// 0, 1, ..., as many as `x` has elements.
template <class T>
constexpr auto positions(vector_of<T> x) {
  const kt::term t = x.untyped();
  return vector_of<T>(kt::graph::iota(*t.owner, t.type(), t.extents()[0]));
}
template <class T>
void check_counts() {
  check_cells([](vector_of<T> a) { return kt::outputs(a + positions<T>(a), a + kt::typed::elements_along(a, 1)); },
              numbers<T, 1>({37}, 0));
}
template <class T>
void check_routines() {
  check_cells(
      [](matrix_of<T> a) {
        return kt::outputs(kt::cumsum(a, kt::axis<0>), kt::cumsum(a, kt::axis<1>), kt::argsort(a, kt::axis<0>),
                           kt::argsort(a, kt::axis<1>, kt::descending), kt::searchsorted(a[0], a),
                           kt::cumprod(a, kt::axis<1>));
      },
      numbers<T, 2>({5, 6}, -3));
  check_cells(
      [](vector_of<T> a) { return kt::outputs(kt::nonzero<5>(a > T(2)).index, kt::partition(a, a > T(2)).values); },
      numbers<T, 1>({37}, -3));
  if constexpr (kt::is_floating(kt::dtype_of<T>))
    check_cells([](matrix_of<T> a) { return kt::logcumsumexp(a, kt::axis<1>); }, numbers<T, 2>({5, 6}, -3));
}
template <class T>
void check_loops() {
  check_cells(
      [](matrix_of<T> x) {
        const auto [h, row] = kt::scan(
            [](auto each, auto before) {
              return std::tuple{kt::where(kt::cast<bool>(each), before, each), before};
            },
            kt::sequences(x), kt::carried(kt::zeros<T, 6>()));
        return kt::outputs(h.all, h.last, row.all);
      },
      numbers<T, 2>({5, 6}, -3));
}
template <class T>
void check_random_numbers() {
  check_cells(
      [](vector_of<T> a) {
        if constexpr (kt::is_floating(kt::dtype_of<T>))
          return kt::outputs(a + kt::random::uniform<T, count>(), kt::random::normal(a, 2), kt::nn::dropout(a, 0.5),
                             kt::random::exponential<T, count>(), kt::random::truncated_normal<T, count>(),
                             kt::random::truncated_normal(a, 2, a - 1, 5), kt::random::gamma(a + 1),
                             kt::random::poisson(3 * a), kt::random::binomial(30 * a, 0.25 * a));
        else if constexpr (std::is_same_v<T, bool>) return a && kt::random::bernoulli<bool, count>(0.5);
        else
          return kt::outputs(a + kt::random::integers<T, count>(1, 100),
                             a + kt::cast<T>(kt::random::permutation<count>()), a + kt::random::poisson<T, count>(8.5),
                             a + kt::random::multinomial<T>(9, kt::random::uniform<float, count>()));
      },
      numbers<T, 1>({37}, 0));
}
template <class T>
void check_products() {
  check_cells(
      [](matrix_of<T> a, matrix_of<T> b) {
        const auto product = kt::dot(a, kt::transpose(b));
        const auto same = kt::custom_gradient([](auto x) { return x; }, [](auto g, auto) { return g; });
        return kt::outputs(product, 3 * kt::dot(kt::transpose(a), b), same(kt::dot(a, kt::sum(b, kt::axis<0>))));
      },
      numbers<T, 2>({5, 6}, -1), numbers<T, 2>({5, 6}, -2));
}

/// What functions above call beside the operations that are elementwise or reduce, which are called one by one.
using called = kt::graph::operation_list<
    kt::ops::cast, kt::ops::index_check, kt::ops::reshape, kt::ops::transpose, kt::ops::broadcast_to, kt::ops::slice,
    kt::ops::embed, kt::ops::concatenate, kt::ops::cumsum, kt::ops::cumprod, kt::ops::logcumsumexp,
    kt::ops::custom_gradient, kt::ops::argsort, kt::ops::searchsorted, kt::ops::held_positions, kt::ops::take,
    kt::ops::scatter_add, kt::ops::scatter_onto, kt::ops::set_rows, kt::ops::dot, kt::ops::gemm, kt::ops::iota,
    kt::ops::extent, kt::ops::constant, kt::ops::input, kt::ops::shared, kt::ops::transfer, kt::ops::random_state,
    kt::ops::draw_positions, kt::ops::draw_number, kt::ops::multinomial, kt::ops::loop_row, kt::ops::loop_carried,
    kt::ops::loop_rows, kt::ops::loop_last>;
template <class... All, class... Called>
constexpr bool are_all_called(kt::graph::operation_list<All...>, kt::graph::operation_list<Called...>) {
  const auto is_called = [](const kt::graph::operation& op) {
    return op.kind == kt::graph::op_kind::map || op.kind == kt::graph::op_kind::reduce ||
           ((op.id == kt::graph::id_of<Called>) || ...);
  };
  return (is_called(kt::graph::description_of<All>) && ...);
}
static_assert(are_all_called(kt::graph::all_operations(), called()));

/// The table for `T`: what has kernels on the host and on devices. A compiler that takes long may take it in two parts.
enum class part { whole, operations, data };
template <class T, part Part>
void check_table() {
  if constexpr (Part != part::data) {
    check_elementwise<T>();
    check_reductions<T>();
    check_casts<T>();
  }
  if constexpr (Part != part::operations) {
    check_shapes<T>();
    check_indices<T, std::int32_t>();
    if constexpr (kt::is_integer(kt::dtype_of<T>) && !std::is_same_v<T, std::int32_t>) check_indices<float, T>();
    if constexpr (!std::is_same_v<T, bool>) check_counts<T>();
    if constexpr (!std::is_same_v<T, bool>) check_routines<T>();
    check_loops<T>();
    check_random_numbers<T>();
    if constexpr (kt::is_floating(kt::dtype_of<T>)) check_products<T>();
  }
}

}  // namespace test
