// This header has the sentences of compile-time errors. Each stands in one static_assert of one function, whose
// template arguments show the operation and its operands; it is called where the user's call is at most two steps away.
#pragma once

namespace kroton::typed {

// clang-format off
enum class complaint {
  none,
  said,  // by another sentence
  not_constant,  // see cannot_evaluate
  extent, extents, rank, axis, repeated_axis, axes, type, mixed_types, literal, condition, selection, elements,
  no_elements, counts, parts, pad_mode, spelling, brackets, axis_first, bounds, outside, open_range, value, cost_rank,
  cost_type, wanted_type,
  update, given, output, list_of_updates, generic_lambda, capturing_lambda, changing_function, parameter, result,
  function, model, no_model, argument_count, argument, fraction, place, result_tensor, not_shared, shared_extents,
  shared_dimension, dimension_twice, shared_name, assignment, construction, session, element, made_extent, position,
  operand, index, grad_operands, optimiser, lbfgs_cost, given_list, unbound, conversion, dimension, dimension_values,
  extents_at_call, piece, context_name, value_for_variable, part_assignment, const_call, object_in_brackets,
  positions, making, changed_expression, iteration, truth_values, dimension_value,
  compiled_inside, member_argument, shared_elements, routine, frozen_variables, drawing, probability,
  saving, permutation, taps, loop_items, loop_parameters, loop_body, variable_struct, left_out, copied_with,
  variable_twice, directions, lifted, custom, changed_part,
  einsum, branches, until, argument_place, result_place, placed_integer, placed_pieces
};
// clang-format on

// An expression without an expression among its operands belongs to no graph. It is refused, and a function that uses
// it cannot be evaluated, which must not be a second error. So the refusal names `without_graph<false>`, which defines
// the friend `has_been_said`; whether that friend has a known type says whether there was a refusal.
struct expression_without_graph {
  friend auto has_been_said(expression_without_graph);
};
template <bool>
struct without_graph {
  friend auto has_been_said(expression_without_graph) { return true; }
};
template <class Function>
struct asked_by : expression_without_graph {};
template <class Function>
concept uses_refused_expression = requires {
  has_been_said(asked_by<Function>());
};

/// Called where operands are refused. A function, because some compilers complain a second time of a class that holds a
/// static_assert that failed. Written `!(a == b)`, because clang adds the values of `a != b`, and each condition alone
/// on its line, because compilers quote all lines of a condition.
// clang-format off
template <complaint What, class Operation, class... Operands>
constexpr auto reject() {
  static_assert(!(What == complaint::extents),
                "kroton: the extents of the operands do not match (a number never equals a name; see "
                "kt::assume_shape)");
  static_assert(!(What == complaint::extent),
                "kroton: an extent is a number >= 0, a named dimension (struct batch : kt::dim<batch> {}) or kt::any");
  static_assert(!(What == complaint::rank),
                "kroton: the operands do not have the number of axes that the operation takes");
  static_assert(!(What == complaint::axis), "kroton: there is no such axis");
  static_assert(!(What == complaint::repeated_axis), "kroton: an axis is named twice");
  static_assert(!(What == complaint::axes),
                "kroton: axes are written kt::axis<0> or kt::axis<0, 2>, after them perhaps kt::keep_dims");
  static_assert(!(What == complaint::type),
                "kroton: the operation does not take this element type; convert with kt::cast");
  static_assert(!(What == complaint::truth_values),
                "kroton: &&, ||, ! and ^ take tensors of bool; compare, as in x > 0; a power is kt::pow(x, 2) or "
                "kt::sqr(x)");
  static_assert(!(What == complaint::mixed_types),
                "kroton: the operands have different element types; nothing widens silently, convert with kt::cast");
  static_assert(!(What == complaint::literal),
                "kroton: a number with a fraction beside a tensor of integers; cast the tensor");
  static_assert(!(What == complaint::condition),
                "kroton: a condition or a mask is a tensor of bool; compare, as in x > 0");
  static_assert(!(What == complaint::selection),
                "kroton: kt::where chooses between tensors, or a tensor and a number; kt::cast<float>(condition) is 1 "
                "or 0");
  static_assert(!(What == complaint::spelling),
                "kroton: logic is written &&, || and !, a remainder kt::rem(x, y), or kt::mod(x, y) with the sign of "
                "y");
  static_assert(!(What == complaint::brackets),
                "kroton: element types, extents and orders of axes are written in angle brackets: "
                "kt::cast<float>(x), kt::reshape<3, 4>(x), kt::permute<1, 0>(x), kt::one_hot<10>(label)");
  static_assert(!(What == complaint::iteration),
                "kroton: an expression has no elements to visit while it is captured; reductions such as kt::sum "
                "reduce axes, and x[i] is a part where i is a number");
  static_assert(!(What == complaint::axis_first),
                "kroton: concatenate and stack take an axis and then expressions: kt::concatenate(kt::axis<0>, x, y), "
                "kt::stack(kt::axis<0>, x, y)");
  static_assert(!(What == complaint::bounds),
                "kroton: a range has two bounds, which are integers, kt::end or scalar arguments: kt::rows(2, k), "
                "kt::cols<0, 4>(), kt::range<0, 4>(kt::axis<2>)");
  static_assert(!(What == complaint::outside),
                "kroton: a position or range lies outside its axis, or has a step of 0; bounds ascend with a negative "
                "step too: kt::slice(1, 6, -2) is 5, 3, 1");
  static_assert(!(What == complaint::open_range),
                "kroton: how many indices these bounds select depends on the extent of the axis, which is not a "
                "number; write kt::rows(first, last)");
  static_assert(!(What == complaint::elements), "kroton: reshape must keep the number of elements");
  static_assert(!(What == complaint::no_elements), "kroton: there is no first element along axes of extent 0");
  static_assert(!(What == complaint::counts),
                "kroton: kt::tile, kt::repeat and kt::pad take numbers that are not negative, kt::split a number of "
                "parts above 0");
  static_assert(!(What == complaint::pad_mode),
                "kroton: kt::pad<1, 2>(x, kt::axis<0>) takes a number as its last argument, or a mode: kt::pad_edge, "
                "pad_linear_ramp, pad_maximum, pad_mean, pad_minimum, pad_reflect, pad_symmetric, pad_wrap");
  static_assert(!(What == complaint::parts), "kroton: kt::split divides an axis into parts of one length");
  static_assert(!(What == complaint::value),
                "kroton: an expression has no value while the function is captured; compute with kt:: functions, "
                "choose with kt::where");
  static_assert(!(What == complaint::element),
                "kroton: this is not an element type: float, double, kt::half, kt::bfloat16, bool and the (u)intN_t "
                "are");
  static_assert(!(What == complaint::position),
                "kroton: kt::at takes, for the axes of the tensor, positions, kt::slice(first, last), kt::all and "
                "kt::newaxis: x[kt::at(i, kt::all)]");
  static_assert(!(What == complaint::made_extent),
                "kroton: a tensor that is made without operands has extents that are numbers or named dimensions; "
                "kt::zeros_like(x) takes those of x");
  static_assert(!(What == complaint::dimension_value),
                "kroton: a dimension has no value while the function is captured; kt::extent(batch) is its value "
                "as an expression, and reductions such as kt::sum visit its elements");
  static_assert(!(What == complaint::positions),
                "kroton: the element type does not hold all positions that kt::arange counts: int8 has 128 of them, "
                "uint8 256, int16 32768, uint16 65536");
  static_assert(!(What == complaint::making),
                "kroton: a tensor that is made without operands takes its extents in angle brackets and its value "
                "as a number: kt::zeros<float, n, 3>(), kt::full<float, n>(0.5), kt::arange<int, n>(), "
                "kt::eye<float, 3>(), kt::extent<float>(n); expressions spread by kt::broadcast_to<n>(x)");
  static_assert(!(What == complaint::drawing),
                "kroton: random numbers take their element type and extents in angle brackets and their parameters "
                "as numbers or expressions, kt::random::normal<float, n, 3>(0, 1), or the extents of parameters that "
                "are expressions, kt::random::normal(mean, deviation)");
  static_assert(!(What == complaint::permutation),
                "kroton: a permutation is of one dimension or number of elements: kt::random::permutation<batch>()");
  static_assert(!(What == complaint::probability),
                "kroton: a probability is a number from 0 to 1, or a scalar with the element type of the tensor");
  static_assert(!(What == complaint::changed_expression),
                "kroton: expressions do not change; x = x + y makes a new one");
  static_assert(!(What == complaint::unbound),
                "kroton: a kt::var is a parameter, as in kt::function([](kt::var<float> x) { ... }); other "
                "variables start as expressions: auto y = 2 * x;");
  static_assert(!(What == complaint::conversion),
                "kroton: the kt::var wanted here has other extents or another element type than this expression; see "
                "kt::assume_shape, kt::cast");
  static_assert(!(What == complaint::operand),
                "kroton: an operand is not an expression; pass tensors as arguments, or keep them in a kt::shared; "
                "std:: is for numbers");
  static_assert(!(What == complaint::index),
                "kroton: brackets take a position, kt::at, kt::rows, kt::cols or kt::range; kt::take and kt::pick "
                "select by row numbers");
  static_assert(!(What == complaint::part_assignment),
                "kroton: a part of an expression cannot be assigned to, because expressions do not change; kt::where "
                "chooses, kt::concatenate joins parts");
  static_assert(!(What == complaint::value_for_variable),
                "kroton: a kt::var is not a value; functions of values are session.compile<&model::f>() and "
                "kt::function(lambda), and variables start as expressions: auto y = 2 * x;");
  static_assert(!(What == complaint::routine),
                "kroton: a routine derives from kt::routine<itself, number of operands, kt::operands::...>, and has a "
                "static constexpr name and a static host(const auto& call)");
  static_assert(!(What == complaint::grad_operands),
                "kroton: grad takes a scalar cost, and an expression or the parameters of a model that it is computed "
                "from");
  static_assert(!(What == complaint::optimiser),
                "kroton: an optimiser takes a cost, parameters(), and a rate: a number, or a scalar with the element "
                "type of the cost");
  static_assert(!(What == complaint::lbfgs_cost),
                "kroton: kt::optim::lbfgs takes a cost, by which it compares points, and not gradients alone");
  static_assert(!(What == complaint::cost_rank),
                "kroton: grad needs a scalar cost; take its kt::mean or kt::sum first");
  static_assert(!(What == complaint::cost_type), "kroton: grad needs a floating-point cost");
  static_assert(!(What == complaint::wanted_type), "kroton: there is no gradient with respect to integers or bool");
  static_assert(!(What == complaint::update),
                "kroton: an update must have the element type and the extents of its shared variable");
  static_assert(!(What == complaint::given),
                "kroton: the replacement of an expression must have its element type and extents");
  static_assert(!(What == complaint::given_list), "kroton: replacements are made by kt::given(x, y)");
  static_assert(!(What == complaint::output), "kroton: kt::outputs takes expressions, one argument for each");
  static_assert(!(What == complaint::list_of_updates),
                "kroton: updates are made by kt::update(variable, value) or by an optimiser, on a kt::shared of the "
                "model; several stand side by side, or are joined by +");
  static_assert(!(What == complaint::frozen_variables),
                "kroton: no_default_updates takes shared variables of the model, or nothing for all of them");
  static_assert(!(What == complaint::generic_lambda),
                "kroton: the parameters of a compiled function are kt::var<...>, not auto, so that their types are "
                "known");
  static_assert(!(What == complaint::capturing_lambda),
                "kroton: kt::function takes a lambda without captures; pass values as arguments, or keep them in a "
                "model");
  static_assert(!(What == complaint::changing_function),
                "kroton: a compiled member function is const; shared variables change through kt::updates");
  static_assert(!(What == complaint::parameter),
                "kroton: the parameters of a compiled function are kt::var<...>, taken by value, whose dimensions "
                "are declared objects");
  static_assert(!(What == complaint::variable_struct),
                "kroton: a struct of variables is a function's only parameter, and has 1 to 16 members Var<float, n>: "
                "template <template <class, auto...> class Var> struct inputs { ... };  train(inputs<kt::var> in)");
  static_assert(!(What == complaint::result),
                "kroton: a compiled function returns an expression, kt::outputs(...) or kt::updates(...)");
  static_assert(!(What == complaint::function), "kroton: session.compile takes a member function of the session's model");
  static_assert(!(What == complaint::model), "kroton: the function belongs to another model than the session");
  static_assert(!(What == complaint::no_model), "kroton: the model of a session is a struct that derives from kt::model");
  static_assert(!(What == complaint::session),
                "kroton: a session takes a context and a seed: kt::session<digits> session{kt::context::best(), "
                "kt::seed{42}};");
  static_assert(!(What == complaint::argument_count), "kroton: the call and the function have different numbers of arguments");
  static_assert(!(What == complaint::argument),
                "kroton: an argument of the call does not have the element type or the number of axes that the "
                "function takes");
  static_assert(!(What == complaint::argument_place),
                "kroton: this argument lies elsewhere: a function takes a kt::var from the host, and a "
                "kt::var_at<dev0, float, n> as a kt::tensor_at<dev0, float, 1> or as kt::view_at(dev0, pointer, {n})");
  static_assert(!(What == complaint::placed_integer),
                "kroton: an integer scalar is a kt::var and no kt::var_at, because the host may need it for extents");
  static_assert(!(What == complaint::placed_pieces),
                "kroton: kt::chunked takes functions whose arguments and outputs are on the host");
  static_assert(!(What == complaint::left_out),
                "kroton: the call leaves out a member of the struct of arguments that has no default");
  static_assert(!(What == complaint::fraction),
                "kroton: this argument is an integer scalar; a number with a fraction would be cut");
  static_assert(!(What == complaint::compiled_inside),
                "kroton: a compiled function is called with tensors; inside another function call the constexpr "
                "function of expressions that it was compiled from");
  static_assert(!(What == complaint::member_argument),
                "kroton: the member is a template argument: session.compile<&digits::predict>(), "
                "session.set<&digits::W1>(values)");
  static_assert(!(What == complaint::shared_elements),
                "kroton: session.set and kt::with take a tensor or view with the element type and number of axes of the shared "
                "variable, a contiguous range of all its elements, or the number of a scalar");
  static_assert(!(What == complaint::copied_with),
                "kroton: session.copy takes the elements of shared variables that the copy has of its own: "
                "session.copy(kt::with<&digits::W1>(w))");
  static_assert(!(What == complaint::variable_twice),
                "kroton: session.copy is given elements of one shared variable twice");
  static_assert(!(What == complaint::saving),
                "kroton: session.save and session.load need #include <kroton/io.hpp>");
  static_assert(!(What == complaint::dimension), "kroton: the function has no dimension of this name");
  static_assert(!(What == complaint::piece),
                "kroton: kt::chunked takes a dimension and the size of a piece, which is an integer or "
                "kt::fit_budget: kt::chunked<batch>(f, 1024)");
  static_assert(!(What == complaint::dimension_values),
                "kroton: give a value to each dimension of the function, once: batch(256)");
  static_assert(!(What == complaint::extents_at_call),
                "kroton: sizes are known before a call only where extents are numbers or named dimensions, not "
                "kt::any or the value of an argument");
  static_assert(!(What == complaint::context_name),
                "kroton: the name of a context must not begin with cpu, cuda, gpu or opencl in any spelling, and "
                "must not be host, home or session");
  static_assert(!(What == complaint::place),
                "kroton: a place is kt::host, kt::home or the name of a context (struct dev0 : kt::context_name<dev0> "
                "{} dev0;)");
  static_assert(!(What == complaint::object_in_brackets),
                "kroton: a function object is passed as an argument, not in angle brackets: kt::stats(f), "
                "kt::stats(f).peak_bytes(batch(256)), kt::transfers(f)");
  static_assert(!(What == complaint::const_call),
                "kroton: a call of a compiled function changes the memory that it keeps for the next call; a const "
                "object keeps it as a mutable member, or as a kt::callable<... const>");
  static_assert(!(What == complaint::result_tensor),
                "kroton: f.into(y, x) takes a tensor for the output, or std::tie(y, z) for several, of their element "
                "types and numbers of axes");
  static_assert(!(What == complaint::result_place),
                "kroton: f.into(y, x) takes a kt::tensor for an output on the host; where the output ends with "
                "kt::transfer<dev0>, it takes a kt::tensor_at<dev0, float, 2>, a kt::view_at or a "
                "thrust::device_vector");
  static_assert(!(What == complaint::not_shared), "kroton: only a kt::shared of the session's model has values");
  static_assert(!(What == complaint::shared_extents),
                "kroton: the extents of a session's shared variables are numbers or named dimensions");
  static_assert(!(What == complaint::shared_dimension),
                "kroton: no shared variable of the session's model has this dimension");
  static_assert(!(What == complaint::dimension_twice),
                "kroton: each dimension is given one extent: session.resize(batch(64))");
  static_assert(!(What == complaint::shared_name),
                "kroton: a shared variable takes its model, its name and perhaps a kt::init: kt::shared<float, 3> "
                "W{this, \"W\"};");
  static_assert(!(What == complaint::assignment),
                "kroton: a shared variable changes when the function returns kt::update(variable, value) in its "
                "kt::updates");
  static_assert(!(What == complaint::loop_items),
                "kroton: kt::scan takes a body and kt::sequences(x, ...), perhaps kt::carried(h, ...), "
                "kt::steps<100>() or kt::steps(n), and kt::scan_options; without sequences it needs what is carried "
                "and the steps; kt::map carries nothing, and kt::reduce, kt::foldl and kt::foldr carry something");
  static_assert(!(What == complaint::taps),
                "kroton: kt::taps of a carried variable are negative, and its initial values have as many rows as the "
                "oldest one needs, the oldest first: kt::taps<-3, -1>(initial), initial (3, ...)");
  static_assert(!(What == complaint::loop_parameters),
                "kroton: the body of a loop gets a row of each sequence and then the carried values, one for each tap, "
                "and returns expressions: [&](auto row, auto h) { return h + row; }");
  static_assert(!(What == complaint::loop_body),
                "kroton: the body of a loop returns the new value of each carried variable first, with the same "
                "element type and extents, and then further expressions; several as std::tuple{h, y}");
  static_assert(!(What == complaint::directions),
                "kroton: derivatives are of floating-point expressions, and a direction or gradient of one has its "
                "element type and extents: kt::jvp(y, x, v), kt::vjp(y, g, x), kt::hvp(cost, x, v)");
  static_assert(!(What == complaint::lifted),
                "kroton: kt::vmap<batch>(f)(x) lifts f over a named dimension that an operand has; f returns an "
                "expression of less than 8 axes, or several as std::tuple{a, b}");
  static_assert(!(What == complaint::custom),
                "kroton: kt::custom_gradient(f, backward)(x, y) and kt::remat(f)(x) take expressions; backward gets "
                "the gradient of the value and the operands, and returns one gradient for each floating-point operand, "
                "with its element type and extents, several as std::tuple{a, b}");
  static_assert(!(What == complaint::changed_part),
                "kroton: kt::set and kt::inc change a part that is named as in brackets, or rows that integers name: "
                "kt::set(x, kt::rows<0, 2>(), y), kt::inc(x, index, rows), kt::set(x, std::tuple{i, j}, y)");
  static_assert(!(What == complaint::einsum),
                "kroton: kt::einsum<\"ij,jk->ik\">(x, y) has a letter for each axis of each operand, of which there "
                "are 1 to 8, and behind -> each letter of the result once; kt::multi_dot takes 2 to 8 matrices");
  static_assert(!(What == complaint::branches),
                "kroton: kt::cond takes a condition, a scalar of bool, and two lambdas without arguments, which return "
                "expressions of the same types: kt::cond(n > 10, [&] { return a; }, [&] { return b; })");
  static_assert(!(What == complaint::until),
                "kroton: kt::until takes a scalar of bool, and comes last in what the body of kt::scan returns: "
                "std::tuple{next, kt::until(error < 1e-6)}");
  static_assert(!(What == complaint::construction),
                "kroton: the compiler makes the model, with a constructor that takes no arguments and is constexpr; "
                "members such as optimisers are made with {this}");
}
// clang-format on

}  // namespace kroton::typed
