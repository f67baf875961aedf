// Views that begin anywhere in a buffer: what is loaded and written side by side has to be aligned all the same. The
// sanitizer looks at each pointer. alone: its kernels are as many as one file should have.
#include "bodies.hpp"

using namespace test;

namespace {

/// Numbers that every type has.
template <class T, int Rank>
kt::tensor<T, Rank> small_numbers(const std::array<std::int64_t, static_cast<std::size_t>(Rank)>& extents) {
  kt::tensor<T, Rank> x(extents);
  int next = 0;
  for (T& v : x) v = static_cast<T>(static_cast<float>(next++ * 7 % 11));
  return x;
}
/// A map, columns, rows and everything, of a part that begins `from` elements late.
template <class T>
void check_parts() {
  for (const int from : {1, 2, 3, 8})
    for (const std::int64_t columns : {40, 157}) {
      INFO(from, " of ", columns);
      check(
          [](kt::var<T, n, m> x, kt::var<T, m> y, kt::var<int> first) {
            auto part = x[kt::range(kt::axis<1>, first, kt::end)];
            auto row = y[kt::range(kt::axis<0>, first, kt::end)];
            return kt::outputs(part + row, kt::max(part, kt::axis<0>), kt::max(part + part, kt::axis<1>), kt::min(row));
          },
          small_numbers<T, 2>({19, columns}), small_numbers<T, 1>({columns}), from);
    }
}

TEST_CASE("device: parts that begin anywhere") {
  check_parts<std::int8_t>();
  check_parts<kt::half>();
  check_parts<float>();
  check_parts<double>();
}

TEST_CASE("device: products of parts that begin anywhere") {
  auto f = kt::function<kt::policy::none, backend>(
      [](kt::var<float, n, m> x, kt::var<float, m, 6> w, kt::var<int> first) {
        auto part = x[kt::range(kt::axis<1>, first, kt::end)];
        return kt::outputs(kt::dot(part, w[kt::range(kt::axis<0>, first, kt::end)]), kt::dot(kt::transpose(part), part),
                           kt::dot(x, w[kt::cols(1, 5)]));
      },
      device(0));
  for (const int from : {1, 2, 4, 16})
    check_call(f, small_numbers<float, 2>({9, 40}), small_numbers<float, 2>({40, 6}), from);
}

}  // namespace
