// This header has the reductions of the host: parts, which collect elements lane by lane, and totals, which add parts
// in a cascade so that rounding errors stay small.
//
//     2^20 floats  ->  parts of a few packs  ->  a total in levels, with an error that grows like log2(n), not like n
#pragma once

#include <kroton/config.hpp>
#include <kroton/arithmetic/dtype.hpp>
#include <kroton/arithmetic/simd/simd.hpp>

#include <cstdint>

namespace kroton::runtime::on_host {

/// The value of W elements: a pack of the type that they are computed in, or a mask for bool.
template <class T, int W, int Bytes>
struct lanes_of {
  using type = simd::pack<computed_in_t<T>, W>;
};
template <int W, int Bytes>
struct lanes_of<bool, W, Bytes> {
  using type = simd::mask<Bytes, W>;
};

/// The first `left` lanes are those of `x`, all others those of `rest`.
template <int Bytes, class V>
KROTON_INLINE V first_lanes(const V& x, int left, const V& rest) {
  using number = std::conditional_t<Bytes == 8, std::int64_t, std::int32_t>;
  using numbers = simd::pack<number, V::size>;
  return simd::select(simd::iota<numbers>(number{0}) < simd::broadcast<numbers>(static_cast<number>(left)), x, rest);
}

/// A reduction of a block of elements, lane by lane.
template <class Op, class Lanes>
struct lane_part {
  Lanes value = simd::broadcast<Lanes>(Op::template identity<typename Lanes::value_type>);
  KROTON_INLINE void add(const Lanes& x) { value = Op::combine(value, x); }
  KROTON_INLINE void merge(const lane_part& other) { add(other.value); }
};

/// The addition of sums that are not a reduction of the graph, such as those of a product.
struct addition {
  template <class V>
  KROTON_INLINE static V combine(const V& x, const V& y) {
    return x + y;
  }
};

/// The reduction of the lanes of a pack, halves with halves.
template <class Op, class T, int W>
KROTON_INLINE T reduce_lanes(const simd::pack<T, W>& x) {
  if constexpr (W == 1) {
    return x.part[0];
  } else {
    const auto halves = std::bit_cast<std::array<simd::pack<T, W / 2>, 2>>(x);
    return reduce_lanes<Op, T, W / 2>(Op::combine(halves[0], halves[1]));
  }
}
template <class Op, class T, int Bytes, int W>
bool reduce_lanes(const simd::mask<Bytes, W>& x) {
  plain_array<bool, W> values;
  bool result = Op::template identity<bool>;
  simd::store(values, x);
  for (bool value : values) result = Op::combine(result, value);
  return result;
}

/// Packs that are added to one `lane_part` before it is collected.
inline constexpr int packs_in_part = 24;

/// Whether a reduction rounds. A reduction that picks one of its elements does not.
template <class Op, class T>
inline constexpr bool accumulates_errors = is_floating(dtype_of<T>) && !requires {
  Op::exact;
};

/// A reduction of any length.
template <class Op, class T, class Lanes, bool = accumulates_errors<Op, T>>
class cascade {
 public:
  KROTON_INLINE void collect(const lane_part<Op, Lanes>& part) { all_.merge(part); }
  Lanes lanes() const { return all_.value; }
  lane_part<Op, Lanes> part() const { return all_; }
  T value() const { return reduce_lanes<Op, T>(all_.value); }
  void merge(const cascade& later) { all_.merge(later.all_); }

