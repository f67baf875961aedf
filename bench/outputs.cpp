// What a new output costs beside one that is there, and functions whose extents alternate: first touches of new pages.
#include <kroton/kroton.hpp>

#include "table.hpp"

#include <memory_resource>

namespace kt = kroton;

namespace {

inline constexpr struct n : kt::dim<n> {} n;

constexpr std::int64_t narrow = 8, wide = 1024;

/// Takes memory from the system for each output and arena, and returns it, as all contexts did before they kept any.
class system_memory final : public std::pmr::memory_resource {
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    return std::pmr::new_delete_resource()->allocate(bytes, alignment);
  }
  void do_deallocate(void* block, std::size_t bytes, std::size_t alignment) override {
    std::pmr::new_delete_resource()->deallocate(block, bytes, alignment);
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};
system_memory of_system;

/// A function of vectors without temporaries.
auto map_of(const kt::context& where) {
  return kt::function([](kt::var<float, n> x) { return kt::relu(1.5f * x + 0.25f) * kt::exp(-x); }, where);
}
/// A function of matrices of little arithmetic, with an arena 128 times as large as its argument.
auto layers_of(const kt::context& where) {
  return kt::function([](kt::var<float, n, narrow> x,
                         kt::var<float, narrow, wide> w) { return kt::dot(kt::relu(kt::dot(x, w)), kt::transpose(w)); },
                      where);
}

template <class Function>
auto returned(Function f, const kt::tensor<float, 1>& x) {
  return [f = std::move(f), &x, z = kt::tensor<float, 1>()]() mutable { z = f(x); };
}
void add_size(bench::suite& all, const kt::tensor<float, 1>& x, int exponent, int threads) {
  const auto bytes = static_cast<double>(8 * x.size());
  bench::group& g = all.add_group("relu(a*x+b)*exp(-x), 2^" + std::to_string(exponent) + " floats", threads,
                                  bench::bytes(bytes), "into a tensor", bench::at_most(1.1));
  g.add("into a tensor",
        [f = map_of(kt::context::host(threads)), &x, z = kt::tensor<float, 1>()]() mutable { f.into(z, x); });
  g.add(
      "into two tensors by turns",  // the old output lives until the new one is there
      [f = map_of(kt::context::host(threads)), &x, z = kt::tensor<float, 1>(), old = kt::tensor<float, 1>()]() mutable {
        f.into(z, x);
        std::swap(z, old);
      });
  g.add("kroton", returned(map_of(kt::context::host(threads)), x));
  g.add("as before, from the system", returned(map_of(kt::context::host(threads).with_resource(of_system)), x));
}

void add_extents(bench::suite& all, const kt::tensor<float, 2>& x, const kt::tensor<float, 2>& w,
                 std::array<std::int64_t, 2> rows) {
  const auto view = [&x](std::int64_t count) { return kt::view(x.data(), {count, narrow}); };
  bench::group& g = all.add_group("dot(relu(dot(x, w)), w'), x of " + std::to_string(rows[0]) + " and " +
                                      std::to_string(rows[1]) + "x8 floats by turns, w of 8x1024",
                                  1, {}, "a function for each", bench::at_most(1.1));
  const auto by_turns = [&](const kt::context& where) {
    return [f = layers_of(where), view, &w, rows]() mutable {
      for (const std::int64_t count : rows) benchmark::DoNotOptimize(f(view(count), w));
    };
  };
  const kt::context one = kt::context::host(1);
  g.add("a function for each", [first = layers_of(one), second = layers_of(one), view, &w, rows]() mutable {
    benchmark::DoNotOptimize(first(view(rows[0]), w));
    benchmark::DoNotOptimize(second(view(rows[1]), w));
  });
  g.add("kroton", by_turns(kt::context::host(1)));
  g.add("as before, from the system", by_turns(kt::context::host(1).with_resource(of_system)));
}

}  // namespace

int main(int argc, char** argv) {
  bench::suite all("New outputs", argc, argv);
  std::deque<kt::tensor<float, 1>> arguments;
  for (int exponent = 10; exponent <= 26; exponent += 2) {
    kt::tensor<float, 1>& x = arguments.emplace_back(kt::tensor<float, 1>({std::int64_t{1} << exponent}));
    for (std::int64_t i = 0; i < x.size(); ++i) x(i) = static_cast<float>(i % 1000) * 0.001f;
    for (const int threads : bench::thread_counts())
      if (threads == 1 || exponent == 24) add_size(all, x, exponent, threads);
  }
  kt::tensor<float, 2> x({16384, narrow}), w({narrow, wide});
  std::fill(x.begin(), x.end(), 0.5f);
  std::fill(w.begin(), w.end(), 0.25f);
  add_extents(all, x, w, {256, 100});
  add_extents(all, x, w, {16384, 6400});
  return all.run(argc, argv);
}
