// The workloads of bench/peers for Kroton, for code by hand, and for Eigen. The program reads the name of a workload
// and a contestant from each line, measures calls for a while, and answers with milliseconds a call and a number that
// all contestants agree on; bench/peers starts it beside the frameworks, and lets them take turns.
//
//     softmax/kroton  ->  0.362 1024.0
#include <kroton/kroton.hpp>

#ifdef KROTON_BENCH_EIGEN
#include <Eigen/Core>
#endif

#include <cblas.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#ifdef _OPENMP
#include <omp.h>
#endif

namespace kt = kroton;

namespace {

inline constexpr struct n : kt::dim<n> {} n;
inline constexpr struct m : kt::dim<m> {} m;

/// A contestant: `call` does the work once, `value` is what has come of it since the last `begin`.
struct contestant {
  std::function<void()> call;
  std::function<double()> value;
};
std::map<std::string, std::function<contestant()>> contestants;

/// The numbers that all contestants are given, whatever their language.
template <int Rank>
kt::tensor<float, Rank> numbers(const std::array<std::int64_t, Rank>& extents, double seed, double scale = 1) {
  kt::tensor<float, Rank> made(extents);
  for (std::int64_t i = 0; i < made.size(); ++i)
    made.data()[i] = static_cast<float>(std::sin(static_cast<double>(i) * 0.37 + seed) * scale);
  return made;
}
template <class Tensor>
double sum_of(const Tensor& x) {
  double sum = 0;
  for (const float each : x) sum += each;
  return sum;
}
template <class T>
double number_of(const T& x) {
  return static_cast<double>(static_cast<float>(x));
}

/// A function of tensors, which writes into a tensor that it is given.
template <class Lambda, class Out, class... In>
void add(const char* name, Lambda body, Out out, In... in) {
  contestants[std::string(name) + "/kroton"] = [=] {
    auto f = std::make_shared<decltype(kt::function(body))>(kt::function(body));
    auto z = std::make_shared<Out>(out);
    auto x = std::make_shared<std::tuple<In...>>(in...);
    return contestant{[=] { std::apply([&](const auto&... each) { f->into(*z, each...); }, *x); },
                      [=] { return sum_of(*z); }};
  };
}
/// A step of a model, whose first output is its cost.
template <auto Step, class Model, class... In>
void add_step(const char* name, In... in) {
  contestants[std::string(name) + "/kroton"] = [=] {
    auto session = std::make_shared<kt::session<Model>>();
    Model::fill(*session);
    auto f = std::make_shared<decltype(session->template compile<Step>())>(session->template compile<Step>());
    auto x = std::make_shared<std::tuple<In...>>(in...);
    auto cost = std::make_shared<double>(0);
    const auto call = [=] { *cost = std::apply([&](const auto&... each) { return number_of((*f)(each...)); }, *x); };
    return contestant{[=, s = session] { call(); }, [=] { return *cost; }};
  };
}
/// Code that writes to `z`.
template <class Body>
void add_code(const std::string& name, std::int64_t results, Body body) {
  contestants[name] = [=] {
    auto z = std::make_shared<std::vector<float>>(static_cast<std::size_t>(results));
    return contestant{[=] { body(z->data()); }, [=] { return sum_of(*z); }};
  };
}

// ---- the workloads ----

constexpr std::int64_t many = std::int64_t{1} << 22, side = 1024, tall = 4096;

void add_elementwise() {
  const auto x = numbers<1>({many}, 1), y = numbers<1>({many}, 2);
  add(
      "map", [](kt::var<float, n> a, kt::var<float, n> b) { return kt::exp(-a * a) * b + 0.5f * a; }, x, x, y);
  add(
      "mean of squares", [](kt::var<float, n> a) { return kt::reshape<1>(kt::mean(kt::sqr(a))); }, numbers<1>({1}, 0),
      x);
  const auto matrix = numbers<2>({side, side}, 1);
  add(
      "softmax", [](kt::var<float, n, m> a) { return kt::nn::softmax(a * 3); }, matrix, matrix);
  add(
      "layer norm and gelu",
      [](kt::var<float, n, side> a, kt::var<float, side> gain, kt::var<float, side> bias) {
        const auto centred = a - kt::mean(a, kt::axis<1>, kt::keep_dims);
        const auto variance = kt::mean(kt::sqr(centred), kt::axis<1>, kt::keep_dims);
        return kt::nn::gelu(centred / kt::sqrt(variance + 1e-5f) * gain + bias);
      },
      matrix, matrix, numbers<1>({side}, 3), numbers<1>({side}, 4));
  add(
      "column sums", [](kt::var<float, n, m> a) { return kt::sum(a, kt::axis<0>); }, numbers<1>({side}, 0),
      numbers<2>({tall, side}, 1));
  const auto few = numbers<1>({16}, 1), others = numbers<1>({16}, 2);
  add(
      "16 elements", [](kt::var<float, 16> a, kt::var<float, 16> b) { return kt::tanh(a * 2 + b); }, few, few, others);
  add_code("mean of squares/by hand", 1, [x](float* z) {
    float sum = 0;
#pragma omp parallel for simd reduction(+ : sum)
    for (std::int64_t i = 0; i < many; ++i) sum += x.data()[i] * x.data()[i];
    z[0] = sum / many;
  });
  add_code("16 elements/by hand", 16, [few, others](float* z) {
    for (int i = 0; i < 16; ++i) z[i] = std::tanh(few.data()[i] * 2 + others.data()[i]);
  });
}

void add_products() {
  constexpr int width = 512;
  const auto x = numbers<2>({width, width}, 1), w = numbers<2>({width, width}, 2);
  const auto b = numbers<1>({width}, 3);
  add(
      "product, bias and relu",
      [](kt::var<float, n, width> a, kt::var<float, width, width> c, kt::var<float, width> d) {
        return kt::relu(kt::dot(a, c) + d);
      },
      x, x, w, b);
  add_code("product, bias and relu/by hand", width * width, [=](float* z) {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, width, width, width, 1, x.data(), width, w.data(), width, 0,
                z, width);
#pragma omp parallel for
    for (int i = 0; i < width; ++i)
      for (int j = 0; j < width; ++j) z[i * width + j] = std::max(0.0f, z[i * width + j] + b.data()[j]);
  });
  constexpr int count = 1000, edge = 16;
  const auto p = numbers<3>({count, edge, edge}, 1), q = numbers<3>({count, edge, edge}, 2);
  add(
      "1,000 products of 16 x 16",
      [](kt::var<float, n, edge, edge> a, kt::var<float, n, edge, edge> c) { return kt::dot(a, c); }, p, p, q);
  add_code("1,000 products of 16 x 16/by hand", count * edge * edge, [=](float* z) {
#pragma omp parallel for
    for (int i = 0; i < count; ++i)
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, edge, edge, edge, 1, p.data() + i * edge * edge, edge,
                  q.data() + i * edge * edge, edge, 0, z + i * edge * edge, edge);
  });
}

