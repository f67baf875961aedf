#include <doctest/doctest.h>
#include <kroton/kroton.hpp>

namespace kt = kroton;

namespace {

using enum kt::backend_kind;

constexpr struct n : kt::dim<n> {} n;
constexpr struct dev0 : kt::context_name<dev0> {} dev0;

struct narrow : kt::elementwise<narrow, 1, kt::operands::numeric> {
  static constexpr const char* name = "narrow";
  static constexpr bool has_kernel(kt::backend_kind where, kt::dtype type) {
    return where == host && type != kt::dtype::int8;
  }
  template <class V>
  static constexpr V apply(const V& x) {
    return x;
  }
};

template <class Lambda>
constexpr kt::runtime::missing_kernel missing(Lambda, kt::backend_kind devices = host) {
  return kt::runtime::find_missing_kernel(kt::typed::captured<kt::typed::lambda_function<Lambda>>::value, devices);
}
constexpr auto narrowed(auto x) { return kt::typed::typed_layer::map<narrow>(x); }

// the first operation that lacks one, for the type of its operands
constexpr auto of_float = [](kt::var<float, n> x) { return narrowed(x); };
constexpr auto of_int8 = [](kt::var<std::int8_t, n> x) { return kt::cast<float>(narrowed(x + 1)); };
static_assert(!missing(of_float).is_missing() && missing(of_float, reference).op->id == kt::graph::id_of<narrow>);
static_assert(missing(of_float, cuda).where == cuda && missing(of_float, reference).where == reference);
static_assert(missing(of_int8).op->id == kt::graph::id_of<narrow> && missing(of_int8).type == kt::dtype::int8 &&
              missing(of_int8).where == host);
static_assert(!missing([](kt::var<bool, n> c, kt::var<float, n> x) {
                 return kt::outputs(kt::where(c, x, 0), c == (x > 1), kt::argmax(x));
               }).is_missing());

// on the host no device is asked; elsewhere both are, as are devices that cores of the host may be
constexpr auto on_host = [](kt::var<float, n> x) { return narrowed(kt::transfer<kt::host>(x)); };
constexpr auto named = [](kt::var<float, n> x) { return narrowed(kt::transfer<dev0>(x)); };
constexpr auto named_int8 = [](kt::var<std::int8_t, n> x) { return narrowed(kt::transfer<dev0>(x)); };
static_assert(!missing(on_host, cuda).is_missing() && !missing(named).is_missing());
static_assert(missing(on_host, reference).where == reference && missing(named, reference).where == reference);
static_assert(missing(named, cuda).where == cuda && missing(named_int8, cuda).where == host);

// what is not needed may lack kernels
constexpr auto unused = [](kt::var<float, n> x) {
  (void)narrowed(x);
  return x;
};
static_assert(!missing(unused, cuda).is_missing());

}  // namespace

TEST_CASE("kernel check: what has kernels runs") {
  auto f = kt::function<kt::policy::none, kt::host_backend>([](kt::var<float, n> x) { return narrowed(x) + 1; },
                                                            kt::context::host());
  CHECK(f(std::vector<float>{1, 2})(1) == 3);
}
