// Kernels that memory should limit, on a GPU, beside copies of as many bytes.
#include "kroton.hpp"

inline constexpr struct n : kt::dim<n> {} n;
inline constexpr struct rows : kt::dim<rows> {} rows;

namespace {

struct map : kt::model {
  kt::shared<float, n> x{this, "x", kt::init::uniform(-2, 2)}, out{this, "out"};
  constexpr auto run() const { return kt::updates(kt::update(out, kt::relu(1.5f * x + 0.25f) * kt::exp(-x))); }
};

template <int Columns>
struct row_programs : kt::model {
  kt::shared<float, rows, Columns> x{this, "x", kt::init::uniform(-2, 2)}, out{this, "out"};
  kt::shared<float, Columns> gain{this, "gain", kt::init::uniform(0.5, 1.5)},
      bias{this, "bias", kt::init::uniform(-1, 1)};

  constexpr auto softmax() const { return kt::updates(kt::update(out, kt::nn::softmax(x))); }
  constexpr auto layer_norm_gelu() const {
    auto centred = x - kt::mean(x, kt::axis<1>, kt::keep_dims);
    auto z = centred / kt::sqrt(kt::mean(kt::sqr(centred), kt::axis<1>, kt::keep_dims) + 1e-5f) * gain + bias;
    return kt::updates(kt::update(out, kt::nn::gelu(z)));
  }
};

struct reductions : kt::model {
  kt::shared<float, rows, 1024> x{this, "x", kt::init::uniform(-2, 2)};
  kt::shared<float, 1024> columns{this, "columns"};
  kt::shared<float> mean{this, "mean"};

  constexpr auto column_sum() const { return kt::updates(kt::update(columns, kt::sum(x, kt::axis<0>))); }
  constexpr auto mean_of_squares() const { return kt::updates(kt::update(mean, kt::mean(kt::sqr(x)))); }
};

constexpr int threads = 256, vectors_of_thread = 4;

/// Each thread copies a few vectors that it reads before it writes; a block copies consecutive ones.
__global__ void copy_vectors(const float4* from, float4* to, std::int64_t count) {
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * (threads * vectors_of_thread) + threadIdx.x;
  float4 values[vectors_of_thread];
#pragma unroll
  for (int i = 0; i < vectors_of_thread; ++i)
    if (first + i * threads < count) values[i] = from[first + i * threads];
#pragma unroll
  for (int i = 0; i < vectors_of_thread; ++i)
    if (first + i * threads < count) to[first + i * threads] = values[i];
}

/// Races a function of a session against copies of `elements` floats.
template <class Function>
void race_copies(bench::suite& all, const std::string& workload, const kt::context& where, std::int64_t elements,
                 Function& f) {
  const std::size_t bytes = static_cast<std::size_t>(elements) * sizeof(float);
  const bench::device_bytes from(bytes), to(bytes);
  bench::check(cudaMemset(from.as<void>(), 0, bytes), "cudaMemset");
  cudaStream_t stream = bench::stream_of(where);
  all.race(workload, stream,
           {
               {"cudaMemcpyAsync",
                [&] {
                  bench::check(cudaMemcpyAsync(to.as<void>(), from.as<void>(), bytes, cudaMemcpyDeviceToDevice, stream),
                               "cudaMemcpyAsync");
                }},
               {"copy kernel",
                [&, vectors = elements / 4] {
                  constexpr std::int64_t of_block = threads * vectors_of_thread;
                  copy_vectors<<<static_cast<unsigned>((vectors + of_block - 1) / of_block), threads, 0, stream>>>(
                      from.as<float4>(), to.as<float4>(), vectors);
                  bench::check(cudaGetLastError(), "copy kernel");
                }},
               {"kroton", [&] { f(); }},
           });
}

template <auto Member, class Model, class Extent>
void measure(bench::suite& all, const std::string& workload, std::int64_t elements, Extent small, Extent large) {
  if (!bench::verify<Member, Model>(all, workload, small)) return;
  const kt::context where = kt::context::best();
  kt::session<Model> session{where, kt::seed{1}};
  session.resize(large);
  auto f = session.template compile<Member>();
  race_copies(all, workload, where, elements, f);
}

void measure_all(bench::suite& all) {
  constexpr std::int64_t many = std::int64_t{1} << 26;
  measure<&map::run, map>(all, "map", many, n(1001), n(many));
  measure<&row_programs<1024>::softmax, row_programs<1024>>(all, "softmax-16384x1024", 16384 * 1024, rows(5),
                                                            rows(16384));
  measure<&row_programs<8192>::softmax, row_programs<8192>>(all, "softmax-4096x8192", 4096 * 8192, rows(5), rows(4096));
  measure<&row_programs<1024>::layer_norm_gelu, row_programs<1024>>(all, "layer-norm-gelu-16384x1024", 16384 * 1024,
                                                                    rows(5), rows(16384));
  measure<&row_programs<8192>::layer_norm_gelu, row_programs<8192>>(all, "layer-norm-gelu-4096x8192", 4096 * 8192,
                                                                    rows(5), rows(4096));
  measure<&reductions::column_sum, reductions>(all, "column-sum", many, rows(33), rows(many / 1024));
  measure<&reductions::mean_of_squares, reductions>(all, "mean-of-squares", many, rows(33), rows(many / 1024));
}

}  // namespace

int main(int argc, char** argv) { return bench::run("bandwidth", argc, argv, measure_all); }
