// Sorting along an axis and what goes with it: values by hand, against the reference, and gradients by differences.
#include <kroton/debug/verify.hpp>
#include <kroton/kroton.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

namespace kt = kroton;

namespace {

inline constexpr struct n : kt::dim<n> {} n;
inline constexpr struct m : kt::dim<m> {} m;

using numbers = std::vector<double>;
using counts = std::vector<std::int64_t>;

template <class Tensor>
auto values_of(const Tensor& t) {
  return std::vector<std::remove_cvref_t<decltype(*t.begin())>>(t.begin(), t.end());
}
/// Different numbers in no order.
kt::tensor<double, 2> mixed(std::int64_t rows, std::int64_t columns) {
  kt::tensor<double, 2> made({rows, columns});
  std::int64_t i = 0;
  for (double& x : made) x = static_cast<double>(++i * 37 % 101) / 10;
  return made;
}

TEST_CASE("sorting: values") {
  auto f = kt::function([](kt::var<double, n> x, kt::var<std::int32_t, n> label) {
    const auto [most, at] = kt::topk<2>(x);
    return kt::outputs(kt::sort(x), kt::sort(x, kt::descending), most, at, kt::take_along(x, kt::argsort(label)),
                       kt::bincount<4>(label), kt::bincount<4>(label, x));
  });
  const double nan = std::nan("");
  const auto [up, down, most, at, by_label, count, weight] =
      f(numbers{3, nan, -1, 7, 7}, std::vector<std::int32_t>{2, 3, 0, 0, 3});
  const auto same = [](const auto& found, const numbers& expected) {
    const numbers have = values_of(found);
    REQUIRE(have.size() == expected.size());
    for (std::size_t i = 0; i < have.size(); ++i)
      CHECK((have[i] == expected[i] || (std::isnan(have[i]) && std::isnan(expected[i]))));
  };
  same(up, {-1, 3, 7, 7, nan});
  same(down, {7, 7, 3, -1, nan});
  same(most, {7, 7});
  CHECK(values_of(at) == counts{3, 4});
  same(by_label, {-1, 7, 3, nan, 7});
  CHECK(values_of(count) == counts{2, 0, 1, 2});
  same(weight, {6, 0, 3, nan});
  CHECK_THROWS_AS(f(numbers{3}, std::vector<std::int32_t>{2}), kt::shape_error);
  CHECK_THROWS_AS(f(numbers{3, 1}, std::vector<std::int32_t>{2, 4}), kt::index_error);
}

TEST_CASE("sorting: any extents, and gradients") {
  auto f = kt::function([](kt::var<double, n, m> x) {
    const auto [most, at] = kt::topk<2>(x, kt::axis<0>);
    const auto cost = kt::sum(kt::sort(x, kt::axis<1>) * kt::sin(x)) + kt::sum(kt::sqr(most)) +
                      kt::sum(kt::sort(x, kt::axis<0>, kt::descending) * x);
    return kt::outputs(kt::argsort(x, kt::axis<0>), kt::sort(x, kt::axis<-1>), most, at, kt::grad(cost, x));
  });
  for (std::int64_t rows : {2, 3, 5})
    for (std::int64_t columns : {0, 1, 4}) CHECK(kt::debug::verify(f, mixed(rows, columns)));
}

TEST_CASE("sorting: positions along an axis") {
  auto f = kt::function([](kt::var<double, n, 3> x, kt::var<std::int32_t, n, m> index) {
    const auto y = kt::take_along(x, index, kt::axis<1>);
    static_assert(decltype(y)::rank == 2);
    return kt::outputs(y, kt::grad(kt::sum(y * kt::exp(y)), x));
  });
  kt::tensor<std::int32_t, 2> index({2, 4});
  const std::int32_t chosen[] = {2, 2, 0, 1, 0, 0, 0, 2};
  std::copy(std::begin(chosen), std::end(chosen), index.begin());
  CHECK(kt::debug::verify(f, mixed(2, 3), index));
  const auto x = mixed(2, 3);
  CHECK(values_of(std::get<0>(f(x, index))) ==
        numbers{x(0, 2), x(0, 2), x(0, 0), x(0, 1), x(1, 0), x(1, 0), x(1, 0), x(1, 2)});
  index(1, 3) = 3;
  CHECK_THROWS_AS(f(x, index), kt::index_error);
  index(1, 3) = -1;
  CHECK_THROWS_AS(f(x, index), kt::index_error);
  CHECK_THROWS_AS(f(mixed(3, 3), index), kt::shape_error);
  CHECK(kt::debug::verify(f, mixed(0, 3), kt::tensor<std::int32_t, 2>({0, 2})));
}

}  // namespace
