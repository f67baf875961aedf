// How the reference interpreter evaluates each operation.
#pragma once

#include <kroton/graph/ops.hpp>
#include <kroton/runtime/reference/extents.hpp>
#include <kroton/runtime/reference/interpreter.hpp>
#include <kroton/runtime/reference/reductions.hpp>

#include <algorithm>

namespace kroton::reference {

/// `value` as an element of `to`, from an element of `from`: what cast.hpp promises.
inline double converted(dtype from, dtype to, double value) {
  if (is_floating(to)) return computed_in(to) == to ? value : rounded(to, value);
  if (to == dtype::boolean) return value != 0 ? 1 : 0;
  if (is_floating(from))
    return with_element(to, [&]<class T>() -> double {
      if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
        return static_cast<double>(simd::convert<T>(value));
      else return value;
    });
  const bool negative = value < 0;
  const std::uint64_t size = static_cast<std::uint64_t>(negative ? -value : value);
  return wrapped(to, negative ? 0 - size : size);
}

class interpreter {
 public:
  interpreter(const graph& g, std::span<const reference_tensor> inputs, std::span<const reference_tensor> shared,
              const options& o)
      : graph_(g), inputs_(inputs), shared_(shared), options_(o), extents_(g, inputs, shared) {}

  results run() {
    std::vector<bool> needed(static_cast<std::size_t>(graph_.size()), false);
    for (int id : graph_.outputs) needed[static_cast<std::size_t>(id)] = true;
    for (const update_entry& u : graph_.updates) needed[static_cast<std::size_t>(u.source)] = true;
    for (int id = graph_.size() - 1; id >= 0; --id)
      if (needed[static_cast<std::size_t>(id)])
        for (int i = 0; i < graph_.nodes[id].count; ++i) needed[static_cast<std::size_t>(graph_.operand(id, i))] = true;
    values_.resize(needed.size());
    for (int id = 0; id < graph_.size(); ++id)
      if (needed[static_cast<std::size_t>(id)]) evaluate(id);
    results r;
    for (int id : graph_.outputs) r.outputs.push_back(value(id));
    for (const update_entry& u : graph_.updates) r.updates.push_back(value(u.source));
    return r;
  }

 private:
  const reference_tensor& value(int id) const { return values_[static_cast<std::size_t>(id)]; }
  const reference_tensor& operand(const node& n, int i) const { return value(graph_.operands[n.first + i]); }
  dtype operand_type(const node& n, int i) const { return graph_.nodes[graph_.operands[n.first + i]].type; }

  void evaluate(int id) {
    const node& n = graph_.nodes[id];
    reference_tensor& y = values_[static_cast<std::size_t>(id)];
    y.extents = extents_(graph_.shape_of(id));
    y.values.assign(size_of(y.extents), 0);
    switch (n.op->kind) {
      case op_kind::input:
        y.values = inputs_[static_cast<std::size_t>(n.attr.a)].values;
        break;
      case op_kind::shared:
        y.values = given_shared(n).values;
        break;
      case op_kind::constant:
        y.values[0] = constant_value(n);
        break;
      case op_kind::extent:
        y.values[0] = static_cast<double>(extents_(n.attr.a));
        break;
      case op_kind::iota:
        for (std::size_t i = 0; i < y.values.size(); ++i) y.values[i] = static_cast<double>(i);
        break;
      case op_kind::map:
        map(n, y);
        break;
      case op_kind::reduce:
        reduce(n, y);
        break;
      case op_kind::reshape:
      case op_kind::transfer:
        y.values = operand(n, 0).values;
        break;
      case op_kind::transpose:
        transpose(n, y);
        break;
      case op_kind::broadcast: {
        const reference_tensor& x = operand(n, 0);
        std::size_t at = 0;
        for_each_index(y.extents, [&](const index_list& i) { y.values[at++] = x.values[offset(x.extents, i)]; });
        break;
      }
      case op_kind::slice:
        slice(n, y);
        break;
      case op_kind::embed:
        embed(n, y);
        break;
      case op_kind::concatenate:
        concatenate(n, y);
        break;
      case op_kind::dot:
        dot(n, y);
        break;
      case op_kind::take:
        take(n, y);
        break;
      case op_kind::scatter_add:
        scatter_add(n, y);
        break;
      default:
        throw error(message("kroton: the reference interpreter does not know the operation ", n.op->name,
                            "; give it a value in runtime/reference/interpreter.ipp"));
    }
    if (options_.round_to_float && n.type == dtype::float32)
      for (double& v : y.values) v = static_cast<double>(static_cast<float>(v));
  }

