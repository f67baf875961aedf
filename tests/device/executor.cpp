// Programs on a device: graphs, what is learned in them, and what fails for want of memory.
#include "../fault.hpp"
#include "device.hpp"

using namespace test;

namespace {

constexpr struct batch : kt::dim<batch> {} batch;

/// Graphs that a simulated device has launched.
int graphs_of([[maybe_unused]] const kt::context& where, [[maybe_unused]] int otherwise) {
#ifndef __CUDACC__
  return static_cast<simulated::stream&>(*where.stream()).graphs;
#else
  return otherwise;
#endif
}
/// Bytes of all simulated devices.
std::int64_t bytes_in_use() {
#ifndef __CUDACC__
  return simulated::device_memory::in_use;
#else
  return 0;
#endif
}

struct network : kt::model {
  kt::shared<float, 50, 20> table{this, "table", kt::init::normal(0, 0.5)};
  kt::shared<float, 20, 33> W1{this, "W1", kt::init::glorot_uniform};
  kt::shared<float, 33> b1{this, "b1"};
  kt::shared<float, 33, 10> W2{this, "W2", kt::init::glorot_uniform};
  constexpr auto cost(kt::var<float, batch, 20> x, kt::var<int, batch> word, kt::var<int, batch> label) const {
    auto hidden = kt::tanh(kt::dot(x + kt::take(table, word), W1) + b1);
    return kt::mean(kt::nn::cross_entropy(kt::dot(hidden, W2), label));
  }
  constexpr auto train(kt::var<float, batch, 20> x, kt::var<int, batch> word, kt::var<int, batch> label,
                       kt::var<float> rate) const {
    auto c = cost(x, word, label);
    return kt::outputs(c).updates(kt::optim::sgd(c, parameters(), rate));
  }
  constexpr auto decay(kt::var<float> rate) const { return kt::updates(kt::update(W1, W1 - rate * W1)); }
};

#ifndef __CUDACC__
struct perceptron : kt::model {
  kt::shared<float, 64, 128> W1{this, "W1", kt::init::glorot_uniform};
  kt::shared<float, 128> b1{this, "b1"};
  kt::shared<float, 128, 10> W2{this, "W2", kt::init::glorot_uniform};
  kt::shared<float, 10> b2{this, "b2"};
  constexpr auto cost(kt::var<float, batch, 64> x, kt::var<int, batch> label) const {
    return kt::mean(kt::nn::cross_entropy(kt::dot(kt::relu(kt::dot(x, W1) + b1), W2) + b2, label));
  }
  constexpr auto step(kt::var<float, batch, 64> x, kt::var<int, batch> label) const {
    auto c = cost(x, label);
    return kt::outputs(c).updates(kt::optim::sgd(c, parameters(), 0.5F));
  }
  constexpr auto train(kt::var<float, batch, 64> x, kt::var<int, batch> label, kt::var<float> rate) const {
    auto c = cost(x, label);
    return kt::outputs(c).updates(kt::optim::sgd(c, parameters(), rate));
  }
  kt::optim::adamw adamw{this};
  constexpr auto adamw_step(kt::var<float, batch, 64> x, kt::var<int, batch> label) const {
    auto c = cost(x, label);
    return kt::outputs(c).updates(adamw(c, parameters(), 1e-3F));
  }
};
TEST_CASE("device: a step of a small network is at most nine launches, and a small sum is one") {
  const kt::context where = device(0);
  auto& stream = static_cast<simulated::stream&>(*where.stream());
  const auto launches_of = [&](auto& f, const auto&... x) {
    const int before = stream.launches;
    f(x...);
    return stream.launches - before;
  };
  kt::session<perceptron> session(where, kt::seed{3});
  auto step = compile<&perceptron::step>(session);
  CHECK(launches_of(step, random<float, 2>({32, 64}, 1), classes(32, 10)) <= 9);
  // a product writes the sums for the bias of the last layer where the updates read them
  auto adamw_step = compile<&perceptron::adamw_step>(session);
  CHECK(launches_of(adamw_step, random<float, 2>({32, 64}, 1), classes(32, 10)) <= 10);
  // a rate that the device has takes two more for each of the two products that update: one computes the factor of the
  // product, one looks whether it is 0
  auto train = compile<&perceptron::train>(session);
  CHECK(launches_of(train, random<float, 2>({32, 64}, 1), classes(32, 10), 0.5F) <= 13);
  auto sum = kt::function<kt::policy::none, backend>([](kt::var<float, batch> x) { return kt::sum(x) * 2; }, where);
  CHECK(launches_of(sum, random<float, 1>({5000}, 1)) == 1);
  CHECK(launches_of(sum, random<float, 1>({0}, 1)) == 1);
  CHECK(launches_of(sum, random<float, 1>({100'000}, 1)) == 2);
}
#endif

TEST_CASE("device: a network learns as on the host, in graphs from the second call on") {
  const kt::context where = device(0);
  const std::int64_t before = bytes_in_use();
  {
    kt::session<network> session(where, kt::seed{3}), on_host(kt::context::host(1), kt::seed{3});
    constexpr std::int64_t variables = (50 * 20 + 20 * 33 + 33 + 33 * 10) * 4;
    if (is_simulated) CHECK(bytes_in_use() == before + variables);
    CHECK(where.memory().in_use == variables);
    auto train = compile<&network::train>(session);
    auto expected = on_host.compile<&network::train>();
    for (const std::int64_t n : {19, 19, 19, 7, 7, 7, 19}) {
      const auto x = random<float, 2>({n, 20}, static_cast<unsigned>(n));
      const auto word = classes(n, 50), label = classes(n, 10);
      check_call(train, x, word, label, 0.5F);
      expected(x, word, label, 0.5F);
    }
    CHECK(graphs_of(where, 4) == 4);
    const auto W = session.get<&network::W1>();
    const auto wanted = on_host.values<&network::W1>();
    for (std::size_t i = 0; i < wanted.size(); ++i) CHECK(W.data()[i] == doctest::Approx(wanted[i]).epsilon(1e-3));
    // no outputs: the host does not wait, but whoever looks does
    auto decay = compile<&network::decay>(session);
    for (int i = 0; i < 4; ++i) decay(0.5F);
    CHECK(session.get<&network::W1>()(2, 3) == doctest::Approx(W(2, 3) / 16));
    CHECK_THROWS_WITH_AS(session.values<&network::W1>(),
                         "kroton: values: W1 lies on cuda0; session.get and session.set copy it", kt::device_error);
    std::vector<float> mine(33);
    CHECK_THROWS_WITH_AS(session.borrow<&network::b1>(mine),
                         "kroton: borrow: b1 lies on cuda0; session.get and session.set copy it", kt::device_error);
    session.set<&network::b1>(std::vector<float>(33, 2.0F));
    CHECK(session.get<&network::b1>()(32) == 2);
    CHECK_THROWS_AS(session.set<&network::b1>(std::vector<float>(32)), kt::shape_error);
    // an index that is wrong
    const auto kept = session.get<&network::table>();
    auto wrong = classes(5, 50);
    wrong(3) = 50;
    CHECK_THROWS_WITH_AS(train(random<float, 2>({5, 20}, 1), wrong, classes(5, 10), 1.0F),
                         "kroton: index 50 at position 3 of argument 2 is outside [0, 50)", kt::index_error);
    const auto after = session.get<&network::table>();
    CHECK(std::equal(kept.begin(), kept.end(), after.begin()));
  }
  CHECK(bytes_in_use() == before);
}

TEST_CASE("device: pieces of a function, budgets, other extents") {
  const kt::context where = device(0);
  kt::session<network> one(where, kt::seed{4}), two(where, kt::seed{4});
  auto whole = compile<&network::train>(one);
  auto part_of = compile<&network::train>(two);
  auto pieces = kt::chunked<batch>(part_of, 8);
  const auto x = random<float, 2>({30, 20}, 2);
  for (int i = 0; i < 3; ++i)
    CHECK(static_cast<float>(pieces(x, classes(30, 50), classes(30, 10), 0.5F)) ==
          doctest::Approx(static_cast<float>(whole(x, classes(30, 50), classes(30, 10), 0.5F))).epsilon(1e-5));
  // what is planned is what is taken
  const kt::context counted = where.with_budget(1 << 27);
  kt::session<network> exact(counted, kt::seed{4});
  const std::int64_t variables = counted.memory().in_use;
  auto planned = compile<&network::train>(exact);
  planned(x, classes(30, 50), classes(30, 10), 0.5F);
  const kt::memory_table plan = planned.memory_plan(batch(30));
  CHECK(counted.memory().in_use == variables + plan.peak);
  CHECK(plan.buffers.back().name == "workspace");
  CHECK(plan.buffers.back().bytes > 0);
  const std::int64_t enough = variables + planned.memory_plan(batch(3)).peak;
  const kt::context small = where.with_budget(enough);
  kt::session<network> tight(small, kt::seed{4});
  auto train = compile<&network::train>(tight);
  const auto before = tight.get<&network::W2>();
  std::int64_t large = 300;
  while (planned.memory_plan(batch(large)).peak <= planned.memory_plan(batch(3)).peak)
    large *= 10;  // a few rows can have the larger workspace
  CHECK_THROWS_AS(train(random<float, 2>({large, 20}, 2), classes(large, 50), classes(large, 10), 0.5F),
                  kt::memory_error);
  const auto after = tight.get<&network::W2>();
  CHECK(std::equal(before.begin(), before.end(), after.begin()));
  train(random<float, 2>({3, 20}, 2), classes(3, 50), classes(3, 10), 0.5F);
  CHECK(small.memory().peak <= enough);
}

#ifndef __CUDACC__
/// What a network has learned after a call, others with other extents, and one in pieces.
std::vector<float> learned(const kt::context& where, fault& f) {
  const auto nothing = [] { return 0; };
  auto session = f.survive([&] { return kt::session<network>(where, kt::seed{3}); }, nothing);
  const auto state = [&] {
    std::vector<float> all;
    const kt::tensor<float, 2> matrices[] = {session.get<&network::table>(), session.get<&network::W1>(),
                                             session.get<&network::W2>()};
    for (const auto& matrix : matrices) all.insert(all.end(), matrix.begin(), matrix.end());
    return all;
  };
  auto train = compile<&network::train>(session);
  std::vector<float> costs;
  const auto step = [&](auto& function, std::int64_t n) {
    const auto x = random<float, 2>({n, 20}, static_cast<unsigned>(n));
    costs.push_back(
        f.survive([&] { return static_cast<float>(function(x, classes(n, 50), classes(n, 10), 0.5F)); }, state));
  };
  for (const std::int64_t n : {5, 8, 8, 5}) step(train, n);
  auto pieces = kt::chunked<batch>(train, 3);
  for (const std::int64_t n : {8, 2}) step(pieces, n);
  std::vector<float> all = state();
  all.insert(all.end(), costs.begin(), costs.end());
  return all;
}
TEST_CASE("device: every allocation on a device, and of memory on the way there, fails once") {
  const kt::context where = device(0);
  const std::int64_t before = bytes_in_use();
  fault none(simulated::allocations_left, -1);
  const std::vector<float> expected = learned(where, none);
  long count = 0;
  for (bool happened = true; happened; ++count) {
    fault f(simulated::allocations_left, count);
    INFO("allocation ", count);
    CHECK(learned(where, f) == expected);
    CHECK(where.memory().in_use == 0);
    CHECK(bytes_in_use() == before);
    happened = f.happened;
  }
  CHECK(count > 20);
}
#endif

}  // namespace
