// This header has models: structs whose members are shared variables and blocks, and whose member functions are
// compiled.
#pragma once

#include <kroton/expr/foreign.hpp>
#include <kroton/expr/at.hpp>
#include <kroton/expr/place.hpp>
#include <kroton/expr/typed_shapes.hpp>

#include <array>

namespace kroton {

/// Shared variables that are trained. Lists can be joined and subtracted: `first.parameters() + kt::parameters(W, b)`,
/// `parameters() - frozen.parameters()`.
class parameter_list {
 public:
  graph::array_list<term> items;

  constexpr bool has(const term& x) const {
    for (const term& item : items)
      if (item.id == x.id && item.owner == x.owner) return true;
    return false;
  }
  /// All of the first, then what only the second has.
  friend constexpr parameter_list operator+(const parameter_list& x, const parameter_list& y) {
    parameter_list both = x;
    for (const term& item : y.items)
      if (!both.has(item)) both.items.push_back(item);
    return both;
  }
  /// The variables of the first list that are not in the second.
  friend constexpr parameter_list operator-(const parameter_list& x, const parameter_list& y) {
    parameter_list rest;
    for (const term& item : x.items)
      if (!y.has(item)) rest.items.push_back(item);
    return rest;
  }
};

namespace typed {
/// Whether elements of `type` can start as `initial` says; what is drawn outside becomes the nearest number.
constexpr bool is_initial(dtype type, const initializer& initial) {
  if (initial.what != initializer::kind::constant) return true;
  return is_floating(type) ? holds_real(type, initial.a)
                           : nearest_double(type, saturated(type, initial.a)) == initial.a;
}
}  // namespace typed

/// Base of models and of their blocks. A model owns the graph that its functions are captured into; a block is a member
/// constructed with its parent and a name that prefixes the names of its shared variables:
/// `struct layer : kt::model { using kt::model::model; ... };  layer first{this, "first"};`
class model {
 public:
  constexpr model() : graph_(new graph::graph), owner_(true) {}
  constexpr model(model* parent, const char* name, int index = -1)
      : graph_(parent->graph_), block_(parent->graph_->blocks.size()) {
    if (find_block(name, index, parent->block_) >= 0) graph_->report({.what = graph::mistake::double_block});
    graph_->blocks.push_back({name, index, parent->block_});
  }
  model(const model&) = delete;
  model& operator=(const model&) = delete;
  constexpr ~model() {
    if (owner_) delete graph_;
  }

  /// The `kt::shared` variables of this model or block, those of its blocks included, in order of declaration;
  /// `kt::state` variables are not among them.
  constexpr parameter_list parameters() const {
    parameter_list list;
    for (const int i : trained_in(block_)) list.items.push_back(shared_term(i));
    return list;
  }
  constexpr graph::graph& captured() const { return *graph_; }

 protected:
  /// In the constructor of a model or block: the new value of a shared variable in each function that reads the
  /// variable and has no other update of it: `default_update(steps, steps + 1);`. A function does without by
  /// `kt::outputs(y).no_default_updates()`.
  template <class Variable, class Value>
  constexpr void default_update(const Variable& variable, const Value& value) const {
    for (const graph::update_entry& u : update(variable, value).items) {
      for (const graph::update_entry& other : graph_->default_updates)
        if (other.target == u.target) graph_->report({.what = graph::mistake::double_update, .shared = u.target});
      graph_->default_updates.push_back(u);
    }
  }

  /// A model without a graph, of an object that is a block only where it is a member.
  constexpr explicit model(std::nullptr_t) : graph_(nullptr) {}

