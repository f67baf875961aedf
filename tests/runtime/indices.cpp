// Indices are checked before anything changes: arguments, parts of them, and what the function computes.
#include <kroton/debug/verify.hpp>
#include <kroton/kroton.hpp>

#include <doctest/doctest.h>

namespace kt = kroton;

namespace {

constexpr struct batch : kt::dim<batch> {} batch;

struct table : kt::model {
  kt::shared<float, 5> w{this, "w", kt::init::uniform(-1, 1)};
  kt::shared<int, 3> order{this, "order"};

  constexpr auto ordered() const { return kt::take(w, order); }
  constexpr auto next(kt::var<int, batch> i) const {
    auto picked = kt::take(w, i + 1);
    return kt::outputs(kt::sum(picked), kt::take(w, kt::argmax(w, kt::axis<0>))).updates(kt::update(w, w * 0.5F));
  }
  constexpr auto chosen_by_update(kt::var<int, batch> i) const {
    auto halved = w * 0.5F;
    auto index = kt::cast<int>(kt::sum(halved) * 0) + i;
    return kt::outputs(kt::sum(kt::take(w, index))).updates(kt::update(w, halved));
  }
};

template <class Call>
std::string refusal(Call call) {
  try {
    call();
  } catch (const kt::index_error& e) {
    return e.what();
  }
  return "nothing was thrown";
}

}  // namespace

TEST_CASE("indices: computed ones are checked, and a refused call changes nothing") {
  kt::session<table> session{kt::context::best(), kt::seed{3}};
  auto next = session.compile<&table::next>();
  auto by_update = session.compile<&table::chosen_by_update>();
  CHECK(kt::debug::verify(next, std::vector<int>{0, 1, 2, 3}));
  CHECK(kt::debug::verify(by_update, std::vector<int>{4, 0}));
  const kt::tensor<float, 1> before = session.get<&table::w>();
  CHECK(refusal([&] {
          next(std::vector<int>{0, 1, 4});
        }) == "kroton: index 5 at position 2 of a computed tensor is outside [0, 5)");
  CHECK(refusal([&] { next(std::vector<int>{-2}); }) ==
        "kroton: index -1 at position 0 of a computed tensor is outside [0, 5)");
  CHECK(refusal([&] { by_update(std::vector<int>{5}); }) ==
        "kroton: index 5 at position 0 of a computed tensor is outside [0, 5)");
  const kt::tensor<float, 1> after = session.get<&table::w>();
  CHECK(std::equal(after.begin(), after.end(), before.begin(), before.end()));
  CHECK(kt::debug::verify(next, std::vector<int>{}));
}

TEST_CASE("indices: one kernel makes some that are checked and others of them, where its operand lay") {
  auto f = kt::function([](kt::var<float, 10, 16> x, kt::var<std::int64_t> i) {
    const auto both = kt::stack(kt::axis<0>, i, i + 1);
    return kt::set(x, std::tuple{both, kt::mod(both, 16)}, 7);
  });
  kt::tensor<float, 2> x({10, 16});
  for (float& each : x) each = 0;
  const auto y = f(x, 8);
  CHECK(y(8, 8) == 7);
  CHECK(y(9, 9) == 7);
  CHECK(kt::debug::verify(f, x, 3));
  CHECK(refusal([&] { f(x, 9); }) == "kroton: index 10 at position 1 of a computed tensor is outside [0, 10)");
}

TEST_CASE("indices: of a shared variable, by its name") {
  kt::session<table> session{kt::context::best(), kt::seed{3}};
  auto ordered = session.compile<&table::ordered>();
  session.set<&table::order>(std::vector<int>{4, 0, 7});
  CHECK(refusal([&] { ordered(); }) == "kroton: index 7 at position 2 of shared variable order is outside [0, 5)");
}

TEST_CASE("indices: only those that are used are checked") {
  auto first_two =
      kt::function([](kt::var<float, 5> x, kt::var<int, batch> i) { return kt::take(x, i[kt::rows(0, 2)]); });
  const kt::tensor<float, 1> x({5}, {1, 2, 3, 4, 5});
  CHECK(kt::debug::verify(first_two, x, std::vector<int>{3, 1, 77}));
  CHECK(refusal([&] {
          first_two(x, std::vector<int>{3, 7, 1});
        }) == "kroton: index 7 at position 1 of argument 2 is outside [0, 5)");
}

