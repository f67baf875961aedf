// Operations on whole tensors that are written outside the library: types, shapes, workspace, memory, failures, pieces,
// places.
#include "chunked.hpp"

#include <kroton/debug/verify.hpp>

#include <cmath>
#include <numeric>
#include <stdexcept>

namespace kt = kroton;

namespace {

/// The k-th smallest element of each row: (m, n) -> (m).
struct kth_smallest : kt::routine<kth_smallest, 1, kt::operands::numeric> {
  struct form {
    int k = 0;
    static constexpr form of(const kt::attributes& x) { return {static_cast<int>(x.a)}; }
    constexpr operator kt::attributes() const { return {k, 0, 0}; }
  };
  static constexpr const char* name = "kth_smallest";
  static constexpr bool ranks_agree(const kt::shape* x, const form&) { return x[0].rank == 2; }
  static constexpr kt::shape result_shape(auto&, const kt::shape* x, const form&) {
    kt::shape result;
    result.append(x[0][0]);
    return result;
  }
  static constexpr kt::extent_code workspace(auto& table, const kt::shape* x, const kt::dtype* types, const form&) {
    return table.multiply(x[0][1], kt::size_of(types[0]));
  }
  static constexpr int batch(const form&, int, int axis) { return axis; }
  static void host(const auto& call) {
    const auto& [x] = call.operands;
    using T = std::remove_cvref_t<decltype(x[0])>;
    const std::int64_t width = x.extent(-1);
    if (call.form.k >= width) throw std::out_of_range("a row has not so many elements");
    T* const row = reinterpret_cast<T*>(call.workspace);
    for (std::int64_t i = 0; i < x.extent(0); ++i) {
      std::copy_n(x.data + i * width, width, row);
      std::nth_element(row, row + call.form.k, row + width);
      call.result[i] = row[call.form.k];
    }
  }
};

/// Element `index[i]` of each row i, (m, n) and (m) -> (m); the result may lie where the indices do.
struct element_of_row : kt::routine<element_of_row, 2, kt::operands::any> {
  static constexpr const char* name = "element_of_row";
  static constexpr bool cannot_fail = true;
  static constexpr bool types_agree(const kt::dtype* types, int) { return kt::is_integer(types[1]); }
  static constexpr kt::shape result_shape(auto& table, const kt::shape* x, const form&) {
    table.unify(x[0][0], x[1][0], name);
    return x[1];
  }
  static constexpr bool in_place(int operand) { return operand == 1; }
  static constexpr int batch(const form&, int, int axis) { return axis; }
  static void host(const auto& call) {
    const auto& [x, index] = call.operands;
    for (std::int64_t i = 0; i < index.size(); ++i)
      call.result[i] = x[i * x.extent(1) + static_cast<std::int64_t>(index[i])];
  }
};

/// x[i] + y[n - 1 - i], in the memory of x if y is another tensor.
struct crossed_sum : kt::routine<crossed_sum, 2, kt::operands::numeric> {
  static constexpr const char* name = "crossed_sum";
  static constexpr bool cannot_fail = true;
  static constexpr kt::shape result_shape(auto& table, const kt::shape* x, const form&) {
    kt::shape result;
    result.append(table.unify(x[0][0], x[1][0], name));
    return result;
  }
  static constexpr bool in_place(int operand) { return operand == 0; }
  static void host(const auto& call) {
    const auto& [x, y] = call.operands;
    for (std::int64_t i = 0; i < x.size(); ++i) call.result[i] = x[i] + y[x.size() - 1 - i];
  }
  template <class B>
  static constexpr void backward(B& b) {
    const auto none =
        kt::graph::broadcast_term(kt::graph::constant(*b.seed().owner, b.seed().type(), 0), b.seed().extents());
    b.add(0, b.seed());
    b.add(1, kt::call_routine<crossed_sum>({}, none, b.seed()));
  }
};

/// x[i] y[j] at i * m + j: (n), (m) -> (n * m).
struct kron : kt::routine<kron, 2, kt::operands::floating> {
  static constexpr const char* name = "kron";
  static constexpr bool cannot_fail = true;
  static constexpr kt::shape result_shape(auto& table, const kt::shape* x, const form&) {
    kt::shape result;
    result.append(table.multiply(x[0][0], x[1][0]));
    return result;
  }
  static void host(const auto& call) {
    const auto& [x, y] = call.operands;
    call.for_each(x.size(), [&, &x = x, &y = y](std::int64_t i) {
      for (std::int64_t j = 0; j < y.size(); ++j) call.result[i * y.size() + j] = x[i] * y[j];
    });
  }
};

/// Each element as a share of its row: (m, n) -> (m, n). Its derivative reduces axes by the public functions.
struct row_shares : kt::routine<row_shares, 1, kt::operands::floating> {
  static constexpr const char* name = "row_shares";
  static constexpr bool cannot_fail = true;
  static void host(const auto& call) {
    const auto& [x] = call.operands;
    for (std::int64_t first = 0; first < x.size(); first += x.extent(1)) {
      const auto sum = std::accumulate(x.data + first, x.data + first + x.extent(1), x[0] * 0);
      for (std::int64_t i = first; i < first + x.extent(1); ++i) call.result[i] = x[i] / sum;
    }
  }
  template <class B>
  static constexpr void backward(B& b) {
    const auto y = b.result(), x = b.operand(0);
    const auto sums = kt::sum(x, kt::axis<1>, kt::keep_dims);
    b.add(0, (b.seed() - kt::sum(b.seed() * y, kt::axis<-1>, kt::keep_dims)) / sums +
                 0 * (kt::sum(y) - kt::max(y) * kt::prod(kt::min(y, kt::axis<0, 1>, kt::keep_dims))));
  }
};

template <int K, class X>
constexpr auto smallest(const X& x) {
  return kt::call_routine<kth_smallest, kth_smallest::form{K}>(x);
}

constexpr struct sums_one : kt::context_name<sums_one> {} sums_one;
constexpr struct sums_two : kt::context_name<sums_two> {} sums_two;
using test::batch;
using test::width;

/// For the host alone, which alone has kernels of these routines.
template <class Lambda>
auto host_function(Lambda lambda, const kt::context& where = kt::context::host()) {
  return kt::function<kt::policy::none, kt::host_backend>(lambda, where);
}

template <class T>
kt::tensor<T, 2> numbers(std::int64_t count, std::int64_t columns) {
  kt::tensor<T, 2> x({count, columns});
  for (std::int64_t i = 0; i < x.size(); ++i) x.data()[i] = static_cast<T>((i * 7919) % 101);
  return x;
}

TEST_CASE("routines: values, types and shapes") {
  auto f = host_function([](kt::var<float, batch, width> x, kt::var<int, batch> index) {
    return kt::outputs(smallest<2>(kt::exp(-x)),
                       kt::call_routine<element_of_row>(kt::transpose(kt::transpose(x)), index),
                       kt::call_routine<element_of_row>(x > 3, index + 1), smallest<0>(kt::cast<std::uint8_t>(x)));
  });
  for (const std::int64_t count : {0, 1, 7}) {
    kt::tensor<int, 1> index({count});
    for (std::int64_t i = 0; i < count; ++i) index(i) = static_cast<int>(i % 4);
    CHECK(kt::debug::verify(f, numbers<float>(count, 5), index).ok);
  }
  auto products = host_function([](kt::var<double, batch> x, kt::var<double, 3> y) {
    return kt::call_routine<kron>(x, y) + kt::reshape<kt::any>(kt::reshape<batch, 1>(x) * y);
  });
  for (const std::size_t count : {0u, 1u, 50000u})
    CHECK(kt::debug::verify(products, test::ramp<double>(count), test::ramp<double>(3)).ok);
}

TEST_CASE("routines: workspace is planned, and so is what their results take over") {
  auto f = host_function([](kt::var<double, batch, 100> x) { return smallest<3>(x); });
  static_assert(kt::stats(f).peak_bytes(batch(50)) == 832);  // a row of 100 numbers, in multiples of 64 bytes
  static_assert(kt::stats(f).launches == 1);
  CHECK(f.memory_plan(batch(50)).text().find("kth_smallest %1, workspace  uint8    (800)") != std::string::npos);

  auto chain = host_function([](kt::var<double, width> x) {
    const auto y = kt::cumsum(kt::cumsum(x * x));
    return kt::outputs(kt::call_routine<crossed_sum>(y + 1, x * 3), kt::call_routine<crossed_sum>(y, y));
  });
  static_assert(kt::stats(chain).peak_bytes(width(8)) == 64);  // of x * 3 alone
  for (const std::size_t count : {0u, 1u, 8u, 33u}) CHECK(kt::debug::verify(chain, test::ramp<double>(count)).ok);
}

TEST_CASE("routines: gradients") {
  auto f = host_function([](kt::var<double, width> x, kt::var<double, width> y) {
    const auto cost = kt::sum(kt::exp(kt::call_routine<crossed_sum>(kt::sin(x), y)) * kt::cumsum(x * y));
    return kt::outputs(kt::grad(cost, x), kt::grad(cost, y));
  });
  for (const std::size_t count : {1u, 9u, 600u})
    CHECK(kt::debug::verify(f, test::ramp<double>(count, 0.5), test::ramp<double>(count, 0.1)).ok);
}

struct counter : kt::model {
  kt::shared<int> calls{this, "calls"};
  kt::shared<double, 64> total{this, "total"};
  constexpr auto next(kt::var<double, 2, width> x) const {
    return kt::outputs(smallest<3>(x)).updates(kt::update(calls, calls + 1), kt::update(total, kt::cumsum(total + 1)));
  }
  constexpr auto sums() const { return kt::updates(kt::update(total, kt::cumsum(total))); }
};
TEST_CASE("routines: gradients by reductions of terms") {
  auto f = host_function([](kt::var<double, batch, 5> x) {
    const auto shares = kt::call_routine<row_shares>(kt::exp(x));
    return kt::outputs(shares, kt::grad(kt::sum(kt::sqr(shares)), x));
  });
  kt::tensor<double, 2> x({7, 5});
  for (std::int64_t i = 0; i < x.size(); ++i) x.data()[i] = std::sin(static_cast<double>(i));
  CHECK(kt::debug::verify(f, x).ok);
}

TEST_CASE("routines: a call that throws changes nothing") {
  kt::session<counter> session{kt::context::host()};
  auto next = session.compile<&counter::next, kt::policy::none, kt::host_backend>();
  CHECK(next(numbers<double>(2, 4)).size() == 2);
  CHECK_THROWS_AS(next(numbers<double>(2, 3)), std::out_of_range);
  CHECK(session.get<&counter::calls>() == 1);
  CHECK(next(numbers<double>(2, 4)).size() == 2);
  CHECK(session.get<&counter::calls>() == 2);
  CHECK(session.get<&counter::total>()(63) == 64 + 64 * 65 / 2);

  static_assert(kt::stats<&counter::sums>().peak_bytes() == 0);  // in place
  auto sums = session.compile<&counter::sums>();
  const double before = session.get<&counter::total>()(0) + session.get<&counter::total>()(1);
  sums();
  CHECK(session.get<&counter::total>()(1) == before);
}

TEST_CASE("routines: pieces of a dimension") {
  auto f = host_function([](kt::var<float, batch, 6> x, kt::var<int, batch> index) {
    const auto y = kt::cumsum(kt::exp(x), kt::axis<1>);
    return kt::outputs(y, kt::sum(smallest<1>(y)), kt::call_routine<element_of_row>(y, index));
  });
  auto pieces = kt::chunked<batch>(f, 4);
  for (const std::int64_t count : {0, 3, 21}) {
    kt::tensor<int, 1> index({count});
    for (std::int64_t i = 0; i < count; ++i) index(i) = static_cast<int>(i % 6);
    kt::tensor<float, 2> x({count, 6}, test::ramp<float>(static_cast<std::size_t>(6 * count)));
    test::compare(f, pieces, 1e-6, x, index);
  }
}

TEST_CASE("routines: at several places, and in threads") {
  kt::context::map("sums_one", "cpu0");
  kt::context::map("sums_two", kt::host_cores().size() > 1 ? "cpu1" : "cpu0");
  auto f = host_function([](kt::var<float, batch> x) {
    const auto y = kt::cumsum(kt::transfer<sums_one>(x)), z = kt::cumsum(kt::transfer<sums_two>(2 * x));
    return kt::outputs(kt::transfer<kt::home>(y) + kt::transfer<kt::home>(z), y);
  });
  for (const std::size_t count : {0u, 1u, 1000u}) CHECK(kt::debug::verify(f, test::ramp<float>(count)).ok);

  const auto sums = [](kt::var<float, batch, 96> x) {
    return kt::outputs(kt::cumsum(x, kt::axis<0>), kt::cumsum(x, kt::axis<1>));
  };
  auto one = host_function(sums, kt::context::host(1)), two = host_function(sums, kt::context::host(2));
  const auto x = numbers<float>(5000, 96);
  CHECK(kt::debug::verify(two, x).ok);
  test::compare(one, two, 0, x);
}

TEST_CASE("routines: 16-bit floats") {
  auto f = host_function([](kt::var<kt::half, batch> x) { return kt::cumsum(x); });
  kt::tensor<kt::half, 1> x({300});
  for (kt::half& v : x) v = static_cast<kt::half>(0.1f);
  CHECK(kt::debug::verify(f, x).ok);
}

}  // namespace
