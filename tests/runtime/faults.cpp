// What fails for want of memory: a typed error, nothing lost, everything as before, and the next call works.
#include <kroton/kroton.hpp>
#include <kroton/runtime/context/memory_keeper.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <memory_resource>

#include "../fault.hpp"
#include "allocations.hpp"

namespace kt = kroton;

namespace {

constexpr struct batch : kt::dim<batch> {} batch;
constexpr struct width : kt::dim<width> {} width;

struct layers : kt::model {
  using kt::model::model;
  kt::shared<float, 20, 30> W1{this, "W1", kt::init::glorot_uniform};
  kt::shared<float, 30> b1{this, "b1"};
  kt::shared<float, 30, 4> W2{this, "W2", kt::init::glorot_uniform};
  kt::shared<float, 4> b2{this, "b2"};
  constexpr auto logits(kt::var<float, batch, 20> x) const { return kt::dot(kt::tanh(kt::dot(x, W1) + b1), W2) + b2; }
};
struct network : kt::model {
  layers all{this, "all"};
  kt::shared<int> steps{this, "steps"};
  kt::shared<float, width> spare{this, "spare"};
  constexpr auto train(kt::var<float, batch, 20> x, kt::var<int, batch> label) const {
    auto cost = kt::nn::cross_entropy(all.logits(x), label);
    return kt::outputs(kt::mean(cost), cost)
        .updates(kt::optim::sgd(kt::mean(cost), all.parameters(), 0.5), kt::update(steps, steps + 1));
  }
};

/// Counts what it gives, and fails once after `left` times, if that is not negative.
struct failing_resource final : std::pmr::memory_resource {
  std::atomic<long> left = -1;
  std::size_t in_use = 0;
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    if (left >= 0 && left-- == 0) throw std::bad_alloc();
    void* block = std::pmr::new_delete_resource()->allocate(bytes, alignment);
    in_use += bytes;
    return block;
  }
  void do_deallocate(void* block, std::size_t bytes, std::size_t alignment) override {
    in_use -= bytes;
    std::pmr::new_delete_resource()->deallocate(block, bytes, alignment);
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

using numbers = std::vector<float>;
struct example {
  explicit example(std::size_t count) : x(count * 20), labels(count) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 13) / 13.0F - 0.5F;
    for (std::size_t i = 0; i < count; ++i) labels[i] = static_cast<int>(i % 4);
  }
  kt::view<const float, 2> view() const { return kt::view(x.data(), {static_cast<std::int64_t>(labels.size()), 20}); }
  numbers x;
  std::vector<int> labels;
};
const example five(5), eight(8);

numbers state_of(kt::session<network>& session) {
  numbers all;
  const auto add = [&](auto values) { all.insert(all.end(), values.begin(), values.end()); };
  add(session.values<&network::all, &layers::W1>());
  add(session.values<&network::all, &layers::b1>());
  add(session.values<&network::all, &layers::W2>());
  add(session.values<&network::all, &layers::b2>());
  all.push_back(static_cast<float>(session.values<&network::steps>()[0]));
  add(session.values<&network::spare>());
  return all;
}

/// The costs of three steps, of which the second has other extents, and of one in pieces, and the state after them.
numbers train(const kt::context& where, test::fault& f) {
  const auto nothing = [] { return numbers(); };
  auto session = f.survive([&] { return kt::session<network>(where, kt::seed{1}); }, nothing);
  const auto state = [&] { return state_of(session); };
  auto step = f.survive([&] { return session.compile<&network::train>(); }, state);
  numbers results;
  for (const example* e : {&five, &eight, &five}) {
    const auto [mean, cost] = f.survive([&] { return step(e->view(), e->labels); }, state);
    results.push_back(mean);
    results.insert(results.end(), cost.begin(), cost.end());
  }
  results.push_back(static_cast<float>(f.survive([&] { return step.memory_plan(batch(5)).peak; }, state)));
  f.survive([&] { return session.resize(width(7)), true; }, state);
  auto pieces = f.survive([&] { return kt::chunked<batch>(step, 2); }, state);
  results.push_back(std::get<0>(f.survive([&] { return pieces(five.view(), five.labels); }, state)));
  const kt::tensor<float, 2> W1 = f.survive([&] { return session.get<&network::all, &layers::W1>(); }, state);
  results.push_back(W1(19, 29));
  const numbers last = state();
  results.insert(results.end(), last.begin(), last.end());
  return results;
}

/// Trains with each allocation failing that `left` counts, one after the other; how many there are.
template <class Check>
long fail_each(const kt::context& where, std::atomic<long>& left, const Check& check) {
  test::fault none(left, -1);
  const numbers expected = train(where, none);
  for (long k = 0;; ++k) {
    kt::runtime::memory_keeper::trim_all();  // which would help once
    test::fault f(left, k);
    const numbers found = train(where, f);
    INFO("allocation ", k);
    CHECK(found == expected);
    CHECK(where.memory().in_use == 0);
    check();
    if (!f.happened) return k;
  }
}

TEST_CASE("faults: every allocation of the memory resource fails once") {
  failing_resource resource;
  const kt::context where = kt::context::host(1).with_resource(resource);
  const long count = fail_each(where, resource.left, [&] { CHECK(resource.in_use == 0); });
  CHECK(count == 5 + 3 + 1 + 3);  // shared variables, temporaries for each of three extents, a variable that grows, and
                                  // for pieces: sums, temporaries, what follows
}

/// Memory of a device that has failed.
struct failed_device final : std::pmr::memory_resource {
  void* do_allocate(std::size_t, std::size_t) override {
    throw kt::device_error("kroton: softmax: an illegal address");
  }
  void do_deallocate(void*, std::size_t, std::size_t) override {}
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};
TEST_CASE("faults: a device that fails is not told as a want of memory") {
  failed_device resource;
  const kt::context where = kt::context::host(1).with_resource(resource);
  CHECK_THROWS_WITH_AS(kt::session<network>{where}, "kroton: softmax: an illegal address", kt::device_error);
  CHECK(where.memory().in_use == 0);
}

TEST_CASE("faults: every allocation of the program fails once") {
  const kt::context where = kt::context::host(1);
  CHECK(fail_each(where, allocations_left, [] {}) > 20);
  CHECK(fail_each(kt::context::on("cpu0"), allocations_left, [] {}) > 20);  // with a thread of its own
}

TEST_CASE("faults: a resource is asked for exactly what the plan says") {
  failing_resource resource;
  const kt::context where = kt::context::host(1).with_resource(resource).with_budget(1 << 20);
  CHECK(where.memory().budget == 1 << 20);
  kt::session<network> session(where);
  constexpr std::size_t variables = (20 * 30 + 30 + 30 * 4 + 4 + 1) * 4;
  CHECK(resource.in_use == variables);
  auto step = session.compile<&network::train>();
  CHECK(resource.in_use == variables);  // nothing before the first call
  step(eight.view(), eight.labels);
  CHECK(resource.in_use == variables + static_cast<std::size_t>(kt::peak_bytes<&network::train>(batch(8))));
  step(five.view(), five.labels);
  CHECK(resource.in_use == variables + static_cast<std::size_t>(kt::peak_bytes<&network::train>(batch(5))));
}

}  // namespace
