// This header has the interface of drivers. A driver does what Kroton asks of the devices of one kind, such as the GPUs
// of a machine. `kroton/cuda.hpp` installs one; tests install a driver of simulated devices.
#pragma once

#include <kroton/arithmetic/dtype.hpp>
#include <kroton/graph/product_function.hpp>
#include <kroton/runtime/context/memory.hpp>
#include <kroton/runtime/context/product_math.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <string>

namespace kroton::runtime {

/// The product z (m, n) = alpha * x (m, k) y (k, n) + beta * z, for each of `batches` matrices. Strides are in
/// elements, and z is contiguous. An epilogue may add a bias (n) to each row and apply a function. The epilogue of a
/// gradient multiplies the elements by the derivative of the function that another product has applied. It may sum the
/// columns of the result. An epilogue without a function may sum the columns of y, which alpha does not scale.
struct device_product {
  dtype type = dtype::float32;
  product_math math;
  std::int64_t m = 0, n = 0, k = 0, batches = 1;
  const std::byte *x = nullptr, *y = nullptr;
  std::byte* z = nullptr;
  std::int64_t x_distance = 0, y_distance = 0, z_distance = 0;  ///< what divides the distances to its addresses in
                                                                ///< other iterations of a loop, 0: it is in none
  std::int64_t x_strides[2] = {}, y_strides[2] = {};            ///< of rows and columns
  std::int64_t x_batch = 0, y_batch = 0;                        ///< from one matrix to the next
  double alpha = 1, beta = 0;
  bool factors_on_device = false;
  const std::byte *alpha_at = nullptr, *beta_at = nullptr;  ///< the addresses of the factors on the device
  const std::byte* bias = nullptr;
  product_function function = product_function::none;
  bool is_gradient = false;
  std::byte* aux = nullptr;   ///< the operand (m, n) of gelu_tanh, or the mask of relu; an epilogue with the function
                              ///< writes it, if it is not null, and an epilogue with the gradient reads it
  std::byte* sums = nullptr;  ///< of the columns (n) of z, if the epilogue is a gradient, otherwise of y
  std::byte* workspace = nullptr;  ///< as many bytes as the stream asks for
};

/// The alignment in bytes of an address and of all that are multiples of `distance` away from it, up to
/// device_alignment.
inline std::uint32_t common_alignment(const std::byte* at, std::int64_t distance) {
  const auto bits = reinterpret_cast<std::uintptr_t>(at) | static_cast<std::uintptr_t>(distance) | device_alignment;
  return static_cast<std::uint32_t>(bits & (~bits + 1));
}

/// The bits of a row of a mask, and the bytes of a mask for a matrix (m, n). A mask has a bit for each element, which
/// says whether the element was above 0.
constexpr std::int64_t mask_stride(std::int64_t n) { return (n + 127) / 128 * 128; }
constexpr std::int64_t mask_bytes(std::int64_t m, std::int64_t n) { return m * (mask_stride(n) / 8); }

/// A moment on a stream.
class device_event {
 public:
  virtual ~device_event() = default;
  /// The host waits for the event. It does not wait if the event was never recorded.
  virtual void synchronize() = 0;
};
/// A graph of device work that was captured from streams, to be launched again as a whole.
class device_graph {
 public:
  virtual ~device_graph() = default;
};

/// A stream: work that a device does in order, while the host goes on. A failure throws a device_error that names the
/// operation `what`.
class device_stream {
 public:
  /// A thread holds it while it puts work on the stream, since several threads may use one context.
  std::recursive_mutex mutex;
  context_block staged;  ///< staging memory for copies for which the host waits, see kept_staging

  virtual ~device_stream() = default;
  /// Copies from memory of the host that `device_driver::staging` gave. The memory may change when the stream has
  /// passed the copy.
  virtual void copy_in(std::byte* to, const std::byte* from, std::int64_t bytes, const char* what) = 0;
  virtual void copy_out(std::byte* to, const std::byte* from, std::int64_t bytes, const char* what) = 0;
  /// Sets bytes to 0.
  virtual void clear(std::byte* from, std::int64_t bytes, const char* what) = 0;
  virtual void copy(std::byte* to, const std::byte* from, std::int64_t bytes, const char* what) = 0;
  /// Whether `copy_from` the stream `other` can be part of a graph.
  virtual bool reaches(const device_stream& other) const = 0;
  /// Copies from the memory of another device of the same driver.
  virtual void copy_from(device_stream& other, std::byte* to, const std::byte* from, std::int64_t bytes,
                         const char* what) = 0;
  virtual void multiply(const device_product& product, const char* what) = 0;
  /// Bytes of workspace for a product of this shape. Of the addresses of its operands, only the alignment matters.
  virtual std::int64_t workspace_of(const device_product& product, const char* what) = 0;
  /// Whether a product of this shape can have its epilogue, with the results that the kernels of Kroton give. The
  /// answer never changes later, because memory is planned by it.
  virtual bool supports_epilogue(const device_product& product, const char* what) = 0;
  virtual std::unique_ptr<device_event> make_event() = 0;
  /// Records `event`, which comes when all earlier work on the stream has been done.
  virtual void record(device_event& event) = 0;
  /// Later work starts after `event`, which may be of any stream of the driver.
  virtual void wait(device_event& event) = 0;
  /// Later work starts after the work that is on a stream of the user now; null: CUDA's default stream.
  virtual void wait_for_users(void* stream) = 0;
  /// Later work on a stream of the user starts after the work that is on this stream now.
  virtual void go_before_users(void* stream) = 0;
  /// The host waits until all work on the stream has been done.
  virtual void synchronize() = 0;
  /// From now until `end_capture`, work on this stream, and on streams that wait for it, is captured instead of done.
  virtual void begin_capture() = 0;
  /// `old`: a graph that is not needed any more and may become the new graph, or null.
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
  /// The description of a device, such as `NVIDIA H200 (0000:09:00.0)`.
  virtual std::string description(int device) const = 0;
  /// The free memory of the device, in bytes.
  virtual std::int64_t free_bytes(int device) const = 0;
  /// A resource of memory of the device, which the work on `stream` may use.
  virtual std::unique_ptr<std::pmr::memory_resource> memory_of(int device, device_stream& stream) = 0;
  virtual std::unique_ptr<device_stream> make_stream(int device) = 0;
  /// Whether kernels of the device may use the memory at `start`.
  virtual bool holds(int device, const std::byte* start) const = 0;
  /// A resource of memory of the host that devices can copy from and to.
  virtual std::pmr::memory_resource& staging() = 0;
};

/// The driver of the program's `cuda` devices; null in a program without such devices.
inline device_driver*& installed_driver() {
  static device_driver* driver = nullptr;
  return driver;
}

}  // namespace kroton::runtime
