// table: each marked line says its sentence
#include <kroton/kroton.hpp>
namespace kt = kroton;

// clang-format off
inline constexpr struct n : kt::dim<n> {} n;
auto without_lists = kt::function([](kt::var<float, n> x) { return kt::scan([](auto h) { return h; }, kt::carried(x)).last; });          // <- kt::scan takes a body and kt::sequences
auto other_item = kt::function([](kt::var<float, n> x) { return x + kt::scan([](auto row) { return row; }, kt::sequences(x), x).all; });     // <- kt::scan takes a body and kt::sequences
auto scalar = kt::function([](kt::var<float> x) { return x + kt::scan([](auto row) { return row; }, kt::sequences(x)).all; });               // <- do not have the number of axes
auto rows = kt::function([](kt::var<float, n> x, kt::var<float, 2> h) { return x + kt::scan([](auto r, auto a) { return a + r; }, kt::sequences(x), kt::carried(kt::taps<-3>(h))).all; });  // <- kt::taps of a carried variable are negative
auto future = kt::function([](kt::var<float, n> x, kt::var<float, 1> h) { return x + kt::scan([](auto r, auto a) { return a + r; }, kt::sequences(x), kt::carried(kt::taps<1>(h))).all; });  // <- kt::taps of a carried variable are negative
auto type = kt::function([](kt::var<float, n> x) { return x + kt::scan([](auto r, auto a) { return kt::cast<double>(a + r); }, kt::sequences(x), kt::carried(0.0f)).all; });  // <- the body of a loop returns the new value of each carried variable
auto extents = kt::function([](kt::var<float, n> x, kt::var<float, 1> h) { return x + kt::scan([](auto r, auto a) { return kt::sum(a) + r; }, kt::sequences(x), kt::carried(h)).all; });  // <- the body of a loop returns the new value of each carried variable
auto nothing = kt::function([](kt::var<float, n> x) { return x + kt::scan([](auto, auto) { return 1; }, kt::sequences(x), kt::carried(0.0f)).all; });  // <- the body of a loop returns the new value of each carried variable
auto parameters = kt::function([](kt::var<float, n> x) { return x + kt::scan([](auto r, auto a, auto) { return a + r; }, kt::sequences(x), kt::carried(0.0f)).all; });  // <- the body of a loop gets a row of each sequence
auto returns_nothing = kt::function([](kt::var<float, n> x) { return x + kt::map([](auto r) { (void)kt::exp(r); }, kt::sequences(x)); });  // <- the body of a loop gets a row of each sequence
auto few = kt::function([](kt::var<float, n> x) { return x + kt::scan([](auto r, auto a, auto) { return a + r; }, kt::sequences(x), kt::carried(0.0f, 1.0f)).all; });  // <- the body of a loop returns the new value of each carried variable
auto mapped = kt::function([](kt::var<float, n, n> x) { return kt::map([](auto r, auto a) { return a + r; }, kt::sequences(x), kt::carried(kt::sum(x, kt::axis<0>))) + x; });  // <- kt::map carries nothing
auto reduced = kt::function([](kt::var<float, n> x) { return kt::reduce([](auto r) { return r; }, kt::sequences(x)) + x; });  // <- kt::map carries nothing
auto ended = kt::function([](kt::var<float, n> x) { return std::get<1>(kt::scan([](auto r, auto a) { return std::tuple{a + r, kt::until(a + r)}; }, kt::sequences(x), kt::carried(kt::sum(x)))); });  // <- kt::until takes a scalar of bool
auto ended_by_row = kt::function([](kt::var<float, n, 2> x) { return std::get<1>(kt::scan([](auto r, auto a) { return std::tuple{a + r, kt::until(r > a)}; }, kt::sequences(x), kt::carried(kt::sum(x, kt::axis<0>)))); });  // <- kt::until takes a scalar of bool
auto ends_first = kt::function([](kt::var<float, n> x) { return std::get<1>(kt::scan([](auto r, auto a) { return std::tuple{kt::until(r > a), a + r}; }, kt::sequences(x), kt::carried(kt::sum(x)))).all; });  // <- the body of a loop returns the new value of each carried variable
auto truncated = kt::function([](kt::var<float, n> x) { return kt::scan([](auto r, auto a) { return a + r; }, kt::sequences(x), kt::carried(0.0f), kt::scan_options{.truncate_gradient = -1}).all; });  // <- truncate_gradient and keep_every of a loop are not negative
auto unkept = kt::function([](kt::var<double, n> x) { return kt::scan([](auto r, auto a) { return a + r; }, kt::sequences(x), kt::carried(0.0), kt::scan_options{.keep_every = -2}).all; });  // <- truncate_gradient and keep_every of a loop are not negative
auto both_options = kt::function([](kt::var<int, n> x) { return kt::scan([](auto r, auto a) { return a + r; }, kt::sequences(x), kt::carried(0), kt::scan_options{.truncate_gradient = 3, .keep_every = 3}).all; });  // <- a loop has keep_every or truncate_gradient, not both
auto condition = kt::function([](kt::var<float, n> x) { return kt::cond(x > 0, [&] { return x; }, [&] { return x * 2; }); });  // <- kt::cond takes a condition, a scalar of bool
auto branch = kt::function([](kt::var<float, n> x) { return kt::cond(kt::sum(x) > 0, [&] { return x; }, [&] { return kt::sum(x); }); });  // <- kt::cond takes a condition, a scalar of bool
