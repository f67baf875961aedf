// What the tests of sums of matrix products share: each form is compiled, its launches are counted, and it is called
// with matrices of many sizes, factors that are 0 or NaN, and operands with a NaN or an infinity.
#pragma once

#include <kroton/debug/verify.hpp>

#include <doctest/doctest.h>

#include <array>
#include <limits>
#include <random>

namespace kt = kroton;

namespace products {

inline constexpr struct rows : kt::dim<rows> {} rows;
inline constexpr struct inner : kt::dim<inner> {} inner;
inline constexpr struct columns : kt::dim<columns> {} columns;

using scalar_of_float = kt::var<float>;
using left_matrix = kt::var<float, rows, inner>;      // x, u
using right_matrix = kt::var<float, inner, columns>;  // y, v
using sum_matrix = kt::var<float, rows, columns>;     // z

/// What forms are called with.
struct operands {
  kt::tensor<float, 2> x, u, y, v, z, turned_x, turned_y, square, other_square;
  kt::tensor<float, 3> stacked_x, stacked_z;
  kt::tensor<float, 1> row, inner_vector, column;
  float a = 0.75F, b = -1.5F;

  operands(std::int64_t m, std::int64_t k, std::int64_t n)
      : x({m, k}), u({m, k}), y({k, n}), v({k, n}), z({m, n}), turned_x({k, m}), turned_y({n, k}), square({m, m}),
        other_square({m, m}), stacked_x({3, m, k}), stacked_z({3, m, n}), row({n}), inner_vector({k}), column({m}) {
    std::mt19937 bits(static_cast<unsigned>(m * 10007 + k * 101 + n));
    std::uniform_real_distribution<float> uniform(-1, 1);
    for_each([&](float* values, std::int64_t count) {
      for (std::int64_t i = 0; i < count; ++i) values[i] = uniform(bits);
    });
  }
  /// Calls `change` with the elements of each tensor.
  template <class Change>
  void for_each(const Change& change) {
    for (auto* t : {&x, &u, &y, &v, &z, &turned_x, &turned_y, &square, &other_square}) change(t->data(), t->size());
    for (auto* t : {&stacked_x, &stacked_z}) change(t->data(), t->size());
    for (auto* t : {&row, &inner_vector, &column}) change(t->data(), t->size());
  }
};

template <class Function, class... Member>
void check_call(Function& f, operands& o, Member operands::*... used) {
  const kt::debug::comparison found = kt::debug::verify(f, kt::debug::tolerance{1e-4}, o.*used...);
  INFO("extents ", o.x.extent(0), " ", o.x.extent(1), " ", o.y.extent(1), ", factors ", o.a, " ", o.b);
  INFO(found.where, ": ", found.found, " instead of ", found.expected);
  CHECK(found.ok);
}

/// Checks `f` with matrices of many sizes, with extreme factors, and with one NaN or infinity in the first, second, ...
/// tensor.
template <class Function, class... Member>
void check_calls(Function& f, Member operands::*... used) {
  for (const auto& [m, k, n] : {std::array<std::int64_t, 3>{1, 1, 1},
                                {3, 5, 7},
                                {67, 20, 65},
                                {64, 1, 9},
                                {1, 9, 33},
                                {31, 8, 1},
                                {0, 4, 3},
                                {4, 3, 0},
                                {3, 0, 5},
                                {5, 0, 1}}) {
    operands o(m, k, n);
    const bool is_large = m * k * n > 10000;  // which the interpreter takes long for
    for (const float a : {0.75F, 0.0F, -0.0F, 1.0F, std::numeric_limits<float>::quiet_NaN()})
      for (const float b : {-1.5F, 0.0F, 1.0F}) {
        if (is_large && (b != -1.5F || !(a == 0.75F || a == 0.0F))) continue;
        o.a = a;
        o.b = b;
        check_call(f, o, used...);
      }
  }
  constexpr float no_numbers[] = {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()};
  for (int poisoned = 0; poisoned < 14; ++poisoned)
    for (const float bad : no_numbers)
      for (const float a : {0.75F, 0.0F})
        for (const float b : {-1.5F, 0.0F, 1.0F}) {
          operands o(3, 4, 5);
          int at = 0;
          o.for_each([&](float* values, std::int64_t) {
            if (at++ == poisoned) values[2] = bad;
          });
          o.a = a;
          o.b = b;
          check_call(f, o, used...);
        }
}

/// Checks a form that runs as `Launches` launches, `Products` of them matrix products.
template <int Launches, int Products, class Written, class... Member>
void check_form(Written written, Member operands::*... used) {
  auto f = kt::function(written);
  using facts = decltype(kt::stats(f));
  static_assert(facts::launches == Launches);
  static_assert(facts::gemms == Products);
  check_calls(f, used...);
}

}  // namespace products
