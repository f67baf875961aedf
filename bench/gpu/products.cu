// Matrix products and what goes with them, on a GPU: a layer and training steps, beside the products of cuBLASLt alone.
#include "kroton.hpp"

#include "cublaslt.hpp"

#include <memory>

inline constexpr struct batch : kt::dim<batch> {} batch;
inline constexpr struct edge : kt::dim<edge> {} edge;

namespace {

struct layer : kt::model {
  kt::shared<float, edge, edge> x{this, "x", kt::init::uniform(-1, 1)}, w{this, "w", kt::init::uniform(-0.05, 0.05)},
      out{this, "out"};
  kt::shared<float, edge> b{this, "b", kt::init::uniform(-1, 1)};

  constexpr auto run() const { return kt::updates(kt::update(out, kt::relu(kt::dot(x, w) + b))); }
};

constexpr int inputs = 784, hidden = 500, classes = 10;

struct network : kt::model {
  using kt::model::model;
  kt::shared<float, inputs, hidden> w1{this, "w1", kt::init::glorot_uniform};
  kt::shared<float, hidden> b1{this, "b1"};
  kt::shared<float, hidden, classes> w2{this, "w2", kt::init::glorot_uniform};
  kt::shared<float, classes> b2{this, "b2"};

  constexpr auto scores(kt::var<float, batch, inputs> x) const {
    return kt::dot(kt::relu(kt::dot(x, w1) + b1), w2) + b2;
  }
};

/// A minibatch, and what is learnt from it, on the GPU.
struct training : kt::model {
  kt::shared<float, batch, inputs> x{this, "x", kt::init::uniform(0, 1)};
  kt::shared<int, batch> label{this, "label"};
  kt::shared<float> cost{this, "cost"};
  network net{this, "net"};

  constexpr auto step() const {
    auto c = kt::mean(kt::nn::cross_entropy(net.scores(x), label));
    return kt::updates(kt::update(cost, c), kt::optim::sgd(c, net.parameters(), 1e-4f));
  }
};

struct regression : kt::model {
  static constexpr int examples = 400, features = 784;
  kt::shared<float, examples, features> x{this, "x", kt::init::normal(0, 1)};
  kt::shared<float, examples> y{this, "y", kt::init::ones};
  kt::shared<float, features> w{this, "w", kt::init::normal(0, 0.05)};
  kt::shared<float> b{this, "b"}, cost{this, "cost"};

  constexpr auto step() const {
    auto p = 1 / (1 + kt::exp(-kt::dot(x, w) - b));
    auto c = kt::mean(-y * kt::log(p) - (1 - y) * kt::log(1 - p)) + 0.01f * kt::sum(w * w);
    return kt::updates(kt::update(cost, c), kt::update(w, w - 0.1f * kt::grad(c, w)),
                       kt::update(b, b - 0.1f * kt::grad(c, b)));
  }
};

/// Matrices of small numbers for the products of cuBLASLt.
class matrices {
 public:
  float* add(std::int64_t elements) {
    const std::vector<float> values(static_cast<std::size_t>(elements), 0.01f);
    all_.push_back(std::make_unique<bench::device_bytes>(values.size() * sizeof(float)));
    float* const start = all_.back()->as<float>();
    bench::check(cudaMemcpy(start, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice), "cudaMemcpy");
    return start;
  }

 private:
  std::vector<std::unique_ptr<bench::device_bytes>> all_;
};

void measure_layer(bench::suite& all) {
  constexpr std::int64_t size = 4096;
  if (!bench::verify<&layer::run, layer>(all, "gemm-bias-relu-4096", edge(65))) return;
  const kt::context where = kt::context::best();
  cudaStream_t stream = bench::stream_of(where);
  kt::session<layer> session{where, kt::seed{1}};
  session.resize(edge(size));
  auto f = session.compile<&layer::run>();
  // the same numbers: how fast a product is depends on them
  matrices of_products;
  float *const x = of_products.add(size * size), *const w = of_products.add(size * size),
               *const z = of_products.add(size * size), *const b = of_products.add(size);
  const auto fill = [](float* to, const auto& from) {
    bench::check(
        cudaMemcpy(to, from.data(), static_cast<std::size_t>(from.size()) * sizeof(float), cudaMemcpyHostToDevice),
        "cudaMemcpy");
  };
  fill(x, session.get<&layer::x>());
  fill(w, session.get<&layer::w>());
  fill(b, session.get<&layer::b>());
  const bench::lt_product::shape shape{size, size, size};
  bench::lt_product first(shape, x, w, z), fastest(shape, x, w, z), with_epilogue(shape, x, w, z, b);
  fastest.choose_fastest(stream);
  all.race("gemm-bias-relu-4096", stream,
           {
               {"cuBLASLt", [&] { first.run(stream); }},
               {"cuBLASLt, fastest algorithm", [&] { fastest.run(stream); }},
               {"cuBLASLt with bias and relu", [&] { with_epilogue.run(stream); }},
               {"kroton", [&] { f(); }},
           });
}

void measure_training(bench::suite& all, const std::string& workload, std::int64_t size) {
  if (!bench::verify<&training::step, training>(all, workload, batch(7))) return;
  const kt::context where = kt::context::best();
  cudaStream_t stream = bench::stream_of(where);
  kt::session<training> session{where, kt::seed{1}};
  session.resize(batch(size));
  std::vector<int> labels;
  for (int i = 0; i < size; ++i) labels.push_back(i % classes);
  session.set<&training::label>(labels);
  auto f = session.compile<&training::step>();
  matrices of_products;
  float *const x = of_products.add(size * inputs), *const w1 = of_products.add(inputs * hidden),
               *const h = of_products.add(size * hidden), *const w2 = of_products.add(hidden * classes),
               *const z = of_products.add(size * classes), *const dh = of_products.add(size * hidden),
               *const dw1 = of_products.add(inputs * hidden), *const dw2 = of_products.add(hidden * classes);
  using product = bench::lt_product;
  const product forward_1({size, hidden, inputs}, x, w1, h), forward_2({size, classes, hidden}, h, w2, z);
  const product to_hidden({size, hidden, classes, false, true}, z, w2, dh);
  const product to_w2({hidden, classes, size, true, false}, h, z, dw2),
      to_w1({inputs, hidden, size, true, false}, x, dh, dw1);
  all.race(workload, stream,
           {
               {"its products by cuBLASLt",
                [&] {
                  for (const product* p : {&forward_1, &forward_2, &to_hidden, &to_w2, &to_w1}) p->run(stream);
                }},
               {"kroton", [&] { f(); }},
           });
}

void measure_regression(bench::suite& all) {
  if (!bench::verify<&regression::step, regression>(all, "logistic-regression-400x784")) return;
  const kt::context where = kt::context::best();
  kt::session<regression> session{where, kt::seed{1}};
  auto f = session.compile<&regression::step>();
  all.race("logistic-regression-400x784", bench::stream_of(where), {{"kroton", [&] { f(); }}});
}

void measure_all(bench::suite& all) {
  measure_layer(all);
  measure_training(all, "mlp-step-128", 128);
  measure_training(all, "mlp-step-8192", 8192);
  measure_regression(all);
}

}  // namespace

int main(int argc, char** argv) { return bench::run("products", argc, argv, measure_all); }
