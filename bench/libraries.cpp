// Matrix products alone: the CBLAS of this build, Kroton's own loops, and Eigen's.
#include <kroton/kroton.hpp>
#include <kroton/runtime/host/own_product.hpp>

#include "table.hpp"

#ifdef KROTON_BENCH_EIGEN
#include <Eigen/Core>
#endif

#include <cblas.h>

namespace {

void by_blas(int n, const float* x, const float* y, float* z) {
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, x, n, y, n, 0, z, n);
}
void by_blas(int n, const double* x, const double* y, double* z) {
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, x, n, y, n, 0, z, n);
}

template <class T>
void add_size(bench::suite& all, const char* type, int n, int threads) {
  struct matrices {
    std::vector<T> x, y, z;
  };
  const auto count = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  const auto m = std::make_shared<matrices>(matrices{std::vector<T>(count, T(0.5)), std::vector<T>(count, T(2)), std::vector<T>(count)});
  bench::group& g = all.add_group(std::to_string(n) + "^3 " + type, threads, bench::flops(2.0 * n * n * n), "CBLAS", bench::goal());
  g.add("CBLAS", [m, n] { by_blas(n, m->x.data(), m->y.data(), m->z.data()); });
  g.add("own", [m, n, threads] {
    kroton::on_host::multiply_without_library<T>(n, n, n, {m->x.data(), n, 1}, {m->y.data(), n, 1}, {m->z.data(), n, T(1), T(0)}, threads);
  });
#ifdef KROTON_BENCH_EIGEN
  g.add("Eigen without BLAS", [m, n] {
    using matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    Eigen::Map<matrix>(m->z.data(), n, n).noalias() = Eigen::Map<const matrix>(m->x.data(), n, n) * Eigen::Map<const matrix>(m->y.data(), n, n);
  });
#endif
}

}  // namespace

int main(int argc, char** argv) {
  bench::suite all("Matrix products alone", argc, argv);
  for (const int threads : bench::thread_counts())
    for (const int n : {4, 8, 12, 16, 24, 32, 64, 128, 256, 512, 1024, 2048}) {
      add_size<float>(all, "floats", n, threads);
      add_size<double>(all, "doubles", n, threads);
    }
  return all.run(argc, argv);
}
