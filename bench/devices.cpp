// A function in two contexts: both on one core, and each on a core of its own.
#include <kroton/kroton.hpp>

#include "table.hpp"

namespace kt = kroton;

namespace {

constexpr struct alone_a : kt::context_name<alone_a> {} alone_a;
constexpr struct alone_b : kt::context_name<alone_b> {} alone_b;
constexpr struct beside_a : kt::context_name<beside_a> {} beside_a;
constexpr struct beside_b : kt::context_name<beside_b> {} beside_b;

/// Theano's "simple graph on two GPUs".
template <auto A, auto B>
struct products : kt::model {
  kt::shared<float, 1024, 1024> v01{this, "v01", kt::init::uniform(0, 1), A},
      v02{this, "v02", kt::init::uniform(0, 1), A};
  kt::shared<float, 1024, 1024> v11{this, "v11", kt::init::uniform(0, 1), B},
      v12{this, "v12", kt::init::uniform(0, 1), B};
  constexpr auto both() const { return kt::outputs(kt::dot(v01, v02), kt::dot(v11, v12)); }
};

template <auto A, auto B>
void add(bench::group& g, const char* name) {
  using model = products<A, B>;
  auto session = std::make_shared<kt::session<model>>();
  g.add(name, [session, f = session->template compile<&model::both>()]() mutable { benchmark::DoNotOptimize(f()); });
}

}  // namespace

int main(int argc, char** argv) {
  const bool has_two = kt::host_cores().size() > 1;
  for (const char* name : {"alone_a", "alone_b", "beside_a"}) kt::context::map(name, "cpu0");
  kt::context::map("beside_b", has_two ? "cpu1" : "cpu0");

  bench::suite all("Devices: a function in two contexts", argc, argv);
  bench::group& g =
      all.add_group("two products of 1024x1024 floats, each in its context", 1, bench::flops(4.0 * 1024 * 1024 * 1024),
                    "both on one core", has_two ? bench::at_most(0.6) : bench::goal());
  add<alone_a, alone_b>(g, "both on one core");
  add<beside_a, beside_b>(g, "kroton");
  return all.run(argc, argv);
}
