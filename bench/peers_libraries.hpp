// The workloads of bench/peers that Eigen and xtensor have.
#pragma once

#include "peers.hpp"

#ifdef KROTON_BENCH_EIGEN
#include <Eigen/Core>
#endif
#ifdef KROTON_BENCH_XTENSOR
#include <xtensor/xadapt.hpp>
#include <xtensor/xfixed.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xnoalias.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>
#endif

namespace peers {

#ifdef KROTON_BENCH_EIGEN
inline void add_eigen() {
  using matrix = Eigen::Array<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using vector = Eigen::Array<float, Eigen::Dynamic, 1>;
  const auto x = numbers<1>({many}, 1), y = numbers<1>({many}, 2);
  const auto of = [](const auto& t) { return Eigen::Map<const vector>(t.data(), t.size()); };
  add_code("map/Eigen", many,
           [=](float* z) { Eigen::Map<vector>(z, many) = (-of(x) * of(x)).exp() * of(y) + 0.5f * of(x); });
  add_code("mean of squares/Eigen", 1, [=](float* z) { z[0] = of(x).square().mean(); });
  const auto square = numbers<2>({side, side}, 1), long_one = numbers<2>({tall, side}, 1);
  add_code("softmax/Eigen", side * side, [=](float* z) {
    const Eigen::Map<const matrix> a(square.data(), side, side);
    Eigen::Map<matrix> out(z, side, side);
    for (std::int64_t i = 0; i < side; ++i) {
      out.row(i) = ((a.row(i) - a.row(i).maxCoeff()) * 3).exp();
      out.row(i) /= out.row(i).sum();
    }
  });
  add_code("column sums/Eigen", side, [=](float* z) {
    Eigen::Map<Eigen::Array<float, 1, Eigen::Dynamic>>(z, side) =
        Eigen::Map<const matrix>(long_one.data(), tall, side).colwise().sum();
  });
  const auto few = numbers<1>({16}, 1), others = numbers<1>({16}, 2);
  using fixed = Eigen::Array<float, 16, 1>;
  add_code(
      "16 elements/Eigen", 16,
      [a = fixed(Eigen::Map<const fixed>(few.data())), b = fixed(Eigen::Map<const fixed>(others.data()))](float* z) {
        Eigen::Map<fixed> out(z);
        out = (a * 2 + b).tanh();
      });
  constexpr int edge = 512;
  using dense = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto p = numbers<2>({edge, edge}, 1), q = numbers<2>({edge, edge}, 2);
  const auto b = numbers<1>({edge}, 3);
  add_code("product, bias and relu/Eigen", edge * edge, [=](float* z) {
    Eigen::Map<dense> out(z, edge, edge);
    out.noalias() = Eigen::Map<const dense>(p.data(), edge, edge) * Eigen::Map<const dense>(q.data(), edge, edge);
    out = (out.rowwise() + Eigen::Map<const Eigen::RowVectorXf>(b.data(), edge)).cwiseMax(0.0f);
  });
}
#endif

#ifdef KROTON_BENCH_XTENSOR
inline void add_xtensor() {
  const auto vector = [](const kt::tensor<float, 1>& t) {
    xt::xtensor<float, 1> made = xt::xtensor<float, 1>::from_shape({static_cast<std::size_t>(t.size())});
    std::copy(t.begin(), t.end(), made.begin());
    return made;
  };
  const auto matrix = [](const kt::tensor<float, 2>& t) {
    xt::xtensor<float, 2> made = xt::xtensor<float, 2>::from_shape(
        {static_cast<std::size_t>(t.extent(0)), static_cast<std::size_t>(t.extent(1))});
    std::copy(t.begin(), t.end(), made.begin());
    return made;
  };
  const auto into = [](float* z, auto... extents) {
    return xt::adapt(z, static_cast<std::size_t>((extents * ...)), xt::no_ownership(),
                     std::array<std::size_t, sizeof...(extents)>{static_cast<std::size_t>(extents)...});
  };
  const auto x = vector(numbers<1>({many}, 1)), y = vector(numbers<1>({many}, 2));
  add_code("map/xtensor", many, [=](float* z) {
    auto out = into(z, many);
    xt::noalias(out) = xt::exp(-x * x) * y + 0.5f * x;
  });
  add_code("mean of squares/xtensor", 1,
           [=](float* z) { z[0] = static_cast<float>(xt::mean(xt::square(x), xt::evaluation_strategy::immediate)()); });
  const auto square = matrix(numbers<2>({side, side}, 1)), long_one = matrix(numbers<2>({tall, side}, 1));
  add_code("softmax/xtensor", side * side, [=](float* z) {
    auto out = into(z, side, side);
    const xt::xtensor<float, 2> e =
        xt::exp((square - xt::amax(square, {1}, xt::keep_dims | xt::evaluation_strategy::immediate)) * 3.0f);
    xt::noalias(out) = e / xt::sum(e, {1}, xt::keep_dims | xt::evaluation_strategy::immediate);
  });
  add_code("column sums/xtensor", side, [=](float* z) {
    auto out = into(z, side);
    xt::noalias(out) = xt::sum(long_one, {0}, xt::evaluation_strategy::immediate);
  });
  using fixed = xt::xtensor_fixed<float, xt::xshape<16>>;
  const auto few = numbers<1>({16}, 1), others = numbers<1>({16}, 2);
  fixed a, b;
  std::copy(few.begin(), few.end(), a.begin());
  std::copy(others.begin(), others.end(), b.begin());
  add_code("16 elements/xtensor", 16, [=](float* z) {
    fixed out;
    xt::noalias(out) = xt::tanh(a * 2.0f + b);
    std::copy(out.begin(), out.end(), z);
  });
}
#endif

}  // namespace peers
