// expect: kroton: the function updates one shared variable twice
#include <kroton/expr/capture.hpp>
#include <kroton/expr/diagnose.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

struct layer : kt::model {
  kt::shared<float, 3> b{this, "b"};
  constexpr auto train(kt::var<float, 3> x) const {
    return kt::updates(kt::update(b, b + x), kt::update(b, x));
  }
};
template struct kt::diagnosed<kt::captured<kt::member_function<&layer::train>>::value.problem>;  // <- here
