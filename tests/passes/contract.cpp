// Sums and multiples of matrix products: what BLAS does in the same call.
#include "products.hpp"

using namespace products;

TEST_CASE("products: a factor is BLAS's alpha") {
  check_form<1, 1>([](left_matrix x, right_matrix y, scalar_of_float a) { return a * kt::dot(x, y); }, &operands::x,
                   &operands::y, &operands::a);
  check_form<1, 1>([](left_matrix x, right_matrix y) { return -(kt::dot(x, y) * 0.3F); }, &operands::x, &operands::y);
}

TEST_CASE("products: a tensor is added by BLAS") {
  check_form<1, 1>([](left_matrix x, right_matrix y, sum_matrix z) { return z + kt::dot(x, y); }, &operands::x,
                   &operands::y, &operands::z);
  check_form<1, 1>([](left_matrix x, right_matrix y, sum_matrix z, scalar_of_float a) { return z - a * kt::dot(x, y); },
                   &operands::x, &operands::y, &operands::z, &operands::a);
  check_form<1, 1>(
      [](left_matrix x, right_matrix y, sum_matrix z, scalar_of_float a) { return -a * kt::dot(x, y) - z; },
      &operands::x, &operands::y, &operands::z, &operands::a);
  check_form<1, 1>([](left_matrix x, right_matrix y, sum_matrix z, scalar_of_float a,
                      scalar_of_float b) { return b * z + a * kt::dot(x, y); },
                   &operands::x, &operands::y, &operands::z, &operands::a, &operands::b);
}

TEST_CASE("products: powers of two, negations and sums of one with itself go into factors") {
  check_form<1, 1>([](left_matrix x, right_matrix y, sum_matrix z,
                      scalar_of_float a) { return 2 * z - (-a * 4) * (kt::dot(x, y) + kt::dot(x, y)); },
                   &operands::x, &operands::y, &operands::z, &operands::a);
}

TEST_CASE("products: transposed, batched, with vectors") {
  check_form<1, 1>([](kt::var<float, inner, rows> x, kt::var<float, columns, inner> y, sum_matrix z,
                      scalar_of_float a) { return z - a * kt::dot(kt::transpose(x), kt::transpose(y)); },
                   &operands::turned_x, &operands::turned_y, &operands::z, &operands::a);
  check_form<1, 1>([](kt::var<float, 3, rows, inner> x, right_matrix y, kt::var<float, 3, rows, columns> z,
                      scalar_of_float a, scalar_of_float b) { return b * z + a * kt::dot(x, y); },
                   &operands::stacked_x, &operands::y, &operands::stacked_z, &operands::a, &operands::b);
  check_form<1, 1>([](left_matrix x, kt::var<float, inner> y, kt::var<float, rows> z, scalar_of_float a,
                      scalar_of_float b) { return b * z - a * kt::dot(x, y); },
                   &operands::x, &operands::inner_vector, &operands::column, &operands::a, &operands::b);
  check_form<1, 1>([](kt::var<float, inner> x, right_matrix y, kt::var<float, columns> z) { return kt::dot(x, y) - z; },
                   &operands::inner_vector, &operands::y, &operands::row);
}

TEST_CASE("products: doubles") {
  auto f =
      kt::function([](kt::var<double, rows, inner> x, kt::var<double, inner, columns> y,
                      kt::var<double, rows, columns> z, kt::var<double> a) { return 0.1 * z - a * kt::dot(x, y); });
  static_assert(decltype(kt::stats(f))::launches == 1);
  kt::tensor<double, 2> x({5, 4}), y({4, 7}), z({5, 7});
  for (auto* t : {&x, &y, &z})
    for (std::int64_t i = 0; i < t->size(); ++i) t->data()[i] = static_cast<double>(i % 11) / 7 - 0.5;
  for (const double a : {0.3, 0.0}) CHECK(kt::debug::verify(f, x, y, z, a).ok);
}

TEST_CASE("products: what a kernel does as well stays there") {
  // the kernel of tanh adds, too
  check_form<2, 1>([](left_matrix x, right_matrix y, sum_matrix z) { return kt::tanh(kt::dot(x, y) + z); },
                   &operands::x, &operands::y, &operands::z);
  check_form<2, 1>(
      [](left_matrix x, right_matrix y, scalar_of_float a) { return kt::sum(a * kt::dot(x, y), kt::axis<1>); },
      &operands::x, &operands::y, &operands::a);
  // a vector for all rows
  check_form<2, 1>([](left_matrix x, right_matrix y, kt::var<float, columns> b) { return kt::dot(x, y) + b; },
                   &operands::x, &operands::y, &operands::row);
  // BLAS would not multiply by 0
  check_form<2, 1>([](left_matrix x, right_matrix y) { return 0 * kt::dot(x, y); }, &operands::x, &operands::y);
  check_form<2, 1>([](left_matrix x, right_matrix y, sum_matrix z) { return 0 * z + kt::dot(x, y); }, &operands::x,
                   &operands::y, &operands::z);
  // the product of two factors could overflow; one is in the kernel
  check_form<2, 1>(
      [](left_matrix x, right_matrix y, scalar_of_float a, scalar_of_float b) { return b * (a * kt::dot(x, y)); },
      &operands::x, &operands::y, &operands::a, &operands::b);
  // a product that is read elsewhere
  check_form<2, 1>(
      [](left_matrix x, right_matrix y, sum_matrix z) {
        const auto product = kt::dot(x, y);
        return kt::outputs(product, z - product);
      },
      &operands::x, &operands::y, &operands::z);
}
