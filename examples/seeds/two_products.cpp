// Two products of four shared matrices in one function, which Theano could run on two devices, each product where its
// matrices lie. Here both run in one context, one after the other; examples/two_devices.cpp has two.
#include <kroton/kroton.hpp>

#include "check.hpp"

namespace kt = kroton;

struct products : kt::model {
  static constexpr std::int64_t size = 1'024;
  kt::shared<float, size, size> v01{this, "v01", kt::init::uniform(0, 1)};
  kt::shared<float, size, size> v02{this, "v02", kt::init::uniform(0, 1)};
  kt::shared<float, size, size> v11{this, "v11", kt::init::uniform(0, 1)};
  kt::shared<float, size, size> v12{this, "v12", kt::init::uniform(0, 1)};
  constexpr auto both() const { return kt::outputs(kt::dot(v01, v02), kt::dot(v11, v12)); }
};

int main() {
  constexpr std::int64_t size = products::size;
  kt::session<products> session;
  auto f = session.compile<&products::both>();
  const auto [first, second] = f();

  const auto v01 = session.get<&products::v01>(), v02 = session.get<&products::v02>();
  const auto v11 = session.get<&products::v11>(), v12 = session.get<&products::v12>();
  kt::debug::comparison found;                 // by hand: the reference interpreter is far too slow for this
  for (std::int64_t i = 0; i < size; i += 93)  // some of the rows
    for (std::int64_t j = 0; j < size; ++j) {
      double sums[2] = {};
      for (std::int64_t k = 0; k < size; ++k) {
        sums[0] += double{v01(i, k)} * v02(k, j);
        sums[1] += double{v11(i, k)} * v12(k, j);
      }
      found.compare("the first product", static_cast<std::size_t>(i * size + j), first(i, j), sums[0], 1e-5);
      found.compare("the second product", static_cast<std::size_t>(i * size + j), second(i, j), sums[1], 1e-5);
    }
  return example::right(found) ? 0 : 1;
}
