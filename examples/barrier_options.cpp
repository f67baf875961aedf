// Prices of up-and-out calls by implicit finite differences, and their vega by differentiating the whole solver. The
// tridiagonal systems are solved by an operation of this program: a kt::routine, which Kroton plans, places and
// differentiates like its own.
#include <kroton/debug/verify.hpp>
#include <kroton/kroton.hpp>

#include <cmath>
#include <cstdio>

namespace kt = kroton;

namespace mine {

/// The bands of a matrix, (3, n): below the diagonal (the first is not used), the diagonal, above it (the last is not
/// used). `factors` has 2 n elements.
template <class T>
struct factor_bands {
  const T* bands;
  T* factors;
  std::int64_t n;
  bool transposed;
  KROTON_HD T below(std::int64_t i) const { return transposed ? bands[2 * n + i - 1] : bands[i]; }
  KROTON_HD T above(std::int64_t i) const { return transposed ? bands[i + 1] : bands[2 * n + i]; }
  KROTON_HD void operator()(std::int64_t) const {
    for (std::int64_t i = 0; i < n; ++i) {
      const T pivot = i == 0 ? bands[n] : bands[n + i] - below(i) * factors[i - 1];
      factors[n + i] = T(1) / pivot;
      factors[i] = i + 1 == n ? T(0) : above(i) / pivot;
    }
  }
};
template <class T>
struct solve_row {
  factor_bands<T> matrix;
  const T* y;
  T* x;
  KROTON_HD void operator()(std::int64_t row) const {
    const std::int64_t n = matrix.n, first = row * n;
    for (std::int64_t i = 0; i < n; ++i)
      x[first + i] = (y[first + i] - (i == 0 ? T(0) : matrix.below(i) * x[first + i - 1])) * matrix.factors[n + i];
    for (std::int64_t i = n - 1; i-- > 0;) x[first + i] -= matrix.factors[i] * x[first + i + 1];
  }
};

template <class T>
struct sum_products {
  const T *w, *x;
  T* sums;
  std::int64_t rows, n;
  KROTON_HD void operator()(std::int64_t at) const {
    const std::int64_t i = at % n, other = i + at / n - 1;
    T sum = 0;
    for (std::int64_t row = 0; row < rows && other >= 0 && other < n; ++row) sum += w[row * n + i] * x[row * n + other];
    sums[at] = sum;
  }
};

/// Sums over rows of w[i] x[i - 1], w[i] x[i] and w[i] x[i + 1]: (m, n), (m, n) -> (3, n).
struct band_products : kt::routine<band_products, 2, kt::operands::floating> {
  static constexpr const char* name = "band_products";
  static constexpr bool cannot_fail = true;
  static constexpr kt::shape result_shape(auto& table, const kt::shape* x, const form&) {
    table.unify(x[0][0], x[1][0], name);
    kt::shape result;
    result.append(3);
    result.append(table.unify(x[0][1], x[1][1], name));
    return result;
  }
  static void host(const auto& call) { sum(call); }
  static void cuda(const auto& call) { sum(call); }

 private:
  static void sum(const auto& call) {
    const auto& [w, x] = call.operands;
    call.for_each(call.result.size(), sum_products<std::remove_cvref_t<decltype(w[0])>>{
                                          w.data, x.data, call.result.data, w.extent(0), w.extent(1)});
  }
};

/// Solves M x = y for each row y of a matrix: bands of M (3, n), rows (m, n) -> rows (m, n).
struct tridiagonal : kt::routine<tridiagonal, 2, kt::operands::floating> {
  struct form {
    bool transposed = false;
    static constexpr form of(const kt::attributes& x) { return {x.a != 0}; }
    constexpr operator kt::attributes() const { return {transposed, 0, 0}; }
  };
  static constexpr const char* name = "tridiagonal";
  static constexpr int cost = 5;
  static constexpr bool cannot_fail = true;
  static constexpr bool has_kernel(kt::backend_kind, kt::dtype type) { return kt::size_of(type) >= 4; }

  static constexpr bool ranks_agree(const kt::shape* x, const form&) { return x[0].rank == 2 && x[1].rank == 2; }
  static constexpr kt::shape result_shape(auto& table, const kt::shape* x, const form&) {
    table.unify(x[0][0], 3, name);
    table.unify(x[0][1], x[1][1], name);
    return x[1];
  }
  static constexpr kt::extent_code workspace(auto& table, const kt::shape* x, const kt::dtype* types, const form&) {
    return table.multiply(x[1][1], 2 * kt::size_of(types[0]));  // two numbers for each column
  }
  static constexpr bool in_place(int operand) { return operand == 1; }
  static constexpr int batch(const form&, int operand, int axis) { return axis == 0 && operand == 1 ? 0 : -1; }

  static void host(const auto& call) { solve(call); }
  static void cuda(const auto& call) { solve(call); }

