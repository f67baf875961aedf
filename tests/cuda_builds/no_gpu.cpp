// What a program with GPUs says where there is none: one line. Then it runs on the host, where nothing asks for a GPU.
#include <kroton/kroton.hpp>

namespace kt = kroton;

inline constexpr struct n : kt::dim<n> {} n;

int main() {
  const kt::tensor<float, 1> x({3}, {1, 2, 3});
  auto twice = kt::function([](kt::var<float, n> y) { return y * 2; });
  auto thrice = kt::function([](kt::var<float, n> y) { return y * 3; }, kt::context::best());
  if (twice(x)(2) != 6 || thrice(x)(2) != 9) return 1;
  try {
    kt::context::on("cuda0");
    return 1;
  } catch (const kt::device_error&) {  // never the host instead
    return 0;
  }
}