  const reference_tensor& given_shared(const node& n) const {
    if (shared_.empty())
      throw shape_error(message("kroton: the function reads shared variable ",
                                std::string_view(name_of_shared(graph_, static_cast<int>(n.attr.a))),
                                ", which was not given; pass its value"));
    return shared_[static_cast<std::size_t>(n.attr.a)];
  }

  void map(const node& n, reference_tensor& y) {
    if (n.op->id == id_of<ops::cast>) {
      for (std::size_t i = 0; i < y.values.size(); ++i)
        y.values[i] = converted(operand_type(n, 0), n.type, operand(n, 0).values[i]);
      return;
    }
    if (n.op->id == id_of<ops::index_check>) check_indices(n);
    std::size_t at = 0;
    std::vector<double> x(static_cast<std::size_t>(n.count));
    for_each_index(y.extents, [&](const index_list& index) {
      for (int i = 0; i < n.count; ++i) {
        const reference_tensor& from = operand(n, i);
        x[static_cast<std::size_t>(i)] = from.values[offset(from.extents, index)];
      }
      y.values[at++] = n.op->reference(operand_type(n, 0), x.data(), n.count);
    });
  }

  void check_indices(const node& n) {
    const std::int64_t bound = extents_(n.attr.a);
    for (double v : operand(n, 0).values)
      if (v < 0 || v >= static_cast<double>(bound))
        throw index_error(message("kroton: index ", static_cast<std::int64_t>(v), " is outside [0, ", bound,
                                  "); pass indices of rows that there are"));
  }

  void reduce(const node& n, reference_tensor& y) {
    const reference_tensor& x = operand(n, 0);
    std::vector<std::vector<double>> groups(
        y.values.size());  // the elements that each element of the result is made of
    for_each_index(x.extents, [&, at = std::size_t{0}](const index_list& index) mutable {
      index_list kept;
      for (std::size_t axis = 0; axis < index.size(); ++axis)
        if (((n.attr.a >> axis) & 1) == 0) kept.push_back(index[axis]);
      groups[offset(y.extents, kept)].push_back(x.values[at++]);
    });
    for (std::size_t i = 0; i < groups.size(); ++i) y.values[i] = reduced_value(n, groups[i]);
  }

  void transpose(const node& n, reference_tensor& y) {
    const reference_tensor& x = operand(n, 0);
    std::size_t at = 0;
    for_each_index(y.extents, [&](const index_list& index) {
      index_list from(index.size());
      for (int i = 0; i < static_cast<int>(index.size()); ++i)
        from[static_cast<std::size_t>(permuted_axis(n.attr.a, i))] = index[static_cast<std::size_t>(i)];
      y.values[at++] = x.values[offset(x.extents, from)];
    });
  }

  /// Where a slice reads and an embedding writes: the index in the larger tensor.
  index_list outer_index(const node& n, index_list index) const {
    std::int64_t& i = index[static_cast<std::size_t>(n.attr.a & 15)];
    i = extents_(n.attr.b) + i * (n.attr.a >> 4);
    return index;
  }
  void slice(const node& n, reference_tensor& y) {
    const reference_tensor& x = operand(n, 0);
    std::size_t at = 0;
    for_each_index(y.extents, [&](const index_list& index) {
      y.values[at++] = x.values[offset(x.extents, outer_index(n, index))];
    });
  }
  void embed(const node& n, reference_tensor& y) {
    const reference_tensor& x = operand(n, 0);
    std::size_t at = 0;
    for_each_index(x.extents, [&](const index_list& index) {
      y.values[offset(y.extents, outer_index(n, index))] = x.values[at++];
    });
  }