// ---- steps of training; rates are so small that the cost of each step is that of the first, about ----

constexpr float rate = 1e-9f;
constexpr int inputs = 256, hidden = 512, classes = 10;

struct network : kt::model {
  kt::shared<float, inputs, hidden> W{this, "W"};
  kt::shared<float, hidden> b{this, "b"};
  kt::shared<float, hidden, classes> V{this, "V"};

  constexpr auto step(kt::var<float, n, inputs> x, kt::var<std::int64_t, n> label) const {
    const auto scores = kt::dot(kt::relu(kt::dot(x, W) + b), V);
    const auto cost = kt::mean(kt::nn::cross_entropy(scores, label));
    return kt::outputs(cost).updates(kt::optim::sgd(cost, parameters(), rate));
  }
  static void fill(kt::session<network>& s) {
    s.set<&network::W>(numbers<2>({inputs, hidden}, 1, 0.05));
    s.set<&network::V>(numbers<2>({hidden, classes}, 2, 0.05));
  }
};
struct regression : kt::model {
  kt::shared<float, inputs> w{this, "w"};

  constexpr auto step(kt::var<float, n, inputs> x, kt::var<float, n> y) const {
    const auto score = kt::dot(x, w);
    const auto cost = kt::mean(kt::softplus(score) - y * score);
    return kt::outputs(cost).updates(kt::update(w, w - rate * kt::grad(cost, w)));
  }
  static void fill(kt::session<regression>& s) { s.set<&regression::w>(numbers<1>({inputs}, 1, 0.1)); }
};
constexpr std::int64_t trained = 10'000'000, words = 100'000;
struct adam : kt::model {
  kt::shared<float, trained> w{this, "w"};
  kt::optim::adam optimiser{this};

