// What a call of a compiled function refuses, and what it says of that.
#include <kroton/kroton.hpp>

#include <doctest/doctest.h>

#include <limits>

namespace kt = kroton;

namespace {

constexpr struct batch : kt::dim<batch> {} batch;
}  // namespace

TEST_CASE("function: negative extents") {
  auto f = kt::function([](kt::var<float, batch, 2> x) { return kt::outputs(x * 2, kt::sum(x)); });
  const float none[1] = {};
  CHECK_THROWS_AS(f(kt::view(none, {-1, 2})), kt::shape_error);
  CHECK_THROWS_AS((kt::tensor<float, 2>({2, -1})), kt::shape_error);
}

TEST_CASE("function: what a call says of extents that do not fit") {
  const auto told = [](auto& f, const auto&... x) -> std::string {
    try {
      f(x...);
    } catch (const kt::shape_error& e) {
      return e.what();
    }
    return "nothing was thrown";
  };
  const std::vector<float> one(1), two(2), three(3), six(6);
  auto sum = kt::function([](kt::var<float, kt::any> x, kt::var<float, kt::any> y) { return x + y; });
  CHECK(told(sum, two, one) ==
        "kroton: add: axis 0 of argument 1 is 2, but axis 0 of argument 2 is 1; pass tensors that agree");
  auto number = kt::function([](kt::var<float, 3> x, kt::var<float, kt::any> y) { return x + y; });
  CHECK(told(number, three, two) == "kroton: add: axis 0 of argument 2 is 2, but must be 3; pass tensors that agree");
  auto named = kt::function([](kt::var<float, kt::any> x, kt::var<float, batch> y) { return x + y; });
  CHECK(told(named, two, three) ==
        "kroton: add: axis 0 of argument 1 is 2, but dimension batch is 3; pass tensors that agree");
  auto reshaped = kt::function([](kt::var<float, batch> x, kt::var<float, kt::any> y) {
    return kt::reshape<2, batch>(kt::concatenate(kt::axis<0>, x, y));
  });
  CHECK(told(reshaped, two, three) ==
        "kroton: reshape: (dimension batch * 2) is 4, but (dimension batch + axis 0 of argument 2) is 5; pass tensors "
        "that agree");
  auto assumed = kt::function([](kt::var<float, batch> x) { return kt::assume_shape<3>(x) * 2; });
  CHECK(told(assumed, two) == "kroton: assume_shape: dimension batch is 2, but must be 3; pass tensors that agree");
  auto rows = kt::function([](kt::var<float, batch> x, kt::var<int> k) { return x[kt::rows(k, kt::end)]; });
  CHECK(told(rows, two, 3) ==
        "kroton: slice: the value of argument 2 is 3, but must be at most dimension batch, which is 2");
  CHECK(told(rows, two, -1) == "kroton: slice: the value of argument 2 is -1, but must not be negative");
  auto first = kt::function([](kt::var<float, batch> x) { return x[kt::rows(0, 4)]; });
  CHECK(told(first, two) == "kroton: slice: a bound is 4, but must be at most dimension batch, which is 2");
  auto fixed = kt::function([](kt::var<float, batch> x) { return x[kt::rows<-3, kt::end>()]; });
  CHECK(told(fixed, two) == "kroton: slice: a bound is 3, but must be at most dimension batch, which is 2");
  auto best = kt::function([](kt::var<float, batch> x) { return kt::argmax(x); });
  CHECK(told(best, std::vector<float>()) == "kroton: argmax: needs at least one element; pass tensors with elements");
  auto repeated = kt::function([](kt::var<float, batch> x, kt::var<float, batch> y) { return x * y; });
  CHECK(told(repeated, two, three) == "kroton: dimension batch is 2 in argument 1 but 3 in argument 2");
  auto picked = kt::function([](kt::var<float, batch, 3> x, kt::var<int, kt::any> i) { return kt::pick(x, i); });
  CHECK(told(picked, kt::view(six.data(), {2, 3}), std::vector<int>{0}) ==
        "kroton: pick: axis 0 of argument 2 is 1, but dimension batch is 2; pass tensors that agree");
  const kt::tensor<float, 1> elements = picked(kt::view(six.data(), {2, 3}), std::vector<int>{0, 2});
  CHECK(elements.extent(0) == 2);
}

