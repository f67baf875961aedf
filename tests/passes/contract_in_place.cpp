// Sums of matrix products that lie where an operand dies, and new values of shared variables.
#include "products.hpp"

using namespace products;

namespace {

struct weights : kt::model {
  kt::shared<float, 12, 10> W{this, "W", kt::init::uniform(-1, 1)};
  kt::shared<float, 12, 10> V{this, "V", kt::init::uniform(-1, 1)};
  kt::shared<float, 12> w{this, "w", kt::init::uniform(-1, 1)};

  using inputs = kt::var<float, rows, 12>;
  using errors = kt::var<float, rows, 10>;
  using scalar = kt::var<float>;

  constexpr auto shrink(inputs x, errors e, scalar a, scalar b) const {
    return kt::updates(kt::update(W, b * W - a * kt::dot(kt::transpose(x), e)));
  }
  constexpr auto decay(inputs x, errors e, scalar a, scalar b) const {
    return kt::updates(kt::update(W, W - a * (kt::dot(kt::transpose(x), e) + b * W)));
  }
  constexpr auto minus_decay(inputs x, errors e, scalar a) const {
    return kt::updates(kt::update(W, W + a * (0.25F * W - 2 * kt::dot(kt::transpose(x), e))));
  }
  constexpr auto decay_of_vector(inputs x, kt::var<float, rows> e, scalar a, scalar b) const {
    return kt::updates(kt::update(w, w - a * (kt::dot(e, x) + b * w)));
  }
  /// The old W is needed elsewhere, and V gets the new one.
  constexpr auto elsewhere(inputs x, errors e, scalar a) const {
    return kt::outputs(kt::dot(x, W))
        .updates(kt::update(V, W - a * kt::dot(kt::transpose(x), e)), kt::update(W, W + V));
  }
  constexpr auto of_itself(scalar a) const {
    return kt::updates(kt::update(W, W + a * kt::dot(kt::dot(W, kt::transpose(V)), W)));
  }
  constexpr auto product_alone(kt::var<float, 10, 10> y) const { return kt::updates(kt::update(W, kt::dot(W, y))); }
  constexpr auto train(inputs x, errors e, scalar a, scalar b) const {
    const auto cost = kt::mean(kt::sqr(kt::dot(x, W) - e)) + b * kt::sum(kt::sqr(W));
    return kt::outputs(cost).updates(kt::update(W, W - a * kt::grad(cost, W)));
  }
};

/// Of a table, the rows that an index names.
struct table : kt::model {
  kt::shared<float, 50, 16> W{this, "W", kt::init::uniform(-1, 1)};
  kt::shared<std::int32_t, 50> counts{this, "counts"};

  using index = kt::var<std::int64_t, rows>;
  using lines = kt::var<float, rows, 16>;

  constexpr auto add(index i, lines x) const { return kt::updates(kt::update(W, kt::inc(W, i, x))); }
  constexpr auto count(index i) const { return kt::updates(kt::update(counts, kt::inc(counts, i, 1))); }
  constexpr auto set(index i, lines x) const { return kt::updates(kt::update(W, kt::set(W, i, x))); }
  constexpr auto train(index i, lines x, kt::var<float> rate) const {
    const auto cost = kt::sum(kt::sqr(kt::take(W, i) - x));
    return kt::outputs(cost).updates(kt::update(W, W - rate * kt::grad(cost, W)));
  }
  /// The old W is needed elsewhere, and both are read.
  constexpr auto elsewhere(index i, lines x) const {
    const auto added = kt::inc(W, i, 2 * x);
    return kt::outputs(kt::sum(added), W[0]).updates(kt::update(W, kt::set(added, i, x)));
  }
  constexpr auto set_lines(kt::var<float, 2, 16> x) const {
    return kt::updates(kt::update(W, kt::set(W, kt::rows<3, 5>(), x)));
  }
  constexpr auto add_to_column(kt::var<float, 50> x) const {
    return kt::updates(kt::update(W, kt::inc(W, kt::at(kt::all, 3), x)));
  }
  constexpr auto set_of_itself(kt::var<float, 2, 16> x) const {
    const auto changed = kt::set(W, kt::rows<0, 2>(), W[kt::rows<1, 3>()]);
    return kt::outputs(kt::sum(changed)).updates(kt::update(W, kt::set(changed, kt::rows<48, 50>(), x)));
  }
};

// only the rows are touched
static_assert(kt::stats<&table::add>().launches == 1 && kt::peak_bytes<&table::add>(rows(8)) == 0);
static_assert(kt::stats<&table::set>().launches == 1 && kt::peak_bytes<&table::set>(rows(8)) == 0);
static_assert(kt::stats<&table::count>().launches == 2 && kt::peak_bytes<&table::count>(rows(8)) <= 64);  // the ones
static_assert(kt::peak_bytes<&table::train>(rows(8)) == 8 * 16 * 4);
static_assert(kt::stats<&table::set_lines>().launches == 1 && kt::peak_bytes<&table::set_lines>() == 0);
static_assert(kt::peak_bytes<&table::add_to_column>() <= 64 * 4);

// the new value is made in place
static_assert(kt::stats<&weights::shrink>().launches == 1 && kt::peak_bytes<&weights::shrink>(rows(8)) == 0);
static_assert(kt::stats<&weights::decay>().launches == 1 && kt::peak_bytes<&weights::decay>(rows(8)) == 0);
static_assert(kt::stats<&weights::minus_decay>().launches == 1 && kt::peak_bytes<&weights::minus_decay>(rows(8)) == 0);
static_assert(kt::stats<&weights::decay_of_vector>().launches == 1 &&
              kt::peak_bytes<&weights::decay_of_vector>(rows(8)) == 0);
// products, their sum and cost, the sum of squares; no gradient is stored
static_assert(kt::stats<&weights::train>().launches == 4 &&
              kt::peak_bytes<&weights::train>(rows(8)) <= 8 * 10 * 4 + 64);

template <auto F, class Model = weights, class... X>
void check_update(const X&... x) {
  kt::session<Model> session{kt::context::best(), kt::seed{5}};
  auto f = session.template compile<F>();
  for (int call = 0; call < 3; ++call) {
    const auto found = kt::debug::verify(f, x...);
    INFO(found.where, ": ", found.found, " instead of ", found.expected);
    CHECK(found.ok);
  }
}

}  // namespace

