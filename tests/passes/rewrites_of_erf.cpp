#include "rewrites.hpp"

using namespace test;

// Forms of erf and erfc whose straightforward formula overflows or cancels.
namespace {

struct log_of_erfc : form {  // erfc(27) is 0, and its logarithm -733
  static constexpr const char *name = "log(erfc(x))", *node = "where";
  static constexpr auto of(const auto& x) { return kt::log(kt::erfc(x)); }
  static real value(real x) { return log_erfc(x); }
};
struct log_of_normal_cdf : form {  // normal_cdf(-40) is 0, and of 9 it is 1
  static constexpr const char *name = "log(normal_cdf(x))", *node = "log_erfc";
  static constexpr auto of(const auto& x) { return kt::log(kt::normal_cdf(x)); }
  static real value(real x) {
    const real t = x / std::sqrt(2.0L);
    return x < 0 ? log_erfc(-t) - std::numbers::ln2_v<real> : std::log1p(-std::erfc(t) / 2);
  }
};
struct log_of_normal_pdf : form {  // normal_pdf(40) is 0
  static constexpr const char *name = "log(normal_pdf(x))", *node = "sqr";
  static constexpr auto of(const auto& x) { return kt::log(kt::normal_pdf(x)); }
  static real value(real x) { return -x * x / 2 - std::log(2 * std::numbers::pi_v<real>) / 2; }
};
struct gaussian_form : form {  // both are 0 at 27, and the limit is x sqrt(pi)
  static constexpr const char *name = "exp(-x*x) / erfc(x)", *node = "where";
  static constexpr auto of(const auto& x) { return kt::exp(-(x * x)) / kt::erfc(x); }
  static real value(real x) { return gaussian_over_erfc(x); }
};
struct gaussian_of_sqr : gaussian_form {
  static constexpr const char* name = "exp(-sqr(x)) / erfc(x)";
  static constexpr auto of(const auto& x) { return kt::exp(-kt::sqr(x)) / kt::erfc(x); }
};
struct one_minus_erf : form {
  static constexpr const char *name = "1 - erf(x)", *node = "erfc";
  static constexpr auto of(const auto& x) { return 1 - kt::erf(x); }
  static real value(real x) { return std::erfc(x); }
};
struct one_plus_erf : form {
  static constexpr const char *name = "1 + erf(x)", *node = "erfc";
  static constexpr auto of(const auto& x) { return 1 + kt::erf(x); }
  static real value(real x) { return std::erfc(-x); }
};
struct erf_minus_one : form {
  static constexpr const char *name = "erf(x) - 1", *node = "erfc";
  static constexpr auto of(const auto& x) { return kt::erf(x) - 1; }
  static real value(real x) { return -std::erfc(x); }
};
struct one_minus_erfc : form {
  static constexpr const char *name = "1 - erfc(x)", *node = "erf";
  static constexpr auto of(const auto& x) { return 1 - kt::erfc(x); }
  static real value(real x) { return std::erf(x); }
};
struct erfc_minus_one : form {
  static constexpr const char *name = "erfc(x) - 1", *node = "erf";
  static constexpr auto of(const auto& x) { return kt::erfc(x) - 1; }
  static real value(real x) { return -std::erf(x); }
};
struct minus_one_plus_erfc : erfc_minus_one {
  static constexpr const char* name = "-1 + erfc(x)";
  static constexpr auto of(const auto& x) { return -1 + kt::erfc(x); }
};

using differences_of_erf =
    form_list<one_minus_erf, one_plus_erf, erf_minus_one, one_minus_erfc, erfc_minus_one, minus_one_plus_erfc>;
using tails = form_list<log_of_erfc, log_of_normal_cdf, log_of_normal_pdf, gaussian_form, gaussian_of_sqr>;

}  // namespace

TEST_CASE("rewrites of erf: differences that cancel") { differences_of_erf::check_each(); }
TEST_CASE("rewrites of erf: tails") { tails::check_each(); }

TEST_CASE("rewrites of erf: compiled, in double") {
  differences_of_erf::check_compiled<double>(1e-12);
  tails::check_compiled<double>(1e-12, 1e-16);  // near 0 the logarithm of erfc is that of a number near 1
}
TEST_CASE("rewrites of erf: compiled, in float") {
  differences_of_erf::check_compiled<float>(1e-6);
  tails::check_compiled<float>(1e-5, 6e-8);  // the rounding of x * x, in an exponential
}
