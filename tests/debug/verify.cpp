#include <kroton/debug/verify.hpp>

#include <doctest/doctest.h>

namespace kt = kroton;

TEST_CASE("verify: numbers are arguments, and the tolerance is told apart") {
  auto f = kt::function([](kt::var<double> x) { return kt::sqr(x) + kt::exp(x); });
  CHECK(kt::debug::verify(f, 2.0));
  CHECK(kt::debug::verify(f, kt::debug::tolerance{1e-4}, -800.0));
  auto third = kt::function([](kt::var<float> x) { return x / 3; });
  const auto found = kt::debug::verify(third, kt::debug::tolerance{1e-12}, 1.0F);  // a float is no double
  CHECK(!found.ok);
  CHECK(found.where == "output 1 at 0");
  CHECK(found.max_error > 1e-9);
  CHECK(kt::debug::verify(third, 1.0F));
}

TEST_CASE("verify: integers are compared exactly where no floating-point number went into them") {
  using integer = kt::var<std::int64_t, 2>;
  auto f = kt::function([](integer x) {
    return kt::outputs(x * 3, kt::mod(x, 10), kt::cast<std::int64_t>(kt::cast<double>(x)), kt::cast<float>(x));
  });
  const std::vector<std::int64_t> odd{(std::int64_t{1} << 53) + 1, std::numeric_limits<std::int64_t>::max()};
  CHECK(kt::debug::verify(f, odd));
  kt::debug::comparison found;
  const auto bits = [](std::int64_t x) {
    return kt::debug::to_reference(kt::dtype::int64, reinterpret_cast<const std::byte*>(&x), {});
  };
  found.compare("output 1", 0, 1, 1.5, 1);
  compare(found, "output 2", bits(odd[0]), bits(odd[0] - 1), 1e-5);
  CHECK(found.ok);
  compare(found, "output 2", bits(odd[0]), bits(odd[0] - 1), 0);  // small, and yet the first that is not accepted
  CHECK(!found.ok);
  CHECK(found.where == "output 2 at 0 (more by 1)");
}

TEST_CASE("verify: NaN equals NaN, and nothing else equals an infinity") {
  kt::debug::comparison c;
  c.compare("x", 0, NAN, NAN, 1e-5);
  c.compare("x", 1, HUGE_VAL, HUGE_VAL, 1e-5);
  c.compare("x", 2, 1, 1 + 1e-6, 1e-5);
  CHECK(c.ok);
  c.compare("x", 3, 1e300, HUGE_VAL, 1e-5);
  CHECK(!c.ok);
  CHECK(c.where == "x at 3");
}
