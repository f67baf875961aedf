// This header has callables, which hold a compiled function under a type without its model, so that models are compiled
// in one file and called from others. It is a light header.
#pragma once

#include <kroton/tensor.hpp>

#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

namespace kroton::runtime {

template <class Signature>
class callable;

/// Throws kt::error: a callable without a function was called.
[[noreturn]] void refuse_empty_callable();
/// Throws kt::error: the function of a callable that was cloned can only be moved.
[[noreturn]] void refuse_clone();

/// Converts the result of a function to the result of a callable: a tensor, the element of a scalar, several of these,
/// or nothing.
template <class Wanted, class Made>
struct returned_as {
  static constexpr bool is_possible = [] {
    if constexpr (std::is_arithmetic_v<Wanted>) return requires(Made && made) {
        Wanted{std::move(made)};
      };  // braces refuse a conversion that may lose digits
    else if constexpr (is_tensor<Wanted> && is_tensor<Made>) return std::is_same_v<Made, Wanted>;
    else return std::is_convertible_v<Made, Wanted>;
  }();
  static Wanted from(Made&& made) { return static_cast<Wanted>(std::move(made)); }
};
template <class Made>
struct returned_as<void, Made> {
  static constexpr bool is_possible = true;
};
template <class... Wanted, class... Made>
  requires(sizeof...(Wanted) == sizeof...(Made))
struct returned_as<std::tuple<Wanted...>, std::tuple<Made...>> {
  static constexpr bool is_possible = (returned_as<Wanted, Made>::is_possible && ...);
  static std::tuple<Wanted...> from(std::tuple<Made...>&& made) {
    return std::apply(
        [](Made&... each) { return std::tuple<Wanted...>(returned_as<Wanted, Made>::from(std::move(each))...); }, made);
  }
};

/// The interface of any function with these arguments and this result.
template <class Result, class... Argument>
struct callable_target {
  virtual ~callable_target() = default;
  virtual Result call(Argument... argument) = 0;
  /// A copy of the function for another thread; null if the function cannot be copied.
  virtual std::unique_ptr<callable_target> clone() const = 0;
};
template <class Function, class Result, class... Argument>
struct callable_holder final : callable_target<Result, Argument...> {
  Function function;
  explicit callable_holder(Function&& f) : function(std::move(f)) {}
  Result call(Argument... argument) override {
    if constexpr (std::is_void_v<Result>) function(argument...);
    else return returned_as<Result, decltype(function(argument...))>::from(function(argument...));
  }
  std::unique_ptr<callable_target<Result, Argument...>> clone() const override {
    if constexpr (requires { function.clone(); }) return std::make_unique<callable_holder>(function.clone());
    else if constexpr (std::is_copy_constructible_v<Function>)
      return std::make_unique<callable_holder>(Function(function));
    else return nullptr;
  }
};

/// The base of both kinds of callables. `IsConst`: the callable takes only functions that leave shared variables as
/// they were.
template <bool IsConst, class Result, class... Argument>
class callable_base {
 public:
  callable_base() = default;
  /// Whether the callable has a function.
  explicit operator bool() const { return target_ != nullptr; }
  /// Returns the function as an object that can be copied; all copies call the same function.
  auto shared() && {
    return [every = std::make_shared<const callable_base>(std::move(*this))](Argument... argument) -> Result {
      return every->call(argument...);
    };
  }

  /// Refuses a callable that is not moved: `std::move(c).shared()`.
  std::nullptr_t shared() const& {
    refuse<true, false>();
    return nullptr;
  }

 protected:
  /// Refuses a copy of a callable, or a call of a const callable, with a sentence.
  template <bool IsCopied, bool IsConstCall>
  static void refuse() {
    static_assert(!IsCopied,
                  "kroton: functions and callables are moved into a callable, not copied: std::move(f); "
                  "std::move(c).shared() can be copied");
    static_assert(!IsConstCall,
                  "kroton: a const object cannot call this callable; kt::callable<Result(Arguments...) const> is for "
                  "functions that change no "
                  "shared variables");
  }
  template <class Function>
  explicit callable_base(Function&& f) {
    static_assert(accepts<Function>,
                  "kroton: the function of a callable does not take its arguments; a callable has arguments of the "
                  "element types and numbers of axes that the function takes");
    static_assert(!accepts<Function> || returns<Function>,
                  "kroton: the function of a callable returns something else; a callable returns a tensor, a number "
                  "for a scalar, a std::tuple of several outputs, or void, as its function does");
    static_assert(keeps<Function>,
                  "kroton: the function of a const callable changes shared variables; leave out the `const` of "
                  "kt::callable<Result(Arguments...) const>");
    if constexpr (accepts<Function> && returns<Function>)
      target_ = std::make_unique<callable_holder<Function, Result, Argument...>>(std::move(f));
  }
  /// Gives `other` a clone of the function.
  void clone_into(callable_base& other) const {
    if (target_ == nullptr) refuse_empty_callable();
    other.target_ = target_->clone();
    if (other.target_ == nullptr) refuse_clone();
  }
  Result call(Argument&... argument) const {
    if (target_ == nullptr) refuse_empty_callable();
    return target_->call(std::forward<Argument>(argument)...);
  }