 private:
  lane_part<Op, Lanes> all_;
};
/// One that rounds: `packs_in_part` packs are added before they are added to the next level, 16 of those before the
/// next. These are in double, so that rounding errors do not grow with the length.
template <class Op, class T, class Lanes>
class cascade<Op, T, Lanes, true> {
 public:
  cascade() {
    for (wide& each : upper_) each = nothing();
  }
  KROTON_INLINE void collect(const lane_part<Op, Lanes>& part) {
    first_.merge(part);
    if ((++count_ & (fan - 1)) == 0) [[unlikely]]
      carry();
  }
  Lanes lanes() const { return is_short() ? first_.value : simd::convert<typename Lanes::value_type>(every()); }
  lane_part<Op, Lanes> part() const { return {lanes()}; }
  T value() const {
    return is_short() ? reduce_lanes<Op, T>(first_.value) : static_cast<T>(reduce_lanes<Op, double>(every()));
  }
  void merge(const cascade& later) {
    if (is_short()) count_ = fan;
    upper_[0] = Op::combine(upper_[0], later.every());
  }

 private:
  using wide = simd::pack<double, Lanes::size>;
  static constexpr int depth = sizeof(typename Lanes::value_type) < sizeof(double) ? 1 : 2, log_fan = 4,
                       fan = 1 << log_fan;
  lane_part<Op, Lanes> first_;
  plain_array<wide, depth> upper_;
  std::int64_t count_ = 0;  // parts

  bool is_short() const { return count_ < fan; }
  static wide nothing() { return simd::broadcast<wide>(Op::template identity<double>); }
  void carry() {
    upper_[0] = Op::combine(upper_[0], simd::convert<double>(first_.value));
    first_ = {};
    if constexpr (depth > 1)
      if ((count_ & (fan * fan - 1)) == 0) {
        upper_[1] = Op::combine(upper_[1], upper_[0]);
        upper_[0] = nothing();
      }
  }
  wide every() const {
    wide sum = simd::convert<double>(first_.value);
    for (const wide& each : upper_) sum = Op::combine(sum, each);
    return sum;
  }
};

template <class Op>
inline constexpr bool finds_position = requires {
  Op::needs_elements;
};

/// The positions of the best elements, lane by lane; -1 where there was no element yet.
template <class Op, class Elements, class Positions>
class lane_positions {
 public:
  /// `at`: the position of each lane; only the first `left` lanes count.
  void add(const Elements& x, const Positions& at, int left) {
    auto better = wide(Op::replaces(x, best_)) | is_none(at_);
    if (left < Positions::size) better = better & (simd::iota<Positions>(0) < simd::broadcast<Positions>(left));
    take(better, x, at);
  }
  void collect(const lane_positions& part) { merge(part); }
  const lane_positions& part() const { return *this; }
  /// Of two equal elements the earlier one is the best.
  void merge(const lane_positions& other) {
    const auto earlier = (!wide(Op::replaces(best_, other.best_))) & (other.at_ < at_);
    take((!is_none(other.at_)) & (wide(Op::replaces(other.best_, best_)) | is_none(at_) | earlier), other.best_,
         other.at_);
  }
  Positions lanes() const { return simd::select(is_none(at_), simd::broadcast<Positions>(0), at_); }
  std::int64_t value() const {
    const auto best = simd::to_array(best_);
    const auto at = simd::to_array(at_);
    std::size_t found = 0;
    for (std::size_t i = 1; i < at.size(); ++i)
      if (at[i] >= 0 && (at[found] < 0 || Op::replaces(best[i], best[found]) ||
                         (!Op::replaces(best[found], best[i]) && at[i] < at[found])))
        found = i;
    return at[found] < 0 ? 0 : at[found];
  }

 private:
  using element = typename Elements::value_type;
  /// Converts a mask of elements to a mask of positions.
  template <class Mask>
  static auto wide(const Mask& m) {
    return simd::convert<static_cast<int>(sizeof(std::int64_t))>(m);
  }
  static auto is_none(const Positions& at) { return at < simd::broadcast<Positions>(0); }
  template <class Mask>
  void take(const Mask& better, const Elements& x, const Positions& at) {
    best_ = simd::select(simd::convert<sizeof(element)>(better), x, best_);
    at_ = simd::select(better, at, at_);
  }
  Elements best_ = simd::broadcast<Elements>(element{});
  Positions at_ = simd::broadcast<Positions>(-1);
};

}  // namespace kroton::runtime::on_host
