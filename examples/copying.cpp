// A transformer of two layers learns to copy: it reads letters and a mark, and then writes the same letters. Sequences
// are drawn inside the compiled function; AdamW trains with warm-up and gradients of bounded norm.
#include <kroton/debug/verify.hpp>
#include <kroton/kroton.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "program.hpp"
#include "progress.hpp"
#include "svg_chart.hpp"

namespace kt = kroton;

constexpr int letters = 16, word = 8, length = 2 * word;  // a sequence: 8 letters, the mark, 7 of the copies
constexpr int width = 32, heads = 2, hidden = 64, batch = 16, training_steps = 300;
constexpr double wanted_share = 0.999;

using sequences = kt::var<int, batch, length>;
using activations = kt::var<float, batch, length, width>;
using attention = kt::var<float, batch, heads, length, length>;

/// Centred and scaled to variance 1 along the last axis, and then by parameters.
struct layer_norm : kt::model {
  using kt::model::model;
  kt::shared<float, width> scale{this, "scale", kt::init::ones}, shift{this, "shift"};
  constexpr activations operator()(activations x) const {
    auto centred = x - kt::mean(x, kt::axis<2>, kt::keep_dims);
    auto deviation = kt::sqrt(kt::mean(kt::sqr(centred), kt::axis<2>, kt::keep_dims) + 1e-5);
    return centred / deviation * scale + shift;
  }
};

template <int In, int Out>
struct linear : kt::model {
  using kt::model::model;
  kt::shared<float, In, Out> W{this, "W", kt::init::glorot_uniform};
  kt::shared<float, Out> b{this, "b"};
  constexpr auto operator()(kt::var<float, batch, length, In> x) const {
    return kt::reshape<batch, length, Out>(kt::dot(kt::reshape<batch * length, In>(x), W) + b);
  }
};

struct layer : kt::model {
  using kt::model::model;
  layer_norm before{this, "before"}, between{this, "between"};
  linear<width, width> query{this, "query"}, key{this, "key"}, value{this, "value"}, out{this, "out"};
  linear<width, hidden> up{this, "up"};
  linear<hidden, width> down{this, "down"};

  static constexpr auto split(activations x) {
    return kt::permute<0, 2, 1, 3>(kt::reshape<batch, length, heads, width / heads>(x));
  }
  /// How much each position attends to each position up to itself.
  constexpr attention weights(activations h) const {
    auto scores = kt::dot(split(query(h)), kt::permute<0, 1, 3, 2>(split(key(h))));
    auto position = kt::arange<int, length>();
    auto is_later = position > kt::reshape<length, 1>(position);
    return kt::nn::softmax(kt::where(is_later, -1e9, scores * kt::constexpr_pow(width / heads, -0.5)));
  }
  constexpr activations operator()(activations x) const {
    auto h = before(x);
    auto mixed = kt::permute<0, 2, 1, 3>(kt::dot(weights(h), split(value(h))));
    x = x + out(kt::reshape<batch, length, width>(mixed));
    return x + down(kt::nn::gelu(up(between(x))));
  }
};

struct transformer : kt::model {
  kt::shared<float, letters + 1, width> embedding{this, "embedding", kt::init::normal(0, 0.3)};
  kt::shared<float, length, width> place{this, "place", kt::init::normal(0, 0.3)};
  kt::stack<layer, 2> layers{this, "layers"};
  layer_norm last{this, "last"};
  linear<width, letters> head{this, "head"};
  kt::optim::adamw optimiser{this, {.weight_decay = 0.01, .clip = {.norm = 1}}};

  constexpr activations embedded(sequences text) const { return kt::take(embedding, text) + place; }
  constexpr auto logits(sequences text) const {
    activations x = embedded(text);
    for (const layer& each : layers) x = each(x);
    return head(last(x));
  }
  /// Mean cost of the copies of letters that are drawn anew in each step, and the norm of its gradients.
  constexpr auto train() const {
    auto drawn = kt::random::integers<int, batch, word>(0, letters);
    auto mark = kt::full<int, batch, 1>(letters);
    auto text = kt::concatenate(kt::axis<1>, drawn, mark, drawn[kt::cols<0, word - 1>()]);
    auto written = logits(text)[kt::cols<word, length>()];
    auto cost =
        kt::mean(kt::nn::cross_entropy(kt::reshape<batch * word, letters>(written), kt::reshape<batch * word>(drawn)));
    auto gradients = kt::grad(cost, parameters());
    auto rate = kt::optim::warm_up(100, kt::optim::cosine{.rate = 0.004, .steps = training_steps - 100});
    return kt::outputs(cost, kt::optim::global_norm(gradients)).updates(optimiser(gradients, parameters(), rate));
  }
  /// Letters to copy.
  constexpr auto draw() const { return kt::random::integers<int, batch, word>(0, letters); }
  /// The letter that the model would write after each position, and what the first layer attends to.
  constexpr auto read(sequences text) const {
    return kt::outputs(kt::argmax(logits(text), kt::axis<2>), layers[0].weights(layers[0].before(embedded(text))));
  }
};

