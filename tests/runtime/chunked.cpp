// Functions divided along a dimension: the same results as whole, and what cannot be divided.
#include "chunked.hpp"

using namespace test;

namespace {

/// The name of the operation that keeps a function from being divided.
template <class Lambda>
constexpr std::string_view in_the_way(Lambda) {
  constexpr kt::passes::chunk_problem problem =
      kt::passes::chunk_facts<kt::typed::captured<kt::typed::lambda_function<Lambda>>,
                              kt::typed::code_of<std::remove_const_t<decltype(batch)>>>::known.problem;
  return problem.is_axis() ? "axis" : problem.operation == nullptr ? "" : problem.operation;
}

TEST_CASE("chunked: what stands in the way is named") {
  using matrix = kt::var<float, batch, 4>;
  CHECK(in_the_way([](matrix x) { return x - 1; }) == "");
  CHECK(in_the_way([](matrix x) { return x - kt::mean(x, kt::axis<0>); }) == "sum");
  CHECK(in_the_way([](matrix x) { return x / kt::max(x); }) == "max");
  CHECK(in_the_way([](matrix x) { return kt::dot(x, kt::transpose(x)); }) == "dot");
  CHECK(in_the_way([](matrix x) { return kt::argmax(x, kt::axis<0>); }) == "argmax");
  CHECK(in_the_way([](matrix x) { return kt::sum(x[kt::rows(1, kt::end)]); }) == "slice");
  CHECK(in_the_way([](matrix x) { return kt::concatenate(kt::axis<0>, x, x); }) == "concatenate");
  CHECK(in_the_way([](matrix x, kt::var<int, 3> i) { return kt::take(x, i); }) == "take");
  CHECK(in_the_way([](kt::var<float, batch> x, kt::var<float, kt::any> y) { return x + y; }) == "add");
  CHECK(in_the_way([](kt::var<float, kt::any, 4> x) { return kt::assume_shape<batch, 4>(x) + 1; }) != "");
  CHECK(in_the_way([](kt::var<float, 4, batch> x) { return kt::sum(x); }) == "axis");
  CHECK(in_the_way([](matrix x) { return kt::transpose(x); }) == "axis");
  CHECK(in_the_way([](matrix x) {
          return kt::scan([](auto row, auto sum) { return sum + row; }, kt::sequences(x), kt::carried(x[0])).all;
        }) != "");  // which goes along the dimension
  CHECK(in_the_way([](matrix x) {
          return kt::scan([&](auto h) { return kt::tanh(h - kt::max(x)); }, kt::carried(x), kt::steps<3>()).last;
        }) == "max");
  CHECK(in_the_way([](matrix x) {
          return kt::scan([&](auto sum) { return sum + kt::sum(x * sum); }, kt::carried(1.0f), kt::steps<3>()).last;
        }) == "sum");
  CHECK(in_the_way([](matrix x) {
          const auto [h, s] = kt::scan(
              [&](auto v) {
                return std::tuple{kt::tanh(v), kt::sum(v)};
              },
              kt::carried(x), kt::steps<3>());
          return s.all;
        }) == "sum");
  CHECK(in_the_way([](matrix x) {
          const auto [h, s] = kt::scan(
              [&](auto v) {
                return std::tuple{kt::tanh(v), kt::exp(kt::sum(v))};
              },
              kt::carried(x), kt::steps<3>());
          return kt::sum(s.all);
        }) == "sum");
  CHECK(in_the_way([](matrix x) {
          const auto [h, s] = kt::scan(
              [&](auto v) {
                return std::tuple{kt::tanh(v), kt::max(v)};
              },
              kt::carried(x), kt::steps<3>());
          return kt::sum(s.all);
        }) == "max");
}

TEST_CASE("chunked: rows, and every reduction over them") {
  auto f = kt::function([](kt::var<double, batch, 6> x, kt::var<int, batch> i, kt::var<double, 6, 5> w) {
    auto y = kt::dot(kt::nn::softmax(x), w) + kt::reshape<batch, 1>(kt::pick(x, i));
    auto shifted = kt::concatenate(kt::axis<1>, kt::take(w, i), y[kt::cols(1, 3)]);
    return kt::outputs(y, shifted, kt::sum(y, kt::axis<0>), kt::mean(y), kt::prod(x * 0.9, kt::axis<0>),
                       kt::max(x, kt::axis<0>), kt::min(x), kt::any(x > 0.97), kt::all(x > -2),
                       kt::dot(kt::transpose(x), y), kt::reshape<batch, 2, 3>(x), kt::variance(w), kt::sum(i),
                       kt::exp(kt::max(x)) + kt::sum(x) * kt::sum(w), kt::grad(kt::mean(kt::sqr(y)), w));
  });
  for (std::int64_t n : {1, 2, 7, 8, 9, 100}) {
    const std::vector<double> x = ramp<double>(static_cast<std::size_t>(n) * 6), w = ramp<double>(30);
    std::vector<int> i(static_cast<std::size_t>(n));
    for (std::size_t k = 0; k < i.size(); ++k) i[k] = static_cast<int>(k * 7 % 6);
    for (std::int64_t size : {1, 3, 8, 1000}) {
      INFO(n, " in pieces of ", size);
      auto pieces = kt::chunked<batch>(f, size);
      compare(f, pieces, 1e-12, kt::view(x.data(), {n, 6}), i, kt::view(w.data(), {6, 5}));
      CHECK(pieces.piece() == std::min(n, size));
    }
  }
}

TEST_CASE("chunked: no elements, NaN, integers, another dimension") {
  auto sums = kt::function([](kt::var<std::int64_t, batch, width> x, kt::var<float, batch> y) {
    return kt::outputs(kt::sum(x), kt::max(x, kt::axis<0>), kt::min(x, kt::axis<0>), kt::max(y), kt::sum(y),
                       kt::sum(x, kt::axis<1>), kt::sum(x * 2, kt::axis<0>));
  });
  auto by_rows = kt::chunked<batch>(sums, 2);
  const std::vector<std::int64_t> x{1, -2, std::int64_t{1} << 62, 4, -5, (std::int64_t{1} << 53) + 1};
  compare(sums, by_rows, 0, kt::view(x.data(), {3, 2}), std::vector<float>{1, NAN, 2});
  compare(sums, by_rows, 0, kt::view(x.data(), {2, 3}), std::vector<float>{-INFINITY, -0.0F});
  compare(sums, by_rows, 0, kt::view(x.data(), {0, 4}), std::vector<float>{});
  compare(sums, by_rows, 0, kt::view(x.data(), {6, 0}), std::vector<float>{1, 2, 3, 4, 5, 6});
  auto rows = kt::function([](kt::var<float, width, 3> v, kt::var<float, batch> b) {
    return kt::outputs(kt::sum(v, kt::axis<0>), kt::exp(v), b * 2);
  });
  auto by_width = kt::chunked<width>(rows, 4);
  const std::vector<float> v = ramp<float>(30);
  compare(rows, by_width, 1e-6, kt::view(v.data(), {10, 3}), std::vector<float>{1, 2});
  CHECK_THROWS_WITH_AS(by_rows(kt::view(x.data(), {3, 2}), std::vector<float>{1}),
                       "kroton: dimension batch is 3 in argument 1 but 1 in argument 2", kt::shape_error);
  auto mean = kt::function([](kt::var<float, batch> y) { return kt::mean(y); });
  auto mean_by_rows = kt::chunked<batch>(mean, 2);
  CHECK_THROWS_WITH_AS(mean_by_rows(std::vector<float>{}),
                       "kroton: mean: needs at least one element; pass tensors with elements", kt::shape_error);
}

TEST_CASE("chunked: loops whose bodies compute each row of a batch alone") {
  auto network = kt::function([](kt::var<float, batch, width, 2> x, kt::var<float, 2, 3> W, kt::var<float, 3, 3> U) {
    const auto h = kt::scan([&](auto row, auto before) { return kt::tanh(kt::dot(row, W) + kt::dot(before, U)); },
                            kt::sequences(kt::permute<1, 0, 2>(x)), kt::carried(kt::dot(kt::sum(x, kt::axis<1>), W)));
    const auto costs = kt::sum(kt::sqr(h.last), kt::axis<1>);
    const auto cost = kt::mean(costs);
    return kt::outputs(h.last, kt::sum(kt::sqr(h.all)), kt::mean(h.last, kt::axis<0>), costs,
                       kt::grad(kt::sum(costs), x), kt::grad(cost, W), kt::sqr(kt::grad(cost, U)));
  });
  const std::vector<float> x = ramp<float>(7 * 5 * 2), W = ramp<float>(6), U = ramp<float>(9);
  for (const int size : {1, 3, 7}) {
    auto pieces = kt::chunked<batch>(network, size);
    compare(network, pieces, 1e-5, kt::view(x.data(), {7, 5, 2}), kt::view(W.data(), {2, 3}),
            kt::view(U.data(), {3, 3}));
    compare(network, pieces, 1e-5, kt::view(x.data(), {1, 0, 2}), kt::view(W.data(), {2, 3}),
            kt::view(U.data(), {3, 3}));
  }
}

TEST_CASE("chunked: pieces have an extent, and wrong indices say in which they are") {
  auto f = kt::function([](kt::var<float, 10> x, kt::var<int, batch> i) { return kt::sum(kt::take(x, i)); });
  CHECK_THROWS_WITH_AS(kt::chunked<batch>(f, 0), "kroton: chunked: pieces of 0; a piece has an extent of at least 1",
                       kt::shape_error);
  CHECK_THROWS_AS(kt::chunked<batch>(f, -3), kt::shape_error);
  std::vector<int> i(10, 1);
  auto all = kt::chunked<batch>(f, std::numeric_limits<std::size_t>::max());
  compare(f, all, 0, ramp<float>(10), i);
  CHECK(all.piece() == 10);
  auto pieces = kt::chunked<batch>(f, 4);
  i[9] = 77;
  CHECK_THROWS_WITH_AS(pieces(ramp<float>(10), i),
                       "kroton: index 77 at position 1 of argument 2 is outside [0, 10), in the piece that begins at 8",
                       kt::index_error);
}

}  // namespace
