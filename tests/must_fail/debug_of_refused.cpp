// expect: kroton: the operands do not have the number of axes
#include <kroton/kroton.hpp>
#include <kroton/debug/print.hpp>
#include <kroton/debug/stats.hpp>
#include <kroton/debug/verify.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

auto f = kt::function([](kt::var<float, batch> x, kt::var<float, batch> y) {
  return kt::outputs(kt::dot(kt::dot(x, y), y), x);  // <- here
});
void use() {
  const kt::tensor<float, 1> x({3});
  (void)kt::debug::verify(f, x, x);
  kt::debug::print(f);
  kt::debug::stats(f, batch(3));
  const auto [first, second] = f(x, x);
}
