// Programs on a device: what is copied and waited for, graphs, products, indices, memory.
#include "device.hpp"

using namespace test;

namespace {

constexpr struct batch : kt::dim<batch> {
} batch;

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
  constexpr auto train(kt::var<float, batch, 20> x, kt::var<int, batch> word, kt::var<int, batch> label, kt::var<float> rate) const {
    auto c = cost(x, word, label);
    return kt::outputs(c).updates(kt::optim::sgd(c, parameters(), rate));
  }
  constexpr auto decay(kt::var<float> rate) const { return kt::updates(kt::update(W1, W1 - rate * W1)); }
};

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
    CHECK_THROWS_WITH_AS(session.values<&network::W1>(), "kroton: values: W1 lies on cuda0; session.get and session.set copy it", kt::device_error);
    session.set<&network::b1>(std::vector<float>(33, 2.0F));
    CHECK(session.get<&network::b1>()(32) == 2);
    CHECK_THROWS_AS(session.set<&network::b1>(std::vector<float>(32)), kt::shape_error);
    // an index that is wrong
    const auto kept = session.get<&network::table>();
    auto wrong = classes(5, 50);
    wrong(3) = 50;
    CHECK_THROWS_WITH_AS(train(random<float, 2>({5, 20}, 1), wrong, classes(5, 10), 1.0F), "kroton: index 50 at position 3 of argument 2 is outside [0, 50)", kt::index_error);
    const auto after = session.get<&network::table>();
    CHECK(std::equal(kept.begin(), kept.end(), after.begin()));
  }
  CHECK(bytes_in_use() == before);
}

TEST_CASE("device: products in all forms") {
  const kt::context where = device(1);
  const auto f = [&](auto lambda) { return kt::function<kt::policy::none, backend>(lambda, where); };
  auto forms = f([](kt::var<float, batch, 9> x, kt::var<float, 9, 5> y, kt::var<float, batch, 5> z, kt::var<float> a, kt::var<float> b) {
    return kt::outputs(kt::dot(x, y), a * kt::dot(x, y), z - 2 * kt::dot(x, y), b * z + a * kt::dot(x, y), kt::dot(y, kt::transpose(z)), kt::dot(x, y[kt::range(kt::axis<1>, 0, 1)]));
  });
  for (const std::int64_t n : {0, 1, 4, 31})
    for (const float a : {0.0F, -1.5F}) check_call(forms, random<float, 2>({n, 9}, 1), random<float, 2>({9, 5}, 2), random<float, 2>({n, 5}, 3), a, 0.5F);
  auto x = random<float, 2>({4, 9}, 1);
  x(2, 3) = NAN;
  check_call(forms, x, random<float, 2>({9, 5}, 2), random<float, 2>({4, 5}, 3), 0.0F, 0.0F);
  auto batched = f([](kt::var<double, batch, 3, 4> u, kt::var<double, batch, 4, 2> v, kt::var<double, 4, 2> w) {
    return kt::outputs(kt::dot(u, v), kt::dot(u, w), kt::dot(kt::permute<0, 2, 1>(v), kt::permute<0, 2, 1>(u)));
  });
  check_call(batched, random<double, 3>({5, 3, 4}, 4), random<double, 3>({5, 4, 2}, 5), random<double, 2>({4, 2}, 6));
  auto empty = f([](kt::var<float, 3, batch> u, kt::var<float, batch, 2> v, kt::var<float, 3, 2> w) { return kt::outputs(kt::dot(u, v), w + kt::dot(u, v)); });
  check_call(empty, random<float, 2>({3, 0}, 7), random<float, 2>({0, 2}, 8), random<float, 2>({3, 2}, 9));
}

