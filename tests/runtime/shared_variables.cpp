// Shared variables of a session: those of blocks, other extents, memory of the caller.
#include <kroton/debug/verify.hpp>
#include <kroton/kroton.hpp>
#include <kroton/runtime/context/kept_blocks.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <algorithm>
#include <numeric>

namespace kt = kroton;

namespace {

constexpr struct batch : kt::dim<batch> {} batch;
constexpr struct width : kt::dim<width> {} width;

using numbers = std::vector<float>;

struct layer : kt::model {
  using kt::model::model;
  kt::shared<float, 2> w{this, "w", kt::init::ones};
};
struct pair : kt::model {
  using kt::model::model;
  layer left{this, "left"}, right{this, "right"};
};
struct tower : kt::model {
  kt::shared<float> scale{this, "scale", kt::init::ones};
  kt::stack<pair, 3> floors{this, "floors"};
  constexpr auto total() const {
    auto sum = scale * kt::sum(floors[0].left.w);
    for (const pair& p : floors) sum = sum + kt::sum(p.right.w);
    return sum;
  }
};

TEST_CASE("shared: variables of blocks and of stacks have values") {
  kt::session<tower> session{kt::context::host()};  // of a device, `values` would be refused
  auto total = session.compile<&tower::total>();
  CHECK(static_cast<float>(total()) == 8);
  session.values<&tower::scale>()[0] = 2;
  session.values<&tower::floors, 0, &pair::left, &layer::w>()[1] = 10;
  session.values<&tower::floors, 2, &pair::right, &layer::w>()[0] = 100;
  CHECK(static_cast<float>(total()) == 22 + 105);
  kt::session<tower> moved = std::move(session);  // functions stay bound to the variables
  moved.values<&tower::scale>()[0] = 3;
  CHECK(static_cast<float>(total()) == 33 + 105);
}

TEST_CASE("shared: a copy of a session has variables of its own") {
  kt::session<tower> session{kt::context::host()};
  session.values<&tower::scale>()[0] = 5;
  std::vector<float> own(2, 7);
  session.borrow<&tower::floors, 0, &pair::left, &layer::w>(own);
  kt::session<tower> other = session.copy();
  auto total = other.compile<&tower::total>();
  CHECK(static_cast<float>(total()) == 5 * 14 + 6);
  session.values<&tower::scale>()[0] = 100;
  own[0] = 100;
  CHECK(static_cast<float>(total()) == 5 * 14 + 6);
  other.values<&tower::scale>()[0] = 0;
  CHECK(session.values<&tower::scale>()[0] == 100);
}

TEST_CASE("shared: a copy of a session has other values of some variables") {
  const auto where = kt::context::host();
  kt::session<tower> session{where}, trained{where};
  session.set<&tower::scale>(5);
  trained.set<&tower::floors, 2, &pair::right, &layer::w>({30, 40});
  auto total = session.compile<&tower::total>();
  const numbers ten{10, 20}, apart{1, 0, 2};
  kt::session<tower> other =
      session.copy(kt::with<&tower::floors, 0, &pair::left, &layer::w>(ten),
                   kt::with<&tower::floors, 0, &pair::right, &layer::w>(kt::view(apart.data(), {2}, {2})),
                   kt::with<&tower::floors, 2, &pair::right, &layer::w>(trained), kt::with<&tower::scale>(2));
  // both left and right of floor 0, right of the others
  CHECK(static_cast<float>(other.compile<&tower::total>()()) == 2 * 30 + 3 + 2 + 70);
  CHECK(static_cast<float>(total()) == 5 * 2 + 6);
  CHECK(static_cast<float>(session.copy().compile<&tower::total>()()) == 5 * 2 + 6);
  // a copy that takes all values from elsewhere, and what it takes changes afterwards
  trained.set<&tower::floors, 2, &pair::right, &layer::w>({0, 0});
  CHECK(other.get<&tower::floors, 2, &pair::right, &layer::w>()(1) == 40);
  // a borrowed variable
  std::vector<float> own(2, 7);
  session.borrow<&tower::floors, 0, &pair::left, &layer::w>(own);
  kt::session<tower> last = session.copy(kt::with<&tower::floors, 0, &pair::left, &layer::w>(other));
  CHECK(last.values<&tower::floors, 0, &pair::left, &layer::w>()[1] == 20);
  CHECK(own == std::vector<float>{7, 7});

  kt::tensor<float, 0> scale;
  *scale.data() = 9;
  CHECK(session.copy(kt::with<&tower::scale>(scale)).get<&tower::scale>() == 9);
}

struct named : kt::model {
  kt::stack<pair, 2> floors{this, "floors"};
  kt::state<int, batch> count{this, "count"};
  kt::optim::momentum optimiser{this};
  constexpr auto noise() const { return kt::random::normal<float, 3>(); }
};

TEST_CASE("shared: names, element types and extents") {
  kt::session<named> session{kt::context::host()};
  session.resize(batch(7));
  session.compile<&named::noise>();
  std::string text;
  for (const kt::variable_info& v : session.names()) {
    text += v.name + (v.is_trained ? " trained" : "") + " " + kt::name_of(v.type);
    for (const std::int64_t extent : v.extents) text += " " + std::to_string(extent);
    text += "\n";
  }
  CHECK(text ==
        "floors.0.left.w trained float32 2\n"
        "floors.0.right.w trained float32 2\n"
        "floors.1.left.w trained float32 2\n"
        "floors.1.right.w trained float32 2\n"
        "count int32 7\n"
        "momentum.steps int64\n"
        "momentum.floors.0.left.w.velocity float32 2\n"
        "momentum.floors.0.right.w.velocity float32 2\n"
        "momentum.floors.1.left.w.velocity float32 2\n"
        "momentum.floors.1.right.w.velocity float32 2\n"
        "kroton.random uint64 2\n");
}

struct memory : kt::model {
  kt::shared<float, batch, 3> state{this, "state", kt::init::ones};
  kt::shared<double, 2, batch, width> wide{this, "wide"};
  kt::shared<float, 3, 3> W{this, "W", kt::init::uniform(-1, 1)};
  constexpr auto step(kt::var<float, batch, 3> x) const {
    auto next = kt::tanh(kt::dot(state, W) + x);
    return kt::outputs(kt::sum(next)).updates(kt::update(state, next));
  }
  constexpr auto add(kt::var<double, width> x) const { return kt::updates(kt::update(wide, wide + x)); }
};

TEST_CASE("shared: extents along named dimensions change, and elements stay where they are") {
  const kt::context where = kt::context::host(1);
  kt::session<memory> session(where);
  const std::int64_t fixed = 9 * 4;
  CHECK(where.memory().in_use == fixed);
  CHECK(session.extents<&memory::state>() == std::vector<std::int64_t>{0, 3});
  auto step = session.compile<&memory::step>();
  auto add = session.compile<&memory::add>();
  CHECK(static_cast<float>(step(kt::tensor<float, 2>({0, 3}))) == 0);

  session.resize(batch(2));
  CHECK(session.extents<&memory::wide>() == std::vector<std::int64_t>{2, 2, 0});
  session.resize(width(3));
  CHECK(where.memory().in_use == fixed + 2 * 3 * 4 + 2 * 2 * 3 * 8);
  const auto state = session.values<&memory::state>();
  CHECK(std::vector(state.begin(), state.end()) == numbers(6, 1));  // initial values
  const std::vector<float> x{1, 2, 3, 4, 5, 6};
  CHECK(kt::debug::verify(step, kt::view(x.data(), {2, 3})));
  step(kt::view(x.data(), {2, 3}));
  add(std::vector<double>{1, 2, 3});
  const numbers before(state.begin(), state.end());

  session.resize(batch(4), width(2));
  const auto grown = session.values<&memory::state>();
  CHECK(std::equal(before.begin(), before.end(), grown.begin()));
  CHECK(numbers(grown.begin() + 6, grown.end()) == numbers(6, 1));
  const auto wide = session.values<&memory::wide>();
  CHECK(std::vector(wide.begin(), wide.end()) == std::vector<double>{1, 2, 1, 2, 0, 0, 0, 0, 1, 2, 1, 2, 0, 0, 0, 0});
  CHECK_THROWS_WITH_AS(
      step(kt::view(x.data(), {2, 3})),
      "kroton: dimension batch is 2 in argument 1 but 4 in shared variable state; session.resize changes it",
      kt::shape_error);
  step(kt::tensor<float, 2>({4, 3}, numbers(12, 0.5F)));

  kt::session<memory> same = session;  // of the same variables
  same.resize(batch(5));
  session.resize(width(3));
  CHECK(same.extents<&memory::wide>() == std::vector<std::int64_t>{2, 5, 3});
  same.resize(batch(4), width(2));
  auto& itself = session;
  session = std::move(itself);

  session.resize(batch(0));
  CHECK(session.values<&memory::state>().empty());
  CHECK(where.memory().in_use == fixed + kt::peak_bytes<&memory::step>(batch(4)));  // temporaries of its last call
  CHECK_THROWS_WITH_AS(session.resize(batch(-1)), "kroton: resize: an extent is -1; extents are 0 or more",
                       kt::shape_error);
}

TEST_CASE("shared: where the system refuses, nobody knows how much would fit" *
          doctest::skip(!kt::runtime::keeps_blocks)) {
  const auto host = kt::context::host(1);
  // some systems promise all memory that there are addresses for, and take it away when it is used
  const auto is_promised = [](std::int64_t bytes) {
    void* volatile found = std::malloc(static_cast<std::size_t>(bytes));
    std::free(found);
    return found != nullptr;
  };
  for (const kt::context& where :
       {host, host.with_budget(std::int64_t{1} << 46), host.with_budget(std::int64_t{1} << 60)})
    for (const std::int64_t rows : {std::int64_t{1} << 40, std::int64_t{1} << 44}) {
      if (is_promised(rows * 12)) continue;
      kt::session<memory> session(where);
      session.resize(batch(2));
      try {
        session.resize(batch(rows));
        FAIL("there is no such machine");
      } catch (const kt::memory_error& e) {
        const bool budget_is_short = where.memory().budget < rows * 12;
        CHECK((std::string(e.what()).find("would fit") != std::string::npos) == budget_is_short);
      }
    }
}

TEST_CASE("shared: a scalar is set to a number") {
  kt::session<tower> session{kt::context::host()};
  session.set<&tower::scale>(0.5F);
  CHECK(session.values<&tower::scale>()[0] == 0.5F);
  session.set<&tower::scale>({0.25F});
  CHECK(session.values<&tower::scale>()[0] == 0.25F);
  session.set<&tower::scale>(numbers{2});
  CHECK(session.values<&tower::scale>()[0] == 2);
  CHECK_THROWS_WITH_AS(session.set<&tower::scale>(1e300),
                       "kroton: set: scale is 1e+300, but float32 holds at most 3.40282347e+38", kt::value_error);
  CHECK_THROWS_WITH_AS(session.set<&tower::scale>(numbers{1, 2}), "kroton: set: 2 elements, but scale has 1",
                       kt::shape_error);
}

struct small_numbers : kt::model {
  kt::state<std::uint8_t> count{this, "count"};
  kt::shared<float, 2, 3> W{this, "W"};
};

TEST_CASE("shared: what is set has the extents of the variable, and fits its type") {
  kt::session<small_numbers> session{kt::context::host()};
  session.set<&small_numbers::count>(200);
  CHECK(session.values<&small_numbers::count>()[0] == 200);
  for (const int wrong : {300, -1, 256}) CHECK_THROWS_AS(session.set<&small_numbers::count>(wrong), kt::value_error);
  CHECK(session.values<&small_numbers::count>()[0] == 200);

  session.set<&small_numbers::W>(kt::tensor<float, 2>({2, 3}, {1, 2, 3, 4, 5, 6}));
  CHECK(session.get<&small_numbers::W>()(1, 0) == 4);
  const numbers data{1, 2, 3, 4, 5, 6};
  session.set<&small_numbers::W>(kt::view(data.data(), {2, 3}, {1, 2}));
  CHECK(session.get<&small_numbers::W>()(1, 0) == 2);
  session.set<&small_numbers::W>({6, 5, 4, 3, 2, 1});
  CHECK(session.get<&small_numbers::W>()(1, 0) == 3);
  CHECK_THROWS_WITH_AS(session.set<&small_numbers::W>(kt::tensor<float, 2>({3, 2})),
                       "kroton: set: extents (3, 2), but W has (2, 3)", kt::shape_error);
  CHECK_THROWS_AS(session.set<&small_numbers::W>(kt::view(data.data(), {2, -3})), kt::shape_error);
  CHECK_THROWS_WITH_AS(session.set<&small_numbers::W>(kt::view<const float, 2>(nullptr, {2, 3})),
                       "kroton: set: W has elements, but its pointer is null; pass a view of memory", kt::shape_error);
  CHECK(session.get<&small_numbers::W>()(1, 0) == 3);
}

TEST_CASE("shared: what does not fit a copy of a session is told at once") {
  kt::session<small_numbers> session{kt::context::host()};
  session.set<&small_numbers::W>({6, 5, 4, 3, 2, 1});
  const kt::tensor<float, 2> wrong({3, 2}), right({2, 3}, {1, 2, 3, 4, 5, 6});
  using net = small_numbers;
  CHECK_THROWS_WITH_AS(session.copy(kt::with<&net::W>(wrong), kt::with<&net::count>(300)),
                       "kroton: copy:\n"
                       "  extents (3, 2), but W has (2, 3)\n"
                       "  count is 300, but uint8 holds 0 to 255",
                       kt::shape_error);
  CHECK_THROWS_WITH_AS(session.copy(kt::with<&net::count>(-1), kt::with<&net::W>(right)),
                       "kroton: copy:\n  count is -1, but uint8 holds 0 to 255", kt::value_error);
  CHECK_THROWS_WITH_AS(session.copy(kt::with<&net::W>(numbers(5))), "kroton: copy: 5 elements, but W has 6",
                       kt::shape_error);
  CHECK_THROWS_WITH_AS(session.copy(kt::with<&net::W>(kt::view<const float, 2>(nullptr, {2, 3}))),
                       "kroton: copy: W has elements, but its pointer is null; pass a view of memory", kt::shape_error);
  const auto copied = session.copy(kt::with<&net::count>(255), kt::with<&net::W>(right));
  CHECK((copied.get<&net::count>() == 255 && copied.get<&net::W>()(1, 2) == 6));
  CHECK((session.get<&net::count>() == 0 && session.get<&net::W>()(1, 2) == 1));
  // variables without elements
  kt::session<memory> empty{kt::context::host()};
  CHECK(empty.copy(kt::with<&memory::state>(kt::tensor<float, 2>({0, 3}))).values<&memory::state>().empty());
  CHECK_THROWS_AS(empty.copy(kt::with<&memory::state>(kt::tensor<float, 2>({1, 3}))), kt::shape_error);
}

TEST_CASE("shared: extents for which there is no memory change nothing") {
  const std::int64_t fixed = 9 * 4;
  const kt::context where =
      kt::context::host(1).with_budget(fixed + 5 * 3 * 4);  // for two rows and three, but not for three and four
  kt::session<memory> session(where);
  session.resize(batch(2));
  session.resize(batch(3));
  session.values<&memory::state>()[8] = 7;
  CHECK_THROWS_WITH_AS(session.resize(batch(4)),
                       "kroton: 48 bytes of shared variables needed, but of a budget of 96 bytes 72 are in use and 24 "
                       "free; the largest: state 48; raise the budget, "
                       "or give smaller extents; batch up to 3 would fit",
                       kt::memory_error);
  for (const std::int64_t huge : {std::int64_t{1} << 60, std::int64_t{1} << 62, std::int64_t{3074457345618258603},
                                  std::numeric_limits<std::int64_t>::max()})
    CHECK_THROWS_AS(session.resize(batch(huge)), kt::memory_error);
  CHECK(session.extents<&memory::state>() == std::vector<std::int64_t>{3, 3});
  CHECK(session.values<&memory::state>()[8] == 7);
  session.resize(width(0), batch(2));
  CHECK(where.memory().in_use == fixed + 2 * 3 * 4);
}

struct beside : kt::model {
  kt::shared<float, batch, 3> cache{this, "cache"};
  kt::shared<float, width> table{this, "table", kt::init::ones};
  constexpr auto apply(kt::var<float, batch, 4> x) const { return kt::sum(kt::exp(x), kt::axis<1>); }
  constexpr auto zeros(kt::var<float, batch> x) const {
    return kt::outputs(kt::grad(kt::sum(kt::floor(table)) + kt::sum(x), table), x);
  }
};
TEST_CASE("shared: variables that a function does not use need not fit its arguments") {
  kt::session<beside> session;
  session.resize(width(2));
  CHECK(session.compile<&beside::apply>()(kt::tensor<float, 2>({5, 4}, numbers(20))).size() == 5);
  CHECK(std::get<0>(session.compile<&beside::zeros>()(numbers(3))).size() == 2);
  auto apply = session.compile<&beside::apply>();
  auto pieces = kt::chunked<batch>(apply, 2);
  CHECK(pieces(kt::tensor<float, 2>({5, 4}, numbers(20)))(4) == 4);
}

namespace {
struct drawn : kt::model {
  kt::state<std::uint8_t, 9> bytes{this, "bytes", kt::init::uniform(300, 400)};
  kt::state<std::int8_t, 9> small{this, "small", kt::init::uniform(-400, -300)};
  constexpr auto read() const { return kt::outputs(kt::min(bytes), kt::max(small)); }
};
}  // namespace

TEST_CASE("shared: what is drawn outside the element type becomes the nearest number") {
  kt::session<drawn> session;
  const auto [least, largest] = session.compile<&drawn::read>()();
  CHECK((least == 255 && largest == -128));
}

TEST_CASE("shared: memory of the caller is used without a copy") {
  const kt::context where = kt::context::host(1);
  kt::session<memory> session(where);
  auto step = session.compile<&memory::step>();
  session.resize(batch(2));
  numbers state{1, 2, 3, 4, 5, 6}, W{0, 0, 0, 0, 0, 0, 0, 0, 0};
  session.borrow<&memory::state>(state);
  session.borrow<&memory::W>(W);
  CHECK(where.memory().in_use == 0);
  CHECK(session.values<&memory::state>().data() == state.data());
  const numbers x(6, 0.25F);
  step(kt::view(x.data(), {2, 3}));
  CHECK(state[0] == doctest::Approx(std::tanh(0.25)));
  CHECK(state[5] == state[0]);
  W[0] = 1;
  step(kt::view(x.data(), {2, 3}));
  CHECK(state[3] == doctest::Approx(std::tanh(0.25 + std::tanh(0.25))));
  CHECK(state[4] == doctest::Approx(std::tanh(0.25)));
  CHECK_THROWS_WITH_AS(session.borrow<&memory::state>(std::span(state).first(5)),
                       "kroton: borrow: 5 elements, but state has 6", kt::shape_error);

  const numbers before = state;
  session.resize(batch(3));  // a copy, in memory of the session
  CHECK(session.values<&memory::state>().data() != state.data());
  step(kt::tensor<float, 2>({3, 3}, numbers(9, 1)));
  CHECK(state == before);
  CHECK(W[0] == 1);
}

}  // namespace
