// Matrix products and what goes with them: a layer, training steps of a network, Theano's logistic regression.
#include <kroton/kroton.hpp>

#include "table.hpp"

#ifdef KROTON_BENCH_EIGEN
#include <Eigen/Core>

#include "eigen/step.hpp"
#endif

#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

namespace kt = kroton;

inline constexpr struct batch : kt::dim<batch> {} batch;

namespace {

constexpr int edge = 1024;

struct layer : kt::model {
  kt::shared<float, edge, edge> w{this, "w", kt::init::glorot_uniform};
  kt::shared<float, edge> b{this, "b", kt::init::uniform(-1, 1)};
  kt::shared<float, edge, edge> out{this, "out"};

  constexpr auto run(kt::var<float, edge, edge> x) const {
    return kt::updates(kt::update(out, kt::relu(kt::dot(x, w) + b)));
  }
};

constexpr int inputs = 784, hidden = 500, classes = 10;

struct network : kt::model {
  kt::shared<float, inputs, hidden> w1{this, "w1", kt::init::glorot_uniform};
  kt::shared<float, hidden> b1{this, "b1"};
  kt::shared<float, hidden, classes> w2{this, "w2", kt::init::glorot_uniform};
  kt::shared<float, classes> b2{this, "b2"};

  constexpr auto train(kt::var<float, batch, inputs> x, kt::var<int, batch> label, kt::var<float> rate) const {
    auto scores = kt::dot(kt::relu(kt::dot(x, w1) + b1), w2) + b2;
    auto cost = kt::mean(kt::nn::cross_entropy(scores, label));
    return kt::outputs(cost).updates(kt::optim::sgd(cost, parameters(), rate));
  }
};

constexpr int features = 784;

template <class T, int Examples>
struct regression : kt::model {
  kt::shared<T, features> w{this, "w", kt::init::normal(0, 1)};
  kt::shared<T> b{this, "b"};

  constexpr auto train(kt::var<T, Examples, features> x, kt::var<T, Examples> y) const {
    auto p = 1 / (1 + kt::exp(-kt::dot(x, w) - b));
    auto cost = kt::mean(-y * kt::log(p) - (1 - y) * kt::log(1 - p)) + 0.01 * kt::sum(w * w);
    return kt::outputs(cost).updates(kt::update(w, w - 0.1 * kt::grad(cost, w)),
                                     kt::update(b, b - 0.1 * kt::grad(cost, b)));
  }
};

void gemv(CBLAS_TRANSPOSE transposed, int examples, float alpha, const float* a, const float* x, float beta, float* y) {
  cblas_sgemv(CblasRowMajor, transposed, examples, features, alpha, a, features, x, 1, beta, y, 1);
}
void gemv(CBLAS_TRANSPOSE transposed, int examples, double alpha, const double* a, const double* x, double beta,
          double* y) {
  cblas_dgemv(CblasRowMajor, transposed, examples, features, alpha, a, features, x, 1, beta, y, 1);
}

/// The step of the regression over CBLAS: two products of a matrix and a vector, and a loop. Returns the cost before.
template <class T>
T regression_step(int examples, const T* x, const T* y, T* z, T* w, T& b) {
  std::fill_n(z, examples, b);
  gemv(CblasNoTrans, examples, T(1), x, w, T(1), z);
  T cost = 0, slope = 0, squares = 0;
  for (int i = 0; i < examples; ++i) {
    const T e = std::exp(-std::abs(z[i]));
    cost += std::max(z[i], T(0)) - y[i] * z[i] + std::log1p(e);
    z[i] = (z[i] < 0 ? e : T(1)) / (1 + e) - y[i];
    slope += z[i];
  }
  for (int j = 0; j < features; ++j) squares += w[j] * w[j];
  gemv(CblasTrans, examples, T(-0.1) / T(examples), x, z, T(1) - T(0.1 * 0.02), w);
  b -= T(0.1) / T(examples) * slope;
  return cost / T(examples) + T(0.01) * squares;
}

template <class T>
std::vector<T> random_values(std::size_t count, double low, double high) {
  std::mt19937 random{42};
  std::uniform_real_distribution<double> uniform(low, high);
  std::vector<T> values(count);
  for (T& value : values) value = static_cast<T>(uniform(random));
  return values;
}

void add_layer(bench::suite& all, int threads) {
  static const std::vector<float> x = random_values<float>(edge * edge, -1, 1),
                                  w = random_values<float>(edge * edge, -0.05, 0.05),
                                  b = random_values<float>(edge, -1, 1);
  static std::vector<float> y(edge * edge);
  const auto product = [] {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, edge, edge, edge, 1, x.data(), edge, w.data(), edge, 0,
                y.data(), edge);
  };
  bench::group& g = all.add_group("relu(dot(x, w) + b), 1024^3 floats", threads, bench::flops(2.0 * edge * edge * edge),
                                  "sgemm", bench::at_most(1.03));
  g.add("sgemm", product);
  auto session = std::make_shared<kt::session<layer>>(kt::context::host(threads));
  g.add("kroton", [session, f = session->compile<&layer::run>()]() mutable { f(kt::view(x.data(), {edge, edge})); });
  g.add("sgemm and a loop", [=] {
    product();
    bench::in_parts(edge, threads, [](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
        for (int j = 0; j < edge; ++j) {
          float& value = y[static_cast<std::size_t>(i * edge + j)];
          value = std::max(value + b[static_cast<std::size_t>(j)], 0.0f);
        }
    });
  });
#ifdef KROTON_BENCH_EIGEN
  g.add("Eigen without BLAS", [] {
    using matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const Eigen::Map<const matrix> from(x.data(), edge, edge), weights(w.data(), edge, edge);
    const Eigen::Map<const Eigen::RowVectorXf> bias(b.data(), edge);
    Eigen::Map<matrix> to(y.data(), edge, edge);
    to.noalias() = from * weights;
    to = (to.rowwise() + bias).cwiseMax(0.0f);
  });
#endif
}