TEST_CASE("products: what dies is added to in place") {
  const auto two = [](left_matrix x, right_matrix y, left_matrix u, right_matrix v, scalar_of_float a,
                      scalar_of_float b) { return a * kt::dot(x, y) - b * kt::dot(u, v); };
  check_form<2, 2>(two, &operands::x, &operands::y, &operands::u, &operands::v, &operands::a, &operands::b);
  const auto gate = [](left_matrix x, right_matrix y, left_matrix u, right_matrix v, kt::var<float, columns> bias,
                       scalar_of_float a) {
    return kt::tanh(kt::dot(x, y) + a * kt::dot(u, v) - kt::dot(x, v) + bias);
  };
  check_form<4, 3>(gate, &operands::x, &operands::y, &operands::u, &operands::v, &operands::row, &operands::a);
  const auto computed = [](left_matrix x, right_matrix y, sum_matrix z, scalar_of_float a) {
    return kt::tanh(z) - a * kt::dot(x, y);
  };
  check_form<2, 1>(computed, &operands::x, &operands::y, &operands::z, &operands::a);
  // all of them in the memory of the result
  const auto bytes = [](auto written) {
    auto f = kt::function(written);
    return decltype(kt::stats(f))::peak_bytes(rows(64), inner(32), columns(48));
  };
  CHECK(bytes(two) == 0);
  CHECK(bytes(gate) == 0);
  CHECK(bytes(computed) == 0);
}

TEST_CASE("products: what lives on is not added to in place") {
  check_form<3, 2>(
      [](left_matrix x, right_matrix y, right_matrix v) {
        const auto first = kt::dot(x, y);
        return kt::outputs(first, first + kt::dot(x, v), kt::exp(x));
      },
      &operands::x, &operands::y, &operands::v);
  check_form<2, 2>(
      [](kt::var<float, rows, rows> x, kt::var<float, rows, rows> y) {
        const auto first = kt::dot(x, y);
        return first + kt::dot(first, x);
      },
      &operands::square, &operands::other_square);
}

TEST_CASE("products: new values of shared variables") {
  for (const std::int64_t count : {0, 1, 7, 64}) {
    kt::tensor<float, 2> x({count, 12}), e({count, 10});
    kt::tensor<float, 1> v({count});
    for (std::int64_t i = 0; i < x.size(); ++i) x.data()[i] = static_cast<float>(i % 23) / 40 - 0.25F;
    for (std::int64_t i = 0; i < e.size(); ++i) e.data()[i] = static_cast<float>(i % 19) / 30 - 0.25F;
    for (std::int64_t i = 0; i < v.size(); ++i) v.data()[i] = static_cast<float>(i % 5) / 4;
    for (int poisoned = 0; poisoned < 2; ++poisoned) {
      for (const float a : {0.0F, 0.1F}) {
        for (const float b : {0.0F, 0.9F}) {
          check_update<&weights::shrink>(x, e, a, b);
          check_update<&weights::decay>(x, e, a, b);
          check_update<&weights::decay_of_vector>(x, v, a, b);
          if (count > 0) check_update<&weights::train>(x, e, a, b);
        }
        check_update<&weights::minus_decay>(x, e, a);
        check_update<&weights::elsewhere>(x, e, a);
        check_update<&weights::of_itself>(a);
      }
      if (count > 0) x(0, 3) = std::numeric_limits<float>::quiet_NaN();
    }
  }
}

