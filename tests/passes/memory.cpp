// Order of steps, reuse of memory and the size of the arena, as constants; and that results stay right.
#include <kroton/debug/verify.hpp>
#include <kroton/kroton.hpp>

#include <doctest/doctest.h>

namespace kt = kroton;

namespace {

constexpr struct batch : kt::dim<batch> {} batch;

constexpr std::int64_t floats = sizeof(float);

struct layers : kt::model {
  kt::shared<float, 100, 400> W1{this, "W1", kt::init::glorot_uniform};
  kt::shared<float, 400> b1{this, "b1", kt::init::uniform(-1, 1)};
  kt::shared<float, 400, 20> W2{this, "W2", kt::init::glorot_uniform};
  kt::shared<float, 100, 400> W3{this, "W3", kt::init::glorot_uniform};

  constexpr auto activation(kt::var<float, batch, 100> x) const { return kt::relu(kt::dot(x, W1) + b1); }
  constexpr auto network(kt::var<float, batch, 100> x) const { return kt::dot(activation(x), W2); }
  constexpr auto wide_then_narrow(kt::var<float, batch, 100> x) const {
    auto p = kt::dot(x, W1);
    auto q = kt::dot(x, W3);
    return kt::sum(kt::tanh(p)) + kt::sum(kt::tanh(q));
  }
  constexpr auto row_program(kt::var<float, batch, 100> x) const { return kt::nn::softmax(kt::dot(x, W1)); }
  constexpr auto read_again(kt::var<float, batch, 100> x) const {
    auto p = kt::dot(x, W1);
    return kt::outputs(kt::tanh(p), kt::dot(p, W2));
  }
  constexpr auto tall(kt::var<float, batch, 100> x) const {
    auto y = kt::tanh(x);
    auto all = kt::concatenate(kt::axis<0>, x * 2, y, kt::sum(x * 3, kt::axis<0>, kt::keep_dims), y, x);
    return kt::outputs(all, y[0] + 1, kt::sum(all, kt::axis<0>));
  }
  constexpr auto wide(kt::var<float, batch, 100> x) const {
    const auto left = kt::tanh(x[kt::cols<0, 40>()]);
    const auto right = x[kt::cols<40, 100>()];
    return kt::concatenate(kt::axis<1>, kt::nn::softmax(right), left * kt::sum(left, kt::axis<1>, kt::keep_dims));
  }
  /// A part that is read elsewhere, one that is there twice, and short rows.
  constexpr auto copied(kt::var<float, batch, 100> x) const {
    const auto left = kt::tanh(x[kt::cols<0, 40>()]);
    const auto right = kt::exp(x[kt::cols<40, 100>()]);
    return kt::outputs(kt::concatenate(kt::axis<1>, left, right, right, kt::cos(x[kt::cols<0, 3>()])),
                       kt::sum(left, kt::axis<0>), kt::reshape<100, batch>(kt::concatenate(kt::axis<1>, left, right)));
  }
  /// The gradients of slices that do not overlap, of one that does, and of all of it.
  constexpr auto gradients(kt::var<float, batch, 100> x, kt::var<float, 5, 100> y) const {
    auto gates = kt::sigmoid(x[kt::cols<0, 25>()]) * kt::tanh(x[kt::cols<50, 75>()]) * x[kt::cols<25, 50>()];
    auto ends = kt::sum(kt::sqr(x[kt::rows(1, kt::end)])) * kt::sum(x[0]);
    return kt::outputs(kt::grad(kt::sum(gates), x), kt::grad(ends, x),
                       kt::grad(kt::sum(y[0] * y[4] * kt::exp(y[2])), y),
                       kt::grad(kt::sum(y[kt::rows<0, 3>()]) * kt::sum(y[2] * y[3]) * kt::sum(y), y));
  }
  constexpr auto gradient_of_rows(kt::var<float, 5, 100> y) const {
    return kt::grad(kt::sum(y[0] * y[4] * kt::exp(y[2])), y);
  }
};

struct state : kt::model {
  kt::shared<float, 8, 16> s{this, "s", kt::init::uniform(-1, 1)};
  kt::shared<float, 16, 16> square{this, "square", kt::init::uniform(-1, 1)};

