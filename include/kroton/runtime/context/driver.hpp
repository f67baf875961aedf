// This header has the interface of drivers: what Kroton asks of the devices of one kind, such as the GPUs of a machine.
// `kroton/cuda.hpp` installs one; tests install one that simulates.
#pragma once

#include <kroton/arithmetic/dtype.hpp>
#include <kroton/graph/product_function.hpp>
#include <kroton/runtime/context/product_math.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <string>

namespace kroton::runtime {

/// z (m, n) = alpha * x (m, k) y (k, n) + beta * z, for each of `batches`; strides in elements, z is contiguous. Where
/// that is wanted, a bias (n) is added to each row and a function applied; or elements are multiplied by the function's
/// derivative where another product has applied it, and columns are summed.
struct device_product {
  dtype type = dtype::float32;
  product_math math;
  std::int64_t m = 0, n = 0, k = 0, batches = 1;
  const std::byte *x = nullptr, *y = nullptr;
  std::byte* z = nullptr;
  std::int64_t x_strides[2] = {}, y_strides[2] = {};  ///< of rows and columns
  std::int64_t x_batch = 0, y_batch = 0;              ///< from one matrix to the next
  double alpha = 1, beta = 0;
  bool factors_on_device = false;
  const std::byte *alpha_at = nullptr, *beta_at = nullptr;  ///< where the factors are then
  const std::byte* bias = nullptr;
  product_function function = product_function::none;
  bool is_gradient = false;
  std::byte* aux = nullptr;   ///< (m, n) that gelu_tanh is applied to, or a mask of relu: written with the function if
                              ///< that is wanted, read with the gradient
  std::byte* sums = nullptr;  ///< of the columns of z (n)
  std::byte* workspace = nullptr;  ///< as many bytes as the stream asks for
};

/// A mask has a bit for each element, which says whether it was above 0. Bits in a row, and bytes for a matrix (m, n).
constexpr std::int64_t mask_stride(std::int64_t n) { return (n + 127) / 128 * 128; }
constexpr std::int64_t mask_bytes(std::int64_t m, std::int64_t n) { return m * (mask_stride(n) / 8); }

/// A moment on a stream.
class device_event {
 public:
  virtual ~device_event() = default;
  /// The host waits for it; not at all if it was never recorded.
  virtual void synchronize() = 0;
};
/// A graph of device work that was captured from streams, to be launched again as a whole.
class device_graph {
 public:
  virtual ~device_graph() = default;
};

/// A stream: work that a device does in order, while the host goes on. Failures are thrown as device_error that names
/// `what`.
class device_stream {
 public:
  /// Held by the thread that tells it something, since several may use one context.
  std::recursive_mutex mutex;

  virtual ~device_stream() = default;
  /// From memory of the host that `device_driver::staging` gave; it may change when the stream has come past it.
  virtual void copy_in(std::byte* to, const std::byte* from, std::int64_t bytes, const char* what) = 0;
  virtual void copy_out(std::byte* to, const std::byte* from, std::int64_t bytes, const char* what) = 0;
  /// Sets bytes to 0.
  virtual void clear(std::byte* from, std::int64_t bytes, const char* what) = 0;
  virtual void copy(std::byte* to, const std::byte* from, std::int64_t bytes, const char* what) = 0;
  /// Whether `copy_from` the other can be part of a graph.
  virtual bool reaches(const device_stream& other) const = 0;
  /// From the memory of another device of the same driver.
  virtual void copy_from(device_stream& other, std::byte* to, const std::byte* from, std::int64_t bytes,
                         const char* what) = 0;
  virtual void multiply(const device_product& product, const char* what) = 0;
  /// Bytes that a product of this shape needs beside its operands, of which only the alignment matters.
  virtual std::int64_t workspace_of(const device_product& product, const char* what) = 0;
  /// Whether it can do with a product of this shape what is asked beside multiplying, as the kernels of Kroton do it.
  /// It never answers otherwise later, because memory is planned by it.
  virtual bool supports_epilogue(const device_product& product, const char* what) = 0;
  virtual std::unique_ptr<device_event> make_event() = 0;
  /// `event` is when everything before this has been done.
  virtual void record(device_event& event) = 0;
  /// Later work starts after `event`, which may be of any stream of the driver.
  virtual void wait(device_event& event) = 0;
  /// The host waits until everything has been done.
  virtual void synchronize() = 0;
  /// Captures later work, also on streams that wait for this one, instead of doing it, until `end_capture`.
  virtual void begin_capture() = 0;
  /// `old`: a graph that is not needed any more, which may become the new one; or none.
  virtual std::unique_ptr<device_graph> end_capture(std::unique_ptr<device_graph> old) = 0;
  virtual void launch(device_graph& graph) = 0;
};

class device_driver {
 public:
  virtual ~device_driver() = default;
  virtual int count() const = 0;
  /// The reason why there are no devices, if it is known, such as ` (CUDA driver version is insufficient for CUDA
  /// runtime version)`; else empty.
  virtual std::string why_none() const { return {}; }
  /// Such as `NVIDIA H200 (0000:09:00.0)`.
  virtual std::string description(int device) const = 0;
  /// The free memory of the device, in bytes.
  virtual std::int64_t free_bytes(int device) const = 0;
  /// Memory of the device that what the stream does may use.
  virtual std::unique_ptr<std::pmr::memory_resource> memory_of(int device, device_stream& stream) = 0;
  virtual std::unique_ptr<device_stream> make_stream(int device) = 0;
  /// Memory of the host that devices can copy.
  virtual std::pmr::memory_resource& staging() = 0;
};

/// The driver of this program's `cuda` devices; none in a program without.
inline device_driver*& installed_driver() {
  static device_driver* driver = nullptr;
  return driver;
}

}  // namespace kroton::runtime
