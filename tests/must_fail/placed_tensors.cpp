// table: each marked line says its sentence
#include <kroton/kroton.hpp>
namespace kt = kroton;

// clang-format off
inline constexpr struct dev0 : kt::context_name<dev0> {} dev0;
inline constexpr struct dev1 : kt::context_name<dev1> {} dev1;
inline constexpr struct batch : kt::dim<batch> {} batch;
struct net : kt::model {
  constexpr auto there(kt::var<float, batch> x) const { return kt::transfer<dev0>(x * 2); }
  constexpr auto here(kt::var_at<dev0, float, batch> h) const { return h * 2; }
  constexpr auto counted(kt::var_at<dev0, int> n) const { return n + 1; }
  constexpr auto text(kt::var_at<dev0, const char*, batch> n) const { return n; }  // <- this is not an element type
};
kt::session<net> session;
auto there = session.compile<&net::there>();
auto here = session.compile<&net::here>();
const kt::tensor<float, 1> x({2});
kt::tensor<float, 1> y;
kt::tensor_at<dev0, float, 1> h(x), g;
kt::tensor_at<dev1, float, 1> of_other(x);
kt::tensor_at<dev0, double, 1> of_doubles(kt::tensor<double, 1>({2}));
float numbers[2];
auto on_host = here(x);                                          // <- this argument lies elsewhere
auto in_range = here(std::vector<float>(2));                     // <- this argument lies elsewhere
auto elsewhere = here(of_other);                                 // <- this argument lies elsewhere
auto placed = there(h);                                          // <- this argument lies elsewhere
auto viewed = there(kt::view_at(dev0, numbers, {2}));            // <- this argument lies elsewhere
auto of_type = here(of_doubles);                                 // <- does not have the element type or the number of axes
auto of_rank = here(kt::view_at(dev0, numbers, {2, 1}));         // <- does not have the element type or the number of axes
auto integer = session.compile<&net::counted>();                 // <- an integer scalar is a kt::var and no kt::var_at
auto pieces = kt::chunked<batch>(there, 2);                      // <- kt::chunked takes functions whose arguments and outputs are on the host
void into() {
  there.into(y, x);                                              // <- f.into(y, x) takes a kt::tensor for an output on the host
  there.into(of_other, x);                                       // <- f.into(y, x) takes a kt::tensor for an output on the host
  there.into(of_doubles, x);                                     // <- f.into(y, x) takes a tensor for the output
  there.into(kt::tensor_at<dev0, float, 1>(), x);                // <- f.into(y, x) takes a tensor for the output
  there.into(kt::view_at(dev0, static_cast<const float*>(numbers), {2}), x);  // <- f.into(y, x) takes a tensor for the output
  here.into(of_doubles, h);                                      // <- f.into(y, x) takes a kt::tensor for an output on the host
}
auto forgotten = kt::function([](kt::var<float, batch> z) { return z + h; });  // <- an operand is not an expression; pass tensors as arguments
// clang-format on
int main() {}
