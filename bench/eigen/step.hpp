// The training step of a network of two layers, written with Eigen.
#pragma once

#include <cstdint>

namespace bench {

/// Images (batch, 784), hidden units 500, classes 10; everything row-major. Updates the parameters and returns the mean
/// cross-entropy before.
struct eigen_step {
  static constexpr int inputs = 784, hidden = 500, classes = 10;
  float *w1, *b1, *w2, *b2;
  float *h, *z, *dh;  ///< room for (batch, 500), (batch, 10), (batch, 500)

  float run_plain(const float* x, const std::int32_t* label, int batch, float rate) const;  ///< Eigen's own products
  float run_blas(const float* x, const std::int32_t* label, int batch, float rate) const;   ///< EIGEN_USE_BLAS
};

}  // namespace bench

#ifdef KROTON_BENCH_EIGEN_STEP  // one of the two definitions, by this name
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // g++ 12 says it of its own AVX-512 intrinsics
#endif
#include <Eigen/Core>

#include <cmath>

float bench::eigen_step::KROTON_BENCH_EIGEN_STEP(const float* x, const std::int32_t* label, int batch,
                                                 float rate) const {
  using matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using map = Eigen::Map<matrix>;
  using row = Eigen::Map<Eigen::RowVectorXf>;
  const Eigen::Map<const matrix> in(x, batch, inputs);
  map first(w1, inputs, hidden), second(w2, hidden, classes), units(h, batch, hidden), scores(z, batch, classes),
      down(dh, batch, hidden);
  row first_bias(b1, hidden), second_bias(b2, classes);

  units.noalias() = in * first;
  units = (units.rowwise() + first_bias).cwiseMax(0.0f);
  scores.noalias() = units * second;
  scores.rowwise() += second_bias;
  float cost = 0;
  for (int i = 0; i < batch; ++i) {
    const float largest = scores.row(i).maxCoeff(), wanted = scores(i, label[i]);
    scores.row(i) = (scores.row(i).array() - largest).exp();
    const float total = scores.row(i).sum();
    cost += std::log(total) + largest - wanted;
    scores.row(i) /= total;
    scores(i, label[i]) -= 1;
  }
  scores *= 1 / static_cast<float>(batch);
  down.noalias() = scores * second.transpose();
  down.array() *= (units.array() > 0.0f).cast<float>();
  second.noalias() -= rate * units.transpose() * scores;
  second_bias -= rate * scores.colwise().sum();
  first.noalias() -= rate * in.transpose() * down;
  first_bias -= rate * down.colwise().sum();
  return cost / static_cast<float>(batch);
}
#endif
