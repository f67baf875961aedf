// Tensors that stay on devices, and memory there that other code owns.
#include "places.hpp"

#include <numeric>

using namespace test;

namespace {

constexpr struct batch : kt::dim<batch> {} batch;

/// Memory of a device that is not Kroton's, as in a thrust::device_vector.
template <class T>
class foreign_memory {
 public:
  struct pointer {
    T* to;
    T* get() const { return to; }
    T& operator*() const { return *to; }
  };
  using value_type = T;
  foreign_memory(const kt::context& where, std::size_t count) : where_(where) { resize(count); }
  void resize(std::size_t count) {
    memory_ = kt::runtime::placed_memory(where_, static_cast<std::int64_t>((count + 64) * sizeof(T)));
    count_ = count;
  }
  pointer data() const { return {reinterpret_cast<T*>(memory_.data())}; }
  std::size_t size() const { return count_; }
  void set(const std::vector<T>& values) {
    std::vector<T> every(static_cast<std::size_t>(memory_.bytes()) / sizeof(T));
    std::copy(values.begin(), values.end(), every.begin());
    memory_.write(reinterpret_cast<const std::byte*>(every.data()));
  }
  std::vector<T> get() const {
    std::vector<T> every(static_cast<std::size_t>(memory_.bytes()) / sizeof(T));
    memory_.read(reinterpret_cast<std::byte*>(every.data()));
    every.resize(count_);
    return every;
  }

