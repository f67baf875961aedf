// Kernels of rows as a device runs them, against the interpreter.
// alone: its kernels are as many as one file should have.
#include "bodies.hpp"

#include "../sanitized.hpp"

using namespace test;

namespace {

TEST_CASE("device: rows") {
  for (const std::int64_t size : sizes) {
    if (size == 0) continue;
    INFO(size);
    const auto x = around_0<float, 2>({3, size}, 7);
    check([](kt::var<float, n, m> x_) { return kt::nn::softmax(x_); }, x);
    check([](kt::var<float, n, m> x_) { return kt::exp(x_) * kt::sum(x_, kt::axis<1>, kt::keep_dims); }, x);
    check(
        [](kt::var<float, n, m> x_) {
          auto mean = kt::mean(x_, kt::axis<1>, kt::keep_dims);
          auto variance = kt::mean(kt::sqr(x_ - mean), kt::axis<1>, kt::keep_dims);
          return kt::outputs((x_ - mean) / kt::sqrt(variance + 1e-5), mean, kt::argmax(x_, kt::axis<1>),
                             kt::max(x_, kt::axis<1>));
        },
        x);
    check(
        [](kt::var<float, n, m, 4> y) {
          return kt::outputs(kt::sum(y, kt::axis<1, 2>), kt::logsumexp(y, kt::axis<1>), kt::any(y > 1.9, kt::axis<2>));
        },
        around_0<float, 3>({2, size, 4}, 8));
  }
  check([](kt::var<float, n, m> x) { return kt::outputs(kt::sum(x, kt::axis<1>), kt::prod(x, kt::axis<1>)); },
        around_0<float, 2>({5, 0}, 9));
  check([](kt::var<float, n, m> x) { return kt::sum(x, kt::axis<1>); }, around_0<float, 2>({0, 5}, 9));
}

/// Rows of fixed lengths, each of which has one form or two.
template <int... Size>
void check_fixed_rows() {
  (
      [] {
        INFO(Size);
        check([](kt::var<float, n, Size> x_) { return kt::nn::softmax(x_); }, around_0<float, 2>({3, Size}, 21));
      }(),
      ...);
}
struct groups {
  struct few {
    static constexpr int size = 8;
  };
  struct warp {
    static constexpr int size = 32;
  };
  struct half_block {
    static constexpr int size = 128;
  };
  struct block {
    static constexpr int size = 256;
  };
};
TEST_CASE("device: rows of fixed lengths") {
  check_fixed_rows<31, 128, 129, 1024, 1025, 4096, 4097, 8193>();
  check(
      [](kt::var<float, n, 5> w, kt::var<float, n, 900> x_, kt::var<float, n, 2000> y,
         kt::var<float, n, 9000> z) {  // one kernel for all
        const auto each = [](auto... x) { return kt::outputs(kt::sum(kt::exp(x), kt::axis<1>)...); };
        return each(w, x_, y, z);
      },
      around_0<float, 2>({3, 5}, 23), around_0<float, 2>({3, 900}, 24), around_0<float, 2>({3, 2000}, 25),
      around_0<float, 2>({3, 9000}, 26));
  check(
      [](kt::var<float, n, 50, 30> y) {
        return kt::outputs(kt::sum(y, kt::axis<1, 2>), kt::max(y[kt::range(kt::axis<2>, 1, kt::end)], kt::axis<1, 2>));
      },
      around_0<float, 3>({2, 50, 30}, 22));
  using kt::runtime::on_device::row_form;
  const auto forms = [](std::initializer_list<kt::extent_code> space, int reduced) {
    kt::passes::step s;
    s.kind = kt::arithmetic::step_kind::over_rows;
    for (const kt::extent_code e : space) s.space.append(e);
    s.reduced = reduced;
    return kt::runtime::on_device::row_forms_of<groups>(s, 4);
  };
  CHECK(forms({-1, 0}, 1) == row_form::few);
  CHECK(forms({-1, 128}, 1) == row_form::few);
  CHECK(forms({-1, 129}, 1) == row_form::warp);
  CHECK(forms({7, 1025}, 1) == row_form::half_block);
  CHECK(forms({7, 4097}, 1) == row_form::block);
  CHECK(forms({7, 8193}, 0) == row_form::lines);
  CHECK(forms({7, -1}, 1) == row_form::all);
  CHECK(forms({7, 50, 30}, 2) == (row_form::half_block | row_form::lines));
  CHECK(forms({-2, -1, 30}, 2) == row_form::all);
}

TEST_CASE("device: lines that do not begin where packs do") {
  for (const std::int64_t first : {1, 2, 4}) {
    INFO(first);
    auto numbers = around_0<float, 1>({300004}, 18);
    check(
        [](kt::var<float, n> y, kt::var<int> from) {
          return kt::outputs(kt::sum(kt::sqr(y[kt::range(kt::axis<0>, from, 300000)])),
                             kt::max(y[kt::range(kt::axis<0>, from, kt::end)]));
        },
        numbers, static_cast<int>(first));
    for (const std::int64_t columns : {132, 135, 1500, 8196}) {
      INFO(columns);
      const auto x = around_0<float, 2>({columns < 5000 ? 70 : drawn(70), columns}, 19);
      check(
          [](kt::var<float, n, m> y, kt::var<float, m> z, kt::var<int> from) {
            auto part = y[kt::range(kt::axis<1>, from, kt::end)];
            auto kept = kt::nn::softmax(part) * z[kt::range(kt::axis<0>, from, kt::end)];
            return kt::outputs(kept, kt::sum(part, kt::axis<0>), kt::sum(kt::abs(part) + kt::sqr(part), kt::axis<1>));
          },
          x, around_0<float, 1>({columns}, 20), static_cast<int>(first));
    }
  }
}

}  // namespace