 private:
  std::unique_ptr<callable_target<Result, Argument...>> target_;

  template <class Function>
  static constexpr bool accepts = [] {
    if constexpr (requires { Function::template accepts<std::remove_cvref_t<Argument>...>; })
      return Function::template accepts<std::remove_cvref_t<Argument>...>;
    else return std::is_invocable_v<Function&, Argument&...>;
  }();
  template <class Function>
  static constexpr bool returns = [] {
    if constexpr (accepts<Function>)
      return returned_as<Result, std::remove_cvref_t<std::invoke_result_t<Function&, Argument&...>>>::is_possible;
    else return false;
  }();
  template <class Function>
  static constexpr bool keeps = [] {
    if constexpr (IsConst && requires { Function::changes_nothing; }) return Function::changes_nothing;
    else return true;
  }();
};

/// A function that is moved into a callable.
template <class Function, class Callable>
concept owned_function =
    !std::is_reference_v<Function> && !std::is_const_v<Function> && !std::is_base_of_v<Callable, Function>;

/// A function that would be copied into a callable; this is refused.
template <class Function, class Callable>
concept copied_function = std::is_class_v<Function> && !std::is_base_of_v<Callable, std::remove_const_t<Function>>;

/// A compiled function that takes `Argument...` and returns `Result`: `kt::callable<kt::tensor<float, 2>(kt::view<const
/// float, 2>, float)>`. An argument has any type that the function accepts: a tensor, a view, a contiguous range for a
/// vector, or a number for a scalar. A callable is moved, not copied; `std::function` takes `std::move(f).shared()`. A
/// call throws the errors of the function, and kt::error if the callable is empty. Only one thread may call a callable
/// at a time, as with the function; `f.clone()` returns a callable for another thread.
///
///     kt::callable<float(kt::view<const float, 2>, float)> train = session.compile<&model::train>();
template <class Result, class... Argument>
class callable<Result(Argument...)> : public callable_base<false, Result, Argument...> {
 public:
  callable() = default;
  template <class Function>
    requires owned_function<Function, callable> callable(Function&& f)
        : callable_base<false, Result, Argument...>(std::move(f)) {}
    Result operator()(Argument... argument) { return this->call(argument...); }
    /// A callable for another thread, with the same function of the same session.
    callable clone() const {
      callable other;
      this->clone_into(other);
      return other;
    }

    callable(callable&&) noexcept = default;
    callable& operator=(callable&&) noexcept = default;
    /// This constructor and the next three functions refuse copies and calls of a const object.
    callable(const callable&) : callable() { this->template refuse<true, false>(); }
    callable& operator=(const callable&) { return this->template refuse<true, false>(), *this; }
    template <copied_function<callable> Function>
    callable(Function&) {
      this->template refuse<true, false>();
    }
    Result operator()(Argument...) const {
      this->template refuse<false, true>();
      refuse_empty_callable();
    }
};

/// The same for a function that leaves shared variables as they were: `kt::callable<float(float) const>`. A const
/// object can call it.
template <class Result, class... Argument>
class callable<Result(Argument...) const> : public callable_base<true, Result, Argument...> {
 public:
  callable() = default;
  template <class Function>
    requires owned_function<Function, callable> callable(Function&& f)
        : callable_base<true, Result, Argument...>(std::move(f)) {}
    Result operator()(Argument... argument) const { return this->call(argument...); }
    callable clone() const {
      callable other;
      this->clone_into(other);
      return other;
    }

    callable(callable&&) noexcept = default;
    callable& operator=(callable&&) noexcept = default;
    /// This constructor and the next two functions refuse copies.
    callable(const callable&) : callable() { this->template refuse<true, false>(); }
    callable& operator=(const callable&) { return this->template refuse<true, false>(), *this; }
    template <copied_function<callable> Function>
    callable(Function&) {
      this->template refuse<true, false>();
    }
};

}  // namespace kroton::runtime

namespace kroton {
using runtime::callable;
}  // namespace kroton

#if KROTON_HAS_DEFINITIONS
#include <kroton/callable.ipp>
#endif