void add_network(bench::suite& all, int size, int threads) {
  struct network_data {
    std::vector<float> x, w1 = random_values<float>(inputs * hidden, -0.05, 0.05),
                          w2 = random_values<float>(hidden * classes, -0.1, 0.1);
    std::vector<float> b1 = std::vector<float>(hidden), b2 = std::vector<float>(classes), h, z, dh;
    std::vector<std::int32_t> label;
    explicit network_data(int size)
        : x(random_values<float>(static_cast<std::size_t>(size) * inputs, 0, 1)),
          h(static_cast<std::size_t>(size) * hidden), z(static_cast<std::size_t>(size) * classes), dh(h.size()) {
      for (int i = 0; i < size; ++i) label.push_back(i % classes);
    }
  };
  static constexpr float rate = 1e-4f;  // each contestant goes on training its own parameters
  constexpr double products = 2.0 * (2 * inputs * hidden + 3 * hidden * classes);
  bench::group& g = all.add_group("training step 784-500-10, batch " + std::to_string(size), threads,
                                  bench::flops(products * size), "its 5 sgemms", bench::at_most(1.15));
  g.add("its 5 sgemms", [d = network_data(size), size]() mutable {
    const auto multiply = [](CBLAS_TRANSPOSE tx, CBLAS_TRANSPOSE ty, int m, int n, int k, float alpha, const float* x,
                             const float* y, float beta, float* z) {
      cblas_sgemm(CblasRowMajor, tx, ty, m, n, k, alpha, x, tx == CblasNoTrans ? k : m, y, ty == CblasNoTrans ? n : k,
                  beta, z, n);
    };
    constexpr float small = -1e-9f;
    multiply(CblasNoTrans, CblasNoTrans, size, hidden, inputs, 1, d.x.data(), d.w1.data(), 0, d.h.data());
    multiply(CblasNoTrans, CblasNoTrans, size, classes, hidden, 1, d.h.data(), d.w2.data(), 0, d.z.data());
    multiply(CblasNoTrans, CblasTrans, size, hidden, classes, 1, d.z.data(), d.w2.data(), 0, d.dh.data());
    multiply(CblasTrans, CblasNoTrans, hidden, classes, size, small, d.h.data(), d.z.data(), 1, d.w2.data());
    multiply(CblasTrans, CblasNoTrans, inputs, hidden, size, small, d.x.data(), d.dh.data(), 1, d.w1.data());
  });
  auto session = std::make_shared<kt::session<network>>(kt::context::host(threads));
  g.add("kroton", [d = network_data(size), session, f = session->compile<&network::train>(), size]() mutable {
    benchmark::DoNotOptimize(f(kt::view(d.x.data(), {size, inputs}), d.label, rate));
  });
#ifdef KROTON_BENCH_EIGEN
  const auto eigen = [](network_data& d) {
    return bench::eigen_step{d.w1.data(), d.b1.data(), d.w2.data(), d.b2.data(), d.h.data(), d.z.data(), d.dh.data()};
  };
  g.add("Eigen without BLAS", [d = network_data(size), eigen, size]() mutable {
    benchmark::DoNotOptimize(eigen(d).run_plain(d.x.data(), d.label.data(), size, rate));
  });
  g.add("Eigen with BLAS", [d = network_data(size), eigen, size]() mutable {
    benchmark::DoNotOptimize(eigen(d).run_blas(d.x.data(), d.label.data(), size, rate));
  });
#endif
}

