// This header calls functions for one piece of a named dimension after another: `kt::chunked<batch>(f, 1024)`.
//
//     sum(x * x), batch 2500, pieces of 1024  ->  calls for 1024, 1024 and 452 elements, whose sums are added in order
#pragma once

#include <kroton/arithmetic/indexed.hpp>
#include <kroton/passes/chunk.hpp>
#include <kroton/runtime/function.hpp>
#include <kroton/runtime/piece_totals.hpp>

#include <limits>
#include <utility>

namespace kroton::runtime {

/// As large a piece as fits into the budget of the context: `kt::chunked<batch>(f, kt::fit_budget)`.
inline constexpr struct fit_budget_tag {} fit_budget;

/// Refuses a function that cannot be divided, and says why.
template <bool IsAxis, bool IsOperation, class... Details>
constexpr void refuse_chunks() {
  static_assert(!IsAxis,
                "kroton: chunked: the dimension is the first axis of arguments and outputs that have it, and no axis "
                "of shared variables");
  static_assert(!IsOperation,
                "kroton: chunked: the function cannot be computed piece by piece, because an operation needs more of "
                "the dimension than a piece");
}

/// The argument, output, shared variable or operation that prevents the division, as a type for the message.
template <class Facts>
constexpr auto told_of_chunks() {
  constexpr chunk_problem problem = Facts::known.problem;
  if constexpr (problem.argument >= 0) {
    constexpr name_text name = name_text{}.append(Facts::source.inputs[problem.argument].name);
    return typename numbered_argument<problem.argument + 1, name>::type();
  } else if constexpr (problem.output >= 0) {
    return told::output<problem.output + 1>();
  } else if constexpr (problem.shared >= 0) {
    constexpr name_text name = name_of_shared(Facts::source, problem.shared);
    return spelled<told::shared, name>();
  } else {
    constexpr name_text name = name_text{} += problem.operation;
    return spelled<told::operation, name>();
  }
}

/// One program of a chunked function: the piece, the rest that runs after all pieces, or the whole function.
template <class Source, class Backend>
class chunk_program {
 public:
  using passes = pipeline<typename prepared<Source, Backend>::type>;
  using source = typename passes::laid_out;

 private:
  using code = typename passes::lowered;
  using kernels = typename Backend::template kernels_of<code>;

 public:
  chunk_program(const context& where, product_math math, const variable_names& names)
      : executor(kernels::make_executor(contexts(where), math)), extents(kernels::plan(), names) {
    static_assert(Source::is_evaluated && has_passed<placed<Source>>, KROTON_LIMIT_REACHED);
  }
  /// The context of each place of the program.
  static std::vector<context> contexts(const context& where) { return contexts_of<code, source>(where); }
  std::unique_ptr<runtime::executor> executor;
  call_extents extents;

  /// Outputs that a device may still compute. An output that is destroyed before it arrives is abandoned.
  using outputs = indexed_array<pending_share, source::size.outputs>;
  outputs run(const std::byte* const* given, std::byte* const* shared, std::byte* const* wanted,
              std::uint64_t version) {
    executor->run(given, shared, wanted, version);
    outputs under_way;
    if constexpr (Backend::kind != backend_kind::host)
      for (std::size_t i = 0; i != under_way.size(); ++i) under_way[i] = pending_share(executor->pending_output(i));
    return under_way;
  }
};

/// A function that is called for one piece of a dimension after the other; `kt::chunked` returns it.
template <class Function, class Dimension, class Backend>
class chunked_function {
 public:
  using frame = call_frame<Function>;
  using facts = chunk_facts<divisible<placed<captured<Function>>>, code_of<Dimension>>;
  using piece_program = chunk_program<chunk<facts, true>, Backend>;
  using rest_program = chunk_program<chunk<facts, false>, Backend>;

  template <class... X>
  static constexpr bool accepts = frame::template accepts<X...>;

