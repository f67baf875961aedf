// Comparisons of packs and the logic of masks.
#ifdef KROTON_TEST_MAIN
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#endif
#include "each_type.hpp"

namespace {

namespace simd = kroton::simd;
using simd_test::check_lanes, simd_test::expect;

TEST_CASE("comparisons are those of numbers") {
  const auto check = []<class T>() {
    check_lanes<T>(
        "==", [](auto a, auto b) { return a == b; }, [](T a, T b) { return a == b; });
    check_lanes<T>(
        "!=", [](auto a, auto b) { return a != b; }, [](T a, T b) { return a != b; });
    check_lanes<T>(
        "<", [](auto a, auto b) { return a < b; }, [](T a, T b) { return a < b; });
    check_lanes<T>(
        "<=", [](auto a, auto b) { return a <= b; }, [](T a, T b) { return a <= b; });
    check_lanes<T>(
        ">", [](auto a, auto b) { return a > b; }, [](T a, T b) { return a > b; });
    check_lanes<T>(
        ">=", [](auto a, auto b) { return a >= b; }, [](T a, T b) { return a >= b; });
    check_lanes<T>(
        "is_nonzero", [](auto a, auto) { return is_nonzero(a); }, [](T a, T) { return a != T(0); });
  };
  simd_test::each_type(check);
}

TEST_CASE("masks combine") {
  const auto check = []<class T>() {
    const auto less = [](auto a, auto b) { return a < b; };
    const auto equal = [](auto a, auto b) { return a == b; };
    check_lanes<T>(
        "&", [=](auto a, auto b) { return less(a, b) & !equal(b, a); }, [](T a, T b) { return a < b && !(a == b); });
    check_lanes<T>(
        "|", [=](auto a, auto b) { return less(a, b) | equal(b, a); }, [](T a, T b) { return a < b || a == b; });
    check_lanes<T>(
        "^", [=](auto a, auto b) { return less(a, b) ^ !equal(b, a); }, [](T a, T b) { return (a < b) != !(a == b); });
    check_lanes<T>(
        "==", [=](auto a, auto b) { return (less(a, b) || equal(a, b)) == (less(b, a) != equal(a, b)); },
        [](T a, T b) { return (a < b || a == b) == ((b < a) != (a == b)); });
    check_lanes<T>(
        "select", [=](auto a, auto b) { return select(simd::convert<2>(less(a, b)), equal(a, a), less(b, a)); },
        [](T a, T b) { return a < b ? a == a : b < a; });
  };
  simd_test::each_type(check);
}

TEST_CASE("masks of one lane, of all and of none") {
  const auto check = []<class T, int W>() {
    using M = simd::mask<static_cast<int>(sizeof(T)), W>;
    expect(all(simd::broadcast<M>(true)));
    expect(any(simd::broadcast<M>(true)));
    expect(!all(simd::broadcast<M>(false)));
    expect(!any(simd::broadcast<M>(false)));
    for (int i = 0; i < W; ++i) {
      const auto one = simd::iota<simd::pack<T, W>>(T(0)) == simd::broadcast<simd::pack<T, W>>(static_cast<T>(i));
      expect(any(one));
      expect(all(one) == (W == 1));
      expect(simd::to_bits(one) == std::uint64_t{1} << i);
      expect(simd::lane(one, i));
      expect(!any(one ^ simd::from_bits<M>(std::uint64_t{1} << i)));
      expect(!all(!one));
      expect(any(!one) == (W > 1));
    }
  };
  simd_test::each_type(simd_test::with_widths(check));
}

}  // namespace
