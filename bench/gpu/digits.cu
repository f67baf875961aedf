// The training step of the digits example, on a GPU, beside the sum of the times that its kernels take.
// wraps: cudaGraphInstantiate
#include "kroton.hpp"

inline constexpr struct batch : kt::dim<batch> {} batch;

namespace {

/// The graph that was captured last; the linker lets what Kroton captures come by here.
cudaGraph_t captured = nullptr;

}  // namespace

extern "C" cudaError_t __real_cudaGraphInstantiate(cudaGraphExec_t* made, cudaGraph_t from, unsigned long long flags);
extern "C" cudaError_t __wrap_cudaGraphInstantiate(cudaGraphExec_t* made, cudaGraph_t from, unsigned long long flags) {
  if (captured != nullptr) (void)cudaGraphDestroy(captured);
  if (cudaGraphClone(&captured, from) != cudaSuccess) captured = nullptr;
  return __real_cudaGraphInstantiate(made, from, flags);
}

namespace {

struct digits : kt::model {
  using kt::model::model;
  kt::shared<float, 64, 128> W1{this, "W1", kt::init::glorot_uniform};
  kt::shared<float, 128> b1{this, "b1"};
  kt::shared<float, 128, 10> W2{this, "W2", kt::init::glorot_uniform};
  kt::shared<float, 10> b2{this, "b2"};

  constexpr auto cost(kt::var<float, batch, 64> x, kt::var<int, batch> label) const {
    return kt::mean(kt::nn::cross_entropy(kt::dot(kt::relu(kt::dot(x, W1) + b1), W2) + b2, label));
  }
};

struct training : kt::model {
  kt::shared<float, batch, 64> x{this, "x", kt::init::uniform(0, 1)};
  kt::shared<int, batch> label{this, "label"};
  kt::shared<float> cost{this, "cost"};
  digits net{this, "net"};
  kt::optim::adamw optimiser{this};

  /// Of a minibatch that is on the GPU.
  constexpr auto step() const {
    auto c = net.cost(x, label);
    return kt::updates(kt::update(cost, c), kt::optim::sgd(c, net.parameters(), 1e-3f));
  }
  constexpr auto adamw_step() const {
    auto c = net.cost(x, label);
    return kt::updates(kt::update(cost, c), optimiser(c, net.parameters(), 1e-3f));
  }
  /// Of a minibatch that the host has, as examples/digits does it.
  constexpr auto step_of(kt::var<float, batch, 64> images, kt::var<int, batch> labels) const {
    auto c = net.cost(images, labels);
    return kt::updates(kt::update(cost, c), kt::optim::sgd(c, net.parameters(), 1e-3f));
  }
};

constexpr int size = 128, classes = 10;
constexpr const char* workload = "digits-step-128";

/// The training step of a minibatch.
struct task {
  kt::context where = kt::context::best();
  kt::session<training> session{where, kt::seed{1}};
  std::vector<float> images = std::vector<float>(size * 64, 0.5f);
  std::vector<int> labels;

  task() {
    for (int i = 0; i < size; ++i) labels.push_back(i % classes);
    session.resize(batch(size));
    session.set<&training::label>(labels);
  }
};

class graph_owner {
 public:
  explicit graph_owner(cudaGraph_t graph) : graph_(graph) {
    const cudaError_t found = __real_cudaGraphInstantiate(&executable_, graph, 0);
    if (found != cudaSuccess) (void)cudaGraphDestroy(graph);
    bench::check(found, "cudaGraphInstantiate");
  }
  graph_owner(const graph_owner&) = delete;
  graph_owner& operator=(const graph_owner&) = delete;
  ~graph_owner() {
    (void)cudaGraphExecDestroy(executable_);
    (void)cudaGraphDestroy(graph_);
  }
  void launch(cudaStream_t stream) const { bench::check(cudaGraphLaunch(executable_, stream), "cudaGraphLaunch"); }

