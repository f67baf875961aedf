// Matrix products alone: Kroton's own, the CBLAS of this build, Eigen's, and those of BLIS and oneDNN where the loader
// finds them; 12 cubes and other shapes, and many small products. The whole table takes half an hour; a part of it is
//
//     bench-libraries --benchmark_filter='^(4|8|12|16)\^3'
//     bench-libraries --benchmark_filter='^4096\^3 floats, 1 thread' --benchmark_repetitions=1
#include <kroton/kroton.hpp>
#include <kroton/runtime/host/own_product.hpp>

#include "table.hpp"

#ifdef KROTON_BENCH_EIGEN
#include <Eigen/Core>
#endif

#include <cblas.h>
#include <dlfcn.h>

#include <type_traits>

namespace {

namespace host = kroton::runtime::on_host;

/// A library with functions of names that others have, too: it is loaded apart from them, and calls its own.
class library {
 public:
  library(const char* name, std::initializer_list<const char*> files) {
    for (const char* file : files)
      if (handle_ == nullptr) handle_ = dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    if (handle_ == nullptr) std::fprintf(stderr, "%s is left out: %s\n", name, dlerror());
    else std::fprintf(stderr, "%s is there\n", name);
  }
  template <class Function>
  Function* find(const char* name) const {
    return handle_ == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(handle_, name));
  }

 private:
  void* handle_ = nullptr;
};

template <class T>
using cblas_gemm = std::conditional_t<std::is_same_v<T, float>, decltype(cblas_sgemm), decltype(cblas_dgemm)>;
template <class T>
constexpr const char* gemm_name = std::is_same_v<T, float> ? "cblas_sgemm" : "cblas_dgemm";
using dnnl_gemm = int(char, char, std::int64_t, std::int64_t, std::int64_t, float, const float*, std::int64_t,
                      const float*, std::int64_t, float, float*, std::int64_t);

const library& blis() {
  static const library found("BLIS", {"libblis.so.4", "libblis.so"});
  return found;
}
const library& dnnl() {
  static const library found("oneDNN", {"libdnnl.so.3", "libdnnl.so.2", "libdnnl.so"});
  return found;
}

struct extents {
  int m, n, k;

  std::string name() const {
    return m == n && n == k ? std::to_string(m) + "^3"
                            : std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k);
  }
};

template <class T>
struct matrices {
  std::vector<T> x, y, z;

  matrices(const extents& e, int count)
      : x(static_cast<std::size_t>(count) * static_cast<std::size_t>(e.m) * static_cast<std::size_t>(e.k), T(0.5)),
        y(static_cast<std::size_t>(count) * static_cast<std::size_t>(e.k) * static_cast<std::size_t>(e.n), T(2)),
        z(static_cast<std::size_t>(count) * static_cast<std::size_t>(e.m) * static_cast<std::size_t>(e.n)) {}
};

template <class T>
constexpr const char* type_name = std::is_same_v<T, float> ? "floats" : "doubles";

template <class T>
void call(cblas_gemm<T>* gemm, const extents& e, const T* x, const T* y, T* z) {
  gemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, e.m, e.n, e.k, 1, x, e.k, y, e.n, 0, z, e.n);
}

