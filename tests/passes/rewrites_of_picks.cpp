#include "rewrites_of_rows.hpp"

using namespace test;

// Logarithms of probabilities that are picked, in all spellings.
namespace {

/// The loss -log softmax(x)[label] of each row as users may write it, and the gradient of each.
constexpr auto spellings = []<class T, class Label>(kt::var<T, n, 3> x, kt::var<Label, n> label) {
  const auto e = kt::exp(x), shifted = kt::exp(x - kt::max(x, kt::axis<1>, kt::keep_dims));
  const auto total = kt::sum(e, kt::axis<1>), total_of_shifted = kt::sum(shifted, kt::axis<1>);
  const auto p = e / kt::sum(e, kt::axis<1>, kt::keep_dims);
  const auto chosen = kt::one_hot<3, T>(label);
  const auto with_grad = [&](const auto&... loss) { return kt::outputs(loss..., kt::grad(kt::sum(loss), x)...); };
  return with_grad(-kt::log(kt::pick(kt::nn::softmax(x), label)), -kt::log(kt::pick(p, label)),
                   kt::log(1 / kt::pick(p, label)), -kt::log(kt::sum(p * chosen, kt::axis<1>)),
                   -kt::log(kt::pick(e, label) / total), -kt::log(kt::sum(chosen * e, kt::axis<1>) / total),
                   -kt::log(kt::pick(shifted, label) / total_of_shifted),
                   -kt::pick(kt::transpose(kt::log(kt::transpose(p))), label));
};
constexpr std::size_t spelling_count = 8;

}  // namespace

TEST_CASE("rewrites: the logarithm of a picked probability") {
  numbers all, labels;
  for (const numbers& row : rows)
    for (int label = 0; label < 3; ++label) {
      all.insert(all.end(), row.begin(), row.end());
      labels.push_back(label);
    }
  const auto written = [](kt::var<double, n, 3> x, kt::var<int, n> label) { return spellings(x, label); };
  const rewritten_results r =
      run_both(written, {matrix(static_cast<std::int64_t>(labels.size()), 3, all), vector(labels)}, "");
  for (std::size_t s = 0; s < spelling_count; ++s)
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const numbers& row = rows[i / 3];
      const std::size_t label = i % 3;
      CAPTURE(s);
      CAPTURE(i);
      const double raw = r.raw.outputs[s][i], better = r.better.outputs[s][i];
      CAPTURE(raw);
      CAPTURE(better);
      const double right = static_cast<double>(log_sum_exp(row, row[label])),
                   largest = *std::max_element(row.begin(), row.end());
      const bool has_nan = std::any_of(row.begin(), row.end(), [](double v) { return std::isnan(v); });
      if (has_nan) {
        CHECK(std::isnan(better));
      } else if (largest == inf || std::isinf(row[label])) {  // limits that depend on the way, or are infinite
        CHECK(!std::isfinite(better));
        continue;
      } else {
        CHECK(near(better, right, 1e-13, 1e-16));
      }
      for (std::size_t j = 0; j < 3; ++j) {
        const double slope = r.better.outputs[spelling_count + s][3 * i + j];
        CAPTURE(slope);
        const real probability = row[j] == -inf ? 0 : std::exp(-log_sum_exp(row, row[j]));
        if (has_nan) CHECK(std::isnan(slope));
        else CHECK(std::abs(slope - static_cast<double>(probability - (j == label ? 1 : 0))) <= 1e-14);
      }
    }
}

TEST_CASE("rewrites: compiled logarithms of a picked probability") {
  const auto check = [](auto zero, auto first_label, double tolerance) {
    using T = decltype(zero);
    using Label = decltype(first_label);
    auto f = kt::function([](kt::var<T, n, 3> x, kt::var<Label, n> label) { return spellings(x, label); });
    kt::tensor<T, 2> x({3, 3});
    const numbers row = {800, 0, -800};
    for (std::size_t i = 0; i < 9; ++i) x.data()[i] = static_cast<T>(row[i % 3]);
    const auto results = f(x, std::vector<Label>{first_label, 1, 2});
    const auto check_one = [&](const auto& loss, const auto& slope) {
      for (std::int64_t i = 0; i < 3; ++i) {
        CHECK(near(static_cast<double>(loss(i)), 800.0 * static_cast<double>(i), tolerance, 0));
        for (std::int64_t j = 0; j < 3; ++j)
          CHECK(static_cast<double>(slope(i, j)) == (j == 0 ? 1 : 0) - (i == j ? 1 : 0));
      }
    };
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (check_one(std::get<I>(results), std::get<I + spelling_count>(results)), ...);
    }
    (std::make_index_sequence<spelling_count>{});
  };
  check(0.0, 0, 1e-15);
  check(0.0F, std::uint8_t{0}, 1e-7);
}
