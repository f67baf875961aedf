// Compares what a program found with what the reference interpreter finds, as closely as the rounding of the program's
// element types allows. How far that is, is measured: the same graph is evaluated several times with every inexact
// result disturbed by a few units in the last place, and the spread of an element is what rounding may do to it.
#include "harness.hpp"

#include <kroton/runtime/reference/backward.hpp>
#include <kroton/runtime/reference/interpreter.hpp>

#include <cmath>
#include <cstdio>

namespace random_programs {

namespace {

using generator = kt::reference::uniform_numbers;

std::string text_of(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", x);
  return text;
}

enum class verdict { right, wrong, undecided };

/// Judges an integer, or a truth value.
verdict judge_exactly(std::int64_t found, const std::vector<std::int64_t>& expected) {
  for (std::int64_t e : expected)
    if (e != expected[0]) return verdict::undecided;
  return found == expected[0] ? verdict::right : verdict::wrong;
}

/// Judges one element. `expected`: in double, rounded, and rounded and disturbed.
verdict judge(kt::dtype type, double found, const std::vector<double>& expected, double& tolerance) {
  const double rounded = expected[1];
  double spread = std::isfinite(expected[0]) ? std::abs(expected[0] - rounded) : 0;
  for (std::size_t i = 2; i < expected.size(); ++i) {
    const double e = expected[i];
    if (std::isnan(e) != std::isnan(rounded) || std::isinf(e) != std::isinf(rounded)) return verdict::undecided;
    if (std::isinf(e) && e != rounded) return verdict::undecided;
    spread = std::max(spread, std::abs(e - rounded));
  }
  if (std::isnan(rounded)) return std::isnan(found) ? verdict::right : verdict::wrong;
  if (std::isinf(rounded)) return found == rounded ? verdict::right : verdict::wrong;
  const bool narrow = type == kt::dtype::float32;
  tolerance = 8 * spread + (narrow ? 2e-6 : 1e-14) * std::abs(rounded) + (narrow ? 1e-37 : 1e-305);
  return std::abs(found - rounded) <= tolerance ? verdict::right : verdict::wrong;
}

}  // namespace

std::vector<double> numbers(std::size_t count, const filling& how, bool fraction) {
  static const double strange[] = {0.0,    -0.0,  1.0,    -1.0,   2.0,  0.5,      1e30,      -1e30, 1e-40,
                                   -1e-40, 1e-30, 3.25e4, -7.5e8, 1e20, INFINITY, -INFINITY, NAN};
  generator draw(how.seed);
  std::vector<double> list;
  for (std::size_t i = 0; i < count; ++i) {
    const double u = draw();
    if (how.extremes && draw() < 0.6) list.push_back(strange[draw.bits() % (sizeof strange / sizeof *strange)]);
    else if (fraction) list.push_back(how.low + (how.high - how.low) * u);
    else list.push_back(how.low + std::floor((how.high - how.low + 1) * u));
  }
  return list;
}

std::vector<std::int64_t> extreme_integers(std::size_t count, std::uint64_t seed) {
  generator draw(seed);
  std::vector<std::int64_t> list;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t near_end =
        (std::uint64_t{1} << (draw.bits() % 4 * 8 + 31 + draw.bits() % 2 * 8)) + draw.bits() % 5 - 2;
    list.push_back(static_cast<std::int64_t>(draw.bits() % 4 == 0 ? draw.bits() % 7 - 3 : near_end));
  }
  return list;
}

void program::complain(const std::string& what) {
  if (++complaints_ <= 4) std::printf("  %s, call %d: %s\n", name_.c_str(), calls_, what.c_str());
}

bool program::finish() const {
  std::printf("%s program %s: %zu numbers compared, %zu undecided\n", complaints_ == 0 ? "ok" : "FAILED", name_.c_str(),
              compared_, undecided_);
  return complaints_ == 0;
}

void program::compare(const std::string& what, kt::dtype type, const kt::reference::reference_tensor& found,
                      const std::vector<kt::reference::reference_tensor>& expected) {
  if (found.extents != expected[0].extents)
    return complain(what + " has extents " + kt::reference::text_of(found.extents) + ", expected " +
                    kt::reference::text_of(expected[0].extents));
  std::size_t i = 0;
  int told = 0;
  kt::reference::for_each_index(found.extents, [&](const kt::reference::index_list& index) {
    std::vector<double> list;
    std::vector<std::int64_t> exact;
    for (const kt::reference::reference_tensor& e : expected) {
      list.push_back(e.values[i]);
      if (!kt::is_floating(type)) exact.push_back(e.integer(i));
    }
    double tolerance = 0;
    const verdict v =
        kt::is_floating(type) ? judge(type, found.values[i], list, tolerance) : judge_exactly(found.integer(i), exact);
    ++(v == verdict::undecided ? undecided_ : compared_);
    if (v == verdict::wrong && told++ < 2)
      complain(what + " at " + kt::reference::text_of(index) + " is " + text_of(found.values[i]) + ", expected " +
               text_of(list[1]) + " +- " + text_of(tolerance));
    ++i;
  });
}

void program::check(const kt::graph::graph& g, const tensors& inputs, const tensors& given, const tensors& found,
                    const tensors& after) {
  constexpr std::uint64_t repetitions = 5;
  tensors before = given;
  if (before.size() < static_cast<std::size_t>(g.shared.size()))
    before.push_back({{2}, {0, 0}, {0, 0}});  // the state of random numbers, which no program changes
  std::vector<kt::reference::results> runs;
  runs.push_back(kt::reference::interpret(g, inputs, before));
  for (std::uint64_t noise = 0; noise <= repetitions; ++noise)
    runs.push_back(kt::reference::interpret(g, inputs, before, {.round_to_float = true, .noise = noise}));
  for (const kt::reference::wrong_gradient& wrong : kt::reference::wrong_gradients(g, inputs, before))
    complain(wrong.where + " is " + text_of(wrong.found) + ", expected " + text_of(wrong.expected));
  if (found.size() != static_cast<std::size_t>(g.outputs.size())) return complain("the number of outputs is wrong");
  for (std::size_t i = 0; i < found.size(); ++i) {
    std::vector<kt::reference::reference_tensor> expected;
    for (const kt::reference::results& r : runs) expected.push_back(r.outputs[i]);
    compare("output " + std::to_string(i), g.nodes[g.outputs[static_cast<int>(i)]].type, found[i], expected);
  }
  for (std::size_t v = 0; v < after.size(); ++v) {
    std::vector<kt::reference::reference_tensor> expected(runs.size(), before[v]);
    for (int u = 0; u < g.updates.size(); ++u)
      if (g.updates[u].target == static_cast<int>(v))
        for (std::size_t r = 0; r < runs.size(); ++r) expected[r] = runs[r].updates[static_cast<std::size_t>(u)];
    compare("shared variable " + std::to_string(v), g.shared[static_cast<int>(v)].type, after[v], expected);
  }
}

}  // namespace random_programs
