// Maps that are larger than the caches, of which some write results where they read operands.
#include <kroton/kroton.hpp>

#include "../sanitized.hpp"

#include <doctest/doctest.h>

namespace kt = kroton;

namespace {

constexpr std::int64_t count = (std::int64_t{1} << 23) + 5;

struct counter : kt::model {
  kt::state<std::int8_t, count> number{this, "number"};
  constexpr auto step(kt::var<std::int8_t, count> x) const {
    return kt::outputs(number - x).updates(kt::update(number, number + x));
  }
  constexpr auto difference(kt::var<std::int8_t, count> x) const { return number - x; }
};

TEST_CASE("maps larger than the caches: beside their operands, and in their place") {
  for (int threads = test::is_sanitized ? 2 : 1; threads <= 2; ++threads) {
    kt::session<counter> session(kt::context::host(threads));
    auto step = session.compile<&counter::step>();
    auto difference = session.compile<&counter::difference>();
    kt::tensor<std::int8_t, 1> x({count});
    for (std::int64_t i = 0; i < count; ++i) x.data()[i] = static_cast<std::int8_t>(i % 41);
    step(x);
    const auto found = step(x), later = difference(x);
    bool agree = true;
    for (std::int64_t i = 0; i < count; ++i) agree = agree && found.data()[i] == 0 && later.data()[i] == x.data()[i];
    CHECK(agree);
  }
}

TEST_CASE("lookups larger than the caches: of elements") {
  for (int threads = test::is_sanitized ? 2 : 1; threads <= 2; ++threads) {
    auto look_up =
        kt::function([](kt::var<float, 251> table, kt::var<std::uint8_t, kt::any> at) { return kt::take(table, at); },
                     kt::context::host(threads));
    kt::tensor<float, 1> table({251});
    for (int i = 0; i < 251; ++i) table.data()[i] = static_cast<float>(3 * i);
    kt::tensor<std::uint8_t, 1> at({count});
    for (std::int64_t i = 0; i < count; ++i) at.data()[i] = static_cast<std::uint8_t>(i % 251);
    const auto found = look_up(table, at);
    bool agree = true;
    for (std::int64_t i = 0; i < count; ++i) agree = agree && found.data()[i] == static_cast<float>(3 * (i % 251));
    CHECK(agree);
  }
}

}  // namespace
