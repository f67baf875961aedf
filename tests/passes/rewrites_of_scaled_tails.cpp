#include "rewrites.hpp"

using namespace test;

// Tails of erfc that something scales.
namespace {

struct scaled_tail : form {
  static constexpr const char *name = "exp(x * x) * erfc(x)", *node = "where";
  static constexpr auto of(const auto& x) { return kt::exp(x * x) * kt::erfc(x); }
  static real value(real x) { return 1 / gaussian_over_erfc(x); }
};
struct log_of_half : form {
  static constexpr const char *name = "log(0.5 * erfc(x))", *node = "where";
  static constexpr auto of(const auto& x) { return kt::log(0.5 * kt::erfc(x)); }
  static real value(real x) { return log_erfc(x) - std::numbers::ln2_v<real>; }
};
struct log_of_quotient : log_of_half {
  static constexpr const char* name = "log(erfc(x) / 2)";
  static constexpr auto of(const auto& x) { return kt::log(kt::erfc(x) / 2); }
};

using scaled_tails = form_list<scaled_tail, log_of_half, log_of_quotient>;

}  // namespace

TEST_CASE("rewrites of scaled tails: values") { scaled_tails::check_each(); }

TEST_CASE("rewrites of scaled tails: gradients") {
  const numbers far = {-3, 0, 2, 20, 26, 27, 30, 40, 90, 1e4, 1e30};
  check_slope<scaled_tail>(far, 1e-8);
  check_slope<log_of_half>(far, 1e-8);
}

TEST_CASE("rewrites of scaled tails: compiled") {
  scaled_tails::check_compiled<double>(1e-12, 1e-16);  // near 0 the logarithm of erfc is that of a number near 1
  scaled_tails::check_compiled<float>(2e-5, 6e-8);     // the rounding of x * x, in an exponential
}