template <class T>
void add_shape(bench::suite& all, const extents& e, int threads) {
  bench::group& g = all.add_group(e.name() + " " + type_name<T>, threads, bench::flops(2.0 * e.m * e.n * e.k), "CBLAS");
  const auto m = std::make_shared<std::unique_ptr<matrices<T>>>();  // made when one of them is measured
  const auto with = [m, e](const auto& body) {
    return [m, e, body] {
      if (*m == nullptr) *m = std::make_unique<matrices<T>>(e, 1);
      body((*m)->x.data(), (*m)->y.data(), (*m)->z.data());
    };
  };
  g.add("own", with([e, threads](const T* x, const T* y, T* z) {
          host::multiply_without_library<T>(e.m, e.n, e.k, {x, e.k, 1}, {y, e.n, 1}, {z, e.n, T(1), T(0)}, threads);
        }));
  g.add("CBLAS", with([e](const T* x, const T* y, T* z) {
          if constexpr (std::is_same_v<T, float>) call<T>(&cblas_sgemm, e, x, y, z);
          else call<T>(&cblas_dgemm, e, x, y, z);
        }));
  if (auto* gemm = blis().find<cblas_gemm<T>>(gemm_name<T>)) {
    auto* set_threads = blis().find<void(std::int64_t)>("bli_thread_set_num_threads");
    g.add("BLIS", with([=](const T* x, const T* y, T* z) {
            if (set_threads != nullptr) set_threads(threads);
            call<T>(gemm, e, x, y, z);
          }));
  }
  if constexpr (std::is_same_v<T, float>)
    if (auto* gemm = dnnl().find<dnnl_gemm>("dnnl_sgemm"))
      g.add("oneDNN",
            with([=](const T* x, const T* y, T* z) { gemm('N', 'N', e.m, e.n, e.k, 1, x, e.k, y, e.n, 0, z, e.n); }));
#ifdef KROTON_BENCH_EIGEN
  g.add("Eigen", with([e](const T* x, const T* y, T* z) {
          using matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
          Eigen::Map<matrix>(z, e.m, e.n).noalias() =
              Eigen::Map<const matrix>(x, e.m, e.k) * Eigen::Map<const matrix>(y, e.k, e.n);
        }));
#endif
}

/// `Count` products of `N`^3, of which the compiler knows the extents.
template <class T, int N, int Count>
void add_small(bench::suite& all) {
  static constexpr extents e{N, N, N};
  constexpr int size = N * N;
  bench::group& g = all.add_group(std::to_string(Count) + " of " + e.name() + " " + type_name<T>, 1,
                                  bench::flops(2.0 * Count * N * N * N), "CBLAS");
  const auto m = std::make_shared<matrices<T>>(e, Count);
  const auto with = [m](const auto& body) {
    return [m, body] {
      const T *x = m->x.data(), *y = m->y.data();
      T* z = m->z.data();
      for (int i = 0; i < Count; ++i, x += size, y += size, z += size) body(x, y, z);
    };
  };
  g.add("own", with([](const T* x, const T* y, T* z) {
          host::multiply_fixed<T, host::fixed_extents{N, N, N, N, 1, N, 1}, false>(x, y, z, T(1));
        }));
  g.add("CBLAS", with([](const T* x, const T* y, T* z) {
          if constexpr (std::is_same_v<T, float>) call<T>(&cblas_sgemm, e, x, y, z);
          else call<T>(&cblas_dgemm, e, x, y, z);
        }));
#ifdef KROTON_BENCH_EIGEN
  g.add("Eigen", with([](const T* x, const T* y, T* z) {
          using matrix = Eigen::Matrix<T, N, N, Eigen::RowMajor>;
          Eigen::Map<matrix>{z}.noalias() = Eigen::Map<const matrix>{x} * Eigen::Map<const matrix>{y};
        }));
#endif
}

}  // namespace

int main(int argc, char** argv) {
  bench::suite all("Matrix products alone", argc, argv);
  std::vector<extents> shapes;
  for (const int n : {4, 8, 12, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096}) shapes.push_back({n, n, n});
  for (const extents& e : {extents{100, 100, 100}, {16, 500, 784}, {128, 500, 784}, {1000, 1, 784}, {1, 1000, 784}})
    shapes.push_back(e);
  for (const int threads : bench::thread_counts())
    for (const extents& e : shapes) {
      add_shape<float>(all, e, threads);
      add_shape<double>(all, e, threads);
    }
  add_small<float, 3, 1000>(all);
  add_small<double, 3, 1000>(all);
  add_small<float, 16, 256>(all);
  add_small<double, 16, 256>(all);
  return all.run(argc, argv);
}
