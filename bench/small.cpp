// What a call costs where there is next to nothing to compute.
#include <kroton/kroton.hpp>

#include "table.hpp"

#ifdef KROTON_BENCH_EIGEN
#include <Eigen/Core>
#endif

#include <cmath>

namespace kt = kroton;

namespace {

constexpr int elements = 16;

struct kept : kt::model {
  kt::shared<float, elements> out{this, "out"};

  constexpr auto run(kt::var<float, elements> x, kt::var<float, elements> y) const {
    return kt::updates(kt::update(out, kt::tanh(x * 2 + y)));
  }
};

}  // namespace

int main(int argc, char** argv) {
  bench::suite all("Small calls", argc, argv);
  kt::tensor<float, 1> x({elements}), y({elements});
  for (int i = 0; i < elements; ++i) {
    x(i) = 0.05f * static_cast<float>(i);
    y(i) = 0.1f - x(i);
  }
  const auto host = kt::context::host(1);
  kt::session<kept> session(host);

  bench::group& g = all.add_group("tanh(x*2 + y), 16 floats", 1, {}, "plain loop", bench::within(50e-9));
  g.add("plain loop", [&x, &y] {
    float out[elements];
    benchmark::DoNotOptimize(x.data());
    benchmark::DoNotOptimize(y.data());
    for (int i = 0; i < elements; ++i) out[i] = std::tanh(x.data()[i] * 2 + y.data()[i]);
    benchmark::DoNotOptimize(out);
  });
  g.add("kroton",
        [&x, &y,
         f = kt::function([](kt::var<float, elements> a, kt::var<float, elements> b) { return kt::tanh(a * 2 + b); },
                          host)]() mutable { benchmark::DoNotOptimize(f(x, y)); });
  g.add("kroton, into a variable", [&x, &y, f = session.compile<&kept::run>()]() mutable { f(x, y); });
#ifdef KROTON_BENCH_EIGEN
  using fixed = Eigen::Array<float, elements, 1>;
  g.add("Eigen, fixed size",
        [a = fixed(Eigen::Map<const fixed>(x.data())), b = fixed(Eigen::Map<const fixed>(y.data()))]() mutable {
          benchmark::DoNotOptimize(a);
          benchmark::DoNotOptimize(b);
          fixed out = (a * 2 + b).tanh();
          benchmark::DoNotOptimize(out);
        });
#endif
  return all.run(argc, argv);
}
