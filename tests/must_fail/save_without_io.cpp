// expect: kroton: session.save and session.load need #include <kroton/io.hpp>
#include <kroton/kroton.hpp>
namespace kt = kroton;

struct layer : kt::model {
  kt::shared<float, 3> W{this, "W"};
};
void keep(const kt::session<layer>& session) { session.save("layer.safetensors"); }  // <- here
