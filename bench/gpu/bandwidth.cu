// Kernels that memory should limit, on a GPU, beside copies of as many bytes.
#include "copies.hpp"

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

template <auto Member, class Model, class Extent>
void measure(bench::suite& all, const std::string& workload, std::int64_t elements, Extent small, Extent large) {
  if (!bench::verify<Member, Model>(all, workload, small)) return;
  const kt::context where = kt::context::best();
  kt::session<Model> session{where, kt::seed{1}};
  session.resize(large);
  auto f = session.template compile<Member>();
  bench::race_copies(all, workload, where, elements, f);
}

void measure_all(bench::suite& all) {
  constexpr std::int64_t many = std::int64_t{1} << 26;
  measure<&map::run, map>(all, "map", many, n(1001), n(many));
  measure<&row_programs<64>::softmax, row_programs<64>>(all, "softmax-524288x64", 524288 * 64, rows(5), rows(524288));
  measure<&row_programs<1024>::softmax, row_programs<1024>>(all, "softmax-16384x1024", 16384 * 1024, rows(5),
                                                            rows(16384));
  measure<&row_programs<2048>::softmax, row_programs<2048>>(all, "softmax-16384x2048", 16384 * 2048, rows(5),
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
