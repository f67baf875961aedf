// What KROTON_FLAGS changes in a program: `program` only includes Kroton, `program run` uses two named contexts and
// that of a session.
#include <kroton/kroton.hpp>

#include <cstdio>
#include <vector>

namespace kt = kroton;

inline constexpr struct batch : kt::dim<batch> {} batch;
inline constexpr struct dev0 : kt::context_name<dev0> {} dev0;
inline constexpr struct dev1 : kt::context_name<dev1> {} dev1;

struct pair : kt::model {
  kt::shared<float, 100> a{this, "a", kt::init::ones, dev0};
  kt::shared<float, 100> b{this, "b", kt::init::ones, dev1};
  constexpr auto sums(kt::var<float, batch, 100> x) const {
    return kt::outputs(kt::sum(kt::transfer<kt::host>(a)), kt::sum(kt::transfer<kt::host>(b)), kt::sum(x, kt::axis<0>));
  }
};

int main(int count, char**) try {
  if (count < 2) return 0;
  kt::session<pair> session;
  auto sums = session.compile<&pair::sums>();
  const std::vector<float> ones(5000, 1);
  const auto [a, b, columns] = sums(kt::view(ones.data(), {50, 100}));
  const auto name = [](const kt::context& where) { return where.where().name(); };
  std::printf("%g on %s, %g on %s, %g on %s\n", static_cast<double>(a), name(kt::context::named(dev0)).c_str(),
              static_cast<double>(b), name(kt::context::named(dev1)).c_str(), static_cast<double>(columns(99)),
              name(kt::context::best()).c_str());
} catch (const kt::error& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
