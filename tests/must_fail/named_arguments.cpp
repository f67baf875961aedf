// table: each marked line says its sentence
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

// clang-format off
template <template <class, auto...> class Var> struct inputs { Var<float, batch, 4> x; Var<int, batch> label; Var<float> rate = 0.5F; };
template <template <class, auto...> class Var> struct two { Var<double> a; Var<bool> b; };
template <template <class, auto...> class Var> struct none {};
template <template <class, auto...> class Var> struct text { Var<float> x; std::string name; };
template <template <class, auto...> class Var> struct number { int n; };
template <template <class, auto...> class Var> struct many { Var<int> a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q; };
struct plain { kt::var<float> x; };
struct net : kt::model {
  constexpr auto sum(inputs<kt::var> in) const { return kt::sum(in.x, kt::axis<1>) * in.rate + kt::cast<float>(in.label); }
};
const kt::tensor<float, 2> x({2, 4});
const std::vector<int> label{1, 2};
kt::session<net> session;
auto f = kt::function([](two<kt::var> in) { return kt::where(in.b, in.a, 0); });
auto sum = session.compile<&net::sum>();
const auto constant = session.compile<&net::sum>();
auto left_out = sum({.x = x});                                           // <- leaves out a member of the struct of arguments
auto left_out_named = f(two<kt::argument>{.b = true});                   // <- leaves out a member of the struct of arguments
auto nothing = sum({});                                                  // <- leaves out a member of the struct of arguments
auto other_type = sum({.x = x, .label = std::vector<float>{1, 2}});      // <- does not have the element type or the number of axes
auto other_rank = sum({.x = std::vector<float>{1, 2}, .label = label});  // <- does not have the element type or the number of axes
auto of_const = constant({.x = x, .label = label});                      // <- a call of a compiled function changes the memory
auto other_struct = sum(two<kt::argument>{.a = 1, .b = true});           // <- the call and the function have different numbers of arguments
auto fraction = f({.a = 1, .b = 0.5});                                   // <- a number with a fraction would be cut
auto of_many = kt::function([](many<kt::var> in) { return in.a; });     // <- a struct of variables is a function's only parameter
auto of_none = kt::function([](none<kt::var>) { return kt::zeros<float, 3>(); });           // <- a struct of variables is a function's only parameter
auto of_text = kt::function([](text<kt::var> in) { return in.x; });                         // <- a struct of variables is a function's only parameter
auto of_number = kt::function([](number<kt::var>) { return kt::zeros<float, 3>(); });       // <- a struct of variables is a function's only parameter
auto of_plain = kt::function([](plain in) { return in.x; });                                // <- a struct of variables is a function's only parameter
auto of_both = kt::function([](inputs<kt::var> in, kt::var<float> y) { return in.rate * y; });  // <- a struct of variables is a function's only parameter
auto unused = kt::function([](inputs<kt::var> in) { return kt::sum(in.x) * in.rate; });     // <- the function does not use one of its arguments
auto of_refused = of_text({.x = 1, .name = "n"});
// clang-format on
int main() {}
