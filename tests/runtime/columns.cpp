// Reductions over the first axes, at sizes at which the host takes another way.
#include <kroton/debug/verify.hpp>
#include <kroton/kroton.hpp>

#include <doctest/doctest.h>

#include "../sanitized.hpp"

namespace kt = kroton;

namespace {

constexpr struct rows : kt::dim<rows> {} rows;

kt::tensor<float, 2> numbers(std::int64_t count, std::int64_t columns) {
  kt::tensor<float, 2> x({count, columns});
  for (std::int64_t i = 0; i < x.size(); ++i) x.data()[i] = static_cast<float>((i * 7919) % 1009) / 1009 - 0.5F;
  if (count > 0) x.data()[x.size() - 1] = 0.75F;
  return x;
}

template <std::int64_t Columns>
void check(std::int64_t count) {
  const auto columns = [](kt::var<float, rows, Columns> x) {
    const auto centred = x - 0.25F;
    return kt::outputs(kt::sum(x, kt::axis<0>), kt::mean(kt::sqr(centred), kt::axis<0>) + 1, kt::max(x, kt::axis<0>),
                       kt::argmin(x, kt::axis<0>), kt::any(x > 0.49F, kt::axis<0>));
  };
  const auto x = numbers(count, Columns);
  CAPTURE(Columns);
  CAPTURE(count);
  auto one = kt::function(columns, kt::context::host(1));
  auto two = kt::function(columns, kt::context::host(2));
  if (count > 0) {
    const auto found = kt::debug::verify(one, kt::debug::tolerance{1e-4}, x);  // sums of 2,000 numbers that cancel
    INFO(found.where << ": " << found.found << " instead of " << found.expected);
    CHECK(found.ok);
    const auto a = one(x), b = two(x);
    CHECK(std::equal(std::get<0>(a).begin(), std::get<0>(a).end(), std::get<0>(b).begin()));
    CHECK(std::equal(std::get<3>(a).begin(), std::get<3>(a).end(), std::get<3>(b).begin()));
  } else {
    CHECK_THROWS_AS(one(x), kt::shape_error);  // argmin of nothing
  }
}

}  // namespace

TEST_CASE("columns: few rows, many rows, chunks of rows; whole packs and parts of packs") {
  for (std::int64_t count : {0, 1, 7, 8, 129, 2047, 2048, 2055}) {
    check<1>(count);
    check<5>(count);
    check<33>(count);
  }
  check<1100>(9);
  check<1100>(test::drawn(2050));
}