template <class T, int Examples>
void add_regression(bench::suite& all, const char* type, int threads) {
  bench::group& g = all.add_group("logistic regression step " + std::to_string(Examples) + "x784, " + type, threads,
                                  bench::flops(4.0 * Examples * features), "by hand over CBLAS", bench::at_most(1.4));
  auto x = std::make_shared<std::vector<T>>(random_values<T>(Examples * features, -1, 1));
  auto y = std::make_shared<std::vector<T>>(Examples);
  for (std::size_t i = 0; i < y->size(); i += 2) (*y)[i] = 1;
  g.add("by hand over CBLAS",
        [x, y, z = std::vector<T>(Examples), w = random_values<T>(features, -1, 1), b = T(0)]() mutable {
          benchmark::DoNotOptimize(regression_step(Examples, x->data(), y->data(), z.data(), w.data(), b));
        });
  auto session = std::make_shared<kt::session<regression<T, Examples>>>(kt::context::host(threads));
  g.add("kroton", [x, y, session, f = session->template compile<&regression<T, Examples>::train>()]() mutable {
    benchmark::DoNotOptimize(f(kt::view(x->data(), {Examples, features}), *y));
  });
#ifdef KROTON_BENCH_EIGEN
  g.add("Eigen without BLAS", [x, y, w = random_values<T>(features, -1, 1), b = T(0)]() mutable {
    using vector = Eigen::Array<T, Eigen::Dynamic, 1>;
    const Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> from(x->data(), Examples,
                                                                                                   features);
    const Eigen::Map<const vector> target(y->data(), Examples);
    Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, 1>> weights(w.data(), features);
    const vector z = (from * weights).array() + b;
    const vector e = (-z.abs()).exp();
    const T cost = (z.max(T(0)) - target * z + (1 + e).log()).mean() + T(0.01) * weights.squaredNorm();
    const vector slope = (z < T(0)).select(e, vector::Ones(Examples)) / (1 + e) - target;
    weights = weights * (1 - T(0.1) * T(0.02)) - T(0.1) / T(Examples) * (from.transpose() * slope.matrix());
    b -= T(0.1) * slope.mean();
    benchmark::DoNotOptimize(cost);
  });
#endif
}

}  // namespace

int main(int argc, char** argv) {
  bench::suite all("Products: time of a call beside that of the products in it", argc, argv);
  for (int threads : bench::thread_counts()) {
    add_layer(all, threads);
    add_network(all, 128, threads);
    add_network(all, 16, threads);
    add_regression<double, 400>(all, "double", threads);
    add_regression<float, 400>(all, "float", threads);
    add_regression<float, 50'000>(all, "float", threads);  // a matrix that is larger than the caches
  }
  return all.run(argc, argv);
}
