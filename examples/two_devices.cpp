// Two matrix products on two devices at the same time, after Theano's "A simple graph on two GPUs". Prints how long a
// call takes, and a corner of each product.
//
//     KROTON_FLAGS="contexts=dev0->cpu0;dev1->cpu1" build/examples/two_devices
//
// If KROTON_FLAGS maps no contexts, they are the first two cores of this machine.
#include <kroton/kroton.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace kt = kroton;

inline constexpr struct dev0 : kt::context_name<dev0> {} dev0;
inline constexpr struct dev1 : kt::context_name<dev1> {} dev1;

struct products : kt::model {
  kt::shared<float, 1024, 1024> v01{this, "v01", kt::init::uniform(0, 1), dev0};
  kt::shared<float, 1024, 1024> v02{this, "v02", kt::init::uniform(0, 1), dev0};
  kt::shared<float, 1024, 1024> v11{this, "v11", kt::init::uniform(0, 1), dev1};
  kt::shared<float, 1024, 1024> v12{this, "v12", kt::init::uniform(0, 1), dev1};

  constexpr auto both() const { return kt::outputs(kt::dot(v01, v02), kt::dot(v11, v12)); }
};

// nothing goes from one device to the other; both results go to the host
static_assert(kt::transfers<&products::both>().size() == 2);
static_assert(kt::transfers<&products::both>().bytes() == 2 * 1024 * 1024 * sizeof(float));

int main() try {
  const char* const flags = std::getenv("KROTON_FLAGS");
  if (flags == nullptr || std::string_view(flags).find("contexts=") == std::string_view::npos) {
    kt::context::map("dev0", "cpu0");
    kt::context::map("dev1", kt::host_cores().size() > 1 ? "cpu1" : "cpu0");
  }
  kt::session<products> session{kt::context::host(), kt::seed{1}};
  auto both = session.compile<&products::both>();

  std::vector<double> milliseconds;
  float corners[2] = {};
  for (int call = 0; call < 7; ++call) {
    const auto start = std::chrono::steady_clock::now();
    const auto [first, second] = both();
    corners[0] = first(0, 0), corners[1] = second(0, 0);  // which waits for what a GPU still computes
    milliseconds.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  std::sort(milliseconds.begin(), milliseconds.end());
  std::printf("both products in %.1f ms; they begin with %.3f and %.3f\n", milliseconds[milliseconds.size() / 2],
              static_cast<double>(corners[0]), static_cast<double>(corners[1]));

  const auto x = session.get<&products::v01>(), y = session.get<&products::v02>();
  double expected = 0;
  for (std::int64_t k = 0; k < 1024; ++k) expected += static_cast<double>(x(0, k)) * static_cast<double>(y(k, 0));
  return std::abs(expected - static_cast<double>(corners[0])) < 1e-3 ? 0 : 1;
} catch (const kt::error& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
