#include "../support.hpp"

namespace mine {

struct plain : kt::elementwise<plain, 1, kt::operands::numeric> {
  static constexpr const char* name = "plain";
  template <class V>
  static constexpr V apply(const V& x) {
    return x;
  }
};
struct narrow : plain {
  static constexpr bool has_kernel(kt::backend_kind where, kt::dtype type) {
    return where == kt::backend_kind::host && type != kt::dtype::int8;
  }
};

}  // namespace mine

namespace {

using enum kt::backend_kind;

// every type that it takes on every backend, unless it says otherwise
constexpr kt::graph::kernel_table wide = kt::graph::kernels_of<mine::plain>(),
                                  less = kt::graph::kernels_of<mine::narrow>();
static_assert(wide.has(host, kt::dtype::int8) && wide.has(cuda, kt::dtype::float16) &&
              wide.has(reference, kt::dtype::uint64));
static_assert(!wide.has(host, kt::dtype::boolean) && !wide.has(cuda, kt::dtype::boolean));
static_assert(less.has(host, kt::dtype::float64) && !less.has(host, kt::dtype::int8) &&
              !less.has(host, kt::dtype::boolean));
static_assert(!less.has(cuda, kt::dtype::float64) && !less.has(reference, kt::dtype::float64));
static_assert(kt::graph::op<kt::ops::transpose>->kernels.has(cuda, kt::dtype::boolean));
static_assert(!kt::graph::op<kt::ops::gemm>->kernels.has(host, kt::dtype::float16) &&
              kt::graph::op<kt::ops::dot>->kernels.has(host, kt::dtype::float16));
static_assert(static_cast<int>(kt::dtype::float64) == kt::arithmetic::dtype_count - 1);

}  // namespace

TEST_CASE("kernel table: what operations say of themselves") { CHECK(less.has(host, kt::dtype::int16)); }
