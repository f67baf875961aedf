// expect: kroton: the operation has no kernel for this element type on host
// says: mine::twice
// says: signed char
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct n : kt::dim<n> {} n;

namespace mine {
struct twice : kt::elementwise<twice, 1, kt::operands::numeric> {
  static constexpr const char* name = "twice";
  static constexpr bool has_kernel(kt::backend_kind, kt::dtype type) { return type != kt::dtype::int8; }
  template <class V>
  static constexpr V apply(const V& x) {
    return x + x;
  }
};
constexpr auto doubled(auto x) { return kt::typed::typed_layer::map<twice>(x); }
}  // namespace mine

auto of_int = kt::function([](kt::var<int, n> x) { return mine::doubled(x); });
auto f = kt::function([](kt::var<std::int8_t, n> x) { return 1 + mine::doubled(x); });  // <- here
auto y = f(std::vector<std::int8_t>{1, 2});