  /// `limit`: the largest extent of a piece, or 0 for the largest that the budget allows.
  chunked_function(const context& where, std::shared_ptr<shared_storage> storage, product_math math, std::int64_t limit)
      : storage_(std::move(storage)), where_(where), math_(math), limit_(limit),
        totals_(facts::totals, piece_program::contexts(where_)), whole_(where_, math, names()),
        piece_(where_, math, names()), rest_(where_, math, names()) {
    piece_.executor->leave_outputs_out();  // they lie in tensors of the caller
  }
  chunked_function(chunked_function&&) noexcept = default;
  chunked_function& operator=(chunked_function&& f) noexcept { return replace_by_moving(*this, f); }

  /// Calls the function. The result is that of the function, except for the rounding of sums over the dimension, which
  /// are added piece by piece. Throws shape_error, index_error or memory_error before shared variables change.
  template <class... X>
  auto operator()(const X&... arguments) {
    frame::template check<X...>();
    if constexpr (frame::template accepts<X...>)
      return within_memory([&] { return call(static_cast<typename frame::parameters*>(nullptr), arguments...); });
    else return refused_function<Function>()();
  }

  auto operator()(const typename frame::named& arguments) requires(frame::takes_named) {
    return with_members(arguments, [&](const auto&... each) { return (*this)(each...); });
  }

  /// The same function, of the same session, with temporaries of its own, for another thread.
  chunked_function clone() const {
    require_present();
    return within_memory([&] { return chunked_function(where_, storage_, math_, limit_); });
  }

  static constexpr bool changes_nothing = frame::changes_nothing;
  /// The extent of the pieces of the last call; its last piece may be smaller.
  std::int64_t piece() const { return size_; }

 private:
  static constexpr std::size_t inputs = static_cast<std::size_t>(captured<Function>::size.inputs),
                               results = static_cast<std::size_t>(frame::output_count);
  std::shared_ptr<shared_storage> storage_;
  context where_;
  product_math math_;
  std::int64_t limit_, size_ = 0;
  std::uint64_t calls_ = 0;
  std::vector<std::int64_t> divided_;  // values of the symbols for which the piece and the rest have memory
  piece_totals totals_;                // before the programs, which may use them until they are destroyed
  chunk_program<captured<Function>, Backend> whole_;  // for calls that are one piece
  piece_program piece_;
  rest_program rest_;

  static variable_names names() { return {frame::argument_names, frame::shared_names}; }
  void require_present() const {
    if (whole_.executor == nullptr) refuse_moved("function");
  }
  template <class... P, class... X>
  auto call(std::tuple<P...>*, const X&... x) {
    require_present();
    return run(bind_argument<P>(x, where_)...);
  }
  template <class... A>
  auto run(const A&... arguments) {
    const function_turn mine(whole_.executor->is_called);
    [[maybe_unused]] const typename frame::variables_turn variables(storage_->lock);
    frame::find_extents(whole_.extents, *storage_, arguments...);
    const std::int64_t extent = whole_.extents.value(facts::dimension);
    auto made = frame::make_outputs(whole_.extents, where_, *whole_.executor);
    if (!std::equal(divided_.begin(), divided_.end(), whole_.extents.values()))
      release_parts();  // so that a call takes memory as the first call would
    if ((limit_ == 0 || extent <= limit_) && whole_.executor->fits(whole_.extents.values()))
      run_whole(extent, frame::addresses(made), arguments...);
    else run_pieces(extent, frame::addresses(made), arguments...);
    if constexpr (frame::changes_integers) ++storage_->version;
    return frame::returned(made);
  }
  using output_addresses = std::array<std::byte*, results + 1>;