  void concatenate(const node& n, reference_tensor& y) {
    const std::size_t axis = static_cast<std::size_t>(n.attr.a);
    std::int64_t first = 0;
    for (int i = 0; i < n.count; ++i) {
      const reference_tensor& x = operand(n, i);
      std::size_t at = 0;
      for_each_index(x.extents, [&](index_list index) {
        index[axis] += first;
        y.values[offset(y.extents, index)] = x.values[at++];
      });
      first += x.extents[axis];
    }
  }

  void dot(const node& n, reference_tensor& y) {
    const reference_tensor &a = operand(n, 0), &b = operand(n, 1);
    const bool is_gemm = n.op->id == id_of<ops::gemm>;
    const gemm_form form = is_gemm ? gemm_form(n.attr) : gemm_form();
    const auto scaled = [&](double number, int scale) {
      return number * (scale < 0 ? 1 : operand(n, scale).values[0]);
    };
    const double alpha = scaled(form.alpha, form.alpha_scale), beta = scaled(form.beta, form.beta_scale);
    const auto inner = static_cast<std::size_t>(a.extents.back());
    std::size_t at = 0;
    index_list extents =
        a.extents.size() >= b.extents.size() ? a.extents : b.extents;  // those of y, but that y may be reshaped
    extents[extents.size() - 2] = a.extents[a.extents.size() - 2];
    extents.back() = b.extents.back();
    for_each_index(extents, [&](const index_list& index) {
      index_list left = index, right = index;
      left[index.size() - 1] = 0;
      right[index.size() - 2] = 0;
      const std::size_t row = matrix_offset(a, left), column = matrix_offset(b, right),
                        width = static_cast<std::size_t>(b.extents.back());
      long double total = 0;
      for (std::size_t k = 0; k < inner; ++k)
        total += static_cast<long double>(a.values[row + k]) * b.values[column + k * width];
      double& result = y.values[at];
      result = static_cast<double>(total);
      if (is_gemm)
        result = alpha * result + (form.added < 0 ? 0 : form.kept(alpha, beta, operand(n, form.added).values[at]));
      ++at;
    });
  }
  /// As `offset`, for an operand that may lack the batch axes; extents of 1 are not broadcast.
  static std::size_t matrix_offset(const reference_tensor& x, const index_list& index) {
    const std::size_t missing = index.size() - x.extents.size();
    return offset(x.extents, index_list(index.begin() + static_cast<std::ptrdiff_t>(missing), index.end()));
  }

  void take(const node& n, reference_tensor& y) {
    const reference_tensor &x = operand(n, 0), &index = operand(n, 1);
    const std::size_t row = size_of(x.extents) / static_cast<std::size_t>(std::max<std::int64_t>(x.extents[0], 1));
    for (std::size_t i = 0; i < index.values.size(); ++i)
      for (std::size_t j = 0; j < row; ++j)
        y.values[i * row + j] = x.values[static_cast<std::size_t>(index.values[i]) * row + j];
  }
  void scatter_add(const node& n, reference_tensor& y) {
    const reference_tensor &index = operand(n, 0), &rows = operand(n, 1);
    const std::size_t row = size_of(y.extents) / static_cast<std::size_t>(std::max<std::int64_t>(y.extents[0], 1));
    for (std::size_t i = 0; i < index.values.size(); ++i)
      for (std::size_t j = 0; j < row; ++j)
        y.values[static_cast<std::size_t>(index.values[i]) * row + j] += rows.values[i * row + j];
  }

  const graph& graph_;
  std::span<const reference_tensor> inputs_, shared_;
  options options_;
  extent_values extents_;
  std::vector<reference_tensor> values_;
};

KROTON_DEFINITION results interpret(const graph& g, std::span<const reference_tensor> inputs,
                                    std::span<const reference_tensor> shared, const options& o) {
  return interpreter(g, inputs, shared, o).run();
}

}  // namespace kroton::reference
