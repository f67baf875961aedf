// A training that is killed at random moments and goes on. A process trains, and saves its session every few epochs;
// this program kills it a few times and starts it again. What it has learnt in the end has the same bits as what a
// training learns that nobody kills: parameters, moments of the optimiser, and the state of random numbers.
#include <kroton/io.hpp>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <string>

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

#include "progress.hpp"
#include "svg_chart.hpp"

namespace kt = kroton;

constexpr int points = 128, width = 24, epochs = 200, epochs_a_file = 5, kills = 5;

static_assert(epochs % epochs_a_file == 0);

/// Tells which of two spirals a point lies on.
struct spirals : kt::model {
  kt::shared<float, 2, width> W1{this, "W1", kt::init::he_normal};
  kt::shared<float, width> b1{this, "b1"};
  kt::shared<float, width, width> W2{this, "W2", kt::init::he_normal};
  kt::shared<float, width> b2{this, "b2"};
  kt::shared<float, width, 2> W3{this, "W3", kt::init::he_normal};
  kt::state<std::int64_t> epoch{this, "epoch"};
  kt::optim::adamw optimiser{this, {.clip = {.norm = 1}}};

  constexpr auto hidden(kt::var<float, points, 2> x) const { return kt::relu(kt::dot(x, W1) + b1); }
  constexpr auto logits(kt::var<float, points, width> h) const { return kt::dot(kt::relu(kt::dot(h, W2) + b2), W3); }
  constexpr auto train(kt::var<float, points, 2> x, kt::var<int, points> label) const {
    const auto order = kt::random::permutation<points>();
    const auto moved = kt::take(x, order) + 0.02 * kt::random::normal<float, points, 2>();
    const auto h = kt::nn::dropout(hidden(moved), 0.05);
    const auto cost = kt::mean(kt::nn::cross_entropy(logits(h), kt::take(label, order)));
    const auto rate = kt::optim::warm_up(20, kt::optim::cosine{.rate = 0.02, .steps = epochs});
    return kt::outputs(cost).updates(optimiser(cost, parameters(), rate), kt::update(epoch, epoch + 1));
  }
  constexpr auto accuracy(kt::var<float, points, 2> x, kt::var<int, points> label) const {
    return kt::mean(kt::cast<float>(kt::argmax(logits(hidden(x)), kt::axis<1>) == kt::cast<std::int64_t>(label)));
  }
};

struct data {
  kt::tensor<float, 2> x{{points, 2}};
  kt::tensor<int, 1> label{{points}};
  data() {
    for (int i = 0; i < points; ++i) {
      const double turn = 0.5 + 5.0 * (i / 2) / (points / 2), side = i % 2 == 0 ? 1 : -1;
      x(i, 0) = static_cast<float>(side * turn / 6 * std::cos(turn));
      x(i, 1) = static_cast<float>(side * turn / 6 * std::sin(turn));
      label(i) = i % 2;
    }
  }
};

/// Trains up to the last epoch, from where the file is, if there is one, and tells the cost of each epoch.
void train_and_save(const std::string& path, const std::function<void(std::int64_t, float)>& told) {
  const data spiral;
  kt::session<spirals> session{kt::context::host(1), kt::seed{7}};
  auto train = session.compile<&spirals::train>();
  if (std::filesystem::exists(path)) session.load(path);
  for (std::int64_t epoch = session.get<&spirals::epoch>(); epoch < epochs;) {
    for (int i = 0; i < epochs_a_file; ++i) told(++epoch, train(spiral.x, spiral.label));
    session.save(path);
  }
}

/// Trains in a process of its own, which is killed after some milliseconds.
void train_until_killed(const std::string& path, int milliseconds) {
  const pid_t child = fork();
  if (child == 0) {
    train_and_save(path, [](std::int64_t, float) {});
    _exit(0);
  }
  usleep(static_cast<useconds_t>(milliseconds) * 1000);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The cost of the training that nobody killed, and where the other one was each time it was killed.
void draw(const example::line& cost, const std::vector<std::int64_t>& saved) {
  example::svg page(760, 470, "A training that is killed and goes on");
  const example::chart place{70, 114, 620, 290, "cost", "epoch"};
  example::add_chart(page, place, {&cost, 1});
  for (const std::int64_t epoch : saved)
    page.add("<path d='M%g %dv%d' stroke='#1d4ed8' stroke-dasharray='4 4'/>\n",
             place.left + place.width * double(epoch - 1) / (epochs - 1), place.top, place.height);
  page.add("<text x='%d' y='74' fill='#1d4ed8'>dashed: what the file had when the process was killed</text>\n",
           place.left);
  page.save("resumed_training.svg");
}

int main() {
  const std::string killed = "resumed_training_killed.safetensors", whole = "resumed_training_whole.safetensors";
  std::filesystem::remove(killed);
  std::filesystem::remove(whole);
  std::random_device moments;
  std::vector<std::int64_t> saved;
  for (int i = 0; i < kills; ++i) {
    const int milliseconds = 10 + static_cast<int>(moments() % 150);
    train_until_killed(killed, milliseconds);
    kt::session<spirals> so_far;
    if (std::filesystem::exists(killed)) so_far.load(killed);
    saved.push_back(so_far.get<&spirals::epoch>());
    std::printf("killed after %3d ms, with %3d of %d epochs saved\n", milliseconds, static_cast<int>(saved.back()),
                epochs);
  }
  train_and_save(killed, [](std::int64_t, float) {});
  example::line cost{"cost", "#c2410c", {}};
  example::progress progress("epoch", epochs);
  train_and_save(whole, [&](std::int64_t epoch, float now) {
    cost.points.push_back({double(epoch), double(now)});
    const std::string so_far = example::text("cost %.4f", double(now));
    if (epoch % 50 == 0) progress.report(static_cast<int>(epoch), so_far);
    else progress.update(double(epoch), so_far);
  });
  progress.finish();
  draw(cost, saved);
  const bool is_same = bytes_of(killed) == bytes_of(whole);

  const data spiral;
  kt::session<spirals> session;
  session.load(killed);
  auto accuracy = session.compile<&spirals::accuracy>();
  const float right = accuracy(spiral.x, spiral.label);
  std::printf("picture: %s\n%.1f%% of the points are on the right spiral; the files are %s\n",
              std::filesystem::absolute("resumed_training.svg").c_str(), 100 * double(right),
              is_same ? "the same, bit for bit" : "DIFFERENT");
  // files beside that processes were writing when they were killed
  for (const auto& each : std::filesystem::directory_iterator("."))
    if (each.path().filename().string().starts_with(killed + ".")) std::filesystem::remove(each.path());
  return is_same && right > 0.98f ? 0 : 1;
}
