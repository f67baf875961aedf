// Comparisons of packs and the logic of masks.
#ifdef KROTON_TEST_MAIN
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#endif
#include "each_type.hpp"

namespace {

namespace simd = kroton::simd;
using simd_test::check_lanes;

TEST_CASE("comparisons are those of numbers") {
  const auto check = []<class T, int W>() {
    check_lanes<T, W>(
        "==", [](auto a, auto b) { return a == b; }, [](T a, T b) { return a == b; });
    check_lanes<T, W>(
        "!=", [](auto a, auto b) { return a != b; }, [](T a, T b) { return a != b; });
    check_lanes<T, W>(
        "<", [](auto a, auto b) { return a < b; }, [](T a, T b) { return a < b; });
    check_lanes<T, W>(
        "<=", [](auto a, auto b) { return a <= b; }, [](T a, T b) { return a <= b; });
    check_lanes<T, W>(
        ">", [](auto a, auto b) { return a > b; }, [](T a, T b) { return a > b; });
    check_lanes<T, W>(
        ">=", [](auto a, auto b) { return a >= b; }, [](T a, T b) { return a >= b; });
    check_lanes<T, W>(
        "is_nonzero", [](auto a, auto) { return is_nonzero(a); }, [](T a, T) { return a != T(0); });
  };
  simd_test::each_integer(check);
  simd_test::each_real(check);
}

TEST_CASE("masks combine") {
  const auto check = []<class T, int W>() {
    const auto less = [](auto a, auto b) { return a < b; };
    const auto equal = [](auto a, auto b) { return a == b; };
    check_lanes<T, W>(
        "&", [=](auto a, auto b) { return less(a, b) & !equal(b, a); },
        [](T a, T b) { return a < b && !(a == b); });
    check_lanes<T, W>(
        "|", [=](auto a, auto b) { return less(a, b) | equal(b, a); },
        [](T a, T b) { return a < b || a == b; });
    check_lanes<T, W>(
        "^", [=](auto a, auto b) { return less(a, b) ^ !equal(b, a); },
        [](T a, T b) { return (a < b) != !(a == b); });
    check_lanes<T, W>(
        "==", [=](auto a, auto b) { return (less(a, b) || equal(a, b)) == (less(b, a) != equal(a, b)); },
        [](T a, T b) { return (a < b || a == b) == ((b < a) != (a == b)); });
    check_lanes<T, W>(
        "select",
        [=](auto a, auto b) { return select(simd::convert<2>(less(a, b)), equal(a, a), less(b, a)); },
        [](T a, T b) { return a < b ? a == a : b < a; });
    using M = simd::mask<static_cast<int>(sizeof(T)), W>;
    CHECK(all(simd::broadcast<M>(true)));
    CHECK(any(simd::broadcast<M>(true)));
    CHECK_FALSE(all(simd::broadcast<M>(false)));
    CHECK_FALSE(any(simd::broadcast<M>(false)));
    for (int i = 0; i < W; ++i) {
      const auto one =
          simd::iota<simd::pack<T, W>>(T(0)) == simd::broadcast<simd::pack<T, W>>(static_cast<T>(i));
      CHECK(any(one));
      CHECK(all(one) == (W == 1));
      CHECK(simd::to_bits(one) == std::uint64_t{1} << i);
      CHECK(simd::lane(one, i));
      CHECK_FALSE(any(one ^ simd::from_bits<M>(std::uint64_t{1} << i)));
      CHECK_FALSE(all(!one));
      CHECK(any(!one) == (W > 1));
    }
  };
  simd_test::each_integer(check);
  simd_test::each_real(check);
}

}  // namespace
