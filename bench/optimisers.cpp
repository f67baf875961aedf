// Training steps with AdamW beside the same steps with gradient descent: what moments and their updates add to a step.
#include <kroton/kroton.hpp>

#include "table.hpp"

#include <cmath>
#include <memory>

namespace kt = kroton;

namespace {

inline constexpr struct batch : kt::dim<batch> {} batch;

constexpr int rows = 128, pixels = 64;
template <class Optimiser>
struct digits : kt::model {
  kt::shared<float, pixels, 128> W1{this, "W1", kt::init::glorot_uniform};
  kt::shared<float, 128> b1{this, "b1"};
  kt::shared<float, 128, 10> W2{this, "W2", kt::init::glorot_uniform};
  kt::shared<float, 10> b2{this, "b2"};
  Optimiser optimiser{this};
  constexpr auto train(kt::var<float, batch, pixels> x, kt::var<int, batch> label, kt::var<float> rate) const {
    const auto cost = kt::mean(kt::nn::cross_entropy(kt::dot(kt::relu(kt::dot(x, W1) + b1), W2) + b2, label));
    return kt::outputs(cost).updates(optimiser(cost, parameters(), rate));
  }
};

constexpr int letters = 96, length = 32, width = 64, heads = 4, texts = 8;
using activations = kt::var<float, batch, length, width>;
struct layer_norm : kt::model {
  using kt::model::model;
  kt::shared<float, width> scale{this, "scale", kt::init::ones}, shift{this, "shift"};
  constexpr activations operator()(activations x) const {
    const auto centred = x - kt::mean(x, kt::axis<2>, kt::keep_dims);
    const auto deviation = kt::sqrt(kt::mean(kt::sqr(centred), kt::axis<2>, kt::keep_dims) + 1e-5);
    return centred / deviation * scale + shift;
  }
};
template <std::int64_t In, std::int64_t Out>
struct linear : kt::model {
  using kt::model::model;
  kt::shared<float, In, Out> W{this, "W", kt::init::glorot_uniform};
  kt::shared<float, Out> b{this, "b"};
  constexpr auto operator()(kt::var<float, batch, length, In> x) const {
    return kt::reshape<batch, length, Out>(kt::dot(kt::reshape<kt::any, In>(x), W) + b);
  }
};
struct layer : kt::model {
  using kt::model::model;
  layer_norm before{this, "before"}, between{this, "between"};
  linear<width, width> query{this, "query"}, key{this, "key"}, value{this, "value"}, out{this, "out"};
  linear<width, 4 * width> up{this, "up"};
  linear<4 * width, width> down{this, "down"};
  constexpr auto split(activations x) const {
    return kt::permute<0, 2, 1, 3>(kt::reshape<batch, length, heads, width / heads>(x));
  }
  constexpr activations operator()(activations x) const {
    const auto h = before(x);
    const auto scores = kt::dot(split(query(h)), kt::permute<0, 1, 3, 2>(split(key(h)))) * 0.25;
    const auto mixed = kt::dot(kt::nn::softmax(scores), split(value(h)));
    x = x + out(kt::reshape<batch, length, width>(kt::permute<0, 2, 1, 3>(mixed)));
    return x + down(kt::nn::gelu(up(between(x))));
  }
};
template <class Optimiser>
struct transformer : kt::model {
  kt::shared<float, letters, width> embedding{this, "embedding", kt::init::normal(0, 0.1)};
  kt::shared<float, length, width> position{this, "position", kt::init::normal(0, 0.1)};
  kt::stack<layer, 2> layers{this, "layers"};
  layer_norm last{this, "last"};
  linear<width, letters> head{this, "head"};
  Optimiser optimiser{this};
  constexpr auto train(kt::var<int, batch, length> text, kt::var<int, batch, length> next, kt::var<float> rate) const {
    activations x = kt::reshape<batch, length, width>(kt::take(embedding, kt::reshape<kt::any>(text))) + position;
    for (const layer& each : layers) x = each(x);
    const auto logits = kt::reshape<kt::any, letters>(head(last(x)));
    const auto cost = kt::mean(kt::nn::cross_entropy(logits, kt::reshape<kt::any>(next)));
    return kt::outputs(cost).updates(optimiser(cost, parameters(), rate));
  }
};

/// A step of `Model` on these arguments; the session lives as long as the step.
template <class Model, class X, class Y>
auto step_of(const X& x, const Y& y, int threads) {
  auto session = std::make_shared<kt::session<Model>>(kt::context::host(threads), kt::seed{1});
  return [&x, &y, session, train = session->template compile<&Model::train>()]() mutable {
    benchmark::DoNotOptimize(static_cast<float>(train(x, y, 1e-4f)));
  };
}
template <template <class> class Model, class X, class Y>
void add_steps(bench::suite& all, const char* name, const X& x, const Y& y, int threads, bench::goal goal) {
  bench::group& g = all.add_group(name, threads, {}, "gradient descent", goal);
  g.add("gradient descent", step_of<Model<kt::optim::sgd>>(x, y, threads));
  g.add("kroton", step_of<Model<kt::optim::adamw>>(x, y, threads));
}

}  // namespace

int main(int argc, char** argv) {
  kt::tensor<float, 2> images({rows, pixels});
  std::vector<int> labels(rows);
  for (int i = 0; i < rows; ++i) {
    labels[static_cast<std::size_t>(i)] = i % 10;
    for (int j = 0; j < pixels; ++j) images(i, j) = std::sin(static_cast<float>(i * pixels + j));
  }
  kt::tensor<int, 2> text({texts, length}), next({texts, length});
  for (int i = 0; i < texts; ++i)
    for (int j = 0; j < length; ++j)
      text(i, j) = (i * length + j) * 7 % letters, next(i, j) = (text(i, j) + 7) % letters;

  bench::suite all("Optimisers: steps with AdamW beside gradient descent", argc, argv);
  for (int threads : bench::thread_counts()) {
    add_steps<transformer>(all, "a transformer of two layers, 8 texts of 32", text, next, threads,
                           bench::at_most(1.15));
    add_steps<digits>(all, "the digits model, 128 images", images, labels, threads, {});
  }
  return all.run(argc, argv);
}
