#include "../support.hpp"

// An operation is told by its type, not by the name that it shows.
namespace mine {
struct exp : kt::elementwise<exp, 1, kt::operands::floating> {
  static constexpr const char* name = "exp";
  template <class V>
  static constexpr V apply(const V& x) {
    return x * x;
  }
};
template <int Power>
struct power : kt::elementwise<power<Power>, 1, kt::operands::floating> {
  static constexpr const char* name = "power";
  template <class V>
  static constexpr V apply(const V& x) {
    return Power == 2 ? x * x : x * x * x;
  }
};
}  // namespace mine

namespace other {
namespace {
struct exp : mine::exp {};
}  // namespace
}  // namespace other

namespace {
using other_exp = other::exp;

static_assert(kt::graph::id_of<other_exp> != kt::graph::id_of<mine::exp> &&
              kt::graph::id_of<other_exp> != kt::graph::id_of<kt::ops::exp>);
static_assert(kt::graph::id_of<mine::exp> != kt::graph::id_of<kt::ops::exp>);
static_assert(kt::graph::id_of<mine::power<2>> != kt::graph::id_of<mine::power<3>>);

// from a graph back to the type
static_assert(std::is_same_v<kt::graph::operation_struct<kt::graph::op<kt::ops::exp>>, kt::ops::exp>);
static_assert(std::is_same_v<kt::graph::operation_struct<kt::graph::op<mine::exp>>, mine::exp>);
static_assert(std::is_same_v<kt::graph::operation_struct<kt::graph::op<other_exp>>, other_exp>);
static_assert(std::is_same_v<kt::graph::operation_struct<kt::graph::op<mine::power<2>>>, mine::power<2>>);
static_assert(std::is_same_v<kt::graph::operation_struct<kt::graph::op<mine::power<3>>>, mine::power<3>>);

static_assert(kt::graph::op<kt::ops::exp>->differentiable && !kt::graph::op<mine::exp>->differentiable);

constexpr bool stay_apart() {
  kt::graph::graph g;
  const kt::term x = kt::graph::constant(g, kt::dtype::float64, 3);
  const kt::term nodes[] = {kt::exp(x), kt::graph::graph_layer::map<mine::exp>(x),
                            kt::graph::graph_layer::map<other_exp>(x)};
  return nodes[0].id != nodes[1].id && nodes[0].id != nodes[2].id && nodes[1].id != nodes[2].id &&
         kt::exp(x).id == nodes[0].id && kt::graph::graph_layer::map<mine::exp>(x).id == nodes[1].id;
}
static_assert(stay_apart());

}  // namespace

TEST_CASE("operation: equal names of different operations") { CHECK(stay_apart()); }