TEST_CASE("function: extents that 16-bit floats do not hold") {
  auto f = kt::function([](kt::var<float, batch> x) {
    return kt::outputs(kt::extent<kt::half>(batch) + kt::cast<kt::half>(x), kt::arange<kt::half, batch>());
  });
  const auto told = [&](std::size_t count) -> std::string {
    try {
      f(std::vector<float>(count));
    } catch (const kt::value_error& e) {
      return e.what();
    }
    return "nothing was thrown";
  };
  CHECK(static_cast<float>(std::get<0>(f(std::vector<float>(65519)))(0)) == 65504);
  CHECK(told(65519) == "nothing was thrown");
  CHECK(told(65520) == "kroton: extent: dimension batch is 65520, but must be at most 65519 for its element type");
}

TEST_CASE("function: what is refused of numbers, views, results, and of what was moved") {
  const auto told = [](auto&& call) -> std::string {
    try {
      call();
    } catch (const kt::error& e) {
      return e.what();
    }
    return "nothing was thrown";
  };
  auto f = kt::function([](kt::var<float, batch> x, kt::var<int> i, kt::var<std::uint8_t> byte, kt::var<float> real,
                           kt::var<kt::half> half, kt::var<bool> truth) {
    auto all = kt::cast<float>(i) + kt::cast<float>(byte) + real + kt::cast<float>(half) + kt::cast<float>(truth);
    return kt::outputs(x + all, x - all);
  });
  const std::vector<float> x(3, 1);
  const auto with = [&](auto i, auto byte, auto real, auto half, auto truth) {
    return told([&] { f(x, i, byte, real, half, truth); });
  };
  const float inf = std::numeric_limits<float>::infinity();
  CHECK(with(std::numeric_limits<int>::min(), 255, std::numeric_limits<float>::max(), 65504, true) ==
        "nothing was thrown");
  CHECK(with(std::numeric_limits<int>::max(), 0LL, inf, -inf, 1) == "nothing was thrown");
  CHECK(with(7UL, 'a', 1e300 * 1e300, std::numeric_limits<double>::quiet_NaN(), 0) == "nothing was thrown");
  CHECK(with(1LL << 40, 1, 1, 1, true) ==
        "kroton: argument 2 is 1099511627776, but int32 holds -2147483648 to 2147483647");
  CHECK(with(std::uint32_t{1} << 31, 1, 1, 1, true) ==
        "kroton: argument 2 is 2147483648, but int32 holds -2147483648 to 2147483647");
  CHECK(with(~0ULL, 1, 1, 1, true) ==
        "kroton: argument 2 is 18446744073709551615, but int32 holds -2147483648 to 2147483647");
  CHECK(with(1, 300, 1, 1, true) == "kroton: argument 3 is 300, but uint8 holds 0 to 255");
  CHECK(with(1, -1, 1, 1, true) == "kroton: argument 3 is -1, but uint8 holds 0 to 255");
  CHECK(with(1, 1, -1e300, 1, true) == "kroton: argument 4 is -1e+300, but float32 holds at most 3.40282347e+38");
  CHECK(with(1, 1, 1, 70000, true) == "kroton: argument 5 is 70000, but float16 holds at most 65504");
  if (std::numeric_limits<long double>::max() > std::numeric_limits<double>::max()) {
    const long double large = std::numeric_limits<double>::max() * 2.0L;
    CHECK(with(1, 1, large, 1, true) == "kroton: argument 4 is inf, but float32 holds at most 3.40282347e+38");
    CHECK(with(1, 1, 1, -large, true) == "kroton: argument 5 is -inf, but float16 holds at most 65504");
    CHECK(with(1, 1, std::numeric_limits<long double>::infinity(), 1, true) == "nothing was thrown");
  }
  CHECK(with(1, 1, 1, 1, 2) == "kroton: argument 6 is 2, but bool holds 0 and 1");
  CHECK_THROWS_AS(f(x, 1, 256, 1, 1, true), kt::value_error);
  auto counted = kt::function([](kt::var<float, batch> y) {
    return kt::outputs(y + kt::cast<float>(kt::arange<std::uint8_t, batch>()), kt::extent<std::int8_t>(batch));
  });
  const auto count = [&](std::size_t length) { return told([&] { counted(std::vector<float>(length)); }); };
  CHECK(count(127) == "nothing was thrown");
  CHECK(count(128) == "kroton: extent: dimension batch is 128, but must be at most 127 for its element type");
  CHECK(count(300) == "kroton: arange: dimension batch is 300, but must be at most 256 for its element type");
  CHECK_THROWS_AS(counted(std::vector<float>(300)), kt::value_error);

  const float* const nowhere = nullptr;
  auto total = kt::function([](kt::var<float, batch, 2> y) { return kt::sum(y); });
  CHECK(told([&] {
          total(kt::view(nowhere, {3, 2}));
        }) == "kroton: argument 1 has elements, but its pointer is null; pass a view of memory");
  CHECK(total(kt::view(nowhere, {0, 2})) == 0);
  kt::tensor<float, 2> given({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  const kt::tensor<float, 2> taken = std::move(given);
  CHECK(given.size() == 0);  // NOLINT: a tensor that was moved has no elements
  CHECK(told([&] { total(given); }) == "kroton: argument 1 has extent 0 along axis 1, expected 2");

  kt::tensor<float, 1> z;
  CHECK(told([&] { f.into(std::tie(z, z), x, 1, 1, 1, 1, true); }) ==
        "kroton: into: outputs 1 and 2 go into one tensor; give each a tensor of its own");

  const std::string moved = "kroton: the function was moved to another object; use that one";
  auto pieces = kt::chunked<batch>(total, 2);
  auto kept = std::move(total);
  CHECK(kept(taken) == 36);
  CHECK(told([&] { total(taken); }) == moved);  // NOLINT: so are the following
  CHECK(told([&] {
          kt::tensor<float, 0> y;
          total.into(y, taken);
        }) == moved);
  CHECK(told([&] { (void)total.memory_plan(batch(2)); }) == moved);
  CHECK(told([&] { (void)total.clone(); }) == moved);
  CHECK(told([&] { kt::chunked<batch>(total, 2); }) == moved);
  auto kept_pieces = std::move(pieces);
  CHECK(kept_pieces(taken) == 36);
  CHECK(told([&] { pieces(taken); }) == moved);
  CHECK(told([&] { (void)pieces.clone(); }) == moved);

  const auto move_to_itself = [](auto& moved_object) {
    auto& same = moved_object;
    moved_object = std::move(same);
  };
  move_to_itself(kept);
  CHECK(kept(taken) == 36);
  move_to_itself(kept_pieces);
  CHECK(kept_pieces(taken) == 36);
  move_to_itself(pieces);
  pieces = std::move(kept_pieces);
  CHECK(pieces(taken) == 36);
  kt::context here = kt::context::host(1);
  const kt::context there = std::move(here);
  CHECK(here.memory().in_use == there.memory().in_use);  // NOLINT: a context that was moved is the same as before
  move_to_itself(here);
  CHECK(here.account() == there.account());
}

TEST_CASE("function: an extent of 0 beside others whose product has too many bits") {
  const std::int64_t huge = std::int64_t{1} << 40;
  auto maps = kt::function([](kt::var<float, batch, kt::any, kt::any> x) {
    return kt::outputs(x * 2, kt::permute<1, 0, 2>(x), kt::sum(x));
  });
  auto products =
      kt::function([](kt::var<float, batch, kt::any, kt::any> x) { return kt::dot(x, kt::permute<0, 2, 1>(x)); });
  const float none[1] = {};
  for (const auto& e : {std::array{huge, huge, std::int64_t{0}}, {0, huge, huge}, {huge, 0, huge}}) {
    CHECK(kt::tensor<float, 3>(e).size() == 0);
    const kt::view x(none, {e[0], e[1], e[2]});
    auto [twice, permuted, total] = maps(x);
    CHECK(permuted.extent(0) == e[1]);
    CHECK(total == 0);
    maps.into(std::tie(twice, permuted, total), twice);
    if (e[1] == 0) CHECK(products(x).size() == 0);  // huge * 0 products, which end
  }
}
