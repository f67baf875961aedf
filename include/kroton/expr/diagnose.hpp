// This header has the sentences of mistakes that only the finished capture shows. They are said where the function is
// compiled, with the line of the mistake where it is known.
#pragma once

#include <kroton/expr/capture.hpp>
#include <kroton/graph/names.hpp>

namespace kroton::typed {

/// The facts about a mistake, as types, because all compilers print types legibly.
namespace told {
template <dtype Type>
struct element {};
template <unsigned Number>
struct line {};  ///< of the user's source
template <int Number, char... Name>
struct argument {};  ///< counted from 1, with its name if it is a member of a struct
template <int Number>
struct output {};
template <char... Letters>
struct shared {};
template <char... Letters>
struct operation {};
template <char... Letters>
struct option {};
template <char... Letters>
struct dimension {};
template <std::int64_t... Number>
struct numbers {};
template <std::int64_t Number>
struct number {};
template <char... Letters>
struct from {};  ///< a place
template <char... Letters>
struct to {};
}  // namespace told

// Each condition is alone on its line, as in check.hpp.
// clang-format off
/// Called with the element type that a number does not fit.
template <dtype Type, class... Details>
constexpr void number_outside(std::tuple<told::element<Type>, Details...>) {
  static_assert(!(Type == dtype::boolean), "kroton: a number does not fit bool, which holds 0 and 1");
  static_assert(!(Type == dtype::int8),
                "kroton: a number does not fit int8, which holds the integers from -128 to 127");
  static_assert(!(Type == dtype::int16),
                "kroton: a number does not fit int16, which holds the integers from -32768 to 32767");
  static_assert(!(Type == dtype::int32),
                "kroton: a number does not fit int32, which holds the integers from -2147483648 to 2147483647");
  static_assert(!(Type == dtype::int64),
                "kroton: a number does not fit int64, which holds the integers from -2^63 to 2^63 - 1");
  static_assert(!(Type == dtype::uint8), "kroton: a number does not fit uint8, which holds the integers from 0 to 255");
  static_assert(!(Type == dtype::uint16),
                "kroton: a number does not fit uint16, which holds the integers from 0 to 65535");
  static_assert(!(Type == dtype::uint32),
                "kroton: a number does not fit uint32, which holds the integers from 0 to 4294967295");
  static_assert(!(Type == dtype::uint64),
                "kroton: a number does not fit uint64, which holds the integers from 0 to 2^64 - 1");
  static_assert(!(Type == dtype::float16),
                "kroton: a number does not fit kt::half, which holds numbers up to 65504, and infinity");
  static_assert(!(Type == dtype::bfloat16),
                "kroton: a number does not fit kt::bfloat16, which holds numbers up to 3.39e38, and infinity");
  static_assert(!(Type == dtype::float32),
                "kroton: a number does not fit float, which holds numbers up to 3.4e38, and infinity");
  static_assert(!(Type == dtype::float64),
                "kroton: a number does not fit double, which holds numbers up to 1.8e308, and infinity");
}

/// Called with what a capture reported, and with what is known of it.
template <mistake What, class... Details>
constexpr void diagnosed(std::tuple<Details...> details) {
  if constexpr (What == mistake::number) number_outside(details);
  static_assert(!(What == mistake::disconnected_gradient),
                "kroton: kt::grad with respect to a variable that the cost does not depend on");
  static_assert(!(What == mistake::integer_gradient),
                "kroton: there is no gradient with respect to a shared variable of integers or bool; a kt::state is no "
                "parameter that an optimiser trains");
  static_assert(!(What == mistake::no_derivative), "kroton: kt::grad through an operation that has no derivative");
  static_assert(!(What == mistake::backward),
                "kroton: a backward rule adds gradients with the extents and the element type of an operand that the "
                "operation has");
  static_assert(!(What == mistake::unused_argument), "kroton: the function does not use one of its arguments");
  static_assert(!(What == mistake::replaced_argument),
                "kroton: the function does not use one of its arguments any more, because kt::givens replaces what "
                "used it");
  static_assert(!(What == mistake::double_update), "kroton: the function updates one shared variable twice");
  static_assert(!(What == mistake::given_not_found),
                "kroton: kt::givens replaces an expression that the function does not contain");
  static_assert(!(What == mistake::slice_bound),
                "kroton: a position or range lies outside its axis, or has a step of 0; bounds ascend with a negative "
                "step too: kt::slice(1, 6, -2) is 5, 3, 1");
  static_assert(!(What == mistake::computed_bound),
                "kroton: a bound of a range is an integer, kt::end or a scalar argument of the function, not computed "
                "from them");
  static_assert(!(What == mistake::extents),
                "kroton: the extents of operands with kt::any turn out to be different numbers");
  static_assert(!(What == mistake::elements),
                "kroton: reshape must keep the number of elements, which turns out to be another");
  static_assert(!(What == mistake::other_model),
                "kroton: an expression of another model in the function; a block belongs to its model by layer "
                "first{this, \"first\"};");
  static_assert(!(What == mistake::double_name), "kroton: two shared variables have the same name");
  static_assert(!(What == mistake::double_block), "kroton: two blocks of one model have the same name");
  static_assert(!(What == mistake::double_context),
                "kroton: two contexts of the function have the same name, to which one device is mapped");
  static_assert(!(What == mistake::open_dimension),
                "kroton: no argument or shared variable has this dimension, so that a call does not say how large it "
                "is");
  static_assert(!(What == mistake::result),
                "kroton: a compiled function returns an expression, kt::outputs(...) or kt::updates(...)");
  static_assert(!(What == mistake::no_parameters),
                "kroton: an optimiser is given no parameters to train: a kt::state is none, and those that were "
                "subtracted are none");
  static_assert(!(What == mistake::gradient_count), "kroton: an optimiser takes one gradient for each parameter");
  static_assert(!(What == mistake::gradient_order),
                "kroton: the gradients that an optimiser is given are of other parameters, or in another order, than "
                "the parameters beside them");
  static_assert(!(What == mistake::update_extents),
                "kroton: the new value of a shared variable has other extents or another element type than the "
                "variable");
  static_assert(!(What == mistake::unkept_parameter),
                "kroton: an optimiser keeps numbers for the parameters that are declared before it in its model, or that "
                "it is constructed with, and this parameter is none of them");
  static_assert(!(What == mistake::weight_option),
                "kroton: beta1, beta2, momentum and decay of kt::optim, decrease of lbfgs and rising of one_cycle are "
                "from 0 to 1, and not 1");
  static_assert(!(What == mistake::positive_option),
                "kroton: steps and every of a schedule, history of kt::optim::lbfgs and the limit of clip_by_norm are "
                "greater than 0, and finite");
  static_assert(!(What == mistake::negative_option),
                "kroton: epsilon, weight_decay and clip of an optimiser, the steps of warm_up, the limit of "
                "clip_by_value, and truncate_gradient and keep_every of a loop are not negative, and finite");
  static_assert(!(What == mistake::kept_axes),
                "kroton: kt::optim::lbfgs keeps a history with one axis more than the parameter, which has at most 7 "
                "axes");
  static_assert(!(What == mistake::draws), "kroton: a function draws random numbers more than 32,768 times");
  static_assert(!(What == mistake::empty_range),
                "kroton: random integers are in [low, high), and no integer is");
  static_assert(!(What == mistake::probability), "kroton: a probability is a number from 0 to 1");
  static_assert(!(What == mistake::deviation), "kroton: a standard deviation is not negative");
  static_assert(!(What == mistake::loop_value),
                "kroton: a value of the body of a loop is used outside; return it from the body: kt::scan returns its "
                "values of all iterations");
  static_assert(!(What == mistake::loop_options),
                "kroton: a loop has keep_every or truncate_gradient, not both");
  static_assert(!(What == mistake::many_loops),
                "kroton: a function has more than 60 loops, those of gradients included");
  static_assert(!(What == mistake::many_axes),
                "kroton: what kt::vmap or a Jacobian lifts over a dimension, what a branch reads and what a loop draws "
                "has one axis more, and tensors have at most 8 axes");
  static_assert(!(What == mistake::no_elements),
                "kroton: there is no first element along axes that turn out to have extent 0");
}

/// Called with what is known of a transfer that a function needs.
template <bool IsWritten, class... Details>
constexpr void require_written(std::tuple<Details...>) {
  static_assert(IsWritten,
                "kroton: a transfer is needed that is not written, which kt::policy::explicit_transfers does not "
                "allow; write kt::transfer<place>(x); the place of the session is kt::home");
}

/// Called with an operation of a function and the element type for which a backend has no kernel of it.
template <class Operation, class Element, backend_kind Where>
constexpr void no_kernel() {
  static_assert(!(Where == backend_kind::host),
                "kroton: the operation has no kernel for this element type on host; see docs/operations.md, convert "
                "with kt::cast");
  static_assert(!(Where == backend_kind::cuda),
                "kroton: the operation has no kernel for this element type on cuda; see docs/operations.md, convert "
                "with kt::cast, or compute on the host, after kt::transfer<kt::host>(x)");
  static_assert(!(Where == backend_kind::reference),
                "kroton: the operation has no kernel for this element type on reference, with which kt::debug::verify "
                "compares");
}
// clang-format on

/// A detail, if it is known.
template <bool Known, class Detail>
struct detail {
  using type = std::tuple<>;
};
template <class Detail>
struct detail<true, Detail> {
  using type = std::tuple<Detail>;
};

/// `As<'W', '1'>`.
template <template <char...> class As, name_text Text, class Indices>
struct spelling;
template <template <char...> class As, name_text Text, int... I>
struct spelling<As, Text, std::integer_sequence<int, I...>> {
  using type = As<Text.letters[I]...>;
};
template <template <char...> class As, name_text Text>
using spelled = typename spelling<As, Text, std::make_integer_sequence<int, Text.length>>::type;

/// `argument<2>`, or `argument<2, 'r', 'a', 't', 'e'>`.
template <int Number, name_text Name>
struct numbered_argument {
  template <char... Letters>
  using with = told::argument<Number, Letters...>;
  using type = spelled<with, Name>;
};

/// The mistake in `Captured::value`.
template <class Captured>
struct diagnosis_of {
  static constexpr diagnosis d = Captured::value.problem;
  static constexpr name_text shared = [] {
    if constexpr (d.shared >= 0) return name_of_shared(Captured::value, d.shared);
    else return name_text{};
  }();
  static constexpr name_text argument = [] {
    if constexpr (d.argument >= 0) return name_text{}.append(Captured::value.inputs[d.argument].name);
    else return name_text{};
  }();
  static constexpr name_text operation = name_text{} += d.operation;
  static constexpr name_text option = name_text{} += d.option;
  static constexpr name_text dimension = name_text{} += d.dimension;
  static constexpr mistake what = d.what;
  using details = decltype(std::tuple_cat(
      typename detail<(d.what == mistake::number), told::element<d.type>>::type(),
      typename detail<(d.line > 0), told::line<d.line>>::type(),
      typename detail<(d.argument >= 0), typename numbered_argument<d.argument + 1, argument>::type>::type(),
      typename detail<(d.shared >= 0), spelled<told::shared, shared>>::type(),
      typename detail<(d.operation != nullptr), spelled<told::operation, operation>>::type(),
      typename detail<(d.option != nullptr), spelled<told::option, option>>::type(),
      typename detail<(d.dimension != nullptr), spelled<told::dimension, dimension>>::type(),
      typename detail<(d.a >= 0 && d.b >= 0), told::numbers<d.a, d.b>>::type(),
      typename detail<(d.number != 0), told::number<d.number>>::type()));
};

/// Whether a function was captured without mistakes.
template <class Function>
inline constexpr bool is_sound = captured<Function>::value.problem.what == mistake::none;

}  // namespace kroton::typed
