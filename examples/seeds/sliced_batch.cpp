// The first n rows of x W + b, where n is an argument. In Theano batches were cut so to need less memory; here too n is
// a number of the call, checked against the rows there are. Cutting x rather than y leaves less to multiply, and gives
// the same numbers.
#include <kroton/kroton.hpp>

#include "check.hpp"

namespace kt = kroton;

inline constexpr struct batch : kt::dim<batch> {} batch;

struct sliced : kt::model {
  static constexpr std::int64_t size = 5'000;
  kt::shared<float, size, size> W{this, "W", kt::init::uniform(-1, 1)};
  kt::shared<float, size> b{this, "b", kt::init::uniform(-1, 1)};
  constexpr auto whole(kt::expression auto x) const { return kt::dot(x, W) + b; }
  constexpr auto cut_after(kt::var<float, batch, size> x, kt::var<int> n) const { return whole(x)[kt::rows(0, n)]; }
  constexpr auto cut_before(kt::var<float, batch, size> x, kt::var<int> n) const { return whole(x[kt::rows(0, n)]); }
};

int main() {
  constexpr std::size_t size = sliced::size;
  kt::session<sliced> session;
  auto f_batch = session.compile<&sliced::cut_after>();
  auto g_batch = session.compile<&sliced::cut_before>();
  constexpr int n = 4;
  constexpr double tolerance = 1e-3;  // sums of 5,000 products in float
  const auto x = example::random_matrix(16, size, 1);
  const auto y = f_batch(x, n), z = g_batch(x, n);

  try {
    f_batch(x, 17);
    std::puts("17 of 16 rows were not refused");
    return 1;
  } catch (const kt::shape_error& too_many) {
    std::puts(too_many.what());
  }
  const auto W = session.get<&sliced::W>();
  const auto b = session.get<&sliced::b>();
  kt::debug::comparison found;  // by hand: the reference interpreter is far too slow for this
  found.compare("the count of rows cut after", 0, static_cast<double>(y.extent(0)), n, 0);
  found.compare("the count of rows cut before", 0, static_cast<double>(z.extent(0)), n, 0);
  std::vector<double> row(size);
  for (std::size_t i = 0; i < n; ++i) {
    std::copy(b.begin(), b.end(), row.begin());
    for (std::size_t k = 0; k < size; ++k)
      for (std::size_t j = 0; j < size; ++j) row[j] += double{x(i, k)} * W(k, j);
    for (std::size_t j = 0; j < size; ++j) {
      found.compare("cut after", i * size + j, y(i, j), row[j], tolerance);
      found.compare("cut before", i * size + j, z(i, j), row[j], tolerance);
    }
  }
  return example::right(found) ? 0 : 1;
}
