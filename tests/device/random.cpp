// Random numbers on a device: the numbers of the host, in maps, reductions, products, and after transfers.
#include "device.hpp"

using namespace test;

namespace {

constexpr struct batch : kt::dim<batch> {} batch;

constexpr auto draws = [](kt::var<float, batch, 6> x) {
  const auto y = kt::nn::dropout(x, 0.5);
  return kt::outputs(y, kt::random::uniform<float, batch, 6>(), kt::random::normal<double, batch>(),
                     kt::random::exponential<float, 7>(), kt::random::integers<int, batch>(-5, 5),
                     kt::random::bernoulli<bool, batch>(0.5), kt::random::uniform<kt::half, 9>(),
                     kt::random::truncated_normal<float, batch>(), kt::random::truncated_normal<double, 7>(),
                     kt::random::permutation<batch>());
};

template <class X, class Y>
bool same(const X& x, const Y& y) {
  return std::equal(x.begin(), x.end(), y.begin(), y.end());
}

TEST_CASE("device: random numbers are those of the host") {
  auto f = kt::function<kt::policy::none, backend>(draws, device(0), kt::seed{9});
  auto host = kt::function(draws, kt::context::host(), kt::seed{9});
  for (const std::int64_t rows : {5, 5, 1001, 0}) {
    const auto x = random<float, 2>({rows, 6}, 1);
    const auto found = f(x), expected = host(x);
    const bool all_same = [&]<std::size_t... I>(std::index_sequence<I...>) {
      return (same(std::get<I>(found), std::get<I>(expected)) && ...);
    }
    (std::make_index_sequence<10>());
    CAPTURE(rows);
    CHECK(all_same);
  }
  f.reseed(kt::seed{10}), host.reseed(kt::seed{10});
  const auto x = random<float, 2>({3, 6}, 1);
  CHECK(same(std::get<1>(f(x)), std::get<1>(host(x))));
  check_call(f, x);
}

struct noisy : kt::model {
  kt::shared<float, 5> w{this, "w", kt::init::uniform(-1, 1)};
  constexpr auto noise() const { return w + kt::random::normal<float, 5>(); }
};

TEST_CASE("device: a copy of a session goes on from its values and its random state") {
  kt::session<noisy> session(device(0), kt::seed{1});
  auto noise = compile<&noisy::noise>(session);
  noise();
  kt::session<noisy> copied = session.copy();
  auto other = compile<&noisy::noise>(copied);
  CHECK(same(other(), noise()));
  copied.set<&noisy::w>({1, 2, 3, 4, 5});
  CHECK(!same(other(), noise()));
  CHECK(session.get<&noisy::w>()(4) < 1);
}

TEST_CASE("device: random numbers in reductions, products and views") {
  check(
      [](kt::var<float, batch, 6> x) {
        const auto z = kt::random::normal<float, batch, 6>();
        const auto kept = kt::nn::dropout(x * z, 0.25);
        return kt::outputs(kt::nn::softmax(kept), kt::sum(kept, kt::axis<0>), kt::mean(z),
                           kt::dot(kt::transpose(kept), x), kt::transpose(z) + kt::transpose(x),
                           kt::grad(kt::sum(kept * kept), x), kt::random::categorical(kt::exp(x)),
                           kt::random::choice<4>(x), kt::random::truncated_normal(x, 0.5, -1, x + 3));
      },
      random<float, 2>({37, 6}, 2));
}

}  // namespace
