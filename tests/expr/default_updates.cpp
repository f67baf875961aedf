// Default updates of shared variables: of functions that read the variable and do not update it.
#include <kroton/kroton.hpp>

#include <doctest/doctest.h>

namespace kt = kroton;

namespace {

struct counter : kt::model {
  kt::state<float> steps{this, "steps"}, total{this, "total"};
  kt::shared<float, 3> w{this, "w", kt::init::ones};
  constexpr counter() {
    default_update(steps, steps + 1);
    default_update(total, total + steps);
  }
  constexpr auto reads(kt::var<float> x) const { return x * steps; }
  constexpr auto reads_total(kt::var<float> x) const { return kt::outputs(x + total); }
  constexpr auto frozen(kt::var<float> x) const { return kt::outputs(x * steps * total).no_default_updates(); }
  constexpr auto half(kt::var<float> x) const { return kt::outputs(x + total).no_default_updates(steps); }
  constexpr auto sets(kt::var<float> x) const { return kt::outputs(steps + total).updates(kt::update(steps, x)); }
  constexpr auto changes_w(kt::var<float> x) const { return kt::updates(kt::update(w, w * x * steps)); }
  constexpr auto other(kt::var<float> x) const { return x * kt::sum(w); }
  constexpr auto without(kt::var<float> x) const { return kt::outputs(steps * x).givens(kt::given(steps, x + 1)); }
};
struct block : kt::model {
  kt::state<int> calls{this, "calls"};
  constexpr block(kt::model* parent, const char* name) : kt::model(parent, name) { default_update(calls, calls + 1); }
};
struct two_blocks : kt::model {
  block left{this, "left"}, right{this, "right"};
  constexpr auto of_left() const { return left.calls + 0; }
  constexpr auto of_both() const { return left.calls + 10 * right.calls; }
};

/// After a call: the values of steps and total.
template <auto Member>
void check(kt::session<counter>& session, float result, float steps, float total) {
  auto f = session.compile<Member>();
  CHECK(static_cast<float>(f(2.0f)) == result);
  CHECK(session.values<&counter::steps>()[0] == steps);
  CHECK(session.values<&counter::total>()[0] == total);
}

TEST_CASE("default updates: where a variable is read, unless it has another update") {
  kt::session<counter> session{kt::context::host()};
  session.set<&counter::total>(10.0f);
  check<&counter::reads>(session, 0, 1, 10);
  check<&counter::reads_total>(session, 12, 2, 11);  // the new total reads steps, which is updated too
  check<&counter::frozen>(session, 44, 2, 11);
  check<&counter::half>(session, 13, 2, 13);
  check<&counter::sets>(session, 15, 2, 15);
  check<&counter::other>(session, 6, 2, 15);
  check<&counter::without>(session, 6, 2, 15);
  session.compile<&counter::changes_w>()(3.0f);
  CHECK(session.values<&counter::w>()[2] == 6);
  CHECK(session.values<&counter::steps>()[0] == 3);
}

TEST_CASE("default updates: of blocks") {
  kt::session<two_blocks> session{kt::context::host()};
  auto left = session.compile<&two_blocks::of_left>();
  auto both = session.compile<&two_blocks::of_both>();
  CHECK(static_cast<int>(left()) == 0);
  CHECK(static_cast<int>(both()) == 1);
  CHECK(static_cast<int>(both()) == 12);
  static_assert(!decltype(left)::changes_nothing);
}

}  // namespace
