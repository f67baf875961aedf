// expect: kroton: the operation has no kernel for this element type on reference
// says: norm
#include <kroton/kroton.hpp>
#include <kroton/debug/verify.hpp>
namespace kt = kroton;
inline constexpr struct n : kt::dim<n> {} n;

struct norm : kt::reduction<kt::operands::floating> {
  static constexpr const char* name = "norm";
  static constexpr bool has_kernel(kt::backend_kind where, kt::dtype) { return where != kt::backend_kind::reference; }
  template <class V>
  static constexpr V combine(const V& x, const V& y) {
    return x * x + y * y;
  }
  template <class T>
  static constexpr T identity = T(0);
};

auto f = kt::function([](kt::var<float, n> x) { return kt::typed::typed_layer::reduce_all<norm>(x); });
auto found = kt::debug::verify(f, std::vector<float>{1, 2});  // <- here
