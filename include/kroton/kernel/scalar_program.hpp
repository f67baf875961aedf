// This header evaluates kernels of which every value is a scalar, without memory: in constant expressions, in
// algorithms of the standard library and of Thrust, and in kernels of users. Such a program is a type of its own, which
// names no type of the user, because nvcc takes no lambda as a part of a kernel's name.
//
//     x * x * x  ->  scalar_program<scalar_buffers<double, double>, {0}, {1},
//                      scalar_step<fused<map, load<0, ...>, apply<mul, ..., 0, 0>, ..., store<1, ...>>, 0, 1>>
#pragma once

#include <kroton/kernel/schedule.hpp>
#include <kroton/kernel/slots.hpp>
#include <kroton/kernel/values.hpp>

namespace kroton::kernel {

/// The element types of the buffers of a program.
template <class... T>
using scalar_buffers = slots<std::make_integer_sequence<int, sizeof...(T)>, T...>;

/// A kernel whose access number I is to the buffer with the I-th of these numbers.
template <class Fused, int... Buffer>
struct scalar_step;
template <step_kind Kind, class... I, int... Buffer>
struct scalar_step<fused<Kind, I...>, Buffer...> {
  template <class Buffers>
  static constexpr KROTON_HD void run(Buffers& b) {
    each(numbers(), b);
  }

 private:
  using numbers = std::make_integer_sequence<int, sizeof...(I)>;
  using values = slots<numbers, typename instruction_traits<I>::type...>;
  template <int Access>
  static constexpr int buffer = [] {
    constexpr int all[] = {Buffer...};
    return all[Access];
  }();

  template <int... K, class Buffers>
  static constexpr KROTON_HD void each(std::integer_sequence<int, K...>, Buffers& b) {
    values v{};
    (one<K>(I(), v, b), ...);
  }
  template <int K, int A, class T, stride_class C, bool R, class Buffers>
  static constexpr KROTON_HD void one(load<A, T, C, R>, values& v, Buffers& b) {
    get<K>(v) = static_cast<computed_in_t<T>>(get<buffer<A>>(b));
  }
  template <int K, class T, std::int64_t Bits, class Buffers>
  static constexpr KROTON_HD void one(constant<T, Bits>, values& v, Buffers&) {
    constexpr T value = constant_of<T, Bits>;
    get<K>(v) = value;
  }
  template <int K, class Op, class T, bool R, int... O, class Buffers>
  static constexpr KROTON_HD void one(apply<Op, T, R, O...>, values& v, Buffers&) {
    get<K>(v) = static_cast<T>(Op::apply(get<O>(v)...));
  }
  template <int K, class T, bool R, int O, class Buffers>
  static constexpr KROTON_HD void one(convert<T, R, O>, values& v, Buffers&) {
    get<K>(v) = converted<T>(get<O>(v));
  }
  template <int K, int A, class T, stride_class C, bool R, int O, class Buffers>
  static constexpr KROTON_HD void one(store<A, T, C, R, O>, values& v, Buffers& b) {
    get<buffer<A>>(b) = static_cast<T>(get<O>(v));
  }
};

/// A program: its buffers, the numbers of those that are arguments and of those that are outputs, and its steps.
template <class Buffers, class Inputs, class Outputs, class... Step>
struct scalar_program;
template <class Buffers, int... In, int... Out, class... Step>
struct scalar_program<Buffers, std::integer_sequence<int, In...>, std::integer_sequence<int, Out...>, Step...> {
  using buffers = Buffers;
  template <int B>
  using element = std::remove_cvref_t<decltype(get<B>(std::declval<buffers&>()))>;

  /// The buffers after all steps.
  static constexpr KROTON_HD buffers run(const element<In>&... arguments) {
    buffers b{};
    ((get<In>(b) = arguments), ...);
    (Step::run(b), ...);
    return b;
  }
  /// Calls `use` with the outputs.
  template <class Use>
  static constexpr KROTON_HD auto with_outputs(const Use& use, const element<In>&... arguments) {
    const buffers b = run(arguments...);
    return use(get<Out>(b)...);
  }
};

}  // namespace kroton::kernel
