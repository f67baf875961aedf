// expect: kroton: the operation does not take this element type
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

auto f = kt::function([](kt::var<float, batch, 10> x, kt::var<float, batch, 10> label) {
  return kt::mean(kt::nn::cross_entropy(x, label));  // <- here
});
