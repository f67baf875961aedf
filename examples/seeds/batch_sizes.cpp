// One function on 10 rows and on 10,000. In Theano the small call was dominated by overheads of every call, and a
// function had to be called often to be worth compiling; here it was compiled with the program, and repeated calls with
// the same extents only run kernels.
#include <kroton/kroton.hpp>

#include <chrono>

#include "check.hpp"

namespace kt = kroton;

inline constexpr struct batch : kt::dim<batch> {} batch;

struct linear : kt::model {
  kt::shared<float, 10, 5> w{this, "w", kt::init::normal(0, 1)};
  kt::shared<float, 5> b{this, "b", kt::init::normal(0, 1)};
  constexpr auto forward(kt::var<float, batch, 10> x) const { return kt::dot(x, w) + b; }
};

int main() {
  kt::session<linear> session;
  auto f = session.compile<&linear::forward>();
  for (const std::int64_t rows : {10, 10'000}) {
    const auto x = example::random_matrix(rows, 10, 1);
    f(x);  // the first call with these extents plans its memory
    const auto start = std::chrono::steady_clock::now();
    for (int call = 0; call < 100; ++call) f(x);
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
    std::printf("%5ld rows: %.1f microseconds a call\n", static_cast<long>(rows), time.count() / 100);
    if (!example::right(kt::debug::verify(f, x))) return 1;
  }
}
