// Views as arguments: elements that are not contiguous are copied, which their context counts meanwhile.
#include <kroton/kroton.hpp>
#include <kroton/callable.hpp>
#include <kroton/debug/verify.hpp>

#include <doctest/doctest.h>

#include <limits>

namespace kt = kroton;

namespace {
constexpr struct batch : kt::dim<batch> {} batch;
}  // namespace

TEST_CASE("function: views with strides") {
  constexpr auto copy = [](kt::var<float, batch, kt::any> x) { return x * 1; };
  auto copied = kt::function(copy);
  std::vector<float> m(20);  // of 4 rows and 5 columns
  for (std::size_t i = 0; i < m.size(); ++i) m[i] = static_cast<float>(i);
  const auto elements = [&](const kt::view<const float, 2>& x) {
    const auto y = copied(x);
    CHECK(y.extents() == x.extents());
    CHECK(kt::debug::verify(copied, x).ok);
    return std::vector<float>(y.begin(), y.end());
  };
  CHECK(elements(kt::view(&m[1], {4, 2}, {5, 1})) == std::vector<float>{1, 2, 6, 7, 11, 12, 16, 17});  // columns
  CHECK(elements(kt::view(m.data(), {2, 3}, {1, 5})) == std::vector<float>{0, 5, 10, 1, 6, 11});       // transposed
  CHECK(elements(kt::view(&m[7], {2, 3}, {0, 1})) == std::vector<float>{7, 8, 9, 7, 8, 9});  // a row, repeated
  CHECK(elements(kt::view(&m[7], {2, 2}, {0, 0})) == std::vector<float>{7, 7, 7, 7});
  CHECK(elements(kt::view(&m[19], {2, 2}, {-5, -2})) == std::vector<float>{19, 17, 14, 12});  // backwards
  CHECK(elements(kt::view(m.data(), {0, 2}, {7, 7})).empty());
  CHECK(elements(kt::view(m.data(), {1, 3}, {99, 1})) == std::vector<float>{0, 1, 2});
  // contiguous elements are read where they are, also with strides
  CHECK(kt::view(m.data(), {4, 5}, {5, 1}).is_contiguous());
  CHECK(kt::view(m.data(), {1, 5}, {99, 1}).is_contiguous());
  CHECK(!kt::view(m.data(), {4, 4}, {5, 1}).is_contiguous());
  CHECK(kt::view(m.data(), {4, 5}).strides() == std::array<std::int64_t, 2>{5, 1});

  auto widths =
      kt::function([](kt::var<std::uint8_t, batch> a, kt::var<kt::half, batch> b, kt::var<double, batch, 1, 2> c) {
        return kt::outputs(a + 0, b * 1, kt::sum(c, kt::axis<0, 1>));
      });
  const std::uint8_t bytes[] = {1, 2, 3, 4};
  const kt::half halves[] = {kt::half(1.0F), kt::half(2.0F), kt::half(3.0F), kt::half(4.0F)};
  const double doubles[] = {1, 2, 3, 4};
  const auto [a, b, c] =
      widths(kt::view(bytes, {2}, {3}), kt::view(halves, {2}, {2}), kt::view(doubles, {2, 1, 2}, {1, 0, 2}));
  CHECK((a(1) == 4 && static_cast<float>(b(1)) == 3 && c(0) == 3 && c(1) == 7));

  // an output may go over what was copied
  kt::tensor<float, 2> z({2, 2}, {1, 2, 3, 4});
  copied.into(z, kt::view(z.data(), {2, 2}, {1, 2}));
  CHECK((z(0, 1) == 3 && z(1, 0) == 2));

  const auto none = static_cast<const float*>(nullptr);
  CHECK_THROWS_WITH_AS(copied(kt::view(m.data(), {-1, 2}, {7, 7})),
                       "kroton: argument 1 has extent -1 along axis 0; extents are 0 or more", kt::shape_error);
  CHECK_THROWS_AS(copied(kt::view(none, {2, 2}, {2, 2})), kt::shape_error);
  CHECK_THROWS_AS(copied(kt::view(m.data(), {std::int64_t{1} << 40, std::int64_t{1} << 40}, {0, 0})), kt::error);

  // a copy counts while it is there, beside what is planned
  const kt::context small = kt::context::host(1).with_budget(2 * 8 * 4);
  auto counted = kt::function(copy, small);
  counted(kt::view(m.data(), {4, 2}));
  CHECK(small.memory().peak == 0);
  counted(kt::view(m.data(), {4, 2}, {5, 1}));
  CHECK((small.memory().peak == 8 * 4 && small.memory().in_use == 0));
  CHECK_THROWS_AS(counted(kt::view(m.data(), {4, 3}, {5, 1})), kt::memory_error);  // with the output that is too much
  counted(kt::view(m.data(), {4, 3}));
  CHECK_THROWS_WITH_AS(counted(kt::view(m.data(), {4, 5}, {1, 4})),
                       "kroton: 80 bytes needed, but of a budget of 64 bytes 0 are in use; raise the budget, or "
                       "release what is not needed",
                       kt::memory_error);
  CHECK((small.memory().peak == 12 * 4 && small.memory().in_use == 0));

  // where other functions are called
  kt::callable<float(kt::view<const float, 2>)> total =
      kt::function([](kt::var<float, batch, 2> x) { return kt::sum(x); });
  CHECK(total(kt::view(m.data(), {4, 2}, {5, 4})) == 0 + 4 + 5 + 9 + 10 + 14 + 15 + 19);
  auto pieces = kt::chunked<batch>(kt::function([](kt::var<float, batch, 2> x) { return kt::sum(x); }), 2);
  CHECK(pieces(kt::view(m.data(), {4, 2}, {5, 4})) == 0 + 4 + 5 + 9 + 10 + 14 + 15 + 19);
}