TEST_CASE("scatters: rows are added and set in place") {
  for (const std::int64_t count : {0, 1, 5, 3000}) {
    kt::tensor<std::int64_t, 1> i({count});
    kt::tensor<float, 2> x({count, 16});
    for (std::int64_t k = 0; k < count; ++k) i(k) = k * k % 47;
    for (std::int64_t k = 0; k < x.size(); ++k) x.data()[k] = static_cast<float>(k % 29) / 16 - 0.75F;
    check_update<&table::add, table>(i, x);
    check_update<&table::count, table>(i);
    check_update<&table::set, table>(i, x);
    check_update<&table::elsewhere, table>(i, x);
    for (const float rate : {0.0F, 0.001F}) check_update<&table::train, table>(i, x, rate);
    if (count <= 1) check_update<&table::train, table>(i, x, std::numeric_limits<float>::infinity());
  }
  kt::tensor<float, 2> lines({2, 16});
  kt::tensor<float, 1> column({50});
  for (std::int64_t k = 0; k < 50; ++k) column(k) = static_cast<float>(k);
  check_update<&table::set_lines, table>(lines);
  check_update<&table::add_to_column, table>(column);
  check_update<&table::set_of_itself, table>(lines);
}

TEST_CASE("scatters: small rows with one index are added up before they meet a large one") {
  constexpr int count = 1000;
  auto f = kt::function([](kt::var<float, 2, 16> x, kt::var<std::int64_t, count> i, kt::var<float, count, 16> y) {
    return kt::inc(x, i, y);
  });
  const kt::tensor<float, 2> x({2, 16}, std::vector<float>(32, 1.0F)),
      y({count, 16}, std::vector<float>(count * 16, 0x1p-25F));
  const auto z = f(x, std::vector<std::int64_t>(count, 1), y);
  CHECK(z(0, 0) == 1.0F);
  CHECK(z(1, 15) == 1.0F + count * 0x1p-25F);
}

TEST_CASE("scatters: sums and multiples") {
  auto f = kt::function([](kt::var<double, rows, 3, 5> x, kt::var<std::int32_t, inner> i,
                           kt::var<double, inner, 3, 5> y, kt::var<double> a) {
    const auto zeros = kt::zeros_like(x);
    return kt::outputs(kt::exp(x) - a * kt::inc(zeros, i, y), -2.0 * kt::inc(zeros, i, kt::sin(y)),
                       kt::inc(zeros, i, y * y) - x, kt::inc(kt::inc(x, i, y), i, 3 * y));
  });
  kt::tensor<double, 3> x({4, 3, 5}), y({3, 3, 5});
  for (std::int64_t k = 0; k < x.size(); ++k) x.data()[k] = static_cast<double>(k % 7) / 8;
  for (std::int64_t k = 0; k < y.size(); ++k) y.data()[k] = static_cast<double>(k % 11) / 8;
  const std::vector<std::int32_t> i{2, 0, 2};
  const auto found = kt::debug::verify(f, x, i, y, 0.5);
  INFO(found.where, ": ", found.found, " instead of ", found.expected);
  CHECK(found.ok);
}

TEST_CASE("products: a new value is not made where a factor of it lies") {
  kt::tensor<float, 2> y({10, 10});
  for (std::int64_t i = 0; i < y.size(); ++i) y.data()[i] = static_cast<float>(i % 7) / 20;
  check_update<&weights::product_alone>(y);
}

TEST_CASE("products: a weight that is no number stays none, also where it decays by all of itself") {
  kt::session<weights> session{kt::context::best(), kt::seed{5}};
  auto shrink = session.compile<&weights::shrink>();
  auto decay = session.compile<&weights::decay>();
  const operands o(3, 12, 10);
  for (const float bad : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()})
    for (const float a : {0.0F, 0.5F, 1.0F})
      for (const float b : {0.0F, 1.0F, 2.0F}) {
        for (const bool decays : {false, true}) {
          std::vector<float> values(12 * 10, 1.0F);
          values[17] = bad;
          session.set<&weights::W>(values);
          const auto found =
              decays ? kt::debug::verify(decay, o.x, o.z, a, b) : kt::debug::verify(shrink, o.x, o.z, a, b);
          INFO(a, " ", b, " ", found.where, ": ", found.found, " instead of ", found.expected);
          CHECK(found.ok);
        }
      }
}

TEST_CASE("products: the reference interpreter knows the sums") {
  const auto check = []<class Written>(Written) {
    using capture = kt::typed::captured<kt::typed::lambda_function<Written>>;
    std::vector<kt::reference::reference_tensor> inputs{
        {{2, 3}, {1, 2, 3, 4, 5, 6}}, {{3, 1}, {1, -1, 2}}, {{2, 1}, {5, 7}}, {{}, {0.5}}, {{}, {3}}};
    const auto written = kt::reference::interpret(capture::value, inputs),
               found = kt::reference::interpret(kt::passes::rewritten<capture>::value, inputs);
    CHECK(found.outputs[0].values == written.outputs[0].values);
  };
  check([](left_matrix x, right_matrix y, sum_matrix z, scalar_of_float a, scalar_of_float b) {
    return b * z - 2 * a * kt::dot(x, y);
  });
  check([](left_matrix x, right_matrix y, sum_matrix z, scalar_of_float a, scalar_of_float b) {
    return z - a * (kt::dot(x, y) + b * z);
  });
}
