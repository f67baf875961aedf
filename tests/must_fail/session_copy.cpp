// table: each marked line says its sentence
#include <kroton/kroton.hpp>
namespace kt = kroton;

// clang-format off
struct layer : kt::model {
  using kt::model::model;
  kt::shared<float, 3> b{this, "b"};
};
struct net : kt::model {
  kt::shared<float, 2, 3> W{this, "W"};
  kt::shared<int> count{this, "count"};
  kt::stack<layer, 2> layers{this, "layers"};
};
struct other_net : kt::model { kt::shared<double, 2, 3> V{this, "V"}; };
kt::session<net> session;
kt::session<other_net> others;
const kt::tensor<float, 2> w({2, 3});
const std::vector<float> b(3);
auto plain = session.copy(w);                                                        // <- session.copy takes the elements of shared variables
auto of_type = session.copy(kt::with<&net::W>(kt::tensor<double, 2>({2, 3})));       // <- session.set and kt::with take a tensor or view with
auto of_rank = session.copy(kt::with<&net::W>(w), kt::with<&net::count>(b));         // <- session.set and kt::with take a tensor or view with
auto fraction = session.copy(kt::with<&net::count>(0.5));                            // <- session.set and kt::with take a tensor or view with
auto twice = session.copy(kt::with<&net::W>(w), kt::with<&net::count>(1), kt::with<&net::W>(w));  // <- elements of one shared variable twice
auto no_path = session.copy(kt::with<&net::layers, 2, &layer::b>(b));                // <- only a kt::shared of the session's model has values
auto of_block = session.copy(kt::with<&net::layers>(b));                             // <- only a kt::shared of the session's model has values
auto of_other = session.copy(kt::with<&other_net::V>(others));                       // <- only a kt::shared of the session's model has values
// clang-format on
int main() {}
