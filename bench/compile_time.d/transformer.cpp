// A transformer of two layers that predicts the next of 96 letters, trained with Adam: what a large model costs the
// compiler.
#include <kroton/kroton.hpp>

#include <cstdio>

namespace kt = kroton;

#ifndef REAL
#define REAL float
#endif
using real = REAL;

inline constexpr struct batch : kt::dim<batch> {} batch;

constexpr int letters = 96, length = 32, width = 64, heads = 4, hidden = 256;

struct adam {
  kt::typed::update_list steps;
  kt::var<real> rate, correct_m, correct_v;
};

/// A weight with its two moments.
template <std::int64_t... Extent>
struct weight : kt::model {
  using kt::model::model;
  kt::shared<real, Extent...> value{this, "value", kt::init::glorot_uniform};
  kt::shared<real, Extent...> m{this, "m"}, v{this, "v"};
  template <class Cost>
  constexpr void descend(const Cost& cost, adam& by) const {
    auto g = kt::grad(cost, value);
    auto new_m = 0.9 * m + 0.1 * g;
    auto new_v = 0.999 * v + 0.001 * kt::sqr(g);
    by.steps.items.append(kt::update(m, new_m).items);
    by.steps.items.append(kt::update(v, new_v).items);
    by.steps.items.append(
        kt::update(value, value - by.rate * (new_m * by.correct_m) / (kt::sqrt(new_v * by.correct_v) + 1e-8)).items);
  }
};

using activations = kt::var<real, batch, length, width>;

struct layer_norm : kt::model {
  using kt::model::model;
  weight<width> scale{this, "scale"}, shift{this, "shift"};
  constexpr activations operator()(activations x) const {
    auto centred = x - kt::mean(x, kt::axis<2>, kt::keep_dims);
    auto deviation = kt::sqrt(kt::mean(kt::sqr(centred), kt::axis<2>, kt::keep_dims) + 1e-5);
    return centred / deviation * scale.value + shift.value;
  }
  template <class Cost>
  constexpr void descend(const Cost& cost, adam& by) const {
    scale.descend(cost, by);
    shift.descend(cost, by);
  }
};

template <std::int64_t In, std::int64_t Out>
struct linear : kt::model {
  using kt::model::model;
  weight<In, Out> W{this, "W"};
  weight<Out> b{this, "b"};
  constexpr auto operator()(kt::var<real, batch, length, In> x) const {
    return kt::reshape<batch, length, Out>(kt::dot(kt::reshape<kt::any, In>(x), W.value) + b.value);
  }
  template <class Cost>
  constexpr void descend(const Cost& cost, adam& by) const {
    W.descend(cost, by);
    b.descend(cost, by);
  }
};

struct layer : kt::model {
  using kt::model::model;
  layer_norm before{this, "before"}, between{this, "between"};
  linear<width, width> query{this, "query"}, key{this, "key"}, value{this, "value"}, out{this, "out"};
  linear<width, hidden> up{this, "up"};
  linear<hidden, width> down{this, "down"};

  constexpr auto split(activations x) const {
    return kt::permute<0, 2, 1, 3>(kt::reshape<batch, length, heads, width / heads>(x));
  }
  constexpr activations operator()(activations x, kt::var<real, length, length> mask) const {
    auto h = before(x);
    auto scores = kt::dot(split(query(h)), kt::permute<0, 1, 3, 2>(split(key(h)))) * 0.25 + mask;
    auto mixed = kt::dot(kt::nn::softmax(scores), split(value(h)));
    x = x + out(kt::reshape<batch, length, width>(kt::permute<0, 2, 1, 3>(mixed)));
    return x + down(kt::nn::gelu(up(between(x))));
  }
  template <class Cost>
  constexpr void descend(const Cost& cost, adam& by) const {
    before.descend(cost, by);
    between.descend(cost, by);
    query.descend(cost, by);
    key.descend(cost, by);
    value.descend(cost, by);
    out.descend(cost, by);
    up.descend(cost, by);
    down.descend(cost, by);
  }
};

struct transformer : kt::model {
  weight<letters, width> embedding{this, "embedding"};
  weight<length, width> position{this, "position"};
  kt::stack<layer, 2> layers{this, "layers"};
  layer_norm last{this, "last"};
  linear<width, letters> head{this, "head"};
  kt::shared<real> decay_m{this, "decay_m", kt::init::ones}, decay_v{this, "decay_v", kt::init::ones};

  constexpr auto logits(kt::var<int, batch, length> text, kt::var<real, length, length> mask) const {
    activations x =
        kt::reshape<batch, length, width>(kt::take(embedding.value, kt::reshape<kt::any>(text))) + position.value;
    for (const layer& each : layers) x = each(x, mask);
    return head(last(x));
  }
  constexpr auto train(kt::var<int, batch, length> text, kt::var<int, batch, length> next,
                       kt::var<real, length, length> mask, kt::var<real> rate) const {
    auto rows = kt::reshape<kt::any, letters>(logits(text, mask));
    auto cost = kt::mean(kt::nn::cross_entropy(rows, kt::reshape<kt::any>(next)));
    auto m = decay_m * 0.9, v = decay_v * 0.999;
    adam by{{}, rate, 1 / (1 - m), 1 / (1 - v)};
    by.steps.items.append(kt::update(decay_m, m).items);
    by.steps.items.append(kt::update(decay_v, v).items);
    embedding.descend(cost, by);
    position.descend(cost, by);
    for (const layer& each : layers) each.descend(cost, by);
    last.descend(cost, by);
    head.descend(cost, by);
    return kt::outputs(cost).updates(by.steps);
  }
};

/// Trains, and returns the last cost. It is no part of `main`, so that g++ can free the garbage of the capture before
/// it evaluates the facts.
real trained_cost() {
  kt::session<transformer> session{kt::context::best(), kt::seed{1}};
  auto train = session.compile<&transformer::train>();
  constexpr int rows = 8;
  kt::tensor<int, 2> text({rows, length}), next({rows, length});
  kt::tensor<real, 2> mask({length, length});
  for (int i = 0; i < rows * length; ++i)
    text.values()[static_cast<std::size_t>(i)] = i * 7 % letters,
    next.values()[static_cast<std::size_t>(i)] = (i + 1) * 7 % letters;
  for (int i = 0; i < length; ++i)
    for (int j = 0; j < length; ++j) mask(i, j) = j > i ? real(-1e9) : real(0);
  real cost = 0;
  for (int step = 0; step < 100; ++step) {
    cost = train(text, next, mask, real(3e-3));
    if (step % 20 == 0) std::printf("%.4f\n", static_cast<double>(cost));
  }
  return cost;
}

int main() {
  const real cost = trained_cost();
  constexpr auto facts = kt::stats<&transformer::train>();
  std::printf("%.4f after 100 steps; %d nodes of %d, %d launches, %d kernels\n", static_cast<double>(cost),
              facts.nodes_after, facts.nodes_before, facts.launches, facts.kernels);
}
