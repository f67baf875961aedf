// What random programs check themselves with: each is called as its user would call it, and its captured graph is
// evaluated by the reference interpreter on the same numbers.
#pragma once

#include <kroton/kroton.hpp>
#include <kroton/runtime/reference/tensor.hpp>

#include <cstring>
#include <exception>
#include <string>
#include <tuple>
#include <vector>

namespace kt = kroton;

namespace random_programs {

using tensors = std::vector<kt::reference::reference_tensor>;

/// How an argument is filled: uniform in [low, high], or ordinary and extreme numbers mixed.
struct filling {
  double low, high;
  std::uint64_t seed;
  bool extremes = false;
};

/// `count` numbers, the same on every machine; whole numbers unless `fraction`.
std::vector<double> numbers(std::size_t count, const filling& how, bool fraction);
/// `count` integers of which many are near the ends of a type or beyond those that doubles hold.
std::vector<std::int64_t> extreme_integers(std::size_t count, std::uint64_t seed);

template <class T, int Rank>
kt::tensor<T, Rank> make(const std::array<std::int64_t, static_cast<std::size_t>(Rank)>& extents, const filling& how) {
  kt::tensor<T, Rank> x(extents);
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
    if (how.extremes) {
      const std::vector<std::int64_t> from = extreme_integers(static_cast<std::size_t>(x.size()), how.seed);
      for (std::size_t i = 0; i < from.size(); ++i) x.data()[i] = static_cast<T>(from[i]);
      return x;
    }
  const std::vector<double> from = numbers(static_cast<std::size_t>(x.size()), how, std::is_floating_point_v<T>);
  for (std::size_t i = 0; i < from.size(); ++i) x.data()[i] = static_cast<T>(from[i]);
  return x;
}
template <class T>
std::vector<T> drawn(std::size_t count, const filling& how) {
  std::vector<T> to;
  for (const double from : numbers(count, how, true)) to.push_back(static_cast<T>(from));
  return to;
}

template <class T, int Rank>
kt::reference::reference_tensor reference_of(const kt::tensor<T, Rank>& x) {
  kt::reference::reference_tensor r{{x.extents().begin(), x.extents().end()}, {}};
  const auto add = [&](T v) {
    r.values.push_back(static_cast<double>(v));
    if constexpr (std::is_integral_v<T>) r.integers.push_back(static_cast<std::int64_t>(v));
  };
  if constexpr (Rank == 0) add(static_cast<T>(x));
  else
    for (T v : x) add(v);
  return r;
}

/// One program: collects what its calls found and what they should have found.
class program {
 public:
  explicit program(std::string name) : name_(std::move(name)) {}

  /// Compares with the reference interpreter. `given` and `after` hold all shared variables of the model.
  void check(const kt::graph::graph& g, const tensors& inputs, const tensors& given, const tensors& found,
             const tensors& after);
  void complain(const std::string& what);

  /// A call of a function without state: the values, and that a second call gives the same bits.
  template <class Lambda, class... X>
  void call(Lambda, auto& function, const X&... inputs) {
    ++calls_;
    try {
      const tensors found = values_of(function(inputs...));
      const tensors again = values_of(function(inputs...));
      for (std::size_t i = 0; i < found.size(); ++i)
        if (found[i].values.size() != again[i].values.size() || found[i].integers != again[i].integers ||
            (!found[i].values.empty() &&
             std::memcmp(found[i].values.data(), again[i].values.data(), found[i].values.size() * sizeof(double)) != 0))
          complain("output " + std::to_string(i) + " differs when the function is called again");
      check(graph_of<kt::typed::lambda_function<Lambda>>(), {reference_of(inputs)...}, {}, found, {});
    } catch (const std::exception& e) {
      complain(std::string("threw: ") + e.what());
    }
  }
  /// A call of a member function of a model; `shared()` reads its shared variables.
  template <auto Member, class... X>
  void call_member(auto& function, const auto& shared, const X&... inputs) {
    ++calls_;
    try {
      const tensors before = shared();
      tensors found;
      if constexpr (std::is_void_v<decltype(function(inputs...))>) function(inputs...);
      else found = values_of(function(inputs...));
      check(graph_of<kt::typed::member_function<Member>>(), {reference_of(inputs)...}, before, found, shared());
    } catch (const std::exception& e) {
      complain(std::string("threw: ") + e.what());
    }
  }
  /// Says how it went; whether all was well.
  bool finish() const;

 private:
  std::string name_;
  int calls_ = 0, complaints_ = 0;
  std::size_t compared_ = 0, undecided_ = 0;

  template <class Function>
  static kt::graph::graph graph_of() {
    kt::graph::graph g;
    kt::graph::thaw(kt::typed::captured<Function>::value, g);
    return g;
  }
  template <class T, int Rank>
  static tensors values_of(const kt::tensor<T, Rank>& x) {
    return {reference_of(x)};
  }
  template <class... X>
  static tensors values_of(const std::tuple<X...>& x) {
    return std::apply([](const auto&... y) { return tensors{reference_of(y)...}; }, x);
  }
  void compare(const std::string& what, kt::dtype type, const kt::reference::reference_tensor& found,
               const std::vector<kt::reference::reference_tensor>& expected);
};

}  // namespace random_programs