namespace {
bool is(const kt::tensor<double, 2>& x, std::array<std::int64_t, 2> extents, const std::vector<double>& values) {
  return x.extents() == extents && std::equal(values.begin(), values.end(), x.begin(), x.end());
}
}  // namespace

TEST_CASE("indices: ranges whose bounds are in their types") {
  auto parts = kt::function([](kt::var<double, batch, 3> x) {
    auto last = x[kt::rows<-2, kt::end>()];
    auto outer = x[kt::range<0, kt::end, 2>(kt::axis<-1>)];
    auto pairs = kt::dot(last, kt::transpose(last));
    return kt::outputs(pairs, outer, kt::grad(kt::sum(pairs) + kt::sum(outer), x));
  });
  const kt::tensor<double, 2> x({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  CHECK(kt::debug::verify(parts, x));
  const auto [pairs, outer, slope] = parts(x);
  CHECK(is(pairs, {2, 2}, {77, 122, 122, 194}));
  CHECK(is(outer, {3, 2}, {1, 3, 4, 6, 7, 9}));
  CHECK(is(slope, {3, 3}, {1, 0, 1, 23, 26, 31, 23, 26, 31}));
}

TEST_CASE("indices: scalars, and one-hot rows of computed classes") {
  auto one = kt::function([](kt::var<float, 5> x, kt::var<int> i) { return kt::take(x, i - 1); });
  const kt::tensor<float, 1> x({5}, {1, 2, 3, 4, 5});
  CHECK(static_cast<float>(one(x, 3)) == 3);
  CHECK(refusal([&] { one(x, 0); }) == "kroton: index -1 at position 0 of a computed tensor is outside [0, 5)");
  auto hot = kt::function([](kt::var<int, batch> i) { return kt::sum(kt::one_hot<5>(i * 2), kt::axis<0>); });
  CHECK(kt::debug::verify(hot, std::vector<int>{0, 1, 2, 2}));
  CHECK(refusal([&] {
          hot(std::vector<int>{0, 3});
        }) == "kroton: index 6 at position 1 of a computed tensor is outside [0, 5)");
}

TEST_CASE("indices: of many, by several threads, the first bad one is named") {
  const auto row = [](kt::var<float, kt::any> x, kt::var<int, batch> i) { return kt::take(x, i); };
  auto chosen = kt::function(row, kt::context::host(3));
  const kt::tensor<float, 1> x({7}, {1, 2, 3, 4, 5, 6, 7});
  constexpr std::size_t many = 500'001;
  std::vector<int> at(many);
  for (std::size_t i = 0; i < many; ++i) at[i] = static_cast<int>(i % 7);
  const auto y = chosen(x, at);
  CHECK(y(many - 1) == x((many - 1) % 7));
  for (const std::size_t bad : {std::size_t{0}, std::size_t{200'000}, many - 1})
    for (const int index : {7, -1, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()}) {
      std::vector<int> wrong = at;
      wrong[bad] = index;
      wrong[many - 1] = -5;
      const int named = bad == many - 1 ? -5 : index;
      CHECK(refusal([&] { chosen(x, wrong); }) == "kroton: index " + std::to_string(named) + " at position " +
                                                      std::to_string(bad) + " of argument 2 is outside [0, 7)");
    }
}

TEST_CASE("indices: of 8 and 16 bits, along axes that are longer than these count") {
  auto chosen = kt::function(
      [](kt::var<std::uint8_t, batch> byte, kt::var<std::int8_t, batch> small, kt::var<float, batch, kt::any> x) {
        return kt::outputs(kt::pick(x, byte), kt::sum(kt::one_hot<300>(byte)), kt::sum(kt::one_hot<128>(small) * 2),
                           kt::pick(x, small));
      });
  kt::tensor<float, 2> x({2, 300});
  for (int i = 0; i < 600; ++i) x.values()[static_cast<std::size_t>(i)] = static_cast<float>(i % 300);
  const std::vector<std::uint8_t> bytes{3, 255};
  const std::vector<std::int8_t> small{0, 127};
  const auto [picked, ones, twos, picked_small] = chosen(bytes, small, x);
  CHECK((picked(0) == 3 && picked(1) == 255));
  CHECK((ones == 2 && twos == 4));
  CHECK((picked_small(0) == 0 && picked_small(1) == 127));
  CHECK(refusal([&] {
          chosen(bytes, std::vector<std::int8_t>{0, -1}, x);
        }) == "kroton: index -1 at position 1 of argument 2 is outside [0, 128)");
}
