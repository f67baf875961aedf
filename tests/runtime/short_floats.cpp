// Functions of 16-bit floats: kept in 16 bits, computed in float.
#include <kroton/debug/verify.hpp>

#include <doctest/doctest.h>

#include <random>

namespace kt = kroton;

namespace {

constexpr struct batch : kt::dim<batch> {} batch;

template <class T>
kt::tensor<T, 2> random_matrix(std::int64_t rows, std::int64_t columns, double low = -2, double high = 2) {
  kt::tensor<T, 2> x({rows, columns});
  std::mt19937 bits(static_cast<unsigned>(rows * 100 + columns));
  std::uniform_real_distribution<double> uniform(low, high);
  for (T& v : x) v = T(uniform(bits));
  return x;
}

template <class T>
struct network : kt::model {
  kt::shared<T, 20, 33> W1{this, "W1", kt::init::glorot_uniform};
  kt::shared<T, 33> b1{this, "b1"};
  kt::shared<T, 33, 10> W2{this, "W2", kt::init::glorot_normal};
  kt::shared<T, 50, 20> table{this, "table", kt::init::normal(0, 0.5)};

  constexpr auto cost(kt::var<T, batch, 20> x, kt::var<int, batch> word, kt::var<int, batch> label) const {
    auto hidden = kt::tanh(kt::dot(x + kt::take(table, word), W1) + b1);
    return kt::mean(kt::nn::cross_entropy(kt::dot(hidden, W2), label));
  }
  constexpr auto train(kt::var<T, batch, 20> x, kt::var<int, batch> word, kt::var<int, batch> label,
                       kt::var<T> rate) const {
    auto c = cost(x, word, label);
    return kt::outputs(c).updates(kt::optim::sgd(c, parameters(), rate));
  }
};

template <class Function, class... X>
void check(Function& f, const X&... x) {
  const kt::debug::comparison found = kt::debug::verify(f, x...);
  CAPTURE(found.where);
  CAPTURE(found.max_error);
  CHECK(found.ok);
}

}  // namespace

TEST_CASE_TEMPLATE("a network of 16-bit floats learns", T, kt::half, kt::bfloat16) {
  kt::session<network<T>> session{kt::context::best(), kt::seed{3}};
  auto train = session.template compile<&network<T>::train>();
  const auto x = random_matrix<T>(19, 20);
  kt::tensor<int, 1> word({19}), label({19});
  for (int i = 0; i < 19; ++i) word(i) = i % 7 * 8, label(i) = i % 10;
  const float first = train(x, word, label, 0.5f);
  for (int i = 0; i < 30; ++i) check(train, x, word, label, 0.5f);
  const float last = train(x, word, label, kt::half(0.5f));
  CHECK(last < first / 2);
}

TEST_CASE_TEMPLATE("maps, reductions and views of 16-bit floats", T, kt::half, kt::bfloat16) {
  auto f = kt::function([](kt::var<T, batch, 37> x, kt::var<T, 37> scale) {
    auto p = kt::nn::softmax(x * scale + 0.25);
    return kt::outputs(p, kt::sum(x, kt::axis<0>), kt::max(x, kt::axis<1>), kt::argmax(x, kt::axis<1>),
                       kt::mean(kt::sqr(x), kt::axis<1>), kt::where(x > 0, x, scale), kt::cast<int>(x * 10),
                       kt::cast<double>(x) / 3, kt::exp(kt::transpose(x)), kt::concatenate(kt::axis<1>, x, -x),
                       kt::any(x > 1.5, kt::axis<1>));
  });
  for (std::int64_t rows : {0, 1, 5, 64}) {
    kt::tensor<T, 1> scale({37});
    for (int i = 0; i < 37; ++i) scale(i) = T(i * 0.0625 - 1);
    if (rows > 0) check(f, random_matrix<T>(rows, 37), scale);
    const auto results = f(random_matrix<T>(rows, 37), scale);
    CHECK(std::get<0>(results).extent(0) == rows);
    if (rows == 0) CHECK(static_cast<float>(std::get<1>(results)(3)) == 0);
  }
}

TEST_CASE("what is added in float is rounded once") {
  auto total = kt::function([](kt::var<kt::half, batch> x) { return kt::outputs(kt::sum(x), kt::mean(x)); });
  kt::tensor<kt::half, 1> ones({5000});
  for (kt::half& x : ones) x = kt::half(1);
  const auto& [sum, mean] = total(ones);  // in half itself the sum would stay at 2048
  CHECK(sum == 5000.0f);
  CHECK(mean == 1.0f);
}

TEST_CASE("a cast rounds, whatever it is fused with") {
  auto f = kt::function([](kt::var<float, batch> x) {
    return kt::outputs(kt::cast<float>(kt::cast<kt::half>(x)),
                       kt::cast<float>(kt::cast<kt::bfloat16>(kt::cast<double>(x))));
  });
  kt::tensor<float, 1> x({4}, {1.0009765f, 65519.0f, 65520.0f, 1e-9f});
  const auto [as_half, as_bfloat16] = f(x);
  for (int i = 0; i < 4; ++i) {
    CHECK(as_half(i) == kt::half(x(i)));
    CHECK(as_bfloat16(i) == kt::bfloat16(x(i)));
  }
}

TEST_CASE("infinities, NaN and the smallest numbers of 16 bits pass unchanged") {
  auto f = kt::function([](kt::var<kt::half, batch> x) { return kt::outputs(x, x * 1, kt::maximum(x, -x)); });
  using limits = std::numeric_limits<kt::half>;
  const kt::tensor<kt::half, 1> x(
      {5}, {limits::infinity(), limits::quiet_NaN(), limits::denorm_min(), kt::half(-0.0f), limits::lowest()});
  const auto [copy, product, size] = f(x);
  const auto same = [](kt::half a, kt::half b) {
#ifdef __CUDACC__  // a GPU converts every NaN to the same one
    if (std::isnan(static_cast<float>(a)) && std::isnan(static_cast<float>(b))) return true;
#endif
    return a.bits() == b.bits();
  };
  for (int i = 0; i < 5; ++i) {
    CHECK(same(copy(i), x(i)));
    CHECK(same(product(i), x(i)));
  }
  CHECK(size(4) == 65504.0f);
  CHECK(std::isnan(size(1)));
}
