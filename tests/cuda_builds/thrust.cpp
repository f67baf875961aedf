// Kroton with Thrust, on the host: functors in its algorithms, and in a kernel of a user; vectors of its OpenMP system,
// which have pointers of their own kind, as arguments and outputs at a place.
#include <kroton/cuda.hpp>
#include <thrust/functional.h>
#include <thrust/reduce.h>
#include <thrust/sequence.h>
#include <thrust/system/omp/execution_policy.h>
#include <thrust/system/omp/vector.h>
#include <thrust/transform_reduce.h>

#include <cmath>
#include <cstdio>
#include <vector>

namespace kt = kroton;

template <class Bell, class Price>
__global__ void users_kernel(Bell bell, Price price, const float* x, float* y) {
  const auto each = price(x[threadIdx.x], 2.0f);
  y[threadIdx.x] = bell(x[threadIdx.x]) + each.template get<0>() + each.template get<1>();
}

inline constexpr struct near : kt::context_name<near> {} near;
inline constexpr struct n : kt::dim<n> {} n;
bool has_placed_vectors() {
  kt::context::map("near", "cpu0");
  auto scaled = kt::function([](kt::var_at<near, float, n> x) { return kt::transfer<near>(2 * x + 1); });
  thrust::omp::vector<float> x(100), y;
  thrust::sequence(x.begin(), x.end());
  scaled.into(y, kt::view_at(near, x));
  const float sum = thrust::reduce(y.begin(), y.end(), 0.0f, thrust::plus<float>());
  const kt::tensor_at<near, float, 1> again = scaled(kt::view_at(near, y.data() + 1, {99}));
  return y.size() == 100 && sum == 10000 && again.to_host()(98) == 2 * 199 + 1;
}

int main() {
  if (!has_placed_vectors()) return 5;
  const auto bell = kt::functor([](kt::var<float> x) { return kt::exp(-x * x) + kt::grad(kt::tanh(x), x); });
  const auto price = kt::functor([](kt::var<float> x, kt::var<float> y) {
    const auto product = kt::sin(x) * y;
    return kt::outputs(product, kt::grad(product, x));
  });
  const std::vector<float> x(1000, 0.5f);
  const float sum = thrust::transform_reduce(thrust::omp::par, x.begin(), x.end(), bell, 0.0f, thrust::plus<float>());
  const float expected = 1000 * (std::exp(-0.25f) + 1 - std::tanh(0.5f) * std::tanh(0.5f));
  const auto [value, slope] = price(0.5f, 2.0f);
  if (std::fabs(sum - expected) > 1e-2f || std::fabs(value * value + slope * slope - 4) > 1e-5f) return 1;
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return 0;
  float* both = nullptr;
  if (cudaMallocManaged(&both, 2 * sizeof(float)) != cudaSuccess) return 2;
  both[0] = 0.5f;
  users_kernel<<<1, 1>>>(bell, price, both, both + 1);
  if (cudaDeviceSynchronize() != cudaSuccess) return 3;
  return std::fabs(both[1] - (bell(0.5f) + value + slope)) < 1e-5f ? 0 : 4;
}