TEST_CASE("device: products are as precise as floats are, unless less is enough") {
  const auto lambda = [](kt::var<float, batch, 64> x, kt::var<float, 64, 3> y) { return kt::dot(x, y); };
  const auto x = random<float, 2>({5, 64}, 1, 0.5), y = random<float, 2>({64, 3}, 2, 0.5);
  const auto full = kt::function<kt::policy::none, backend>(lambda, device(0))(x, y);
  const auto error = [&](const kt::tensor<float, 2>& z) {
    float most = 0;
    for (std::int64_t i = 0; i < 5; ++i)
      for (std::int64_t j = 0; j < 3; ++j) most = std::max(most, std::abs(z(i, j) - full(i, j)) / full(i, j));
    return most;
  };
  CHECK(error(kt::function<kt::policy::tf32, backend>(lambda, device(0))(x, y)) < 1e-3F);
  CHECK(error(kt::function<kt::policy::bf16 | kt::policy::explicit_transfers, backend>(lambda, device(0))(x, y)) < 1e-2F);
  if (is_simulated) CHECK(error(kt::function<kt::policy::bf16, backend>(lambda, device(0))(x, y)) > 0);
  // on the host, nothing changes
  CHECK(kt::function<kt::policy::bf16, backend>(lambda, kt::context::host())(x, y)(4, 2) == kt::function(lambda, kt::context::host())(x, y)(4, 2));
}

/// Products with a bias or relu, or with the gradient of relu, that a simulated device has computed.
struct ended_products {
  int forward = 0, gradient = 0;
  bool operator==(const ended_products&) const = default;
  ended_products operator-(const ended_products& other) const { return {forward - other.forward, gradient - other.gradient}; }
};
ended_products ended_of([[maybe_unused]] const kt::context& where, [[maybe_unused]] ended_products otherwise) {
#ifndef __CUDACC__
  const auto& stream = static_cast<simulated::stream&>(*where.stream());
  return {stream.epilogues, stream.gradients};
#else
  return otherwise;
#endif
}
/// Whether products of a simulated device can do anything but multiply.
void let_products_end([[maybe_unused]] const kt::context& where, [[maybe_unused]] bool can) {
#ifndef __CUDACC__
  static_cast<simulated::stream&>(*where.stream()).can_end_products = can;
#endif
}
struct layers : kt::model {
  kt::shared<float, 9, 16> W1{this, "W1", kt::init::uniform(-1, 1)};
  kt::shared<float, 16> b1{this, "b1", kt::init::uniform(-1, 1)};
  kt::shared<float, 16, 4> W2{this, "W2", kt::init::uniform(-1, 1)};
  kt::shared<float, 4> b2{this, "b2", kt::init::uniform(-1, 1)};
  constexpr auto forward(kt::var<float, batch, 9> x) const { return kt::dot(kt::relu(kt::dot(x, W1) + b1), W2) + b2; }
  constexpr auto bare(kt::var<float, batch, 9> x) const { return kt::relu(kt::dot(x, W1)); }
  constexpr auto both(kt::var<float, batch, 9> x) const {
    auto z = kt::dot(x, W1);
    return kt::outputs(kt::relu(z + b1), z);
  }
  constexpr auto train(kt::var<float, batch, 9> x, kt::var<float> rate) const {
    auto cost = kt::mean(kt::sqr(forward(x)));
    return kt::outputs(cost).updates(kt::optim::sgd(cost, parameters(), rate));
  }
};
TEST_CASE("device: products add a bias and take what is above 0 while they are written") {
  const kt::context where = device(1);
  const ended_products before = ended_of(where, {});
  kt::session<layers> session(where, kt::seed{6});
  auto forward = compile<&layers::forward>(session);
  auto bare = compile<&layers::bare>(session);
  auto both = compile<&layers::both>(session);
  auto train = compile<&layers::train>(session);
  for (const std::int64_t n : {0, 1, 5, 33, 5}) {
    auto x = random<float, 2>({n, 9}, static_cast<unsigned>(n));
    if (n == 33) x(7, 3) = NAN, x(8, 1) = INFINITY;
    check_call(forward, x);
    check_call(bare, x);
    check_call(both, x);
  }
  CHECK(ended_of(where, {12, 0}) - before == ended_products{3 * 4, 0});  // none for no rows, and none where the product itself is wanted
  for (int i = 0; i < 4; ++i) check_call(train, random<float, 2>({6, 9}, 3), 0.05F);
  CHECK(ended_of(where, {15, 3}) - before == ended_products{3 * 4 + 3, 3});  // once while it is captured
}