 private:
  cudaGraph_t graph_;
  cudaGraphExec_t executable_ = nullptr;
};

std::vector<cudaGraphNode_t> nodes_of(cudaGraph_t graph) {
  std::size_t count = 0;
  bench::check(cudaGraphGetNodes(graph, nullptr, &count), "cudaGraphGetNodes");
  std::vector<cudaGraphNode_t> nodes(count);
  bench::check(cudaGraphGetNodes(graph, nodes.data(), &count), "cudaGraphGetNodes");
  return nodes;
}
bool is_kernel(cudaGraphNode_t node) {
  cudaGraphNodeType type{};
  bench::check(cudaGraphNodeGetType(node, &type), "cudaGraphNodeGetType");
  return type == cudaGraphNodeTypeKernel;
}

/// A graph that runs `part` so many times, each after the one before.
cudaGraph_t repeated(cudaGraph_t part, int times) {
  cudaGraph_t chain = nullptr;
  bench::check(cudaGraphCreate(&chain, 0), "cudaGraphCreate");
  cudaGraphNode_t last = nullptr;
  for (int i = 0; i < times; ++i) {
    cudaGraphNode_t next = nullptr;
    bench::check(cudaGraphAddChildGraphNode(&next, chain, i == 0 ? nullptr : &last, i == 0 ? 0 : 1, part),
                 "cudaGraphAddChildGraphNode");
    last = next;
  }
  return chain;
}
/// What is left of a graph without all nodes but one.
cudaGraph_t alone(cudaGraph_t whole, cudaGraphNode_t kept) {
  cudaGraph_t copy = nullptr;
  bench::check(cudaGraphClone(&copy, whole), "cudaGraphClone");
  for (cudaGraphNode_t node : nodes_of(whole)) {
    if (node == kept) continue;
    cudaGraphNode_t same = nullptr;
    bench::check(cudaGraphNodeFindInClone(&same, node, copy), "cudaGraphNodeFindInClone");
    bench::check(cudaGraphDestroyNode(same), "cudaGraphDestroyNode");
  }
  return copy;
}

__global__ void nothing() {}

/// A graph of one kernel that does nothing.
cudaGraph_t empty_kernel() {
  cudaGraph_t graph = nullptr;
  bench::check(cudaGraphCreate(&graph, 0), "cudaGraphCreate");
  cudaKernelNodeParams kernel{};
  kernel.func = reinterpret_cast<void*>(&nothing);
  kernel.gridDim = kernel.blockDim = dim3(1);
  cudaGraphNode_t node = nullptr;
  bench::check(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &kernel), "cudaGraphAddKernelNode");
  return graph;
}

/// Seconds of each round of what a graph does, when it is repeated in one graph; with what it takes to go from one
/// kernel to the next.
std::vector<double> seconds_of(bench::suite& all, cudaGraph_t part, cudaStream_t stream) {
  constexpr int times = 200;
  const graph_owner chain(repeated(part, times));
  bench::stopwatch watch(stream);
  const auto launch = [&] { chain.launch(stream); };
  const int calls = watch.calls_in(0.005, launch);
  std::vector<double> seconds;
  for (int round = 0; round < all.rounds(); ++round) seconds.push_back(watch.seconds_of(launch, calls) / times);
  return seconds;
}

/// The kernels of the graph `whole`, each repeated by itself, and added up.
void measure_kernels(bench::suite& all, cudaGraph_t whole, cudaStream_t stream) {
  const auto rounds = static_cast<std::size_t>(all.rounds());
  std::vector<double> kernels(rounds), others(rounds), launches(rounds);
  int kernel_count = 0, other_count = 0;
  cudaGraph_t none = empty_kernel();
  const std::vector<double> empty = seconds_of(all, none, stream);
  (void)cudaGraphDestroy(none);
  for (cudaGraphNode_t node : nodes_of(whole)) {
    cudaGraph_t part = alone(whole, node);
    const std::vector<double> seconds = seconds_of(all, part, stream);
    (void)cudaGraphDestroy(part);
    const bool counts = is_kernel(node);
    ++(counts ? kernel_count : other_count);
    for (std::size_t r = 0; r < rounds; ++r) {
      (counts ? kernels : others)[r] += seconds[r];
      if (counts) launches[r] += empty[r];
    }
  }
  all.add(workload, "its kernels", kernels);
  all.add(workload, "as many empty kernels", launches);
  if (other_count > 0) all.add(workload, "its copies", others);
  std::printf("%s: %d kernels and %d copies in a step\n", workload, kernel_count, other_count);
}

void measure_all(bench::suite& all) {
  if (!bench::verify<&training::step, training>(all, workload, batch(7))) return;
  if (!bench::verify<&training::adamw_step, training>(all, workload, batch(7))) return;
  task t;
  cudaStream_t stream = bench::stream_of(t.where);
  auto f = t.session.compile<&training::step>();
  for (int call = 0; call < 3; ++call) f();  // captured from the second on
  cudaGraph_t whole = std::exchange(captured, nullptr);
  auto with_adamw = t.session.compile<&training::adamw_step>();
  auto from_host = t.session.compile<&training::step_of>();
  const auto images = kt::view(t.images.data(), {size, 64});
  all.race(workload, stream,
           {{"kroton", [&] { f(); }},
            {"kroton with AdamW", [&] { with_adamw(); }},
            {"kroton, batch from the host", [&] { from_host(images, t.labels); }}});
  if (whole == nullptr) {
    all.complain(workload, "the step was not captured as a graph, so that its kernels were not measured");
    return;
  }
  measure_kernels(all, whole, stream);
  (void)cudaGraphDestroy(whole);
}

/// Only steps that are not replayed: a profiler sees their kernels one by one.
int run_steps(int count) {
  if (!bench::has_gpu("digits")) return 1;
  task t;
  const auto run_one = [&] {
    auto f = t.session.compile<&training::step>();
    f();
    bench::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  };
  run_one();  // which also tries what products can do
  bench::check(cudaProfilerStart(), "cudaProfilerStart");
  for (int i = 0; i < count; ++i) run_one();
  bench::check(cudaProfilerStop(), "cudaProfilerStop");
  return 0;
}

}  // namespace

/// `--steps N` runs N steps for a profiler, and times nothing.
int main(int argc, char** argv) {
  if (argc == 3 && std::string(argv[1]) == "--steps") return run_steps(std::atoi(argv[2]));
  return bench::run("digits", argc, argv, measure_all);
}
