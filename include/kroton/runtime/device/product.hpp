// This header runs matrix products on a device: it computes factors from scalars that lie there, prepares the addend,
// and gives the product to the driver.
//
//     gemm, alpha * s, beta 1, c added  ->  factor task (alpha * s), copy of c to z, device_product with beta 1
#pragma once

#include <kroton/runtime/device/elements.hpp>
#include <kroton/runtime/device/step_call.hpp>

namespace kroton::runtime::on_device {

/// The factors of a product.
template <class T>
struct product_factors {
  T alpha, beta;  ///< factors of the product and of the previous contents of z
  T addend;       ///< factor of the addend, see gemm_form::scaled_addend
};
/// Computes factors from numbers and scalars on the device.
template <class T>
struct factor_task {
  double alpha, addend;
  const T *alpha_scale, *addend_scale;  // null if there is none
  bool adds;
  product_factors<T>* factors;
  KROTON_DEVICE void operator()(std::int64_t) const {
    factors->alpha = static_cast<T>(alpha) * (alpha_scale == nullptr ? T(1) : *alpha_scale);
    factors->addend = static_cast<T>(addend) * (addend_scale == nullptr ? T(1) : *addend_scale);
    factors->beta = adds ? T(1) : T(0);
  }
};
/// Factors that the host knows, or the address of factors on the device.
template <class T>
struct factors_of_task {
  product_factors<T> known;
  const product_factors<T>* computed;  // null if there is none
  KROTON_DEVICE product_factors<T> get() const { return computed == nullptr ? known : *computed; }
};
/// Writes the scaled addend c to z, see gemm_form::scaled_addend.
template <class T>
struct keep_task {
  bool decays;
  factors_of_task<T> factors;
  const T* c;
  T* z;
  KROTON_DEVICE void operator()(std::int64_t i) const {
    const product_factors<T> f = factors.get();
    z[i] = decays ? c[i] + f.alpha * (f.addend * c[i]) : f.addend * c[i];
  }
};
/// Multiplies where alpha is 0: BLAS does not read the matrices then, although an element may be NaN. A task takes
/// every `tasks`th element from its own number on. There are few tasks, because alpha is hardly ever 0.
template <class T>
struct zero_factor_task {
  static constexpr std::int64_t most_tasks = 1 << 15;
  factors_of_task<T> factors;
  device_product product;
  std::int64_t tasks;
  KROTON_DEVICE void operator()(std::int64_t task) const {
    const product_factors<T> f = factors.get();
    if (f.alpha != T(0)) return;
    for (std::int64_t i = task; i < product.batches * product.m * product.n; i += tasks) multiply(f, i);
  }

 private:
  KROTON_DEVICE void multiply(const product_factors<T>& f, std::int64_t i) const {
    const std::int64_t column = i % product.n, row = i / product.n % product.m, batch = i / (product.n * product.m);
    const T* const x = reinterpret_cast<const T*>(product.x) + batch * product.x_batch + row * product.x_strides[0];
    const T* const y = reinterpret_cast<const T*>(product.y) + batch * product.y_batch + column * product.y_strides[1];
    T sum = T(0);
    for (std::int64_t k = 0; k < product.k; ++k) sum += x[k * product.x_strides[1]] * y[k * product.y_strides[0]];
    T& z = reinterpret_cast<T*>(product.z)[i];
    z = f.alpha * sum + (f.beta == T(0) ? T(0) : z);
  }
};
/// Writes the product of an inner extent of 0, which BLAS would not write.
template <class T>
struct empty_product {
  factors_of_task<T> factors;
  T* z;
  KROTON_DEVICE void operator()(std::int64_t i) const {
    const product_factors<T> f = factors.get();
    z[i] = f.alpha * T(0) + (f.beta == T(0) ? T(0) : z[i]);
  }
};

template <class T, class Launch>
class product_launch {
 public:
  static std::int64_t workspace(device_stream& stream, const step_call& call) {
    device_product p = product_of(call);
    if (p.m <= 0 || p.n <= 0 || p.k <= 0 || p.batches <= 0) return factor_bytes;
    const std::int64_t loops = batches_of(call) / p.batches;
    std::int64_t bytes = 0;
    for (std::int64_t i = 0; i < loops; ++i) {  // each of them may have another alignment
      if (loops > 1) select_batch(call, i, p);
      bytes = std::max(bytes, stream.workspace_of(p, "dot"));
    }
    return factor_bytes + bytes;
  }

  static bool supports_epilogue(device_stream& stream, const step_call& call) {
    return stream.supports_epilogue(product_of(call), "dot");
  }

