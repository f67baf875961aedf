// What a call costs where there is little to compute: a map, a step of a Kalman filter, and a motion of points.
#include <kroton/kroton.hpp>

#include "table.hpp"

#ifdef KROTON_BENCH_EIGEN
#include <Eigen/Core>
#endif

#include <array>
#include <cmath>
#include <memory>
#include <tuple>

namespace kt = kroton;

namespace {

constexpr int elements = 16;

struct kept : kt::model {
  kt::shared<float, elements> out{this, "out"};

  constexpr auto run(kt::var<float, elements> x, kt::var<float, elements> y) const {
    return kt::updates(kt::update(out, kt::tanh(x * 2 + y)));
  }
};

template <class T, int Rank>
kt::tensor<T, Rank> numbers(const std::array<std::int64_t, static_cast<std::size_t>(Rank)>& extents, double first) {
  kt::tensor<T, Rank> made(extents);
  for (std::int64_t i = 0; i < made.size(); ++i)
    made.data()[i] = static_cast<T>(std::sin(0.37 * static_cast<double>(i) + first));
  return made;
}

constexpr auto map = [](kt::var<float, elements> a, kt::var<float, elements> b) { return kt::tanh(a * 2 + b); };
constexpr struct length : kt::dim<length> {} length;
constexpr auto map_of_length = [](kt::var<float, length> a, kt::var<float, length> b) { return kt::tanh(a * 2 + b); };
constexpr auto predict = [](kt::var<double, 6> x, kt::var<double, 6, 6> P, kt::var<double, 6, 6> F,
                            kt::var<double, 6, 6> Q) {
  return kt::outputs(kt::dot(F, x), kt::dot(kt::dot(F, P), kt::transpose(F)) + Q);
};
constexpr auto correct = [](kt::var<double, 6> x, kt::var<double, 6, 6> P, kt::var<double, 6> h, kt::var<double> z) {
  const auto gain = kt::dot(P, h);
  const auto k = gain / (kt::dot(h, gain) + 0.5);
  return kt::outputs(x + k * (z - kt::dot(h, x)), P - kt::outer(k, gain));
};
constexpr int points = 1000;
constexpr auto move = [](kt::var<float, points, 3> p, kt::var<float, 3, 3> R, kt::var<float, 3> t) {
  return kt::dot(p, kt::transpose(R)) + t;
};

void add_filter(bench::suite& all) {
  const auto x = numbers<double, 1>({6}, 4), h = numbers<double, 1>({6}, 5);
  const auto P = numbers<double, 2>({6, 6}, 3), F = numbers<double, 2>({6, 6}, 1), Q = numbers<double, 2>({6, 6}, 2);
  bench::group& g = all.add_group("Kalman step, 6 states", 1, {}, "Eigen, fixed size", bench::at_most(1.3));
#ifdef KROTON_BENCH_EIGEN
  using matrix = Eigen::Matrix<double, 6, 6, Eigen::RowMajor>;
  using vector = Eigen::Matrix<double, 6, 1>;
  g.add("Eigen, fixed size",
        [x0 = vector(Eigen::Map<const vector>(x.data())), h0 = vector(Eigen::Map<const vector>(h.data())),
         P0 = matrix(Eigen::Map<const matrix>(P.data())), F0 = matrix(Eigen::Map<const matrix>(F.data())),
         Q0 = matrix(Eigen::Map<const matrix>(Q.data()))]() mutable {
          benchmark::DoNotOptimize(P0);
          const vector x1 = F0 * x0;
          const matrix P1 = F0 * P0 * F0.transpose() + Q0;
          const vector gain = P1 * h0, k = gain / (h0.dot(gain) + 0.5);
          vector x2 = x1 + k * (0.3 - h0.dot(x1));
          matrix P2 = P1 - k * gain.transpose();
          benchmark::DoNotOptimize(x2);
          benchmark::DoNotOptimize(P2);
        });
#endif
  g.add("kroton, into", [x, h, P, F, Q, f = kt::function(predict), g2 = kt::function(correct),
                         x1 = kt::tensor<double, 1>({6}), P1 = kt::tensor<double, 2>({6, 6}),
                         x2 = kt::tensor<double, 1>({6}), P2 = kt::tensor<double, 2>({6, 6})]() mutable {
    f.into(std::tie(x1, P1), x, P, F, Q);
    g2.into(std::tie(x2, P2), x1, P1, h, 0.3);
    benchmark::DoNotOptimize(P2.data());
  });
  g.add("kroton", [x, h, P, F, Q, f = kt::function(predict), g2 = kt::function(correct)] {
    const auto [x1, P1] = f(x, P, F, Q);
    benchmark::DoNotOptimize(g2(x1, P1, h, 0.3));
  });
}
void add_motion(bench::suite& all) {
  const auto p = numbers<float, 2>({points, 3}, 1), R = numbers<float, 2>({3, 3}, 2);
  const auto t = numbers<float, 1>({3}, 3);
  bench::group& g = all.add_group("rigid motion of 1,000 points", 1, {}, "Eigen, fixed size", bench::at_most(1.3));
#ifdef KROTON_BENCH_EIGEN
  using matrix = Eigen::Matrix<float, 3, 3, Eigen::RowMajor>;
  using row = Eigen::Matrix<float, 1, 3>;
  using rows = Eigen::Matrix<float, points, 3, Eigen::RowMajor>;
  g.add("Eigen, fixed size",
        [R0 = matrix(Eigen::Map<const matrix>(R.data())), t0 = row(Eigen::Map<const row>(t.data())),
         from = std::make_shared<rows>(Eigen::Map<const rows>(p.data())), to = std::make_shared<rows>()]() mutable {
          benchmark::DoNotOptimize(from->data());
          to->noalias() = from->lazyProduct(R0.transpose()).rowwise() + t0;
          benchmark::DoNotOptimize(to->data());
        });
#endif
  g.add("kroton, into", [p, R, t, f = kt::function(move), there = kt::tensor<float, 2>({points, 3})]() mutable {
    f.into(there, p, R, t);
    benchmark::DoNotOptimize(there.data());
  });
  g.add("kroton", [p, R, t, f = kt::function(move)] { benchmark::DoNotOptimize(f(p, R, t)); });
}

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
  g.add("kroton", [&x, &y, f = kt::function(map)] { benchmark::DoNotOptimize(f(x, y)); });
  g.add("kroton, into", [&x, &y, f = kt::function(map), out = kt::tensor<float, 1>({elements})]() mutable {
    f.into(out, x, y);
    benchmark::DoNotOptimize(out.data());
  });
  g.add("kroton, in a context", [&x, &y, f = kt::function(map, host)]() mutable { benchmark::DoNotOptimize(f(x, y)); });
  g.add("kroton, named dimension, into",
        [&x, &y, f = kt::function(map_of_length, host), out = kt::tensor<float, 1>({elements})]() mutable {
          f.into(out, x, y);
          benchmark::DoNotOptimize(out.data());
        });
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
  add_filter(all);
  add_motion(all);
  return all.run(argc, argv);
}