  template <class T, class Extents>
  friend class shared_variable;
  constexpr term declare(const char* name, dtype type, const shape& s, const graph::initializer& initial,
                         graph::place_id place, bool is_trained) {
    for (int i = graph_->shared.size() - 1; i >= 0 && graph_->shared[i].parent == block_; --i)
      if (graph::same_text(graph_->shared[i].name, name))
        graph_->report({.what = graph::mistake::double_name, .shared = i});
    if (!typed::is_initial(type, initial))
      graph_->report({.what = graph::mistake::number, .shared = graph_->shared.size(), .type = type});
    graph_->shared.push_back({name, type, graph_->intern(s), block_, initial, place, is_trained});
    return shared_term(graph_->shared.size() - 1);
  }
  /// The positions of the `parameters()` of the model or block around this block.
  constexpr graph::array_list<int> trained_around() const { return trained_in(graph_->blocks[block_].parent); }
  /// Declares a state of this block beside each of some shared variables, which are in the block around it or
  /// elsewhere: with the same extents and place, and the type in which the variable is computed. Beside layers.0.W lies
  /// `this block`.layers.0.W.`name`. If `rows` is not 0, the state has a first axis with that extent before those of
  /// the variable. Returns their positions.
  constexpr graph::array_list<int> declare_beside(const graph::array_list<int>& variables, const char* name,
                                                  const graph::initializer& initial, int rows = 0) {
    graph::array_list<int> made;
    for (const int i : variables) {
      const graph::variable v = graph_->shared[i];
      shape s;
      const bool has_room = graph_->shapes[v.shape].rank < max_rank;
      if (rows > 0 && has_room) s.append(rows);
      if (rows > 0 && !has_room) graph_->report({.what = graph::mistake::kept_axes, .shared = i});
      for (int axis = 0; axis < graph_->shapes[v.shape].rank; ++axis) s.append(graph_->shapes[v.shape][axis]);
      made.push_back(graph_->shared.size());
      graph_->shared.push_back({name, arithmetic::computed_in(v.type), graph_->intern(s),
                                block_at(v.name, -1, copied(v.parent)), initial, v.place, false});
    }
    return made;
  }
  constexpr term shared_term(int i) const {
    const graph::variable& v = graph_->shared[i];
    return {graph_, graph_->add(graph::op<ops::shared>, v.type, v.shape, graph::variable_form{i}, nullptr, 0)};
  }

 private:
  graph::graph* graph_;
  int block_ = -1;
  bool owner_ = false;

  constexpr graph::array_list<int> trained_in(int wanted) const {
    graph::array_list<int> list;
    for (int i = 0; i < graph_->shared.size(); ++i) {
      if (!graph_->shared[i].is_trained) continue;
      int block = graph_->shared[i].parent;
      while (block != wanted && block != -1) block = graph_->blocks[block].parent;
      if (block == wanted) list.push_back(i);
    }
    return list;
  }
  /// The block of this name in block `parent`; -1: there is none.
  constexpr int find_block(const char* name, int index, int parent) const {
    const graph::block_name* blocks = graph_->blocks.items;
    int i = graph_->blocks.size() - 1;  // a block is mostly asked for soon after it was made
    while (i >= 0 &&
           !(blocks[i].parent == parent && blocks[i].index == index && graph::same_text(blocks[i].name, name)))
      --i;
    return i;
  }
  /// The same; where there is none, a new one.
  constexpr int block_at(const char* name, int index, int parent) {
    if (const int known = find_block(name, index, parent); known >= 0) return known;
    graph_->blocks.push_back({name, index, parent});
    return graph_->blocks.size() - 1;
  }
  /// The block within this one that has the path of `block` within the block around this one.
  constexpr int copied(int block) {
    if (block == -1 || block == graph_->blocks[block_].parent) return block_;
    const graph::block_name of = graph_->blocks[block];
    return block_at(of.name, of.index, copied(of.parent));
  }
};

namespace typed {
/// Of no shared variable that is made of nothing.
template <class T>
inline constexpr bool has_name = false;
}  // namespace typed

/// A variable with a value between calls: `kt::shared<float, 64, 128> W{this, "W", kt::init::glorot_uniform};`. It lies
/// in the context of the session, or in the one named last: `kt::shared<float, 64, 128> W{this, "W",
/// kt::init::glorot_uniform, dev0};`
template <class T, class Extents>
class shared_variable : public expr<T, Extents> {
 public:
  /// Refused.
  constexpr shared_variable() : expr<T, Extents>(term{}) {
    static_assert(typed::has_name<T>,
                  "kroton: a shared variable takes its model and its name: kt::shared<float, 3> W{this, \"W\"};");
  }
  /// Refused: whatever is not the parent, the name and perhaps the initial value. See expr.
  constexpr explicit shared_variable(
      graph::anything, graph::anything = 0, graph::anything = 0,
      graph::anything =
          0) noexcept(std::is_void_v<decltype(typed::reject<typed::complaint::shared_name, shared_variable>())>)
      : expr<T, Extents>(term{}) {}
  /// Refused.
  template <class Value>
  constexpr auto operator=(const Value&) const {
    typed::reject<typed::complaint::assignment, shared_variable, typed::shown<Value>>();
    this->mark_refused();
    return refused_expression();
  }
  constexpr shared_variable(model* owner, const char* name, const graph::initializer& initial = init::zeros)
      : shared_variable(owner, name, initial, graph::at_home, true) {}
  template <typed::named_context Place>
  constexpr shared_variable(model* owner, const char* name, const graph::initializer& initial, Place)
      : shared_variable(owner, name, initial, typed::place_in<Place>(owner->captured()), true) {}
  template <typed::named_context Place>
  constexpr shared_variable(model* owner, const char* name, Place place)
      : shared_variable(owner, name, init::zeros, place) {}