  constexpr auto decay(kt::var<float> rate) const { return kt::updates(kt::update(s, s * (1 - rate) + 1)); }
  constexpr auto rows(kt::var<float> rate) const {
    return kt::outputs(kt::sum(s)).updates(kt::update(s, kt::nn::softmax(s) * rate));
  }
  constexpr auto transposed(kt::var<float> rate) const {
    return kt::updates(kt::update(square, kt::transpose(square) * rate));
  }
  constexpr auto centred(kt::var<float> rate) const {
    return kt::updates(kt::update(s, (s - kt::mean(s, kt::axis<0>)) * rate));
  }
};

// the product is made where the result will lie
static_assert(kt::peak_bytes<&layers::activation>(batch(64)) == 0);
// one temporary: the activation lies where the product was
static_assert(kt::peak_bytes<&layers::network>(batch(64)) == 64 * 400 * floats);
// the first product is reduced before the second is made; the sums are scalars, each in a cache line
static_assert(kt::peak_bytes<&layers::wide_then_narrow>(batch(64)) <= 64 * 400 * floats + 2 * 64);
// a row kernel writes in its last loop, so it can write over what it reads
static_assert(kt::peak_bytes<&layers::row_program>(batch(64)) == 0);
// what is read later is not overwritten
static_assert(kt::peak_bytes<&layers::read_again>(batch(64)) == 64 * 400 * floats);
// the parts of a concatenation are made in it; x and the second y are copied, and no row of y is computed again
static_assert(kt::peak_bytes<&layers::tall>(batch(64)) == 0);
static_assert(kt::stats<&layers::tall>().launches == 7);
// so are parts of rows, by row kernels too
static_assert(kt::stats<&layers::wide>().launches == 2 && kt::peak_bytes<&layers::wide>(batch(64)) == 0);
// the gradients of rows are made side by side, and zeros between them: rows 1 and 3
static_assert(kt::stats<&layers::gradient_of_rows>().launches == 3);
static_assert(kt::peak_bytes<&layers::gradient_of_rows>() == 0);
// new values in place of the old ones, where each element needs its own old value only
static_assert(kt::peak_bytes<&state::decay>() == 0);
static_assert(kt::peak_bytes<&state::rows>() == 0);
static_assert(kt::peak_bytes<&state::transposed>() == 16 * 16 * floats);

/// The size of an arena for three buffers of 64 bytes, each of which is alive from its first to its last step.
constexpr std::int64_t arena_of(std::initializer_list<std::pair<int, int>> alive) {
  kt::passes::buffer buffers[3];
  const std::int64_t bytes[] = {64, 64, 64};
  std::int64_t offsets[3] = {};
  int count = 0;
  for (const auto& [first, last] : alive) buffers[count].first = first, buffers[count++].last = last;
  return kt::passes::plan_arena(buffers, count, kt::graph::at_home, bytes, offsets);
}
// a step does not write over what it reads, whichever of them is placed first
static_assert(arena_of({{0, 1}, {1, 2}, {3, 4}}) == 2 * 64);
static_assert(arena_of({{1, 2}, {0, 1}, {2, 3}}) == 2 * 64);
static_assert(arena_of({{0, 1}, {2, 3}, {4, 4}}) == 64);
static_assert(arena_of({{0, 2}, {1, 1}, {1, 3}}) == 3 * 64);

template <auto F, class Model, class... X>
void check(const X&... x) {
  kt::session<Model> session{kt::context::best(), kt::seed{7}};
  auto f = session.template compile<F>();
  for (int call = 0; call < 3; ++call) {
    const auto found = kt::debug::verify(f, x...);
    INFO(found.where << ": " << found.found << " instead of " << found.expected);
    CHECK(found.ok);
  }
}

}  // namespace

TEST_CASE("memory: results in the place of operands are right") {
  kt::tensor<float, 2> x({33, 100});
  for (std::int64_t i = 0; i < x.size(); ++i) x.data()[i] = static_cast<float>(i % 23) / 11 - 1;
  check<&layers::activation, layers>(x);
  check<&layers::network, layers>(x);
  check<&layers::wide_then_narrow, layers>(x);
  check<&layers::row_program, layers>(x);
  check<&layers::read_again, layers>(x);
  check<&layers::tall, layers>(x);
  check<&layers::wide, layers>(x);
  check<&layers::copied, layers>(x);
  const kt::tensor<float, 2> y({5, 100}, std::vector<float>(x.begin(), x.begin() + 500));
  check<&layers::gradients, layers>(x, y);
}

TEST_CASE("memory: new values in the place of old ones are right") {
  check<&state::decay, state>(0.25F);
  check<&state::rows, state>(0.5F);
  check<&state::transposed, state>(2.0F);
  check<&state::centred, state>(1.5F);
}

TEST_CASE("views: a reshape joins and divides axes along which elements are evenly apart, without a copy") {
  // the axes n, i and j of the transposed factor are one axis of a product, and 6 becomes 3 times 2
  auto joined = kt::function(
      [](kt::var<double, 5, batch, 4, 6> x, kt::var<double, 5, 3> y) { return kt::einsum<"tnij,tc->nijc">(x, y); },
      kt::context::host(1));
  static_assert(kt::stats(joined).launches == 1);
  auto divided = kt::function(
      [](kt::var<double, batch, 6> x) {
        return kt::sqr(kt::reshape<3, 2, batch>(kt::transpose(x))) + kt::transpose(x)[kt::rows<1, 3>()];
      },
      kt::context::host(1));
  static_assert(kt::stats(divided).launches == 1);
  // 4 and 5 are not evenly apart where another axis was between them
  auto copied =
      kt::function([](kt::var<double, 4, batch, 5> x) { return kt::reshape<20, batch>(kt::permute<0, 2, 1>(x)) * 2; },
                   kt::context::host(1));
  auto ones = kt::function(
      [](kt::var<double, batch, 2, 1, 3> x) {
        return kt::reshape<1, 6, batch, 1>(kt::permute<1, 2, 3, 0>(x)) + kt::reshape<6, 1, 1>(x[0]);
      },
      kt::context::host(1));
  static_assert(kt::stats(ones).launches == 1);
  const auto counting = []<std::size_t Rank>(const std::int64_t(&extents)[Rank]) {
    kt::tensor<double, static_cast<int>(Rank)> x(std::to_array(extents));
    for (std::int64_t i = 0; i < x.size(); ++i) x.data()[i] = static_cast<double>(i);
    return x;
  };
  for (const std::int64_t n : {1, 7, 0}) {
    CHECK(kt::debug::verify(joined, counting({5, n, 4, 6}), counting({5, 3})));
    CHECK(kt::debug::verify(divided, counting({n, 6})));
    CHECK(kt::debug::verify(copied, counting({4, n, 5})));
    if (n > 0) CHECK(kt::debug::verify(ones, counting({n, 2, 1, 3})));
  }
}
