// What training takes beside products, on a GPU: random numbers, dropout in a chain, and the step of an optimiser.
#include "copies.hpp"

inline constexpr struct n : kt::dim<n> {} n;

namespace {

constexpr std::int64_t few = 1001, many = std::int64_t{1} << 26;

template <std::int64_t Count>
struct numbers : kt::model {
  kt::shared<float, Count> out{this, "out"};
  constexpr auto uniform() const { return kt::updates(kt::update(out, kt::random::uniform<float, Count>())); }
  constexpr auto normal() const { return kt::updates(kt::update(out, kt::random::normal<float, Count>())); }
};

struct chain : kt::model {
  kt::shared<float, n> x{this, "x", kt::init::uniform(-2, 2)}, out{this, "out"};
  constexpr auto of_x() const { return kt::relu(1.5f * x + 0.25f) * kt::exp(-x); }
  constexpr auto run() const { return kt::updates(kt::update(out, of_x())); }
  constexpr auto with_quarter() const { return kt::updates(kt::update(out, kt::nn::dropout(of_x(), 0.25))); }
  constexpr auto with_tenth() const { return kt::updates(kt::update(out, kt::nn::dropout(of_x(), 0.1))); }
};

struct parameters_alone : kt::model {
  kt::shared<float, n> w{this, "w"};
  kt::state<float, n> gradient{this, "gradient", kt::init::uniform(-2, 2)};
  kt::optim::adam optimiser{this};
  constexpr auto step() const { return kt::updates(optimiser(kt::known_grads(w, gradient), parameters(), 0.001)); }
};

template <auto OfFew, auto OfMany>
void measure_numbers(bench::suite& all, const std::string& workload) {
  if (!bench::verify<OfFew, numbers<few>>(all, workload)) return;
  const kt::context where = kt::context::best();
  kt::session<numbers<many>> session{where, kt::seed{1}};
  auto f = session.template compile<OfMany>();
  const bench::device_bytes to(many * sizeof(float));
  cudaStream_t stream = bench::stream_of(where);
  all.race(
      workload, stream,
      {
          {"cudaMemsetAsync",
           [&] { bench::check(cudaMemsetAsync(to.as<void>(), 1, many * sizeof(float), stream), "cudaMemsetAsync"); }},
          {"kroton", [&] { f(); }},
      });
}

template <auto Member>
void measure_dropout(bench::suite& all, const std::string& workload) {
  if (!bench::verify<Member, chain>(all, workload, n(few))) return;
  const kt::context where = kt::context::best();
  kt::session<chain> session{where, kt::seed{1}};
  session.resize(n(many));
  auto without = session.compile<&chain::run>();
  auto with = session.template compile<Member>();
  all.race(workload, bench::stream_of(where),
           {{"kroton without dropout", [&] { without(); }}, {"kroton", [&] { with(); }}});
}

void measure_adam(bench::suite& all) {
  if (!bench::verify<&parameters_alone::step, parameters_alone>(all, "adam", n(few))) return;
  const kt::context where = kt::context::best();
  kt::session<parameters_alone> session{where, kt::seed{1}};
  session.resize(n(10'000'000));
  auto step = session.compile<&parameters_alone::step>();
  bench::race_copies(all, "adam", where, 35'000'000, step);  // 28 bytes for each parameter, half of them read
}

void measure_all(bench::suite& all) {
  measure_numbers<&numbers<few>::uniform, &numbers<many>::uniform>(all, "uniform-numbers");
  measure_numbers<&numbers<few>::normal, &numbers<many>::normal>(all, "normal-numbers");
  measure_dropout<&chain::with_quarter>(all, "dropout-0.25");
  measure_dropout<&chain::with_tenth>(all, "dropout-0.1");
  measure_adam(all);
}

}  // namespace

int main(int argc, char** argv) { return bench::run("training", argc, argv, measure_all); }