namespace {

/// Letters as text: "abcd|abc".
std::string text_of(const int* symbols, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += symbols[i] == letters ? '|' : static_cast<char>('a' + symbols[i]);
  return text;
}

/// One page with the cost, the norm of the gradients, and what the first layer attends to in one sequence.
void draw_training(const example::line& cost, const example::line& norm, const kt::tensor<float, 4>& weights,
                   const std::string& text) {
  example::svg page(1240, 480, "A transformer learns to copy");
  example::add_chart(page, {64, 114, 330, 290, "cost of a letter, nats", "step"}, {&cost, 1});
  example::add_chart(page, {464, 114, 330, 290, "norm of the gradients", "step"}, {&norm, 1});
  constexpr int left = 870, top = 134, square = 17;
  page.add("<text x='%d' y='92' font-size='15' font-weight='600'>what the first layer attends to</text>\n", left);
  for (int row = 0; row < length; ++row) {
    const auto at = static_cast<std::size_t>(row);
    page.add("<text x='%d' y='%d' text-anchor='middle'>%c</text>\n", left - 14, top + row * square + 13, text[at]);
    page.add("<text x='%d' y='%d' text-anchor='middle'>%c</text>\n", left + row * square + 9, top - 8, text[at]);
    for (int column = 0; column < length; ++column) {
      float most = 0;
      for (int head = 0; head < heads; ++head) most = std::max(most, weights(0, head, row, column));
      const int shade = 255 - static_cast<int>(240 * most);
      page.add("<rect x='%d' y='%d' width='%d' height='%d' fill='#%02x%02xff' stroke='#e6e2d9' stroke-width='0.5'/>",
               left + column * square, top + row * square, square, square, shade, shade);
    }
    page.add("\n");
  }
  page.add("<text x='%d' y='%d'>row: what is read; column: what it looks at</text>\n", left,
           top + length * square + 30);
  page.save("copying.svg");
}

int run() {
  kt::session<transformer> session{kt::context::best(), kt::seed{42}};
  auto train = session.compile<&transformer::train>();
  example::line cost{"cost", "#c2410c", {}}, norm{"norm", "#1d4ed8", {}};
  const int last = example::is_short() ? 3 : training_steps;
  example::progress progress("step", training_steps);
  for (int step = 1; step <= last; ++step) {
    const auto [now, size] = train();
    const auto so_far = example::text("cost %.4f  norm of gradients %.3f", double(now), double(size));
    if (step % 10 == 0 || step == 1) {
      cost.points.push_back({double(step), double(now)});
      norm.points.push_back({double(step), double(size)});
    }
    if (step % 50 == 0) progress.report(step, so_far);
    else progress.update(step, so_far);
  }
  progress.finish();
  if (const auto found = kt::debug::verify(train, kt::debug::tolerance{1e-4}); !found) {
    std::printf("training: %s is %.9g, the reference interpreter says %.9g\n", found.where.c_str(), found.found,
                found.expected);
    return 1;
  }

  // The model writes: each letter of the copy is read back before the next.
  auto draw = session.compile<&transformer::draw>();
  auto read = session.compile<&transformer::read>();
  const int rounds = example::is_short() ? 1 : 64;
  int right = 0;
  std::string shown;
  kt::tensor<int, 2> text({batch, length});
  kt::tensor<float, 4> weights;
  for (int round = 0; round < rounds; ++round) {
    const auto drawn = draw();
    for (int row = 0; row < batch; ++row) {
      for (int i = 0; i < length; ++i) text(row, i) = i < word ? drawn(row, i) : letters;
    }
    for (int i = word; i < length; ++i) {
      const auto [next, seen] = read(text);
      for (int row = 0; row < batch; ++row) {
        const int letter = static_cast<int>(next(row, i));
        right += letter == drawn(row, i - word);
        if (i + 1 < length) text(row, i + 1) = letter;
        else if (row == 0) shown = text_of(&text(0, 0), length) + static_cast<char>('a' + letter);
      }
      weights = seen;
    }
  }
  draw_training(cost, norm, weights, shown);
  const int all = rounds * batch * word;
  std::printf("%s\n%d of %d letters of fresh sequences are copied right\npicture: %s\n", shown.c_str(), right, all,
              std::filesystem::absolute("copying.svg").c_str());
  if (right >= wanted_share * all || example::is_short()) return 0;
  std::printf("that is less than the %.1f%% that this example should reach\n", 100 * wanted_share);
  return 1;
}

}  // namespace

int main() { return example::status_of("copying", run); }