  static void run(device_stream& stream, const step_call& call) {
    const gemm_form& form = call.what.product;
    device_product p = product_of(call);
    const std::int64_t size = p.m * p.n, loops = batches_of(call) / std::max<std::int64_t>(1, p.batches),
                       every = batches_of(call) * size;
    if (every == 0) return;
    const Launch launch(stream, call.name());
    const auto given = [&](int operand) -> const T* {
      return operand < 0 ? nullptr
                         : reinterpret_cast<const T*>(call.bound.operands[static_cast<std::size_t>(operand) + 1].start);
    };
    T* const z = reinterpret_cast<T*>(p.z);
    const bool adds = form.added >= 0;
    factors_of_task<T> factors{{static_cast<T>(form.alpha), adds ? T(1) : T(0), static_cast<T>(form.beta)}, nullptr};
    if (p.factors_on_device) {
      auto* const computed = reinterpret_cast<product_factors<T>*>(call.workspace);
      launch.threads(
          1, factor_task<T>{form.alpha, form.beta, given(form.alpha_scale), given(form.beta_scale), adds, computed});
      factors.computed = computed;
      p.alpha_at = reinterpret_cast<const std::byte*>(&computed->alpha);
      p.beta_at = reinterpret_cast<const std::byte*>(&computed->beta);
    }
    const bool is_there = adds && !form.decays && form.beta == 1 && form.beta_scale < 0 && given(form.added) == z;
    if (adds && !is_there) launch.threads(every, keep_task<T>{form.decays, factors, given(form.added), z});
    p.workspace = call.workspace + factor_bytes;
    for (std::int64_t i = 0; i < loops; ++i) {
      if (loops > 1) select_batch(call, i, p);
      if (p.k > 0) stream.multiply(p, "dot");
      if (p.k == 0) launch.threads(p.batches * size, empty_product<T>{factors, reinterpret_cast<T*>(p.z)});
      else if (form.alpha_scale >= 0) watch_zero(launch, factors, p);
    }
  }

 private:
  static void watch_zero(const Launch& launch, const factors_of_task<T>& factors, const device_product& p) {
    const std::int64_t tasks = std::min(p.batches * p.m * p.n, zero_factor_task<T>::most_tasks);
    launch.threads(tasks, zero_factor_task<T>{factors, p, tasks});
  }
  static constexpr std::int64_t factor_bytes = 256;  // a multiple of device_alignment, so that the rest of the
                                                     // workspace is aligned

  static bool is_scaled(const gemm_form& form) { return form.alpha_scale >= 0 || form.beta_scale >= 0; }

  static std::int64_t batches_of(const step_call& call) {
    std::int64_t batches = 1;
    for (int i = 0; i < call.what.space.rank - 2; ++i) batches *= call.value(call.what.space[i]);
    return batches;
  }
  static const access& access_of(const step_call& call, int i) { return call.plan.access_of(call.what, i); }
  /// The product of all batches if they are one axis, else of the first batch.
  static device_product product_of(const step_call& call) {
    const step& s = call.what;
    const int rank = s.space.rank;
    device_product p;
    p.type = s.type;
    p.math = call.math;
    p.m = call.value(s.space[rank - 2]);
    p.n = call.value(s.space[rank - 1]);
    p.k = call.bound.parameters[0];
    p.x = call.bound.operands[0].start;
    p.y = call.bound.operands[1].start;
    p.z = call.epilogue.result == nullptr ? call.bound.operands[2].start : call.epilogue.result;
    p.x_distance = call.bound.distances[0];
    p.y_distance = call.bound.distances[1];
    p.z_distance = call.bound.distances[2];
    p.bias = call.epilogue.bias;
    p.function = call.epilogue.function;
    p.is_gradient = call.epilogue.is_gradient;
    p.aux = call.epilogue.aux;
    p.sums = call.epilogue.sums;
    p.alpha = call.what.product.alpha;
    p.beta = call.what.product.added < 0 ? 0 : 1;
    p.factors_on_device = is_scaled(call.what.product);
    for (int i = 0; i < 2; ++i) {
      p.x_strides[i] = call.value(access_of(call, 0).stride[rank - 2 + i]);
      p.y_strides[i] = call.value(access_of(call, 1).stride[rank - 2 + i]);
    }
    if (rank == 3) {
      p.batches = batches_of(call);
      p.x_batch = call.value(access_of(call, 0).stride[0]);
      p.y_batch = call.value(access_of(call, 1).stride[0]);
    }
    return p;
  }
  static void select_batch(const step_call& call, std::int64_t batch, device_product& p) {
    const step& s = call.what;
    std::int64_t left = batch, x = 0, y = 0;
    for (int axis = s.space.rank - 3; axis >= 0; --axis) {
      const std::int64_t at = left % call.value(s.space[axis]);
      left /= call.value(s.space[axis]);
      x += at * call.value(access_of(call, 0).stride[axis]);
      y += at * call.value(access_of(call, 1).stride[axis]);
    }
    constexpr auto unit = static_cast<std::int64_t>(sizeof(T));
    p.x = call.bound.operands[0].start + x * unit;
    p.y = call.bound.operands[1].start + y * unit;
    p.z = call.bound.operands[2].start + batch * p.m * p.n * unit;
  }
};

}  // namespace kroton::runtime::on_device