struct deep : kt::model {
  kt::shared<float, 9, 140> W1{this, "W1", kt::init::uniform(-0.2, 0.2)};
  kt::shared<float, 140> b1{this, "b1", kt::init::uniform(-0.2, 0.2)};
  kt::shared<float, 140, 33> W2{this, "W2", kt::init::uniform(-0.2, 0.2)};
  kt::shared<float, 33, 130> W3{this, "W3", kt::init::uniform(-0.2, 0.2)};
  kt::shared<float, 130, 4> W4{this, "W4", kt::init::uniform(-0.2, 0.2)};
  constexpr auto cost(kt::var<float, batch, 9> x) const {
    return kt::sum(kt::sqr(kt::dot(kt::relu(kt::dot(kt::relu(kt::dot(kt::relu(kt::dot(x, W1) + b1), W2)), W3)), W4)));
  }
  constexpr auto train(kt::var<float, batch, 9> x, kt::var<float> rate) const {
    auto c = cost(x);
    return kt::outputs(c).updates(kt::optim::sgd(c, parameters(), rate));
  }
  /// What is behind relu is wanted too, or only its gradient.
  constexpr auto gradients(kt::var<float, batch, 9> x) const {
    auto z = kt::dot(x, W1), h = kt::relu(z + b1);
    auto c = kt::sum(kt::sqr(kt::dot(h, W2)));
    return kt::outputs(kt::grad(c, W1), kt::grad(c, b1), h);
  }
  constexpr auto of_bias(kt::var<float, batch, 9> x) const {
    return kt::grad(kt::sum(kt::sqr(kt::dot(kt::relu(kt::dot(x, W1) + b1), W2))), b1);
  }
};
TEST_CASE("device: products take over the gradient of relu and the sums for the bias") {
  const kt::context where = device(1);
  for (const bool can : {true, false}) {
    let_products_end(where, can);
    const ended_products before = ended_of(where, {});
    kt::session<deep> session(where, kt::seed{8});
    auto train = compile<&deep::train>(session);
    auto gradients = compile<&deep::gradients>(session);
    auto of_bias = compile<&deep::of_bias>(session);
    for (const std::int64_t n : {0, 1, 7, 40, 7}) {
      auto x = random<float, 2>({n, 9}, static_cast<unsigned>(n));
      check_call(train, x, 1e-4F);
      if (n == 40) x(7, 3) = NAN, x(8, 1) = INFINITY;
      check_call(gradients, x);
      check_call(of_bias, x);
    }
    const int calls = can ? 4 : 0;  // with elements
    CHECK(ended_of(where, {5 * calls, 5 * calls}) - before == ended_products{5 * calls, 5 * calls});
    if (is_simulated) CHECK(train.memory_plan(batch(7)).buffers.back().bytes >= (can ? 7 * 32 : 0));
  }
  let_products_end(where, true);
}

TEST_CASE("device: rows by index, and their gradients") {
  const kt::context where = device(0);
  auto f = kt::function<kt::policy::none, backend>([](kt::var<float, 7, 3> table, kt::var<int, batch> i) {
    auto rows = kt::take(table, i);
    return kt::outputs(rows, kt::grad(kt::sum(kt::sqr(rows) * rows), table));
  }, where);
  for (const std::int64_t n : {0, 1, 50}) check_call(f, random<float, 2>({7, 3}, 1), classes(n, 7));
  // an index that is computed, and wrong
  auto computed = kt::function<kt::policy::none, backend>([](kt::var<float, 7> table, kt::var<int, batch> i) { return kt::take(table, i * 2); }, where);
  check_call(computed, random<float, 1>({7}, 1), classes(5, 3));
  CHECK_THROWS_AS(computed(random<float, 1>({7}, 1), classes(5, 5)), kt::index_error);
}

