// This header has the memory of a session's shared variables, gives them initial values and other extents, and puts
// them into memory of the caller.
#pragma once

#include <kroton/graph/graph.hpp>
#include <kroton/runtime/context/context.hpp>
#include <kroton/arithmetic/indexed.hpp>
#include <kroton/runtime/turns.hpp>

#include <memory>
#include <string>
#include <vector>

namespace kroton::runtime {

class context_block;

/// A shared variable of a session, as `session.names()` lists it.
struct variable_info {
  std::string name;  ///< with those of the blocks around it, `layers.2.W`
  dtype type;
  std::vector<std::int64_t> extents;
  bool is_trained;  ///< whether it is one of the `parameters()`
};

/// Elements that a shared variable shall have.
struct new_elements {
  std::size_t variable = 0;
  const std::byte* from = nullptr;
  list_view<std::int64_t> extents = {};
  std::int64_t count = -1;  ///< of a range of all elements, which has no extents
  bool fits = true;         ///< whether the type of the variable holds the number that was given
  message_part number = 0;  ///< the number that it does not hold
};

class shared_storage {
 public:
  std::vector<std::byte*> addresses;
  std::vector<std::vector<std::int64_t>> extents;
  std::vector<std::int64_t> dimensions;  ///< the value of each symbol of the model
  std::uint64_t version = 0;  ///< a new number after each change that may concern integers; see executor::run

  std::int64_t extents_version = 1;  ///< a new number after each change of extents

  mutable variables_lock lock;  ///< held by calls of functions, and by reads and changes of variables between them

  shared_storage();
  /// `shared`: the variables, whose shapes are in `shapes` and whose blocks are in `blocks`; `places`: the context of
  /// each place.
  shared_storage(list_view<variable> shared, const shape* shapes, const block_name* blocks, std::vector<context> places,
                 std::uint64_t seed);
  shared_storage(const shared_storage&) = delete;
  shared_storage& operator=(const shared_storage&) = delete;
  ~shared_storage();

  /// Other memory with the same values, also of what is borrowed here, or with others. Throws memory_error if it does
  /// not fit, and what `require` throws.
  std::shared_ptr<shared_storage> copy(std::initializer_list<new_elements> others = {}) const;
  /// Whether the state of random numbers is one of the variables. It is the last one then.
  bool has_random_state() const { return random_state() < shared_.size(); }
  /// The seed with which the state of random numbers begins.
  std::uint64_t random_seed() const { return random_seed_; }
  /// Adds the state of random numbers, if there is none, as the last variable.
  void require_random_state();
  /// Adds it where there is none. The caller holds the lock.
  void make_random_state();
  /// Begins the random numbers of `seed`. Later calls draw the same numbers as a new session with this seed.
  void reseed(std::uint64_t seed);

  /// What is known of each variable; none changes while this is called.
  std::vector<variable_info> info() const;
  /// What is known of one variable. The caller holds the lock.
  variable_info info(std::size_t i) const;
  std::int64_t elements(std::size_t i) const;
  const char* name(std::size_t i) const { return shared_[i].name; }
  std::int64_t bytes(std::size_t i) const;
  /// Gives the variables the extents that follow from these values of the symbols. Elements at indices that exist
  /// before and after keep their values; all other elements have initial values. Throws memory_error before anything
  /// changes, and before any memory is taken if the budget does not allow it.
  void resize(std::vector<std::int64_t> symbols);
  /// The largest value of a symbol, below its value in `symbols`, for which the budgets allow `resize`; -1 if there is
  /// none, or if no context has a budget.
  std::int64_t largest_extent(std::vector<std::int64_t> symbols, std::size_t symbol) const;
  /// Whether a variable lies in memory that the host can read.
  bool is_on_host(std::size_t i) const;
  /// Copies the elements of a variable to or from memory of the host.
  void read(std::size_t i, std::byte* to) const;
  void write(std::size_t i, const std::byte* from);
  /// The elements of a variable in memory of the host: its own, or `staging`, into which they are copied.
  const std::byte* on_host(std::size_t i, std::vector<std::byte>& staging) const;
  /// Throws device_error if a variable does not lie in memory that the host can read.
  void require_on_host(std::size_t i, const char* operation) const;
  /// Throws shape_error if a variable has another number of elements.
  void require_count(std::size_t i, const char* operation, std::int64_t count) const;
  /// Throws shape_error if elements do not have the extents of their variables, and value_error if numbers do not fit
  /// the type; the message has all that does not fit.
  void require(const char* operation, std::initializer_list<new_elements> given) const;
  /// Puts a variable into memory of the caller.
  void borrow(std::size_t i, std::byte* memory, std::int64_t count);

 private:
  struct change;
  std::vector<variable> shared_;
  std::vector<shape> shapes_;  // of each variable
  const block_name* blocks_of_names_ = nullptr;
  indexed_vector<context> places_;
  std::uint64_t seed_ = 0, random_seed_ = 0;
  std::vector<context_block> blocks_;  // empty: the variable is borrowed, or has no elements
  bool is_laid_out_ = false;

  std::size_t random_state() const;
  std::string misfit(const new_elements& given) const;
  std::vector<change> changes_for(const std::vector<std::int64_t>& symbols) const;
  std::int64_t bytes_with(const change& c) const;
  void require_room(const std::vector<change>& changes) const;
  const context& place_of(std::size_t i) const;
  context_block make(std::size_t i, const std::vector<std::int64_t>& wanted) const;
};

/// The storage of functions without shared variables.
const std::shared_ptr<shared_storage>& empty_storage();

}  // namespace kroton::runtime

#if KROTON_HAS_DEFINITIONS
#include <kroton/runtime/shared_storage.ipp>
#endif