 private:
  kt::context where_;
  kt::runtime::placed_memory memory_;
  std::size_t count_ = 0;
};

struct coder : kt::model {
  kt::shared<float, 3, 8> W{this, "W", kt::init::uniform(-1, 1), first};
  kt::shared<float, 8, 3> V{this, "V", kt::init::uniform(-1, 1), second};
  constexpr auto encode(kt::var<float, batch, 3> x) const { return kt::transfer<first>(kt::tanh(kt::dot(x, W))); }
  constexpr auto decode(kt::var_at<first, float, batch, 8> h) const { return kt::dot(h, V); }
  constexpr auto again(kt::var_at<first, float, batch, 8> h) const { return kt::transfer<first>(kt::sin(h) + 1); }
  constexpr auto whole(kt::var<float, batch, 3> x) const { return decode(encode(x)); }
  constexpr auto mixed(kt::var_at<first, float, batch, 8> h) const {
    return kt::transfer<first>(kt::dot(kt::dot(kt::sin(h), kt::transpose(W)), W));
  }
  constexpr auto moved(kt::var_at<first, float, batch, 8> h, kt::var_at<second, float> scale) const {
    return kt::outputs(kt::transfer<second>(h * scale), kt::sum(h), kt::transfer<kt::host>(h * 2));
  }
  constexpr auto rows_of(kt::var_at<first, float, batch, 8> table, kt::var_at<first, int, 2> at) const {
    return kt::transfer<first>(kt::take(table, at));
  }
  constexpr auto train(kt::var_at<first, float, batch, 8> h) const {
    auto cost = kt::sum(kt::sqr(h * kt::sum(W, kt::axis<0>)));
    return kt::outputs(kt::transfer<first>(cost)).updates(kt::update(W, W - 0.1f * kt::grad(cost, W)));
  }
};
static_assert(kt::transfers<&coder::encode>().size() == 1);  // of x
static_assert(kt::transfers<&coder::again>().empty());
static_assert(kt::transfers<&coder::decode>().size() == 2);  // of h to the second device, of the result to the host

TEST_CASE("placed tensors: from call to call without the host") {
  map_names();
  kt::session<coder> session(kt::context::host(1), kt::seed{3});
  auto encode = compile<&coder::encode>(session);
  auto decode = compile<&coder::decode>(session);
  auto again = compile<&coder::again>(session);
  auto whole = compile<&coder::whole>(session);
  for (const std::int64_t n : {5, 5, 5, 1, 0, 7}) {
    INFO(n);
    const auto x = random<float, 2>({n, 3}, static_cast<unsigned>(n));
    kt::tensor_at<first, float, 2> h = encode(x);
    CHECK(h.extent(0) == n);
    const kt::tensor<float, 2> y = decode(h), expected = whole(x);
    for (std::int64_t i = 0; i < y.size(); ++i) CHECK(y.data()[i] == doctest::Approx(expected.data()[i]).epsilon(1e-5));
    check_call(encode, x);
    check_call(decode, h);
    check_call(again, h);
    for (int i = 0; i < 3; ++i) h = again(h);  // the old one is released while it is still read
    CHECK(h.to_host().size() == n * 8);
  }
}

TEST_CASE("placed tensors: several places, scalars, and outputs on the host beside them") {
  map_names();
  kt::session<coder> session(device(1), kt::seed{3});
  auto moved = compile<&coder::moved>(session);
  const auto values = random<float, 2>({4, 8}, 2);
  const kt::tensor_at<first, float, 2> h(values);
  const kt::tensor_at<second, float, 0> scale(kt::tensor<float, 0>::scalar(3));
  for (int call = 0; call < 4; ++call) {
    check_call(moved, h, scale);
    const auto [there, sum, twice] = moved(h, scale);
    CHECK(there.to_host()(3, 7) == values(3, 7) * 3);
    CHECK(twice(2, 1) == values(2, 1) * 2);
    const kt::tensor_at<second, float, 2> copy = there;
    CHECK(copy.to_host()(1, 1) == values(1, 1) * 3);
  }
  CHECK_THROWS_AS((moved(h, kt::tensor_at<second, float, 0>())), kt::value_error);
  using vector = kt::tensor_at<first, float, 1>;
  CHECK_THROWS_AS(vector({std::int64_t{1} << 50}, kt::context::named(first)), kt::memory_error);
}

TEST_CASE("placed tensors: an output that the caller receives at a place stays there") {
  map_names();
  kt::session<coder> session(device(0), kt::seed{3});
  auto decode = compile<&coder::decode>(session);
  auto moved = compile<&coder::moved>(session);
  const auto values = random<float, 2>({4, 8}, 2);
  const kt::tensor_at<first, float, 2> h(values);
  const kt::tensor_at<second, float, 0> scale(kt::tensor<float, 0>::scalar(3));
  const kt::tensor<float, 2> expected = decode(h);
  kt::tensor_at<first, float, 2> near;
  kt::tensor_at<second, float, 2> far, there;
  kt::tensor_at<kt::home, float, 0> sum;
  kt::tensor<float, 2> twice;
  for (int call = 0; call < 4; ++call) {
    decode.into(near, h);
    decode.into(far, h);
    CHECK(near.to_host()(3, 2) == doctest::Approx(expected(3, 2)).epsilon(1e-6));
    CHECK(far.to_host()(1, 0) == doctest::Approx(expected(1, 0)).epsilon(1e-6));
    moved.into(std::tie(there, sum, twice), h, scale);
    CHECK(there.to_host()(2, 2) == values(2, 2) * 3);
    CHECK(static_cast<float>(sum.to_host()) == doctest::Approx(std::accumulate(values.begin(), values.end(), 0.F)));
    CHECK(twice(2, 1) == values(2, 1) * 2);
  }
}

TEST_CASE("placed tensors: calls with the same addresses are graphs, and with others are right") {
  map_names();
  kt::session<coder> session(device(0), kt::seed{3});
  auto again = compile<&coder::again>(session);
  auto mixed = compile<&coder::mixed>(session), other = mixed.clone();
  kt::tensor_at<first, float, 2> a(random<float, 2>({4, 8}, 2)), b(random<float, 2>({4, 8}, 3)), to;
  const kt::tensor<float, 2> of_a = other(a).to_host(), of_b = other(b).to_host();
  check_call(mixed, a);
  for (int call = 0; call < 12; ++call) {
    mixed.into(to, call % 3 == 0 ? a : b);
    CHECK(to.to_host()(2, 5) == (call % 3 == 0 ? of_a : of_b)(2, 5));
  }
  again.into(a, a);  // the output would overwrite its argument
  CHECK(a.to_host()(2, 5) == doctest::Approx(std::sin(random<float, 2>({4, 8}, 2)(2, 5)) + 1).epsilon(1e-6));
}

TEST_CASE("placed tensors: shared variables, and indices that are checked in each call") {
  map_names();
  kt::session<coder> session(kt::context::host(1), kt::seed{3});
  auto train = compile<&coder::train>(session);
  const kt::tensor_at<first, float, 2> h(random<float, 2>({4, 8}, 2));
  for (int call = 0; call < 4; ++call) check_call(train, h);
  auto rows_of = compile<&coder::rows_of>(session);
  kt::tensor_at<first, int, 1> at(kt::tensor<int, 1>({2}, {3, 0}));
  for (int call = 0; call < 3; ++call) check_call(rows_of, h, at);
  at = kt::tensor_at<first, int, 1>(kt::tensor<int, 1>({2}, {3, 4}));
  CHECK_THROWS_AS(rows_of(h, at), kt::index_error);
}

TEST_CASE("placed tensors: at home, where the session is") {
  auto f = kt::function<kt::policy::none, backend>(
      [](kt::var_at<kt::home, float, batch> x) { return kt::transfer<kt::home>(kt::exp(x)); }, device(0));
  const kt::tensor<float, 1> x({3}, {0, 1, 2});
  auto y = f(kt::tensor_at<kt::home, float, 1>(x, f.where()));
  for (int call = 0; call < 3; ++call) check_call(f, y);
  CHECK(f(y).to_host()(0) == doctest::Approx(std::exp(1.F)));
  const kt::tensor_at<kt::home, float, 1> beside(x, device(0));  // another stream of the same device
  CHECK(f(beside).to_host()(2) == doctest::Approx(std::exp(2.F)));
  if (device_name(1) != device_name(0))
    CHECK_THROWS_AS((f(kt::tensor_at<kt::home, float, 1>(x, device(1)))), kt::device_error);
  CHECK_THROWS_AS((f(kt::tensor_at<kt::home, float, 1>(x, kt::context::host(1)))), kt::device_error);
}

TEST_CASE("placed tensors: memory of other code, on its stream") {
  map_names();
  const kt::context where = kt::context::named(first);
  kt::session<coder> session(device(0), kt::seed{3});
  auto again = compile<&coder::again>(session);
  foreign_memory<float> in(where, 32), out(where, 3);
  std::vector<float> values(32);
  std::iota(values.begin(), values.end(), 0.F);
  in.set(values);
  const auto given = kt::view_at(first, in.data(), {4, 8});
  CHECK(again(given).to_host()(2, 3) == doctest::Approx(std::sin(19.F) + 1));
  check_call(again, given);
  again.into(out, given);  // gets the size of the output
  REQUIRE(out.size() == 32);
  for (int call = 0; call < 3; ++call) {
    out.set(std::vector<float>(32));
    again.into(out, given);
    CHECK(out.get()[19] == doctest::Approx(std::sin(19.F) + 1));
  }
  again.into(kt::view_at(first, out.data(), {4, 8}), given);
  CHECK_THROWS_WITH_AS(again.into(kt::view_at(first, out.data(), {8, 4}), given),
                       "kroton: into: the output has extents (4, 8), and the view (8, 4)", kt::shape_error);
  CHECK_THROWS_WITH_AS(again.into(kt::view_at(first, static_cast<float*>(nullptr), {4, 8}), given),
                       "kroton: into: the pointer of the view is null, but the output has elements", kt::shape_error);
  // an address that products and packs cannot use is copied first, and an output there is copied last
  again.into(kt::view_at(first, out.data().get() + 1, {2, 8}), kt::view_at(first, in.data().get() + 3, {2, 8}));
  CHECK(out.get()[1] == doctest::Approx(std::sin(3.F) + 1));
  std::vector<float> host(32);
  CHECK_THROWS_WITH_AS(again(kt::view_at(first, host.data(), {4, 8})),
                       doctest::Contains("kroton: view_at: the elements are not in memory of cuda"), kt::device_error);
  CHECK_THROWS_AS(again(kt::view_at(first, static_cast<float*>(nullptr), {4, 8})), kt::shape_error);
}

#ifndef __CUDACC__
TEST_CASE("placed tensors: a call comes after the work on the stream of the user, and before the later work there") {
  map_names();
  const kt::context where = kt::context::named(first), other = device(0);
  kt::session<coder> session(device(0), kt::seed{3});
  auto again = compile<&coder::again>(session);
  auto& users = static_cast<simulated::stream&>(*other.stream());
  foreign_memory<float> in(where, 32), out(where, 32);
  in.set(std::vector<float>(32));
  float* const to = in.data().get();
  float* const from = out.data().get();
  float found = 0;
  for (int call = 0; call < 4; ++call) {
    users.put([=] { std::fill_n(to, 32, static_cast<float>(call)); });
    again.into(kt::view_at(first, from, {4, 8}, other.stream()), kt::view_at(first, to, {4, 8}, other.stream()));
    users.put([=, &found] { found = from[5], std::fill_n(to, 32, 100.F); });
    if (call % 2 == 0) where.stream()->synchronize();  // either stream may be the first that does something
    users.synchronize();
    CHECK(found == doctest::Approx(std::sin(static_cast<float>(call)) + 1));
  }
}
#endif

}  // namespace