/// How often the host waited for a simulated device.
int waits_of([[maybe_unused]] const kt::context& where) {
#ifndef __CUDACC__
  return static_cast<simulated::stream&>(*where.stream()).waits;
#else
  return 0;
#endif
}
struct lookup : kt::model {
  kt::shared<float, 7, 3> table{this, "table", kt::init::uniform(-1, 1)};
  kt::shared<int, 4> index{this, "index"};
  kt::shared<float> scale{this, "scale", kt::init::ones};
  constexpr auto rows() const { return kt::outputs(kt::take(table, index)).updates(kt::update(scale, scale * 2)); }
  constexpr auto next() const { return kt::updates(kt::update(index, index + 1)); }
};
TEST_CASE("device: indices that lie there are looked at when they have changed") {
  const kt::context where = device(0);
  kt::session<lookup> session(where, kt::seed{7});
  auto rows = compile<&lookup::rows>(session);
  auto next = compile<&lookup::next>(session);
  check_call(rows);
  const int before = waits_of(where);
  rows();
  rows();
  CHECK(waits_of(where) == before);
  session.set<&lookup::index>(std::vector<int>{6, 0, 5, 1});
  check_call(rows);
  session.set<&lookup::index>(std::vector<int>{6, 0, 7, 1});
  const float scale = static_cast<float>(session.get<&lookup::scale>());
  CHECK_THROWS_WITH_AS(rows(), doctest::Contains("index 7 at position 2"), kt::index_error);
  CHECK_THROWS_AS(rows(), kt::index_error);
  CHECK(static_cast<float>(session.get<&lookup::scale>()) == scale);
  session.set<&lookup::index>(std::vector<int>{4, 0, 5, 1});
  next();
  check_call(rows);
  next();
  CHECK_THROWS_AS(rows(), kt::index_error);
}

TEST_CASE("device: maps of many elements") {
  auto f = kt::function<kt::policy::none, backend>([](kt::var<float, batch> x, kt::var<float, batch> y) { return kt::outputs(x * y + 1, kt::exp(x) > y); }, device(0));
  auto one = kt::function<kt::policy::none, backend>([](kt::var<float, batch> x, kt::var<float, batch> y) { return x * kt::tanh(y); }, device(0));
  for (const std::int64_t n : {8191, 8192, 20003}) {
    check_call(f, random<float, 1>({n}, 1), random<float, 1>({n}, 2));
    check_call(one, random<float, 1>({n}, 1), random<float, 1>({n}, 2));
  }
}

TEST_CASE("device: pieces of a function, budgets, other extents") {
  const kt::context where = device(0);
  kt::session<network> one(where, kt::seed{4}), two(where, kt::seed{4});
  auto whole = compile<&network::train>(one);
  auto part_of = compile<&network::train>(two);
  auto pieces = kt::chunked<batch>(part_of, 8);
  const auto x = random<float, 2>({30, 20}, 2);
  for (int i = 0; i < 3; ++i)
    CHECK(static_cast<float>(pieces(x, classes(30, 50), classes(30, 10), 0.5F)) == doctest::Approx(static_cast<float>(whole(x, classes(30, 50), classes(30, 10), 0.5F))).epsilon(1e-5));
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
  CHECK_THROWS_AS(train(random<float, 2>({300, 20}, 2), classes(300, 50), classes(300, 10), 0.5F), kt::memory_error);
  const auto after = tight.get<&network::W2>();
  CHECK(std::equal(before.begin(), before.end(), after.begin()));
  train(random<float, 2>({3, 20}, 2), classes(3, 50), classes(3, 10), 0.5F);
  CHECK(small.memory().peak <= enough);
}

TEST_CASE("device: a function for the host alone says so") {
  const kt::context where = device(0);
  const auto compile_for_host = [&] { kt::function<kt::policy::none, kt::host_backend>([](kt::var<float> x) { return x + 1; }, where); };
  CHECK_THROWS_WITH_AS(compile_for_host(), "kroton: a function for cuda0 is compiled for the host alone; include kroton/cuda.hpp in its file", kt::device_error);
  CHECK_THROWS_AS(kt::context::on("cuda30"), kt::device_error);
}

}  // namespace
