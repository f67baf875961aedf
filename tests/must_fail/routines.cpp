// table: each marked line says its sentence
#include <kroton/kroton.hpp>
namespace kt = kroton;
inline constexpr struct batch : kt::dim<batch> {} batch;

struct tridiagonal : kt::routine<tridiagonal, 2, kt::operands::floating> {
  static constexpr const char* name = "tridiagonal";
  static constexpr bool ranks_agree(const kt::shape* x, const form&) { return x[0].rank == 2 && x[1].rank == 2; }
  static constexpr kt::shape result_shape(auto& table, const kt::shape* x, const form&) {
    table.unify(x[0][1], x[1][1], name);
    return x[1];
  }
  static void host(const auto&) {}
};
struct no_name : kt::routine<no_name, 1, kt::operands::floating> {
  static void host(const auto&) {}
};
struct no_host : kt::routine<no_host, 1, kt::operands::floating> {
  static constexpr const char* name = "no_host";
};
struct host_of_an_object : kt::routine<host_of_an_object, 1, kt::operands::floating> {
  static constexpr const char* name = "host_of_an_object";
  void host(const auto&) const {}
};
struct no_routine {
  static constexpr const char* name = "no_routine";
  static void host(const auto&) {}
};
using rows = kt::var<float, batch, 8>;
kt::tensor<float, 2> known({3, 8});

// clang-format off
constexpr auto rank(kt::var<float, batch> x, rows y) { return kt::call_routine<tridiagonal>(x, y); }  // <- do not have the number of axes
constexpr auto count(rows y) { return kt::call_routine<tridiagonal>(y); }  // <- do not have the number of axes
constexpr auto extents(kt::var<float, 3, 7> x, rows y) { return kt::call_routine<tridiagonal>(x, y); }  // <- extents of the operands do not match
constexpr auto type(kt::var<int, 3, 8> x, rows y) { return kt::call_routine<tridiagonal>(x, y); }  // <- does not take this element type
constexpr auto mixed_types(kt::var<double, 3, 8> x, rows y) { return kt::call_routine<tridiagonal>(x, y); }  // <- different element types
constexpr auto tensor(rows y) { return kt::call_routine<tridiagonal>(known, y); }  // <- an operand is not an expression
constexpr auto no_axis(rows x) { return kt::cumsum(x); }  // <- axes are written kt::axis<0>
constexpr auto two_axes(rows x) { return kt::cumsum(x, kt::axis<0, 1>); }  // <- axes are written kt::axis<0>
constexpr auto number_as_axis(rows x) { return kt::cumsum(x, 1); }  // <- axes are written kt::axis<0>
constexpr auto braces(rows x) { return kt::cumsum(x, {1}); }  // <- axes are written kt::axis<0>
constexpr auto outside(rows x) { return kt::cumsum(x, kt::axis<2>); }  // <- no such axis
constexpr auto of_tensor(rows x) { return kt::cumsum(known, kt::axis<0>) + x; }  // <- an operand is not an expression
constexpr auto nameless(rows x) { return kt::call_routine<no_name>(x); }  // <- a static constexpr name
constexpr auto hostless(rows x) { return kt::call_routine<no_host>(x); }  // <- a static host(const auto& call)
constexpr auto of_object(rows x) { return kt::call_routine<host_of_an_object>(x); }  // <- a static host(const auto& call)
constexpr auto without_base(rows x) { return kt::call_routine<no_routine>(x); }  // <- a routine derives from kt::routine
// clang-format on
