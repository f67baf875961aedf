// What training takes beside products: random numbers, dropout in a chain, and the step of an optimiser.
#include <kroton/kroton.hpp>

#include "table.hpp"

#include <xsimd/xsimd.hpp>

#include <cmath>
#include <cstring>
#include <deque>
#include <random>

namespace kt = kroton;

namespace {

constexpr std::int64_t many = 100'000'000, drawn = std::int64_t{1} << 24, trained = 10'000'000;
inline constexpr struct n : kt::dim<n> {} n;

auto uniform_on(const kt::context& where) {
  return kt::function([] { return kt::random::uniform<float, many>(); }, where);
}
auto normal_on(const kt::context& where) {
  return kt::function([] { return kt::random::normal<float, drawn>(); }, where);
}

/// The random bits alone, which stay in the first cache.
void draw_bits(std::int64_t begin, std::int64_t end) {
  constexpr std::int64_t together = kt::simd::philox_counters;
  alignas(64) std::uint32_t words[4 * together];
  kt::simd::philox_rounds rounds;
  for (std::int64_t block = begin / 4; block < end / 4; block += together)
    kt::simd::draw(rounds, static_cast<std::uint64_t>(block), 1, 2, words), benchmark::DoNotOptimize(words);
}

void add_numbers(bench::suite& all, kt::tensor<float, 1>& long_z, kt::tensor<float, 1>& z, int threads) {
  const auto host = kt::context::host(threads);
  bench::group& uniform =
      all.add_group("10^8 uniform floats", threads, bench::bytes(4.0 * many), "write", bench::at_most(1.5));
  uniform.add("write", [&long_z, threads] {
    bench::in_parts(many, threads, [&](std::int64_t begin, std::int64_t end) {
      std::memset(long_z.data() + begin, 1, static_cast<std::size_t>(end - begin) * sizeof(float));
    });
  });
  uniform.add("Philox alone", [threads] { bench::in_parts(many, threads, draw_bits); });
  uniform.add("kroton", [&long_z, f = uniform_on(host)]() mutable { f.into(long_z); });
  bench::group& normal =
      all.add_group("2^24 normal floats", threads, bench::bytes(4.0 * drawn), "standard library", bench::at_most(0.5));
  normal.add("standard library", [&z, threads] {
    bench::in_parts(drawn, threads, [&](std::int64_t begin, std::int64_t end) {
      std::mt19937_64 bits(static_cast<std::uint64_t>(begin));
      std::normal_distribution<float> distribution;
      for (std::int64_t i = begin; i < end; ++i) z.data()[i] = distribution(bits);
    });
  });
  normal.add("kroton", [&z, f = normal_on(host)]() mutable { f.into(z); });
}

constexpr auto chain(kt::var<float, n> x) { return kt::relu(1.5f * x + 0.25f) * kt::exp(-x); }

void add_dropout(bench::suite& all, const kt::tensor<float, 1>& x, kt::tensor<float, 1>& z, int threads) {
  const auto host = kt::context::host(threads);
  bench::group& g = all.add_group("dropout of 0.25 of relu(a*x+b)*exp(-x), 2^24 floats", threads,
                                  bench::bytes(8.0 * drawn), "without dropout", bench::at_most(1.1));
  g.add("without dropout",
        [&x, &z, f = kt::function([](kt::var<float, n> y) { return chain(y); }, host)]() mutable { f.into(z, x); });
  g.add("kroton", [&x, &z,
                   f = kt::function([](kt::var<float, n> y) { return kt::nn::dropout(chain(y), 0.25); },
                                    host)]() mutable { f.into(z, x); });
  g.add("kroton, of 0.1",
        [&x, &z, f = kt::function([](kt::var<float, n> y) { return kt::nn::dropout(chain(y), 0.1); }, host)]() mutable {
          f.into(z, x);
        });
}

struct parameters_alone : kt::model {
  kt::shared<float, trained> w{this, "w"};
  kt::optim::adam optimiser{this};
  constexpr auto step(kt::var<float, trained> gradient) const {
    return kt::updates(optimiser(kt::known_grads(w, gradient), parameters(), 0.001));
  }
};

/// The same by hand, with packs of xsimd.
struct adam_by_hand {
  using pack = xsimd::batch<float>;
  static constexpr std::int64_t lanes = pack::size;
  static_assert(trained % lanes == 0);
  std::vector<float> w, mean, mean_square;
  int steps = 0;
  adam_by_hand() : w(trained), mean(trained), mean_square(trained) {}
  void step(const float* g, int threads) {
    ++steps;
    const float second = std::sqrt(1 - std::pow(0.999f, static_cast<float>(steps)));
    const float rate = 0.001f * second / (1 - std::pow(0.9f, static_cast<float>(steps))), epsilon = 1e-8f * second;
    bench::in_parts(trained / lanes, threads, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin * lanes; i < end * lanes; i += lanes) {
        float *p = w.data() + i, *m = mean.data() + i, *v = mean_square.data() + i;
        const pack slope = pack::load_unaligned(g + i);
        const pack m1 = 0.9f * pack::load_unaligned(m) + 0.1f * slope;
        const pack v1 = 0.999f * pack::load_unaligned(v) + 0.001f * slope * slope;
        m1.store_unaligned(m);
        v1.store_unaligned(v);
        (pack::load_unaligned(p) - rate * m1 / (xsimd::sqrt(v1) + epsilon)).store_unaligned(p);
      }
    });
  }
};

// A parameter takes 28 bytes, 16 of them read and 12 written, in 160 MB. The copy moves as many in as much memory: it
// copies halves of two arrays. A copy of 20 MB again and again would read them from the last cache.
void add_adam(bench::suite& all, const kt::tensor<float, 1>& gradient, kt::tensor<float, 1>& long_z, int threads,
              kt::session<parameters_alone>& session) {
  bench::group& g =
      all.add_group("Adam on 10^7 floats", threads, bench::bytes(28.0 * trained), "copy", bench::at_least(0.85));
  g.add("copy", [&long_z, threads] {
    for (int part = 0; part < 7; ++part) {
      const float* from = long_z.data() + part % 4 * (trained / 2);
      float* to = long_z.data() + 2 * trained + part % 4 * (trained / 2);
      bench::in_parts(trained / 2, threads, [&](std::int64_t begin, std::int64_t end) {
        std::memcpy(to + begin, from + begin, static_cast<std::size_t>(end - begin) * sizeof(float));
      });
    }
  });
  g.add("kroton", [&gradient, f = session.compile<&parameters_alone::step>()]() mutable { f(gradient); });
  g.add("by hand", [&gradient, threads, hand = adam_by_hand()]() mutable { hand.step(gradient.data(), threads); });
}

}  // namespace

int main(int argc, char** argv) {
  kt::tensor<float, 1> x({drawn}), z({drawn}), long_z({many}), gradient({trained});
  std::mt19937 bits{42};
  std::uniform_real_distribution<float> uniform(-2, 2);
  for (float& value : x) value = uniform(bits);
  for (float& value : gradient) value = uniform(bits);

  bench::suite all("Training: random numbers, dropout and optimisers", argc, argv);
  std::deque<kt::session<parameters_alone>> sessions;
  for (int threads : bench::thread_counts()) {
    add_numbers(all, long_z, z, threads);
    add_dropout(all, x, z, threads);
    add_adam(all, gradient, long_z, threads, sessions.emplace_back(kt::context::host(threads)));
  }
  return all.run(argc, argv);
}
