// The workloads of bench/peers for Kroton, for code by hand, and for Eigen. The program reads the name of a workload
// and a contestant from each line, measures calls for a while, and answers with milliseconds a call and a number that
// all contestants agree on; bench/peers starts it beside the frameworks, and lets them take turns.
//
//     softmax/kroton  ->  0.362 1024.0
#include "peers_by_hand.hpp"
#include "peers_libraries.hpp"

#include <chrono>
#include <cstdio>
#include <iostream>

#ifdef _OPENMP
#include <omp.h>
#endif

using namespace peers;

namespace {

inline constexpr struct n : kt::dim<n> {} n;
inline constexpr struct m : kt::dim<m> {} m;

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
// ---- the workloads ----

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
  constexpr int count = 1000, edge = 16;
  const auto p = numbers<3>({count, edge, edge}, 1), q = numbers<3>({count, edge, edge}, 2);
  add(
      "1,000 products of 16 x 16",
      [](kt::var<float, n, edge, edge> a, kt::var<float, n, edge, edge> c) { return kt::dot(a, c); }, p, p, q);
}

// ---- steps of training ----

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

/// A convolution as one product with the patches of all positions, then relu, the largest of each four, and a product.
struct convolutional : kt::model {
  kt::shared<float, kernel * kernel, channels> K{this, "K"};
  kt::shared<float, channels> c{this, "c"};
  kt::shared<float, pooled, pooled, channels, classes> V{this, "V"};

  template <int Row, int Column>
  static constexpr auto part_of(kt::var<float, n, picture, picture> x) {
    return x[kt::range<Row, Row + convolved>(kt::axis<1>)][kt::range<Column, Column + convolved>(kt::axis<2>)];
  }
  template <std::size_t... Tap>
  static constexpr auto patches_of(kt::var<float, n, picture, picture> x, std::index_sequence<Tap...>) {
    return kt::stack(kt::axis<0>, part_of<Tap / kernel, Tap % kernel>(x)...);
  }
  constexpr auto step(kt::var<float, n, picture, picture> x, kt::var<std::int64_t, n> label) const {
    const auto patches = patches_of(x, std::make_index_sequence<kernel * kernel>());
    const auto y = kt::einsum<"tnij,tc->nijc">(patches, K);
    const auto fours = kt::reshape<n, pooled, 2, pooled, 2, channels>(y);
    const auto h = kt::relu(kt::max(fours, kt::axis<2, 4>) + c);
    const auto cost = kt::mean(kt::nn::cross_entropy(kt::einsum<"nijc,ijck->nk">(h, V), label));
    return kt::outputs(cost).updates(kt::optim::sgd(cost, parameters(), rate));
  }
  static void fill(kt::session<convolutional>& s) {
    s.set<&convolutional::K>(numbers<2>({kernel * kernel, channels}, 2, 0.2));
    s.set<&convolutional::V>(numbers<4>({pooled, pooled, channels, classes}, 4, 0.05));
  }
};

void add_training() {
  for (const std::int64_t rows : {128, 16})
    add_step<&network::step, network>(("step of a network, batch " + std::to_string(rows)).c_str(),
                                      numbers<2>({rows, inputs}, 3), integers(rows, classes));
  add_step<&regression::step, regression>("step of logistic regression", numbers<2>({observations, inputs}, 3),
                                          kinds());
  add_step<&convolutional::step, convolutional>("step of a convolutional network",
                                                numbers<3>({images, picture, picture}, 1), integers(images, classes));
  add_step<&adam::step, adam>("Adam on 10^7 parameters", numbers<1>({trained}, 2));
  add_step<&embedding::step, embedding>("step of an embedding", integers(4096, words), numbers<2>({4096, 64}, 3));
}

// ---- option prices with five greeks, and a recurrent network ----

void add_models() {
  const auto of = market();
  add(
      "Black-Scholes and five greeks",
      [](kt::var<float, n> s, kt::var<float, n> k, kt::var<float, n> t, kt::var<float, n> r, kt::var<float, n> v) {
        const auto d1 = (kt::log(s / k) + (r + v * v / 2) * t) / (v * kt::sqrt(t)), d2 = d1 - v * kt::sqrt(t);
        const auto price = s * kt::normal_cdf(d1) - k * kt::exp(-r * t) * kt::normal_cdf(d2);
        const auto all = kt::sum(price);
        const auto delta = kt::grad(all, s);
        return price + delta + kt::grad(kt::sum(delta), s) + kt::grad(all, v) + kt::grad(all, t) + kt::grad(all, r);
      },
      of[0], of[0], of[1], of[2], of[3], of[4]);
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

}  // namespace

int main(int argc, char** argv) {
#ifdef _OPENMP
  if (argc > 1) omp_set_num_threads(std::atoi(argv[1]));
#endif
  add_elementwise();
  add_products();
  add_training();
  add_models();
  by_hand::add();
#ifdef KROTON_BENCH_EIGEN
  add_eigen();
#endif
#ifdef KROTON_BENCH_XTENSOR
  add_xtensor();
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
