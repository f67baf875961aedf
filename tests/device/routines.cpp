// Routines on a device: sums along lines that are divided into parts, and a routine with workspace of its own.
#include "device.hpp"

using namespace test;

namespace {

constexpr struct batch : kt::dim<batch> {} batch;
constexpr struct width : kt::dim<width> {} width;

/// Writes the squares of a row to the workspace, and then their sums with those of the next element.
template <class T>
struct square_task {
  const T* x;
  T* squares;
  KROTON_HD void operator()(std::int64_t i) const { squares[i] = x[i] * x[i]; }
};
template <class T>
struct pair_task {
  const T* squares;
  T* result;
  std::int64_t row;
  KROTON_HD void operator()(std::int64_t i) const {
    result[i] = squares[i] + squares[(i + 1) % row == 0 ? i + 1 - row : i + 1];
  }
};
struct squares_of_pairs : kt::routine<squares_of_pairs, 1, kt::operands::floating> {
  static constexpr const char* name = "squares_of_pairs";
  static constexpr kt::extent_code workspace(auto& table, const kt::shape* x, const kt::dtype* types, const form&) {
    return table.multiply(table.elements(x[0]), kt::size_of(types[0]));
  }
  static constexpr bool in_place(int) { return true; }
  static void host(const auto& call) { run(call); }
  static void cuda(const auto& call) { run(call); }

 private:
  static void run(const auto& call) {
    const auto& [x] = call.operands;
    using T = std::remove_cvref_t<decltype(x[0])>;
    T* const squares = reinterpret_cast<T*>(call.workspace);
    call.for_each(x.size(), square_task<T>{x.data, squares});
    call.for_each(x.size(), pair_task<T>{squares, call.result.data, x.extent(-1)});
  }
};
/// The largest element, for the host alone.
struct largest : kt::routine<largest, 1, kt::operands::numeric> {
  static constexpr const char* name = "largest";
  static constexpr kt::shape result_shape(auto&, const kt::shape*, const form&) { return {}; }
  static void host(const auto& call) {
    const auto& [x] = call.operands;
    call.result[0] = x[0];
    for (const auto value : x)
      if (value > call.result[0]) call.result[0] = value;
  }
};

TEST_CASE("device: sums along lines, of which long ones are divided") {
  const auto sums = [](kt::var<float, batch, width> x) {
    const auto y = kt::cumsum(x + 1, kt::axis<1>);
    return kt::outputs(y, kt::cumsum(kt::cumsum(x, kt::axis<0>), kt::axis<1>), kt::grad(kt::sum(y * x), x));
  };
  auto f = kt::function<kt::policy::none, backend>(sums, device(0));
  for (const auto [rows, columns] : {std::array{0, 3}, {3, 0}, {1, 1}, {2, 65}, {3, 1000}, {700, 3}})
    for (int call = 0; call < 3; ++call) check_call(f, random<float, 2>({rows, columns}, 7));
  check([](kt::var<std::int8_t, width> x) { return kt::cumsum(x); }, random<std::int8_t, 1>({5000}, 7, -100, 100));
  check([](kt::var<kt::half, width> x) { return kt::cumsum(x); }, random<kt::half, 1>({300}, 7));
}

TEST_CASE("device: a routine of the program, its workspace, and one for the host") {
  check([](kt::var<float, batch, width> x) { return kt::call_routine<squares_of_pairs>(kt::exp(x)) - 1; },
        random<float, 2>({5, 33}, 1));
  auto f = kt::function<kt::policy::none, backend>(
      [](kt::var<double, batch, width> x) {
        const auto y = kt::call_routine<squares_of_pairs>(kt::call_routine<squares_of_pairs>(x));
        return kt::outputs(y, kt::call_routine<largest>(kt::transfer<kt::host>(y)));
      },
      device(0));
  for (int call = 0; call < 3; ++call) check_call(f, random<double, 2>({4, 9}, 2));
  CHECK(f.memory_plan(batch(4), width(9)).text().find("squares_of_pairs %1, workspace") != std::string::npos);
}

constexpr std::int64_t long_line = (std::int64_t{1} << 17) + 3;
TEST_CASE("device: long lines are sorted by the digits of their keys") {
  const auto sorts = [](auto number) {
    using T = decltype(number);
    auto f = kt::function<kt::policy::none, backend>(
        [](kt::var<T, batch, width> x) {
          return kt::outputs(kt::argsort(x, kt::axis<1>), kt::argsort(x, kt::axis<0>, kt::descending),
                             kt::topk<3>(x, kt::axis<1>).index);
        },
        device(0));
    for (const std::int64_t rows : {1, 2}) {
      kt::tensor<T, 2> x({rows, long_line});
      for (std::int64_t i = 0; i < x.size(); ++i)
        x.data()[i] = static_cast<T>(static_cast<double>(i * 7919 % 1009 - 500) / 3);
      if constexpr (!std::is_integral_v<T>) x(0, 5) = NAN, x(0, 6) = -INFINITY, x(0, 7) = -0.0f;
      check_call(f, x);
    }
    auto columns = kt::function<kt::policy::none, backend>(
        [](kt::var<T, batch, 2> x) { return kt::argsort(x, kt::axis<0>, kt::descending); }, device(0));
    kt::tensor<T, 2> x({long_line, 2});
    for (std::int64_t i = 0; i < x.size(); ++i) x.data()[i] = static_cast<T>(i * 7919 % 1009);
    check_call(columns, x);
  };
  sorts(1.0F);
  sorts(std::int16_t{1});
  sorts(1.0);
}

TEST_CASE("device: elements are selected and parted by a mask") {
  auto f = kt::function<kt::policy::none, backend>(
      [](kt::var<float, width> x, kt::var<float, batch> y) {
        const auto [index, count] = kt::nonzero<40>(x > 0);
        const auto [both, of_both] = kt::set_intersection<9>(kt::floor(4 * x), kt::floor(4 * y));
        return kt::outputs(index, count, kt::partition(x, x > 0).values, kt::compress<0>(x, x > 0).count,
                           kt::run_lengths<5>(kt::floor(x)).counts, both, of_both);
      },
      device(0));
  for (const std::int64_t size : {0, 1, 7, 41, 5000})
    for (int call = 0; call < 3; ++call)
      check_call(f, random<float, 1>({size}, static_cast<unsigned>(size + call)), random<float, 1>({9}, 3));
}

}  // namespace
