// Sums of products that are written as text, against sums by hand, and the order of several products.
#include "support.hpp"

#include <kroton/debug/verify.hpp>
#include <kroton/kroton.hpp>

using namespace test;

namespace {

TEST_CASE("einsum: what other functions compute, too") {
  auto f = kt::function([](kt::var<double, n, 3, 4> x, kt::var<double, 4, 4> y, kt::var<double, n, 4, 2> z,
                           kt::var<double, 3, 3> s, kt::var<int, 3, 3> whole) {
    const auto differs = [](const auto& a, const auto& b) { return kt::sum(kt::abs(a - b)); };
    return kt::outputs(
        differs(kt::einsum<"aij,jk->aik">(x, y), kt::dot(x, y)),
        differs(kt::einsum<"aij,ajk->kai">(x, z), kt::permute<2, 0, 1>(kt::dot(x, z))),
        differs(kt::einsum<"aij -> ja">(x), kt::transpose(kt::sum(x, kt::axis<1>))),
        differs(kt::einsum<"ii">(s), kt::trace(s)), differs(kt::einsum<"ii->i">(s), kt::diag(s)),
        differs(kt::einsum<"ij,ij->">(s, s), kt::sum(s * s)),
        differs(kt::einsum<"i,j">(s[0], s[1]), kt::outer(s[0], s[1])),
        differs(kt::einsum<"aij,jk,akl,ii->li">(x, y, z, s),
                kt::einsum<"il->li">(kt::sum(kt::dot(kt::dot(x, y), z), kt::axis<0>) * kt::reshape<3, 1>(kt::diag(s)))),
        kt::sum(kt::einsum<"ij,jk->ik">(whole, whole)));
  });
  const kt::tensor<double, 3> x({2, 3, 4}, some(24)), z({2, 4, 2}, some(16, 2));
  const kt::tensor<double, 2> y({4, 4}, some(16, 3)), s({3, 3}, some(9, 4));
  const kt::tensor<int, 2> whole({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  const auto found = f(x, y, z, s, whole);
  std::apply(
      [](const auto&... each) {
        double numbers[] = {static_cast<double>(each)...};
        for (int i = 0; i < 8; ++i) CHECK(numbers[i] < 1e-12);
        CHECK(numbers[8] == 729);
      },
      found);
  CHECK(kt::debug::verify(f, x, y, z, s, whole));
}

TEST_CASE("einsum: gradients") {
  check_grad(
      [](kt::var<double, n, 3, m> x, kt::var<double, m, 3> y) { return kt::sin(kt::einsum<"aij,ji->aj">(x, y)); },
      {{{2, 3, 4}, some(24)}, matrix(4, 3, some(12, 3))});
  check_grad([](kt::var<double, n, n> x) { return kt::einsum<"ii->i">(x) * kt::einsum<"ij,ij->j">(x, x); },
             {matrix(3, 3, some(9))});
}

TEST_CASE("multi_dot: the product in the cheapest order") {
  auto f = kt::function([](kt::var<float, 10, 1000> a, kt::var<float, 1000, 10> b, kt::var<float, 10, 1000> c,
                           kt::var<float, 1000> x) { return kt::multi_dot(a, b, c, x); });
  auto narrow = kt::function([](kt::var<double, n, 100> a, kt::var<double, 100, 2> b, kt::var<double, 2, 100> c) {
    return kt::outputs(kt::multi_dot(a, b, c), kt::dot(a, kt::dot(b, c)));
  });
  const kt::tensor<double, 2> a({3, 100}, some(300)), b({100, 2}, some(200, 2)), c({2, 100}, some(200, 3));
  const auto [chosen, other] = narrow(a, b, c);
  for (std::int64_t i = 0; i < chosen.size(); ++i) CHECK(are_near(chosen.data()[i], other.data()[i], 1e-12));
  static_assert(kt::stats(f).peak_bytes() < 10'000);  // vectors alone
}

}  // namespace