  constexpr auto step(kt::var<float, trained> gradient) const {
    return kt::outputs(w[0]).updates(optimiser(kt::known_grads(w, gradient), parameters(), rate));
  }
  static void fill(kt::session<adam>& s) { s.set<&adam::w>(numbers<1>({trained}, 1)); }
};
struct embedding : kt::model {
  kt::shared<float, words, 64> W{this, "W"};

  constexpr auto step(kt::var<std::int64_t, n> at, kt::var<float, n, 64> x) const {
    const auto cost = kt::mean(kt::sqr(kt::take(W, at) - x));
    return kt::outputs(cost).updates(kt::update(W, W - rate * kt::grad(cost, W)));
  }
  static void fill(kt::session<embedding>& s) { s.set<&embedding::W>(numbers<2>({words, 64}, 1)); }
};

kt::tensor<std::int64_t, 1> integers(std::int64_t count, std::int64_t limit) {
  kt::tensor<std::int64_t, 1> made({count});
  for (std::int64_t i = 0; i < count; ++i) made(i) = i * 7919 % limit;
  return made;
}

void add_training() {
  for (const std::int64_t rows : {128, 16})
    add_step<&network::step, network>(("step of a network, batch " + std::to_string(rows)).c_str(),
                                      numbers<2>({rows, inputs}, 3), integers(rows, classes));
  constexpr std::int64_t rows = 10'000;
  auto y = numbers<1>({rows}, 5);
  for (float& each : y) each = each > 0 ? 1.0f : 0.0f;
  add_step<&regression::step, regression>("step of logistic regression", numbers<2>({rows, inputs}, 3), y);
  add_step<&adam::step, adam>("Adam on 10^7 parameters", numbers<1>({trained}, 2));
  add_step<&embedding::step, embedding>("step of an embedding", integers(4096, words), numbers<2>({4096, 64}, 3));
}

// ---- option prices with five greeks, and a recurrent network ----

constexpr std::int64_t options = std::int64_t{1} << 18;
constexpr int length = 50, batch = 32, width = 128, features = 64;

void add_models() {
  const auto around = [](float middle, double seed, double scale) {
    auto made = numbers<1>({options}, seed, scale);
    for (float& each : made) each += middle;
    return made;
  };
  const auto spot = around(100, 1, 20), strike = around(100, 2, 20), time = around(1, 3, 0.5),
             interest = around(0.03f, 4, 0.02), volatility = around(0.3f, 5, 0.1);
  add(
      "Black-Scholes and five greeks",
      [](kt::var<float, n> s, kt::var<float, n> k, kt::var<float, n> t, kt::var<float, n> r, kt::var<float, n> v) {
        const auto d1 = (kt::log(s / k) + (r + v * v / 2) * t) / (v * kt::sqrt(t)), d2 = d1 - v * kt::sqrt(t);
        const auto price = s * kt::normal_cdf(d1) - k * kt::exp(-r * t) * kt::normal_cdf(d2);
        const auto all = kt::sum(price);
        const auto delta = kt::grad(all, s);
        return price + delta + kt::grad(kt::sum(delta), s) + kt::grad(all, v) + kt::grad(all, t) + kt::grad(all, r);
      },
      spot, spot, strike, time, interest, volatility);
  add(
      "recurrent network with gradients",
      [](kt::var<float, n, batch, features> x, kt::var<float, features, width> W, kt::var<float, width, width> U,
         kt::var<float, width> b, kt::var<float, batch, width> begin) {
        const auto h =
            kt::scan([&](auto row, auto before) { return kt::tanh(kt::dot(row, W) + kt::dot(before, U) + b); },
                     kt::sequences(x), kt::carried(begin));
        const auto cost = kt::sum(kt::sqr(h.last));
        return kt::grad(cost, b) + kt::sum(kt::grad(cost, W), kt::axis<0>) + kt::sum(kt::grad(cost, U), kt::axis<0>);
      },
      numbers<1>({width}, 0), numbers<3>({length, batch, features}, 1), numbers<2>({features, width}, 2, 0.1),
      numbers<2>({width, width}, 3, 0.1), numbers<1>({width}, 4, 0.1), numbers<2>({batch, width}, 5));
}