  template <class... A>
  void run_whole(std::int64_t extent, const output_addresses& wanted, const A&... arguments) {
    release_parts();
    whole_.executor->bind(whole_.extents.values());
    size_ = extent;
    const std::array<const std::byte*, inputs + 1> given{arguments.bytes()...};
    settle(whole_.run(given.data(), storage_->addresses.data(), wanted.data(), storage_->version));
  }
  template <class... A>
  void run_pieces(std::int64_t extent, const output_addresses& addresses, const A&... arguments) {
    frame::find_extents(rest_.extents, *storage_, arguments...);
    prepare(extent, arguments...);
    totals_.begin(rest_.extents);
    const std::vector<std::byte*> shared = totals_.after(storage_->addresses, facts::source.size.shared);
    std::array<const std::byte*, inputs + 2> given{arguments.bytes()...};
    given[inputs] = reinterpret_cast<const std::byte*>(&extent);
    typename piece_program::outputs before;  // outputs of the previous piece, which arrive while the next piece is sent
    std::int64_t first = 0;
    given[inputs + 1] = reinterpret_cast<const std::byte*>(&first);
    for (std::int64_t count = 0; first < extent; first += count) {
      count = std::min(size_, extent - first);
      bind_piece(count, arguments...);
      std::size_t argument = 0;
      ((given[argument] = start(arguments, frame::all.inputs[argument], first), ++argument), ...);
      output_addresses wanted{};
      std::size_t next = 0;
      for (std::size_t i = 0; i != results; ++i)
        if (facts::is_along[i])
          wanted[next++] = addresses[i] + product_of_extents(first, row_bytes(static_cast<int>(i)));
      typename piece_program::outputs now;
      try {
        now = piece_.run(given.data(), shared.data(), wanted.data(), storage_->version);
      } catch (const index_error& wrong) {
        if (first == 0) throw;
        throw index_error(message(wrong.what(), ", in the piece that begins at ", first));
      }
      settle(before);
      before = std::move(now);
    }
    settle(before);
    output_addresses others{};
    std::size_t next = 0;
    for (std::size_t i = 0; i != results; ++i)
      if (!facts::is_along[i]) others[next++] = addresses[i];
    settle(rest_.run(given.data(), shared.data(), others.data(),
                     storage_->version + (++calls_ << 32)));  // a new version, since integers among the totals change
  }

  template <std::size_t Count>
  static void settle(const std::array<pending_share, Count>& outputs) {
    for (const pending_share& output : outputs) output.settle();
  }

  void release_parts() {
    divided_.clear();
    rest_.executor->release();
    piece_.executor->release();
    totals_.release();  // after the programs, because devices use the totals until then
  }
  /// Takes the memory of the piece and the rest, or of neither if there is not enough.
  template <class... A>
  void prepare(std::int64_t extent, const A&... arguments) {
    whole_.executor->release();
    const bool is_first = divided_.empty();
    divided_.assign(rest_.extents.values(), rest_.extents.values() + captured<Function>::size.symbols);
    try {
      if (is_first) totals_.take(rest_.extents);
      rest_.executor->bind(rest_.extents.values());  // first, so that pieces leave room for it
      size_ = std::min(extent, limit_ > 0 ? limit_ : largest_piece(arguments...));
      if (size_ > 0) bind_piece(size_, arguments...);
    } catch (...) {
      release_parts();
      throw;
    }
  }
  template <class... A>
  void bind_piece(std::int64_t count, const A&... arguments) {
    find_piece(count, arguments...);
    try {
      piece_.executor->bind(piece_.extents.values());
    } catch (const memory_error& refused) {
      throw memory_error(message(refused.what(), "; this is for a piece of ", count));
    }
  }
  /// Finds the extents of a call in which the dimension has the extent `count`.
  template <class... A>
  void find_piece(std::int64_t count, const A&... arguments) {
    find_piece_of(count, typename A::value_type(arguments)...);
  }
  template <class... A>
  void find_piece_of(std::int64_t count, A... arguments) {
    std::size_t index = 0;
    (
        [&] {
          if constexpr (std::tuple_size_v < decltype(arguments.extents) >> 0)
            if (has_dimension(frame::all.inputs[index])) arguments.extents[0] = count;
          ++index;
        }(),
        ...);
    frame::find_extents(piece_.extents, *storage_, arguments...);
  }
  /// The first byte of a piece of an argument.
  template <class A>
  static const std::byte* start(const A& argument, const shape& s, std::int64_t first) {
    std::int64_t bytes = has_dimension(s) ? product_of_extents(first, sizeof(argument.number)) : 0;
    for (std::size_t axis = 1; axis < argument.extents.size(); ++axis)
      bytes = product_of_extents(bytes, argument.extents[axis]);
    return argument.bytes() + bytes;
  }
  static constexpr bool has_dimension(const shape& s) { return s.rank > 0 && s[0] == facts::dimension; }
  /// Bytes of output `i` for each index along the dimension.
  std::int64_t row_bytes(int i) const {
    const shape& s = frame::all.outputs[i];
    std::int64_t bytes = facts::element_sizes[i];
    for (int axis = 1; axis < s.rank; ++axis) bytes = product_of_extents(bytes, rest_.extents.value(s[axis]));
    return bytes;
  }

