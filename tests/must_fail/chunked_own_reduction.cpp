// expect: kroton: chunked: the function cannot be computed piece by piece, because an operation needs more of the dimension than a piece
// says: told::operation<'p', 'e', 'a', 'k'>
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

struct peak : kt::reduction<kt::operands::floating> {  // of which nobody knows how results of pieces are combined
  static constexpr const char* name = "peak";
  static constexpr bool exact = true;
  template <class V>
  static constexpr KROTON_HD V combine(const V& x, const V& y) {
    using kt::simd::maximum;
    return maximum(x, y);
  }
  template <class T>
  static constexpr T identity = T(0);
};
auto f = kt::function([](kt::var<float, batch> x) { return kt::layer_of<decltype(x)>::template reduce_all<peak>(x); });
auto g = kt::chunked<batch>(f, 32);  // <- here
