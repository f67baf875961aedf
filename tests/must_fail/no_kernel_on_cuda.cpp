// expect: kroton: the operation has no kernel for this element type on cuda
// says: half_life
#include <kroton/kroton.hpp>
namespace kt = kroton;

struct half_life : kt::elementwise<half_life, 1, kt::operands::floating> {
  static constexpr const char* name = "half_life";
  static constexpr bool has_kernel(kt::backend_kind where, kt::dtype) { return where != kt::backend_kind::cuda; }
  template <class V>
  static V apply(const V& x) {
    return x + x;
  }
};
struct decay : kt::model {
  kt::shared<kt::half, 3> a{this, "a"};
  constexpr auto on_host() const { return kt::typed::typed_layer::map<half_life>(kt::transfer<kt::host>(a)); }
  constexpr auto anywhere() const { return kt::typed::typed_layer::map<half_life>(a); }
};
#ifdef __CUDACC__
using backend = kt::runtime::on_cuda::backend;
#else
struct backend : kt::host_backend {  // of functions that may run on a GPU
  static constexpr kt::backend_kind kind = kt::backend_kind::cuda;
};
#endif
kt::session<decay> session;
auto on_host = session.compile<&decay::on_host, kt::policy::none, backend>();
auto anywhere = session.compile<&decay::anywhere, kt::policy::none, backend>();  // <- here
