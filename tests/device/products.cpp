// Products on a device, and what they add and apply while they are written.
#include "ended_products.hpp"

using namespace test;

namespace {

constexpr struct batch : kt::dim<batch> {} batch;

TEST_CASE("device: products in all forms") {
  const kt::context where = device(1);
  const auto f = [&](auto lambda) { return kt::function<kt::policy::none, backend>(lambda, where); };
  auto forms = f([](kt::var<float, batch, 9> x, kt::var<float, 9, 5> y, kt::var<float, batch, 5> z, kt::var<float> a,
                    kt::var<float> b) {
    return kt::outputs(kt::dot(x, y), a * kt::dot(x, y), z - 2 * kt::dot(x, y), b * z + a * kt::dot(x, y),
                       kt::dot(y, kt::transpose(z)), kt::dot(x, y[kt::range(kt::axis<1>, 0, 1)]));
  });
  for (const std::int64_t n : {0, 1, 4, 31})
    for (const float a : {0.0F, -1.5F})
      check_call(forms, random<float, 2>({n, 9}, 1), random<float, 2>({9, 5}, 2), random<float, 2>({n, 5}, 3), a, 0.5F);
  auto x = random<float, 2>({4, 9}, 1);
  x(2, 3) = NAN;
  check_call(forms, x, random<float, 2>({9, 5}, 2), random<float, 2>({4, 5}, 3), 0.0F, 0.0F);
  auto batched = f([](kt::var<double, batch, 3, 4> u, kt::var<double, batch, 4, 2> v, kt::var<double, 4, 2> w) {
    return kt::outputs(kt::dot(u, v), kt::dot(u, w), kt::dot(kt::permute<0, 2, 1>(v), kt::permute<0, 2, 1>(u)));
  });
  check_call(batched, random<double, 3>({5, 3, 4}, 4), random<double, 3>({5, 4, 2}, 5), random<double, 2>({4, 2}, 6));
  auto empty = f([](kt::var<float, 3, batch> u, kt::var<float, batch, 2> v, kt::var<float, 3, 2> w) {
    return kt::outputs(kt::dot(u, v), w + kt::dot(u, v));
  });
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
  CHECK(error(kt::function<kt::policy::bf16 | kt::policy::explicit_transfers, backend>(lambda, device(0))(x, y)) <
        1e-2F);
  if (is_simulated) CHECK(error(kt::function<kt::policy::bf16, backend>(lambda, device(0))(x, y)) > 0);
  // on the host, nothing changes
  CHECK(kt::function<kt::policy::bf16, backend>(lambda, kt::context::host())(x, y)(4, 2) ==
        kt::function(lambda, kt::context::host())(x, y)(4, 2));
}

TEST_CASE("device: products that add to what pieces have in common") {
  auto f = kt::function<kt::policy::none, backend>(
      [](kt::var<double, batch, 9> x, kt::var<double, batch, 5> y) {
        return kt::outputs(kt::max(y), kt::dot(kt::transpose(y), x), kt::dot(kt::transpose(x), y));
      },
      device(1));
  const auto x = random<double, 2>({7, 9}, 1), y = random<double, 2>({7, 5}, 2);
  auto pieces = kt::chunked<batch>(f, 2);
  const auto [most, first, second] = pieces(x, y);
  const auto [whole_most, whole_first, whole_second] = f(x, y);
  CHECK(static_cast<double>(most) == static_cast<double>(whole_most));
  for (std::int64_t i = 0; i < 9; ++i)
    for (std::int64_t j = 0; j < 5; ++j) {
      CHECK(first(j, i) == doctest::Approx(whole_first(j, i)).epsilon(1e-5));
      CHECK(second(i, j) == doctest::Approx(whole_second(i, j)).epsilon(1e-5));
    }
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
  CHECK(ended_of(where, {12, 0}) - before ==
        ended_products{3 * 4, 0});  // none for no rows, and none where the product itself is wanted
  for (int i = 0; i < 4; ++i) check_call(train, random<float, 2>({6, 9}, 3), 0.05F);
  CHECK(ended_of(where, {15, 3}) - before == ended_products{3 * 4 + 3, 3});  // once while it is captured
}

#ifndef __CUDACC__
TEST_CASE("device: products that lose NaN apply functions only where that is allowed") {
  const kt::context where = device(1);
  static_cast<simulated::stream&>(*where.stream()).keeps_nan = false;
  const auto lambda = [](kt::var<float, batch, 9> x, kt::var<float, 9, 5> w) { return kt::relu(kt::dot(x, w)); };
  auto exact = kt::function<kt::policy::none, backend>(lambda, where);
  auto finite = kt::function<kt::policy::finite, backend>(lambda, where);
  const auto x = random<float, 2>({4, 9}, 1), w = random<float, 2>({9, 5}, 2);
  const ended_products before = ended_of(where, {});
  check_call(exact, x, w);
  CHECK(ended_of(where, {}) == before);
  check_call(finite, x, w);
  CHECK(ended_of(where, {}) - before == ended_products{1, 0});
  auto pieces = kt::chunked<batch>(finite, 2);
  pieces(x, w);
  CHECK(ended_of(where, {}) - before == ended_products{3, 0});
}
#endif

}  // namespace
