// The step with Eigen's own matrix products.
#define KROTON_BENCH_EIGEN_STEP run_plain
#include "step.hpp"
