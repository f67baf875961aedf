// The step with Eigen on top of BLAS.
#define EIGEN_USE_BLAS
#define Eigen eigen_with_blas  // its templates differ from those of the other step in the same program
#define KROTON_BENCH_EIGEN_STEP run_blas
#include "step.hpp"
