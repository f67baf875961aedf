// A server: four threads predict while another one trains the same model. Each thread calls a clone of its own. A
// prediction never sees half of an update, and waits for no more than the training step that is being made.
#include <kroton/debug/verify.hpp>
#include <kroton/kroton.hpp>

#include <atomic>
#include <cstdio>
#include <random>
#include <thread>
#include <vector>

namespace kt = kroton;

inline constexpr struct batch : kt::dim<batch> {} batch;

/// Tells on which side of a plane a point lies.
struct classifier : kt::model {
  static constexpr int features = 8, hidden = 32;
  kt::shared<float, features, hidden> W{this, "W", kt::init::glorot_uniform};
  kt::shared<float, hidden> b{this, "b"};
  kt::shared<float, hidden, 2> V{this, "V", kt::init::glorot_uniform};
  kt::shared<float, 2> c{this, "c"};

  constexpr auto logits(kt::var<float, batch, features> x) const { return kt::dot(kt::tanh(kt::dot(x, W) + b), V) + c; }
  constexpr auto train(kt::var<float, batch, features> x, kt::var<int, batch> side) const {
    auto cost = kt::mean(kt::nn::cross_entropy(logits(x), side));
    return kt::outputs(cost).updates(kt::optim::sgd(cost, parameters(), 0.5));
  }
  constexpr auto predict(kt::var<float, batch, features> x) const { return kt::argmax(logits(x), kt::axis<1>); }
};

/// Points, and on which side each of them lies.
struct examples {
  kt::tensor<float, 2> x;
  std::vector<int> side;

  examples(int count, unsigned seed) : x({count, classifier::features}) {
    std::mt19937 random{seed};
    std::normal_distribution<float> normal;
    for (float& each : x) each = normal(random);
    for (int i = 0; i < count; ++i) side.push_back(x(i, 0) + x(i, 1) > x(i, 2));
  }
};

/// Predicts until training is over; the share of the last answers that is right.
template <class Predict>
double serve(Predict predict, const examples& questions, const std::atomic<bool>& trains, std::atomic<int>& answered) {
  int right = 0;
  for (bool last = false; !last;) {
    last = !trains;
    right = 0;
    const auto sides = predict(questions.x);
    for (std::size_t i = 0; i < questions.side.size(); ++i) right += sides(i) == questions.side[i];
    ++answered;
  }
  return static_cast<double>(right) / static_cast<double>(questions.side.size());
}

int main() {
  constexpr int servers = 4, steps = 300;
  kt::session<classifier> session{kt::context::host(1), kt::seed{1}};  // one thread for each call
  auto train = session.compile<&classifier::train>();
  auto predict = session.compile<&classifier::predict>();

  std::atomic<bool> trains = true;
  std::atomic<int> answered = 0;
  std::vector<double> accuracy(servers);
  std::vector<std::thread> threads;
  for (unsigned s = 0; s < servers; ++s)
    threads.emplace_back([&, s, mine = predict.clone()]() mutable {
      accuracy[s] = serve(std::move(mine), examples(100, 100 + s), trains, answered);
    });
  const examples batches(256, 7);
  float cost = 0;
  for (int step = 0; step < steps; ++step) cost = train(batches.x, batches.side);
  trains = false;
  for (std::thread& thread : threads) thread.join();

  std::printf("%d steps, cost %.3f; %d calls answered meanwhile; right in the end:", steps, static_cast<double>(cost),
              answered.load());
  for (const double share : accuracy) std::printf(" %.0f%%", 100 * share);
  std::printf("\n");
  bool is_right = static_cast<bool>(kt::debug::verify(train, batches.x, batches.side));
  for (const double share : accuracy) is_right = is_right && share > 0.9;
  return is_right && answered >= servers ? 0 : 1;
}
