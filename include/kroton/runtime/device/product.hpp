// Matrix products on a device: factors are computed there, what is added is prepared, and the driver multiplies.
#pragma once

#include <kroton/runtime/device/elements.hpp>
#include <kroton/runtime/device/executor.hpp>

namespace kroton::on_device {

/// The factors of a product, in the memory of the device.
template <class T>
struct product_factors {
  T alpha, beta;  ///< of the product, and of what z holds already
  T kept;         ///< of what is added, see gemm_form::kept
};
template <class T>
struct factor_task {
  double alpha, kept;
  const T *alpha_scale, *kept_scale;  // or none
  bool adds;
  product_factors<T>* factors;
  KROTON_DEVICE void operator()(std::int64_t) const {
    factors->alpha = static_cast<T>(alpha) * (alpha_scale == nullptr ? T(1) : *alpha_scale);
    factors->kept = static_cast<T>(kept) * (kept_scale == nullptr ? T(1) : *kept_scale);
    factors->beta = adds ? T(1) : T(0);
  }
};
/// z = what is left of c.
template <class T>
struct keep_task {
  bool decays;
  const product_factors<T>* factors;
  const T* c;
  T* z;
  KROTON_DEVICE void operator()(std::int64_t i) const {
    z[i] = decays ? c[i] + factors->alpha * (factors->kept * c[i]) : factors->kept * c[i];
  }
};
/// BLAS does not look at the matrices where alpha is 0, though something may be NaN there.
template <class T>
struct zero_factor_task {
  const product_factors<T>* factors;
  device_product product;
  KROTON_DEVICE void operator()(std::int64_t i) const {
    if (factors->alpha != T(0)) return;
    const std::int64_t column = i % product.n, row = i / product.n % product.m, batch = i / (product.n * product.m);
    const T* const x = reinterpret_cast<const T*>(product.x) + batch * product.x_batch + row * product.x_strides[0];
    const T* const y = reinterpret_cast<const T*>(product.y) + batch * product.y_batch + column * product.y_strides[1];
    T sum = T(0);
    for (std::int64_t k = 0; k < product.k; ++k) sum += x[k * product.x_strides[1]] * y[k * product.y_strides[0]];
    T& z = reinterpret_cast<T*>(product.z)[i];
    z = factors->alpha * sum + (factors->beta == T(0) ? T(0) : z);
  }
};

template <class T>
struct empty_product {
  const product_factors<T>* factors;
  T* z;
  KROTON_DEVICE void operator()(std::int64_t i) const { z[i] = factors->alpha * T(0) + (factors->beta == T(0) ? T(0) : z[i]); }
};

template <class T, class Launch>
struct product_launch {
  static std::int64_t scratch(const step_call&) { return sizeof(product_factors<T>); }

  static void run(device_stream& stream, const step_call& call) {
    const step& s = call.what;
    const int rank = s.space.rank;
    const gemm_form& form = s.product;
    device_product p{.type = s.type, .m = call.value(s.space[rank - 2]), .n = call.value(s.space[rank - 1]), .k = call.bound.parameters[0]};
    std::int64_t batches = 1;
    for (int i = 0; i < rank - 2; ++i) batches *= call.value(s.space[i]);
    const std::int64_t size = p.m * p.n, all = batches * size;
    if (all == 0) return;
    const Launch launch(stream);
    auto* const factors = reinterpret_cast<product_factors<T>*>(call.scratch);
    const auto given = [&](int operand) -> const T* {
      return operand < 0 ? nullptr : reinterpret_cast<const T*>(call.bound.operands[static_cast<std::size_t>(operand) + 1].start);
    };
    T* const z = reinterpret_cast<T*>(call.bound.operands[2].start);
    const bool adds = form.added >= 0;
    launch.threads(1, factor_task<T>{form.alpha, form.beta, given(form.alpha_scale), given(form.beta_scale), adds, factors});
    const bool is_there = adds && !form.decays && form.beta == 1 && form.beta_scale < 0 && given(form.added) == z;
    if (adds && !is_there) launch.threads(all, keep_task<T>{form.decays, factors, given(form.added), z});
    const access *ax = &call.plan.accesses[static_cast<std::size_t>(s.first_access)], *ay = ax + 1;
    for (int i = 0; i < 2; ++i) {
      p.x_strides[i] = call.value(ax->stride[rank - 2 + i]);
      p.y_strides[i] = call.value(ay->stride[rank - 2 + i]);
    }
    p.alpha = reinterpret_cast<const std::byte*>(&factors->alpha);
    p.beta = reinterpret_cast<const std::byte*>(&factors->beta);
    const auto multiply = [&](std::int64_t x, std::int64_t y, std::int64_t first) {
      p.x = call.bound.operands[0].start + x * static_cast<std::int64_t>(sizeof(T));
      p.y = call.bound.operands[1].start + y * static_cast<std::int64_t>(sizeof(T));
      p.z = reinterpret_cast<std::byte*>(z + first * size);
      if (p.k > 0) stream.multiply(p, "dot");
      // an empty inner extent is a product of 0 that BLAS would not write
      if (p.k == 0) launch.threads(p.batches * size, empty_product<T>{factors, reinterpret_cast<T*>(p.z)});
      else if (form.alpha_scale >= 0) launch.threads(p.batches * size, zero_factor_task<T>{factors, p});
    };
    if (rank == 3) {
      p.batches = batches;
      p.x_batch = call.value(ax->stride[0]);
      p.y_batch = call.value(ay->stride[0]);
      return multiply(0, 0, 0);
    }
    for (std::int64_t i = 0; i < batches; ++i) {
      std::int64_t left = i, x = 0, y = 0;
      for (int axis = rank - 3; axis >= 0; --axis) {
        const std::int64_t at = left % call.value(s.space[axis]);
        left /= call.value(s.space[axis]);
        x += at * call.value(ax->stride[axis]);
        y += at * call.value(ay->stride[axis]);
      }
      multiply(x, y, i);
    }
  }
};

}  // namespace kroton::on_device
