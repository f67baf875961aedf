// An operation that only the host has a kernel of, beside those of a device.
#include "device.hpp"

using namespace test;

namespace {

constexpr struct n : kt::dim<n> {} n;

/// Not for device code, which cannot call it.
template <class V>
V thrice(const V& x) {
  return x + x + x;
}
struct triple : kt::elementwise<triple, 1, kt::operands::floating> {
  static constexpr const char* name = "triple";
  static constexpr bool has_kernel(kt::backend_kind where, kt::dtype) { return where != kt::backend_kind::cuda; }
  template <class V>
  static V apply(const V& x) {
    return thrice(x);
  }
};
constexpr auto tripled(auto x) { return kt::typed::typed_layer::map<triple>(x); }

TEST_CASE("device: an operation without a kernel on devices runs on the host") {
  check([](kt::var<float, n> x) { return kt::exp(x) * tripled(kt::transfer<kt::host>(kt::sqr(x))); },
        random<float, 1>({333}, 1));
}

}  // namespace
