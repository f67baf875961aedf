// Functions that one file of this folder compiles and another calls, which includes nothing else of Kroton.
#pragma once

#include <kroton/callable.hpp>

#include <string>

namespace callables {

namespace kt = kroton;

using matrix = kt::tensor<float, 2>;

struct scaled {
  kt::callable<matrix(kt::view<const float, 2>, float) const> apply;
  kt::callable<float(kt::view<const float, 2>)> train;
  kt::callable<void(kt::view<const float, 1>)> set;
  kt::callable<std::tuple<float, kt::tensor<float, 1>>(const matrix&) const> both;
};
/// Of a session that nobody else has.
scaled make_scaled();

kt::callable<double(double) const> make_square();
kt::callable<kt::tensor<double, 1>(const std::vector<double>&)> make_pieces();

}  // namespace callables
