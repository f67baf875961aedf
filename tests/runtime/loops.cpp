// Loops: kt::scan, its values against loops written by hand and against the reference, for all kinds of items.
#include <kroton/debug/verify.hpp>
#include <kroton/kroton.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>
#include <tuple>
#include <vector>

namespace kt = kroton;

namespace {

inline constexpr struct n : kt::dim<n> {} n;
inline constexpr struct m : kt::dim<m> {} m;
inline constexpr struct batch : kt::dim<batch> {} batch;

using numbers = std::vector<float>;

numbers ascending(std::size_t count, float first = 1, float step = 1) {
  numbers made(count);
  for (std::size_t i = 0; i < count; ++i) made[i] = first + step * static_cast<float>(i);
  return made;
}
template <class Tensor>
numbers values_of(const Tensor& t) {
  return numbers(t.begin(), t.end());
}
/// An array of rows, of numbers between -1 and 1.
kt::tensor<float, 2> matrix(std::int64_t rows, std::int64_t columns, unsigned seed = 1) {
  kt::tensor<float, 2> made({rows, columns});
  for (float& x : made) x = static_cast<float>((seed = seed * 1664525u + 1013904223u) >> 8) * 0x1p-23f - 1;
  return made;
}

TEST_CASE("loops: a carried number and a sequence of numbers") {
  auto f = kt::function([](kt::var<float, n> x) {
    const auto s = kt::scan([](auto row, auto sum) { return sum * 0.5f + row; }, kt::sequences(x), kt::carried(1.0f));
    return kt::outputs(s.all, s.last);
  });
  for (std::size_t count : {0u, 1u, 2u, 7u, 100u}) {
    const numbers x = ascending(count);
    numbers expected;
    float sum = 1;
    for (float row : x) expected.push_back(sum = sum * 0.5f + row);
    const auto [all, last] = f(x);
    CAPTURE(count);
    CHECK(values_of(all) == expected);
    CHECK(static_cast<float>(last) == sum);
    CHECK(kt::debug::verify(f, x));
  }
}

TEST_CASE("loops: several sequences, of which the shortest wins, and further values of the body") {
  auto f = kt::function([](kt::var<float, n> x, kt::var<float, m> y) {
    const auto [s, p] = kt::scan(
        [](auto a, auto b, auto sum) {
          return std::tuple{sum + a * b, a - b};
        },
        kt::sequences(x, y), kt::carried(0.0f));
    return kt::outputs(s.all, p.all, s.last);
  });
  for (std::size_t xs : {0u, 3u, 5u})
    for (std::size_t ys : {0u, 2u, 3u, 9u}) {
      const numbers x = ascending(xs), y = ascending(ys, 2);
      numbers sums, differences;
      float sum = 0;
      for (std::size_t i = 0; i < std::min(xs, ys); ++i)
        sums.push_back(sum += x[i] * y[i]), differences.push_back(x[i] - y[i]);
      const auto [all, other, last] = f(x, y);
      CHECK(values_of(all) == sums);
      CHECK(values_of(other) == differences);
      CHECK(static_cast<float>(last) == sum);
      CHECK(kt::debug::verify(f, x, y));
    }
}

TEST_CASE("loops: the types of results") {
  auto f = [](kt::var<float, 5, batch, 3> x, kt::var<float, batch, 3> h, kt::var<double, n> z) {
    const auto s =
        kt::scan([](auto row, auto state) { return kt::tanh(row + state); }, kt::sequences(x), kt::carried(h));
    static_assert(std::is_same_v<decltype(s.all), kt::var<float, 5, batch, 3>>);
    static_assert(std::is_same_v<decltype(s.last), kt::var<float, batch, 3>>);
    const auto t = kt::scan([](auto row) { return row * row; }, kt::sequences(z));
    static_assert(std::is_same_v<decltype(t.all), kt::var<double, n>>);
    const auto u = kt::scan([](auto a, auto b) { return a + b; }, kt::sequences(kt::taps<0, 1>(z)));
    static_assert(std::is_same_v<decltype(u.all), kt::var<double, kt::any>>);
    const auto v =
        kt::scan([](auto a, auto b, auto c) { return kt::sum(a + b + c); }, kt::sequences(kt::taps<-1, 0, 2>(x)));
    static_assert(std::is_same_v<decltype(v.all), kt::var<float, 2>>);
    return kt::outputs(s.all, s.last, t.all, u.all, v.all);
  };
  auto g = kt::function(f);
  kt::tensor<float, 3> x({5, 2, 3});
  std::iota(x.begin(), x.end(), 0.0f);
  const auto made = g(x, matrix(2, 3), std::vector<double>{1, 2, 3});
  CHECK(std::get<3>(made).extent(0) == 2);
  CHECK(kt::debug::verify(g, x, matrix(2, 3), std::vector<double>{1, 2, 3}));
}

TEST_CASE("loops: taps of sequences and of carried variables") {
  auto f = kt::function([](kt::var<float, n> x, kt::var<float, 3> begin) {
    const auto s = kt::scan([](auto a, auto b, auto old, auto newest) { return a - b + 2.0f * old - newest; },
                            kt::sequences(kt::taps<-1, 1>(x)), kt::carried(kt::taps<-3, -1>(begin)));
    return kt::outputs(s.all, s.last);
  });
  for (std::size_t count : {2u, 3u, 4u, 5u, 20u}) {
    const numbers x = ascending(count), begin = {0.5f, -1, 2};
    numbers all = begin;
    for (std::size_t t = 0; t + 2 < count; ++t)
      all.push_back(x[t] - x[t + 2] + 2 * all[all.size() - 3] - all[all.size() - 1]);
    const auto [found, last] = f(x, begin);
    CHECK(values_of(found) == numbers(all.begin() + 3, all.end()));
    CHECK(static_cast<float>(last) == all.back());
    CHECK(kt::debug::verify(f, x, begin));
  }
  CHECK_THROWS_AS(f(numbers{1}, numbers{1, 2, 3}), kt::shape_error);
}

TEST_CASE("loops: the number of iterations is given, and a loop goes backwards") {
  auto power = kt::function([](kt::var<double> x, kt::var<int> count) {
    return kt::scan([&](auto p) { return p * x; }, kt::carried(1.0), kt::steps(count)).last;
  });
  CHECK(power(3.0, 0) == 1);
  CHECK(power(3.0, 1) == 3);
  CHECK(power(3.0, 5) == 243);
  CHECK_THROWS_AS(power(3.0, -1), kt::shape_error);
  auto fixed = kt::function([](kt::var<double, n> x) {
    return kt::scan([](auto row, auto p) { return p * row; }, kt::sequences(x), kt::carried(1.0), kt::steps<3>()).all;
  });
  CHECK(std::ranges::equal(fixed(std::vector<double>{2, 3, 4, 5}), std::vector<double>{2, 6, 24}));
  CHECK_THROWS_AS(fixed(std::vector<double>{2, 3}), kt::shape_error);
  auto back = kt::function([](kt::var<double, n> x) {
    return kt::scan([](auto row, auto p) { return p * 0.5 + row; }, kt::sequences(x), kt::carried(0.0),
                    kt::scan_options{.go_backwards = true})
        .all;
  });
  CHECK(std::ranges::equal(back(std::vector<double>{1, 2, 4}), std::vector<double>{4, 4, 3}));
  CHECK(back(std::vector<double>{}).size() == 0);
  CHECK(kt::debug::verify(back, std::vector<double>{1, 2, 4, -1}));
}

TEST_CASE("loops: map, reduce and folds") {
  auto f = kt::function([](kt::var<float, n, 2> x, kt::var<float, n> y) {
    const auto rows = kt::map([](auto row, auto by) { return kt::exp(row) * by; }, kt::sequences(x, y));
    const auto [sums, halves] = kt::map(
        [](auto row) {
          return std::tuple{kt::sum(row), row * 0.5f};
        },
        kt::sequences(x));
    const auto body = [](auto row, auto before) { return before * 0.5f + row; };
    const auto [total, count] = kt::reduce(
        [](auto row, auto sum, auto seen) {
          return std::tuple{sum + row, seen + 1, row};
        },
        kt::sequences(y), kt::carried(0.0f, 0));
    return kt::outputs(rows, sums, halves, kt::foldl(body, kt::sequences(y), kt::carried(1.0f)),
                       kt::foldr(body, kt::sequences(y), kt::carried(1.0f)), total, count,
                       kt::reduce(body, kt::sequences(y), kt::carried(1.0f), kt::steps<2>()));
  });
  for (std::int64_t count : {2, 3, 8}) {
    const numbers y = ascending(static_cast<std::size_t>(count));
    CHECK(kt::debug::verify(f, matrix(count, 2), y));
    const auto [rows, sums, halves, left, right, total, seen, two] = f(matrix(count, 2), y);
    float from_left = 1, from_right = 1;
    for (float each : y) from_left = from_left * 0.5f + each;
    for (std::size_t i = y.size(); i-- > 0;) from_right = from_right * 0.5f + y[i];
    CHECK(static_cast<float>(left) == from_left);
    CHECK(static_cast<float>(right) == from_right);
    CHECK(static_cast<int>(seen) == count);
    CHECK(static_cast<float>(total) == std::accumulate(y.begin(), y.end(), 0.0f));
    CHECK(static_cast<float>(two) == 0.25f + 0.5f * y[0] + y[1]);
  }
}

TEST_CASE("loops: gradients that go back through some iterations alone") {
  auto f = kt::function([](kt::var<double, n> x, kt::var<double> a, kt::var<double> begin) {
    const auto cost_of = [&](int back) {
      return kt::scan([&](auto row, auto h) { return kt::tanh(a * h + row); }, kt::sequences(x), kt::carried(begin),
                      kt::scan_options{.truncate_gradient = back})
          .last;
    };
    const auto cost = cost_of(3), all = cost_of(0);
    return kt::outputs(kt::grad(cost, x), kt::grad(cost, a), kt::grad(cost, begin), kt::grad(all, x), kt::grad(all, a),
                       kt::grad(all, begin));
  });
  for (std::size_t count : {0u, 1u, 3u, 4u, 7u}) {
    std::vector<double> x(count), h{0.3};
    for (std::size_t t = 0; t < count; ++t) x[t] = 0.1 * static_cast<double>(t) - 0.2;
    for (double row : x) h.push_back(std::tanh(0.7 * h.back() + row));
    std::vector<double> by_x(count, 0.0);
    double arriving = 1, by_a = 0;
    for (std::size_t t = count; t > 0 && t + 3 > count; --t) {
      const double slope = arriving * (1 - h[t] * h[t]);
      by_x[t - 1] = slope;
      by_a += slope * h[t - 1];
      arriving = slope * 0.7;
    }
    const auto [dx, da, dbegin, all_dx, all_da, all_dbegin] = f(x, 0.7, 0.3);
    CAPTURE(count);
    for (std::size_t t = 0; t < count; ++t) CHECK(dx.data()[t] == doctest::Approx(by_x[t]));
    CHECK(static_cast<double>(da) == doctest::Approx(by_a));
    CHECK(static_cast<double>(dbegin) == doctest::Approx(count <= 3 ? arriving : 0.0));
    if (count <= 3) CHECK(static_cast<double>(all_da) == doctest::Approx(by_a));
    CHECK(kt::debug::verify(f, x, 0.7, 0.3));
  }
}

TEST_CASE("loops: a recurrent network of matrices, with what the body captures") {
  auto f = kt::function([](kt::var<float, n, batch, 4> x, kt::var<float, 4, 5> W, kt::var<float, 5, 5> U,
                           kt::var<float, 5> b, kt::var<float, batch, 5> h0) {
    const auto h = kt::scan([&](auto row, auto state) { return kt::tanh(kt::dot(row, W) + kt::dot(state, U) + b); },
                            kt::sequences(x), kt::carried(h0));
    return kt::outputs(h.all, h.last, kt::sum(h.all * h.all));
  });
  for (std::int64_t count : {0, 1, 2, 9})
    for (std::int64_t rows : {0, 1, 3}) {
      kt::tensor<float, 3> x({count, rows, 4});
      const auto filled = matrix(count, rows * 4, 7);
      std::copy(filled.begin(), filled.end(), x.begin());
      const auto W = matrix(4, 5, 2), U = matrix(5, 5, 3), h0 = matrix(rows, 5, 4);
      const numbers b = ascending(5, -0.2f, 0.1f);
      CHECK(kt::debug::verify(f, x, W, U, b, h0));
      std::vector<double> h(h0.begin(), h0.end());
      for (std::int64_t t = 0; t < count; ++t) {
        std::vector<double> next(h.size());
        for (std::int64_t r = 0; r < rows; ++r)
          for (std::int64_t j = 0; j < 5; ++j) {
            double sum = static_cast<double>(b[static_cast<std::size_t>(j)]);
            for (std::int64_t k = 0; k < 4; ++k)
              sum += static_cast<double>(x.data()[(t * rows + r) * 4 + k]) * static_cast<double>(W.data()[k * 5 + j]);
            for (std::int64_t k = 0; k < 5; ++k)
              sum += h[static_cast<std::size_t>(r * 5 + k)] * static_cast<double>(U.data()[k * 5 + j]);
            next[static_cast<std::size_t>(r * 5 + j)] = std::tanh(sum);
          }
        h = next;
      }
      const auto [all, last, norm] = f(x, W, U, b, h0);
      for (std::size_t i = 0; i < h.size(); ++i)
        CHECK(static_cast<double>(last.data()[i]) == doctest::Approx(h[i]).epsilon(1e-5));
    }
}

TEST_CASE("loops: carried variables that change places, stay, and depend on nothing") {
  auto f = kt::function([](kt::var<float, n> x, kt::var<float, 2> begin, kt::var<float, 2> other) {
    const auto [a, b, c, d] = kt::scan(
        [&](auto row, auto p, auto q, auto stays, auto forgets) {
          static_cast<void>(forgets);
          return std::tuple{q, p + row, stays, other * 2.0f};
        },
        kt::sequences(x), kt::carried(begin, begin * 3.0f, other, begin));
    return kt::outputs(a.all, b.last, c.all, c.last, d.last, d.all, a.last);
  });
  for (std::size_t count : {0u, 1u, 2u, 5u})
    CHECK(kt::debug::verify(f, ascending(count), numbers{1, 2}, numbers{-1, 4}));
  const auto made = f(numbers{1, 2}, numbers{1, 2}, numbers{5, 6});
  CHECK(values_of(std::get<0>(made)) == numbers{3, 6, 2, 3});
  CHECK(values_of(std::get<4>(made)) == numbers{10, 12});
}

TEST_CASE("loops: one in the body of another") {
  auto f = kt::function([](kt::var<float, n, m> x, kt::var<float> scale) {
    const auto rows = kt::scan(
        [&](auto row, auto total) {
          const auto inner =
              kt::scan([&](auto each, auto sum) { return sum * scale + each; }, kt::sequences(row), kt::carried(total));
          return std::tuple{inner.last, inner.all};
        },
        kt::sequences(x), kt::carried(0.0f));
    return kt::outputs(std::get<0>(rows).all, std::get<1>(rows).all, std::get<0>(rows).last);
  });
  for (std::int64_t rows : {0, 1, 3})
    for (std::int64_t columns : {0, 1, 4}) CHECK(kt::debug::verify(f, matrix(rows, columns), 0.5f));
  const auto [totals, all, last] = f(matrix(3, 4), 0.5f);
  float sum = 0;
  const auto x = matrix(3, 4);
  for (int i = 0; i < 12; ++i) {
    sum = sum * 0.5f + x.data()[i];
    CHECK(all.data()[i] == sum);
  }
  CHECK(static_cast<float>(last) == sum);
}

TEST_CASE("loops: rows of an inner loop that only the last iteration of the outer one keeps") {
  auto f = kt::function([](kt::var<float, n, 4> x, kt::var<float, 4> begin) {
    return kt::scan(
               [](auto row, auto h) {
                 return kt::scan([](auto each, auto before) { return each + before * 0.5f; }, kt::sequences(row),
                                 kt::carried(kt::sum(h)))
                     .all;
               },
               kt::sequences(x), kt::carried(begin))
        .last;
  });
  for (std::int64_t rows : {0, 1, 3}) CHECK(kt::debug::verify(f, matrix(rows, 4), std::vector<float>{1, 2, 3, 4}));
}

TEST_CASE("loops: an inner loop over rows of what the outer one carries, from its first value on") {
  auto f = kt::function([](kt::var<float, n, m> x, kt::var<float, m> begin) {
    const auto all = kt::scan(
                         [](auto row, auto h) {
                           return kt::scan([](auto each, auto old, auto sum) { return sum * 0.5f + each * old; },
                                           kt::sequences(row, h), kt::carried(1.0f))
                               .all;
                         },
                         kt::sequences(x), kt::carried(begin))
                         .all;
    return kt::outputs(all, kt::grad(kt::sum(kt::sqr(all[-1])), x), kt::grad(kt::sum(kt::sqr(all)), begin));
  });
  for (const std::int64_t rows : {1, 2, 5})
    for (const std::int64_t columns : {1, 3}) {
      const kt::tensor<float, 2> x = matrix(rows, columns);
      const numbers begin = ascending(static_cast<std::size_t>(columns));
      CHECK(kt::debug::verify(f, x, begin));
      numbers h = begin;
      const kt::tensor<float, 2> all = std::get<0>(f(x, begin));
      for (std::int64_t t = 0; t < rows; ++t) {
        float sum = 1;
        for (std::int64_t i = 0; i < columns; ++i) {
          float& old = h[static_cast<std::size_t>(i)];
          old = sum = sum * 0.5f + x(t, i) * old;
          CHECK(all(t, i) == doctest::Approx(sum).epsilon(1e-5));
        }
      }
    }
}

TEST_CASE("loops: lookups in a body, whose indices are checked before anything runs") {
  auto f = kt::function([](kt::var<float, 5, 3> table, kt::var<int, n, 2> index) {
    return kt::scan([&](auto i, auto h) { return h + kt::take(table, i); }, kt::sequences(index),
                    kt::carried(kt::zeros<float, 2, 3>()))
        .all;
  });
  kt::tensor<int, 2> index({3, 2});
  const int chosen[] = {0, 4, 2, 2, 1, 3};
  std::copy(std::begin(chosen), std::end(chosen), index.begin());
  CHECK(kt::debug::verify(f, matrix(5, 3), index));
  index.data()[5] = 5;
  CHECK_THROWS_AS(f(matrix(5, 3), index), kt::index_error);
  auto computed = kt::function([](kt::var<float, 5> table, kt::var<int, n> step) {
    const auto s = kt::scan(
        [&](auto by, auto at, auto sum) {
          return std::tuple{at + by, sum + kt::take(table, at)};
        },
        kt::sequences(step), kt::carried(0, 0.0f));
    return std::get<1>(s).last;
  });
  const numbers table = {1, 10, 100, 1000, 10000};
  CHECK(static_cast<float>(computed(table, std::vector<int>{1, 2, 1})) == 1011);
  CHECK_THROWS_AS(computed(table, std::vector<int>{1, 7, 1}), kt::index_error);
}

struct counting : kt::model {
  kt::shared<float, 3> w{this, "w", kt::init::ones};
  constexpr auto step(kt::var<float, n, 3> x) const {
    const auto s = kt::scan([&](auto row, auto h) { return h * 0.5f + row; }, kt::sequences(x), kt::carried(w));
    return kt::outputs(s.all).updates(kt::update(w, s.last));
  }
};
TEST_CASE("loops: shared variables begin them and get their last values") {
  kt::session<counting> session;
  auto f = session.compile<&counting::step>();
  f(matrix(2, 3));
  float expected[] = {1, 1, 1};
  for (int t = 0; t < 2; ++t)
    for (int i = 0; i < 3; ++i) expected[i] = expected[i] * 0.5f + matrix(2, 3).data()[t * 3 + i];
  CHECK(std::ranges::equal(session.get<&counting::w>(), expected));
}

TEST_CASE("loops: what does not depend on the iterations is computed once") {
  auto f = kt::function([](kt::var<float, n, 4> x, kt::var<float, 4, 4> W) {
    return kt::scan([&](auto row, auto h) { return kt::dot(h, kt::tanh(W)) + row * kt::exp(kt::sum(W)); },
                    kt::sequences(x), kt::carried(kt::zeros<float, 4>()))
        .last;
  });
  CHECK(kt::debug::verify(f, matrix(6, 4), matrix(4, 4, 9)));
  CHECK(kt::stats(f).launches == 6);  // zeros, tanh, exp of the sum; product and sum in the body; the last value
}

}  // namespace
