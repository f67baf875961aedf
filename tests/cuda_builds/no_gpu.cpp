// What a program with GPUs says where there is none: one line. Then it runs on the host what is mapped to the host, or
// to nothing, and refuses what asks for a GPU.
#include <kroton/kroton.hpp>

namespace kt = kroton;

inline constexpr struct n : kt::dim<n> {} n;
inline constexpr struct near : kt::context_name<near> {} near;

int main() {
  const kt::tensor<float, 1> x({3}, {1, 2, 3});
  auto five_times = kt::function([](kt::var<float, n> y) { return y * 5; }, kt::context::host());
  kt::context::map("near", "cpu0");
  auto near_by = kt::function([](kt::var<float, n> y) { return kt::transfer<near>(y) * 7; });
  if (five_times(x)(2) != 15 || near_by(x)(2) != 21) return 1;
  // with truth values in registers, as they are without AVX-512, in what GPUs run too
  auto twice = kt::function(
      [](kt::var<float, n> y) { return kt::where(kt::any(y > 0 && !(y < -1)) ^ kt::all(y > 9 || y < 0), y * 2, y); });
  auto thrice = kt::function([](kt::var<float, n> y) { return y * 3; }, kt::context::best());
  if (twice(x)(2) != 6 || thrice(x)(2) != 9) return 1;
  try {
    kt::context::on("cuda0");
    return 1;
  } catch (const kt::device_error&) {  // never the host instead
    return 0;
  }
}
