// Functions in pieces as large as a budget allows.
#include "chunked.hpp"

using namespace test;

namespace {

TEST_CASE("chunked: pieces as large as the budget allows") {
  auto heavy = [](const kt::context& c) {
    return kt::function([](kt::var<float, batch, 64> x,
                           kt::var<float, 64, 64> w) { return kt::sum(kt::dot(kt::dot(x, w), w), kt::axis<0>); },
                        c);
  };
  const std::int64_t n = 1000;
  const std::vector<float> x = ramp<float>(64000), w = ramp<float>(4096, 0.1F);
  const auto call = [&](auto& f) { return f(kt::view(x.data(), {n, 64}), kt::view(w.data(), {64, 64})); };
  auto whole = heavy(kt::context::host(1));
  const kt::context small = kt::context::host(1).with_budget(100 * 1024);
  auto refused = heavy(small);
  CHECK_THROWS_AS(call(refused), kt::memory_error);
  auto pieces = kt::chunked<batch>(refused, kt::fit_budget);
  compare(whole, pieces, 1e-4, kt::view(x.data(), {n, 64}), kt::view(w.data(), {64, 64}));
  CHECK(pieces.piece() > 100);
  CHECK(pieces.piece() < 400);
  CHECK(small.memory().peak <= 100 * 1024);
  CHECK(small.memory().peak > 90 * 1024);
  auto unlimited = kt::chunked<batch>(whole, kt::fit_budget);
  call(unlimited);
  CHECK(unlimited.piece() == n);
  const kt::context few = kt::context::host(1).with_budget(800);
  auto tiny = heavy(few);
  auto none = kt::chunked<batch>(tiny, kt::fit_budget);
  CHECK_THROWS_WITH_AS(call(none), doctest::Contains("; this is for a piece of 1"), kt::memory_error);
  CHECK(few.memory().in_use == 0);
  auto too_large = kt::chunked<batch>(refused, 900);
  const std::int64_t before = small.memory().in_use;
  CHECK_THROWS_WITH_AS(call(too_large), doctest::Contains("; this is for a piece of 900"), kt::memory_error);
  CHECK(small.memory().in_use == before);
  const kt::context none_left = kt::context::host(1).with_budget(500);
  auto tinier = heavy(none_left);
  auto totals = kt::chunked<batch>(tinier, 10);
  CHECK_THROWS_WITH_AS(call(totals),
                       "kroton: chunked: 512 bytes needed for what pieces add up to, but of a budget of 500 bytes 0 "
                       "are in use and 500 free; the largest: sum 512; "
                       "raise the budget",
                       kt::memory_error);
}

TEST_CASE("chunked: what a call does depends on no call before") {
  const std::vector<float> x = ramp<float>(4000 * 16);
  // what is returned is counted where the whole is called, not where pieces are
  const kt::context little = kt::context::host(1).with_budget(64 * 1024);
  auto rows = kt::function([](kt::var<float, batch, 64> v) { return kt::outputs(kt::exp(v), kt::sum(v, kt::axis<0>)); },
                           little);
  auto by_thousand = kt::chunked<batch>(rows, 1000);
  CHECK(std::get<0>(by_thousand(kt::view(x.data(), {900, 64}))).extent(0) == 900);
  CHECK(by_thousand.piece() == 900);
  const kt::context small = kt::context::host(1).with_budget(20000);
  auto f = kt::function([](kt::var<float, batch, width> v) { return kt::dot(kt::transpose(v), kt::exp(v)); }, small);
  auto pieces = kt::chunked<batch>(f, kt::fit_budget);
  auto other = kt::chunked<batch>(f, kt::fit_budget);
  const auto first = other(kt::view(x.data(), {100, 8}));
  const std::int64_t size = other.piece();
  other = kt::chunked<batch>(f, kt::fit_budget);  // which gives back what it has
  pieces(kt::view(x.data(), {4000, 8}));
  CHECK(pieces.piece() < 4000);
  const auto again = pieces(kt::view(x.data(), {100, 8}));
  CHECK(pieces.piece() == size);
  CHECK(std::equal(first.begin(), first.end(), again.begin()));
  pieces(kt::view(x.data(), {4000, 16}));
  CHECK(pieces.piece() < 4000);
  pieces(kt::view(x.data(), {4000, 8}));
}

TEST_CASE("chunked: what fits as a whole is one piece") {
  const auto heavy = [](const kt::context& c) {
    return kt::function(
        [](kt::var<float, batch, 64> x) { return kt::outputs(kt::exp(x), kt::dot(kt::transpose(x), kt::sqr(x))); }, c);
  };
  const std::vector<float> x = ramp<float>(64 * 64);
  auto plain = heavy(kt::context::host(1));
  const auto just = [&](std::int64_t n) { return plain.memory_plan(batch(n)).peak + n * 64 * 4 + 64 * 64 * 4; };
  const kt::context small = kt::context::host(1).with_budget(just(7));
  auto f = heavy(small);
  auto pieces = kt::chunked<batch>(f, kt::fit_budget);
  for (const std::int64_t n : {7, 1, 0, 7}) {
    compare(plain, pieces, 0, kt::view(x.data(), {n, 64}));
    CHECK(pieces.piece() == n);
  }
  CHECK(small.memory().peak <= just(7));
  // in pieces, sums are wider and apart from what a piece needs
  const kt::context larger = kt::context::host(1).with_budget(just(32) + 64 * 64 * 8);
  auto g = heavy(larger);
  auto both = kt::chunked<batch>(g, kt::fit_budget);
  for (const std::int64_t n : {32, 64, 63, 7, 64}) {
    compare(plain, both, 1e-5, kt::view(x.data(), {n, 64}));
    if (n <= 32) CHECK(both.piece() == n);
  }
  CHECK(larger.memory().peak <= just(32) + 64 * 64 * 8);
}

TEST_CASE("chunked: pieces leave room for what comes after them") {
  const auto late = [](const kt::context& c) {
    return kt::function(
        [](kt::var<float, batch, 64> x) {
          auto s = kt::dot(kt::transpose(x), kt::exp(x));
          return kt::outputs(kt::sum(kt::exp(kt::dot(kt::dot(s, s), s) * 1e-9F)), kt::exp(x[kt::cols<0, 2>()]));
        },
        c);
  };
  const std::vector<float> x = ramp<float>(5000 * 64);
  auto whole = late(kt::context::host(1));
  for (const std::int64_t budget : {140000, 160000, 250000}) {
    const kt::context small = kt::context::host(1).with_budget(budget);
    auto part_of = late(small);
    auto pieces = kt::chunked<batch>(part_of, kt::fit_budget);
    compare(whole, pieces, 1e-4, kt::view(x.data(), {5000, 64}));
    const std::int64_t first = pieces.piece();
    compare(whole, pieces, 1e-4, kt::view(x.data(), {5000, 64}));
    CHECK(pieces.piece() == first);
    CHECK(small.memory().peak <= budget);
    CHECK(small.memory().peak > budget - 1000);
  }
}

}  // namespace