  /// The largest piece that fits into the budget, or 1 if none fits; that piece is then refused.
  template <class... A>
  std::int64_t largest_piece(const A&... arguments) {
    const std::int64_t extent = rest_.extents.value(facts::dimension);
    find_piece(extent, arguments...);
    return std::max<std::int64_t>(1, piece_.executor->largest_extent(facts::symbol, piece_.extents.values(), extent));
  }
};

/// The function `f`, called for pieces of at most `size` along a dimension: `kt::chunked<batch>(f, 1024)`, so that
/// temporaries are only as large as a piece needs. Sums, means, products, extrema and gradients over the dimension are
/// combined piece by piece, in order, and updates happen once, after all pieces. A function in which an operation needs
/// more of the dimension than a piece is refused.
template <auto Dimension, class Function, class Backend, class Size>
auto chunked(const compiled_function<Function, Backend>& f, Size size) {
  using dimension = std::remove_cvref_t<decltype(Dimension)>;
  using facts = chunk_facts<divisible<placed<captured<Function>>>, code_of<dimension>>;
  [[maybe_unused]] const auto make = [&](std::int64_t limit) {
    return chunked_function<Function, dimension, Backend>(f.where(), f.storage(), f.math(), limit);
  };
  if constexpr (call_frame<Function>::has_places) {
    reject<complaint::placed_pieces, Function>();
    return refused_function<Function>();
  } else if constexpr (facts::symbol < 0) {
    reject<complaint::dimension, Function, dimension>();
    return refused_function<Function>();
  } else if constexpr (facts::known.problem.is_there()) {
    refuse_chunks<facts::known.problem.is_axis(), !facts::known.problem.is_axis(), decltype(told_of_chunks<facts>())>();
    return refused_function<Function>();
  } else if constexpr (std::is_same_v<Size, fit_budget_tag>) {
    return within_memory([&] { return make(0); });
  } else if constexpr (!std::is_integral_v<Size>) {
    reject<complaint::piece, Size>();
    return refused_function<Function>();
  } else {
    const std::int64_t limit =
        std::in_range<std::int64_t>(+size) ? static_cast<std::int64_t>(size) : std::numeric_limits<std::int64_t>::max();
    if (limit < 1)
      throw shape_error(message("kroton: chunked: pieces of ", limit, "; a piece has an extent of at least 1"));
    return within_memory([&] { return make(limit); });
  }
}
/// Refuses a call that does not name a dimension.
template <class Function, class Backend, class Size>
refused_function<Function> chunked(const compiled_function<Function, Backend>&, Size) {
  reject<complaint::piece, Size>();
  return {};
}
/// A function that was refused stays refused.
template <auto Dimension, class Function, class Size>
refused_function<Function> chunked(const refused_function<Function>& f, Size) {
  return f;
}

}  // namespace kroton::runtime

namespace kroton {
using runtime::chunked;
using runtime::chunked_function;
using runtime::fit_budget;
}  // namespace kroton
