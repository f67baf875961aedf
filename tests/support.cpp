// What support.hpp declares, for all rooms.
#include "support.hpp"

namespace test {

kt::reference::results run_graph(const kt::graph::graph& g, const std::vector<tensor>& inputs,
                                 const std::vector<tensor>& shared, const kt::reference::options& options) {
  return kt::reference::interpret(g, inputs, shared, options);
}
kt::debug::gradient_report gradients_of(kt::graph::graph& g, const std::vector<tensor>& inputs,
                                        const kt::debug::verify_options& options) {
  return kt::debug::verify_graph(g, inputs, options);
}

/// Equal to 14 digits; NaN equals NaN, and zeros must have the same sign.
static bool same(double found, double expected) {
  if (std::isnan(expected)) return std::isnan(found);
  if (expected == 0) return found == 0 && std::signbit(found) == std::signbit(expected);
  if (std::isinf(expected)) return found == expected;
  return std::abs(found - expected) <= 1e-14 * std::abs(expected);
}
void check_values(const tensor& found, const numbers& expected) {
  REQUIRE(found.values.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CAPTURE(i);
    CAPTURE(found.values[i]);
    CAPTURE(expected[i]);
    CHECK(same(found.values[i], expected[i]));
  }
}
void check_tensor(const tensor& found, const std::vector<std::int64_t>& extents, const numbers& expected) {
  CHECK(found.extents == extents);
  check_values(found, expected);
}

numbers extremes() {
  return {0.0,    -0.0, 0.5,   -0.5, 1.0,   -1.0,   2.5, -2.5, 800.0,
          -800.0, 1e30, -1e30, tiny, -tiny, 1e-300, inf, -inf, quiet_nan};
}

void check_report(const kt::debug::gradient_report& report) {
  CAPTURE(report.where);
  CAPTURE(report.derived);
  CAPTURE(report.measured);
  CAPTURE(report.max_error);
  CHECK(report.ok);
}

}  // namespace test
