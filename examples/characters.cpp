// A gated recurrent network (Cho and others 2014) learns a text letter by letter, Lincoln's address at Gettysburg, and
// writes from it. Training is one loop over the letters of several pieces at a time; writing is the same step, called
// once for each letter, with letters drawn in the compiled function.
#include <kroton/kroton.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "program.hpp"
#include "progress.hpp"
#include "svg_chart.hpp"

namespace kt = kroton;

constexpr std::string_view address =
    "four score and seven years ago our fathers brought forth on this continent, a new nation, conceived in liberty, "
    "and dedicated to the proposition that all men are created equal. now we are engaged in a great civil war, testing "
    "whether that nation, or any nation so conceived and so dedicated, can long endure. we are met on a great "
    "battle-field of that war. we have come to dedicate a portion of that field, as a final resting place for those "
    "who here gave their lives that that nation might live. it is altogether fitting and proper that we should do "
    "this. but, in a larger sense, we can not dedicate, we can not consecrate, we can not hallow this ground. the "
    "brave men, living and dead, who struggled here, have consecrated it, far above our poor power to add or detract. "
    "the world will little note, nor long remember what we say here, but it can never forget what they did here. it is "
    "for us the living, rather, to be dedicated here to the unfinished work which they who fought here have thus far "
    "so nobly advanced. it is rather for us to be here dedicated to the great task remaining before us, that from "
    "these honored dead we take increased devotion to that cause for which they gave the last full measure of "
    "devotion, that we here highly resolve that these dead shall not have died in vain, that this nation, under god, "
    "shall have a new birth of freedom, and that government of the people, by the people, for the people, shall not "
    "perish from the earth. ";
constexpr std::string_view alphabet = "abcdefghijklmnopqrstuvwxyz ,.-";
constexpr int letters = static_cast<int>(alphabet.size()), hidden = 96, batch = 16, length = 48, training_steps = 400;
constexpr double wanted_cost = 0.35;  // nats a letter; log(30) is 3.4

struct writer : kt::model {
  kt::shared<float, letters, 3 * hidden> W{this, "W", kt::init::glorot_uniform};
  kt::shared<float, hidden, 2 * hidden> U{this, "U", kt::init::glorot_uniform};
  kt::shared<float, hidden, hidden> C{this, "C", kt::init::glorot_uniform};
  kt::shared<float, 3 * hidden> b{this, "b"};
  kt::shared<float, hidden, letters> V{this, "V", kt::init::glorot_uniform};
  kt::shared<float, letters> c{this, "c"};
  kt::state<float, 1, hidden> memory{this, "memory"};  // of the writer
  kt::state<int, 1> last{this, "last"};                // what it wrote
  kt::optim::adam optimiser{this, {.clip = {.norm = 1}}};

  /// The new state (n, hidden), of a state and letters, as rows of W (n, 3 hidden).
  constexpr auto step(const kt::expression auto& letter, const kt::expression auto& state) const {
    const auto x = letter + b;
    const auto gates = kt::sigmoid(x[kt::cols<0, 2 * hidden>()] + kt::dot(state, U));
    const auto forget = gates[kt::cols<0, hidden>()], use = gates[kt::cols<hidden, 2 * hidden>()];
    const auto proposed = kt::tanh(x[kt::cols<2 * hidden, 3 * hidden>()] + kt::dot(use * state, C));
    return forget * state + (1.0f - forget) * proposed;
  }
  /// One step of training on pieces of the text, (letters of a piece and one more, pieces).
  constexpr auto train(kt::var<int, length + 1, batch> text, kt::var<float> rate) const {
    const auto states =
        kt::scan([&](auto letter, auto state) { return step(kt::take(W, letter), state); },
                 kt::sequences(text[kt::rows<0, length>()]), kt::carried(kt::zeros<float, batch, hidden>()));
    const auto logits = kt::dot(kt::reshape<length * batch, hidden>(states.all), V) + c;
    const auto cost =
        kt::mean(kt::nn::cross_entropy(logits, kt::reshape<length * batch>(text[kt::rows<1, length + 1>()])));
    return kt::outputs(cost).updates(optimiser(cost, parameters(), rate));
  }
  /// Writes a letter, drawn by its probabilities, which are sharper with a temperature below 1.
  constexpr auto write(kt::var<float> temperature) const {
    const auto next = step(kt::take(W, last), memory);
    const auto chosen = kt::cast<int>(kt::random::categorical(kt::nn::softmax((kt::dot(next, V) + c) / temperature)));
    return kt::outputs(chosen).updates(kt::update(memory, next), kt::update(last, chosen));
  }
};

int number_of(char letter) { return static_cast<int>(alphabet.find(letter)); }

int run() {
  kt::session<writer> session{kt::context::best(), kt::seed{6}};
  auto train = session.compile<&writer::train>();
  auto write = session.compile<&writer::write>();
  std::mt19937 bits(1);
  std::uniform_int_distribution<std::size_t> begin(0, address.size() - length - 2);

  const int total = example::is_short() ? 3 : training_steps;
  example::line curve{"cost", "#0f766e", {}};
  example::progress progress("step", total);
  kt::tensor<int, 2> text({length + 1, batch});
  double mean = 0, reached = 0;
  for (int i = 1; i <= total; ++i) {
    for (std::int64_t piece = 0; piece < batch; ++piece) {
      const std::size_t at = begin(bits);
      for (std::int64_t t = 0; t <= length; ++t) text(t, piece) = number_of(address[at + static_cast<std::size_t>(t)]);
    }
    mean += static_cast<double>(static_cast<float>(train(text, i < total * 3 / 4 ? 0.01f : 0.002f)));
    if (i % 20 != 0) continue;
    reached = mean / 20;
    curve.points.push_back({static_cast<double>(i), reached});
    const auto so_far = example::text("%.3f nats a letter", reached);
    if (i % 100 == 0) progress.report(i, so_far);
    else progress.update(i, so_far);
    mean = 0;
  }
  progress.finish();

  for (const float temperature : {0.3f, 0.8f}) {
    session.set<&writer::memory>(std::vector<float>(hidden, 0));
    session.set<&writer::last>(std::vector<int>{number_of('.')});
    std::string written;
    for (int i = 0; i < 160; ++i) written += alphabet[static_cast<std::size_t>(write(temperature)(0))];
    std::printf("at temperature %.1f: %s\n", static_cast<double>(temperature), written.c_str());
  }
  if (!curve.points.empty()) {
    example::svg page(760, 480, "A gated recurrent network learns a text");
    example::add_chart(page, {76, 134, 600, 270, "nats a letter", "step"}, std::span(&curve, 1));
    page.save("characters.svg");
    std::printf("picture: %s\n", std::filesystem::absolute("characters.svg").c_str());
  }
  std::printf("cost in the end: %.3f nats a letter\n", reached);
  if (reached < wanted_cost || example::is_short()) return 0;
  std::printf("that is more than the %.2f that this example should reach\n", wanted_cost);
  return 1;
}

int main() { return example::status_of("characters", run); }
