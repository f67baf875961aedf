#include "../../support.hpp"

TEST_CASE("cast") {
  using namespace test;
  const tensor x = vector({0.9, -0.9, 2.5, -2.5, 300, -300, 1e30, -inf, quiet_nan});
  check_tensor(eval([](kt::var<double, n> a) { return kt::cast<int>(a); }, {x}), {9},
               {0, 0, 2, -2, 300, -300, 2147483647, -2147483648.0, 0});
  check_values(eval([](kt::var<double, n> a) { return kt::cast<std::uint8_t>(a); }, {x}),
               {0, 0, 2, 0, 255, 0, 255, 0, 0});
  check_values(eval([](kt::var<double, n> a) { return kt::cast<bool>(a); }, {vector({0, -0.0, 0.1, quiet_nan})}),
               {0, 0, 1, 1});
  check_values(eval([](kt::var<int, n> a) { return kt::cast<std::uint8_t>(a); }, {vector({-1, 256, 511})}),
               {255, 0, 255});
  check_values(eval([](kt::var<bool, n> a) { return kt::cast<double>(a); }, {vector({0, 1})}), {0, 1});
  check_tensor(eval([](kt::var<double, n> a) { return kt::cast<int>(a); }, {vector({})}), {0}, {});
}

TEST_CASE("cast: integers of 64 bits are exact, and saturate where floats are larger") {
  using namespace test;
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max(),
                         least = std::numeric_limits<std::int64_t>::min(), odd = (std::int64_t{1} << 53) + 1;
  constexpr std::uint64_t most_unsigned = std::numeric_limits<std::uint64_t>::max();
  const tensor x = vector({1e30, -1e30, 0x1p63, 0x1p53, quiet_nan});
  CHECK(eval([](kt::var<double, n> a) { return kt::cast<std::int64_t>(a); }, {x}).integers ==
        std::vector<std::int64_t>{most, least, most, odd - 1, 0});
  CHECK(eval([](kt::var<double, n> a) { return kt::cast<std::uint64_t>(a); }, {x}).integers ==
        integers<std::uint64_t>({most_unsigned, 0, std::uint64_t{1} << 63, odd - 1, 0}).integers);
  // every operation after the cast sees the integer, not the double next to it
  CHECK(eval([](kt::var<double, n> a) { return kt::mod(kt::cast<std::int64_t>(a), 10); }, {x}).integers ==
        std::vector<std::int64_t>{7, 2, 7, 2, 0});
  CHECK(eval([](kt::var<std::int64_t, n> a) { return kt::cast<std::uint64_t>(a + 2) / 2; },
             {integers<std::int64_t>({odd, -1, most})})
            .integers == integers<std::uint64_t>({std::uint64_t{odd + 2} / 2, 0, (std::uint64_t{1} << 62)}).integers);
  CHECK(eval([](kt::var<std::int64_t, n> a) { return kt::cast<int>(a); },
             {integers<std::int64_t>({odd, most, least + 5})})
            .integers == std::vector<std::int64_t>{1, -1, 5});
  // to float with one rounding: through double it would be 2^54
  const auto narrowed = [](kt::var<std::int64_t, n> a) { return kt::cast<float>(a); };
  const std::int64_t above_half = (std::int64_t{1} << 54) + (std::int64_t{1} << 30) + 1;
  check_values(run(narrowed, {integers<std::int64_t>({above_half})}, {.round_to_float = true}).outputs[0],
               {static_cast<double>(static_cast<float>(above_half))});
}

TEST_CASE("cast: gradients flow between floating-point types only") {
  using namespace test;
  const tensor x = vector({-1.5, 0.5, 2.2});
  check_grad([](kt::var<double, n> a) { return kt::sqr(kt::cast<float>(a)); }, {x});
  check_grad([](kt::var<float, n> a) { return kt::sqr(kt::cast<double>(a)); }, {x});
  check_grad([](kt::var<double, n> a) { return a * kt::cast<double>(kt::cast<int>(a)); }, {x});
}