 protected:
  constexpr shared_variable(model* owner, const char* name, const graph::initializer& initial, graph::place_id place,
                            bool is_trained)
      : expr<T, Extents>(owner->declare(name, dtype_of<T>, extents_in(owner->captured()), initial, place, is_trained)) {
  }

 private:
  static constexpr shape extents_in(graph::graph& g) {
    constexpr shape declared = typed::shape_of_type<Extents>;
    shape s = typed::graph_shape_of(g, typed::any_code, Extents{});
    for (int i = 0; i < s.rank; ++i)  // a free extent of its own for every `any`
      if (declared[i] == typed::any_code) s[i] = g.extents.intern({graph::extent_kind::of_shared, g.shared.size(), i});
    return s;
  }
};
/// A variable of a model with a value between calls, which optimisers train: `kt::shared<float, 64, 128> W{this, "W",
/// kt::init::glorot_uniform};`.
template <class T, auto... E>
using shared = shared_variable<T, typed::extents_of<E...>>;

/// A shared variable that is no parameter: what a model counts, averages or remembers, and no optimiser trains.
/// `kt::state<float> steps{this, "steps"};`, with the initial values and places of `kt::shared`.
template <class T, class Extents>
class state_variable : public shared_variable<T, Extents> {
  using base = shared_variable<T, Extents>;

 public:
  using base::base;
  using base::operator=;
  constexpr state_variable(model* owner, const char* name, const graph::initializer& initial = init::zeros)
      : base(owner, name, initial, graph::at_home, false) {}
  template <typed::named_context Place>
  constexpr state_variable(model* owner, const char* name, const graph::initializer& initial, Place)
      : base(owner, name, initial, typed::place_in<Place>(owner->captured()), false) {}
  template <typed::named_context Place>
  constexpr state_variable(model* owner, const char* name, Place place)
      : state_variable(owner, name, init::zeros, place) {}
};
/// A shared variable that is no parameter, such as a count or a running mean: `kt::state<float, 64> mean{this,
/// "mean"};`.
template <class T, auto... E>
using state = state_variable<T, typed::extents_of<E...>>;

namespace typed {
template <class X>
inline constexpr bool is_shared = false;
template <class T, class E>
inline constexpr bool is_shared<shared_variable<T, E>> = true;
template <class T, class E>
inline constexpr bool is_shared<state_variable<T, E>> = true;
}  // namespace typed

/// These shared variables, of whatever kind, as parameters: `kt::optim::sgd(cost, kt::parameters(W, b), rate)`.
template <class... Variable>
  requires(typed::is_shared<Variable>&&...)
constexpr parameter_list parameters(const Variable&... variables) {
  parameter_list list;
  (list.items.push_back(variables.untyped()), ...);
  return list;
}

/// `Count` blocks of one kind: `kt::stack<layer, 12> layers{this, "layers"};`, named layers.0, layers.1, ...
template <class Block, int Count>
class stack {
 public:
  constexpr stack(model* parent, const char* name) : stack(parent, name, std::make_integer_sequence<int, Count>{}) {}
  constexpr auto begin() const { return blocks_.begin(); }
  constexpr auto end() const { return blocks_.end(); }
  constexpr const Block& operator[](int i) const { return blocks_[static_cast<std::size_t>(i)]; }
  static constexpr int size() { return Count; }

 private:
  template <int... I>
  constexpr stack(model* parent, const char* name, std::integer_sequence<int, I...>)
      : blocks_{Block(parent, name, I)...} {}
  std::array<Block, static_cast<std::size_t>(Count)> blocks_;
};

/// `stack(axis<0>, x, y, ...)`: tensors of one shape along a new axis. By the same name as the stack of blocks, so it
/// is the specialisation of the class for an expression, and is that expression.
template <class T, class E, int Count>
class stack<expr<T, E>, Count> : public expr<T, E> {
 public:
  template <int Axis, expression... X>
  constexpr stack(graph::axis_list<Axis> axis, const X&... x) : expr<T, E>(typed::typed_layer::stack(axis, x...)) {}
};
template <int Axis, expression... X>
stack(graph::axis_list<Axis>, const X&...) -> stack<typename typed::stack_rule<Axis, X...>::type, 0>;
/// Refused.
template <>
class stack<refused_expression, 0> : public refused_expression {
 public:
  template <class... Wrong>
  constexpr stack(const Wrong&... wrong) {
    typed::reject<typed::complaint::axis_first, typed::functions::stack, Wrong...>();
    typed::foreign_layer::stand_in<typed::functions::stack>(wrong...);
  }
};
template <class... Wrong>
stack(const Wrong&...) -> stack<refused_expression, 0>;

}  // namespace kroton