#ifdef KROTON_BENCH_EIGEN
void add_eigen() {
  using matrix = Eigen::Array<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using vector = Eigen::Array<float, Eigen::Dynamic, 1>;
  const auto x = numbers<1>({many}, 1), y = numbers<1>({many}, 2);
  const auto of = [](const auto& t) { return Eigen::Map<const vector>(t.data(), t.size()); };
  add_code("map/Eigen", many,
           [=](float* z) { Eigen::Map<vector>(z, many) = (-of(x) * of(x)).exp() * of(y) + 0.5f * of(x); });
  add_code("mean of squares/Eigen", 1, [=](float* z) { z[0] = of(x).square().mean(); });
  const auto square = numbers<2>({side, side}, 1), long_one = numbers<2>({tall, side}, 1);
  add_code("softmax/Eigen", side * side, [=](float* z) {
    const Eigen::Map<const matrix> a(square.data(), side, side);
    Eigen::Map<matrix> out(z, side, side);
    for (std::int64_t i = 0; i < side; ++i) {
      out.row(i) = ((a.row(i) - a.row(i).maxCoeff()) * 3).exp();
      out.row(i) /= out.row(i).sum();
    }
  });
  add_code("column sums/Eigen", side, [=](float* z) {
    Eigen::Map<Eigen::Array<float, 1, Eigen::Dynamic>>(z, side) =
        Eigen::Map<const matrix>(long_one.data(), tall, side).colwise().sum();
  });
  const auto few = numbers<1>({16}, 1), others = numbers<1>({16}, 2);
  using fixed = Eigen::Array<float, 16, 1>;
  add_code(
      "16 elements/Eigen", 16,
      [a = fixed(Eigen::Map<const fixed>(few.data())), b = fixed(Eigen::Map<const fixed>(others.data()))](float* z) {
        Eigen::Map<fixed> out(z);
        out = (a * 2 + b).tanh();
      });
  constexpr int edge = 512;
  using dense = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto p = numbers<2>({edge, edge}, 1), q = numbers<2>({edge, edge}, 2);
  const auto b = numbers<1>({edge}, 3);
  add_code("product, bias and relu/Eigen", edge * edge, [=](float* z) {
    Eigen::Map<dense> out(z, edge, edge);
    out.noalias() = Eigen::Map<const dense>(p.data(), edge, edge) * Eigen::Map<const dense>(q.data(), edge, edge);
    out = (out.rowwise() + Eigen::Map<const Eigen::RowVectorXf>(b.data(), edge)).cwiseMax(0.0f);
  });
}
#endif

}  // namespace

int main(int argc, char** argv) {
#ifdef _OPENMP
  if (argc > 1) omp_set_num_threads(std::atoi(argv[1]));
#endif
  add_elementwise();
  add_products();
  add_training();
  add_models();
#ifdef KROTON_BENCH_EIGEN
  add_eigen();
#endif
  for (const auto& [name, make] : contestants) std::printf("%s\n", name.c_str());
  std::printf("\n");
  std::fflush(stdout);
  std::string name;
  std::map<std::string, contestant> begun;
  while (std::getline(std::cin, name)) {
    using clock = std::chrono::steady_clock;
    if (!begun.contains(name)) begun[name] = contestants.at(name)(), begun[name].call();
    const contestant& c = begun[name];
    long calls = 0;
    const auto begin = clock::now();
    std::chrono::duration<double> taken{};
    for (long more = 1; taken.count() < 0.1; more *= 2) {
      for (long i = 0; i < more; ++i) c.call();
      calls += more;
      taken = clock::now() - begin;
    }
    std::printf("%.9g %.9g\n", taken.count() / static_cast<double>(calls) * 1e3, c.value());
    std::fflush(stdout);
  }
}