  template <class B>
  static constexpr void backward(B& b) {
    const auto w = kt::call_routine<tridiagonal>(form{!form::of(b.attr()).transposed}, b.operand(0), b.seed());
    b.add(1, w);
    if (b.wants(0) && !form::of(b.attr()).transposed)
      b.add(0, -kt::call_routine<band_products>(kt::no_form(), w, b.result()));
  }

 private:
  static void solve(const auto& call) {
    const auto& [bands, y] = call.operands;
    using T = std::remove_cvref_t<decltype(y[0])>;
    const factor_bands<T> matrix{bands.data, reinterpret_cast<T*>(call.workspace), y.extent(1), call.form.transposed};
    call.for_each(1, matrix);
    call.for_each(y.extent(0), solve_row<T>{matrix, y.data, call.result.data});
  }
};

/// `mine::solve_tridiagonal(bands, rows)`
template <kt::symbolic Bands, kt::symbolic Rows>
constexpr auto solve_tridiagonal(const Bands& bands, const Rows& rows) {
  return kt::call_routine<tridiagonal>(bands, rows);
}

}  // namespace mine

inline constexpr struct strikes : kt::dim<strikes> {} strikes;

constexpr int points = 259, dates = 40;  // prices 0.5, 1, ... 129.5 of the share; the option ends at 0 and at 130
constexpr double barrier = 130, rate = 0.03, years = 0.5;

/// Prices at 100 of options with these payoffs, (strikes), and the derivative of their sum by the volatility. Crank and
/// Nicolson's steps, of which the first two are four implicit ones of half the length, because the payoff has a jump
/// (R. Rannacher 1984): all of them solve the same matrix.
constexpr auto price(kt::var<double, strikes, points> payoff, kt::var<double> volatility) {
  const double step = years / dates / 2;
  auto i = kt::arange<double, points>() + 1;
  auto spread = step * kt::sqr(volatility) * i * i, drift = step * rate * i;
  auto bands = kt::stack(kt::axis<0>, 0.5 * (drift - spread), 1 + spread + step * rate, -0.5 * (spread + drift));
  auto value = mine::solve_tridiagonal(bands, payoff);
  for (int k = 1; k < 4; ++k) value = mine::solve_tridiagonal(bands, value);
  for (int k = 2; k < dates; ++k) value = 2 * mine::solve_tridiagonal(bands, value) - value;
  auto prices = value[kt::at(kt::all, 199)];
  return kt::outputs(prices, kt::grad(kt::sum(prices), volatility));
}

double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }
/// The exact price at 100 (M. Rubinstein, E. Reiner: Breaking down the barriers, Risk 1991).
double exact(double strike, double volatility) {
  const double spot = 100, s = volatility * std::sqrt(years), discounted = strike * std::exp(-rate * years);
  const double lambda = rate / (volatility * volatility) + 0.5, ratio = barrier / spot;
  const double d = std::log(spot / strike) / s + lambda * s, x = std::log(spot / barrier) / s + lambda * s;
  const double y = std::log(barrier * ratio / strike) / s + lambda * s, z = std::log(ratio) / s + lambda * s;
  const double call = spot * normal_cdf(d) - discounted * normal_cdf(d - s);
  const double knocked_in = spot * normal_cdf(x) - discounted * normal_cdf(x - s) -
                            spot * std::pow(ratio, 2 * lambda) * (normal_cdf(-y) - normal_cdf(-z)) +
                            discounted * std::pow(ratio, 2 * lambda - 2) * (normal_cdf(s - y) - normal_cdf(s - z));
  return call - knocked_in;
}

int main() {
  auto f = kt::function(
      [](kt::var<double, strikes, points> payoff, kt::var<double> volatility) { return price(payoff, volatility); });
  constexpr int count = 3;
  const double strike[count] = {90, 100, 110};
  kt::tensor<double, 2> payoff({count, points});
  for (int k = 0; k < count; ++k)
    for (int i = 0; i < points; ++i) payoff(k, i) = std::max(0.5 * (i + 1) - strike[k], 0.0);

  const double volatility = 0.2;
  const auto [prices, vega] = f(payoff, volatility);
  bool good = true;
  double exact_vega = 0;
  for (int k = 0; k < count; ++k) {
    const double expected = exact(strike[k], volatility);
    std::printf("strike %3.0f: %.4f, exactly %.4f\n", strike[k], prices(k), expected);
    good = good && std::abs(prices(k) - expected) < 0.01 * expected;
    exact_vega += (exact(strike[k], volatility + 1e-4) - exact(strike[k], volatility - 1e-4)) / 2e-4;
  }
  std::printf("vega of all: %.2f, exactly %.2f\n", static_cast<double>(vega), exact_vega);
  good = good && std::abs(vega - exact_vega) < 0.01 * std::abs(exact_vega);
  std::printf("%d bytes of temporaries, workspace of the solver included\n",
              static_cast<int>(kt::stats(f).peak_bytes(strikes(count))));

  if (const auto found = kt::debug::verify(f, payoff, volatility); !found) {
    std::printf("%s is %.9g, the reference interpreter says %.9g\n", found.where.c_str(), found.found, found.expected);
    good = false;
  }
  return good ? 0 : 1;
}
