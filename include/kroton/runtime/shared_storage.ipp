// This file makes, fills and changes the memory of shared variables.
#pragma once

#include <kroton/graph/hash.hpp>
#include <kroton/graph/names.hpp>
#include <kroton/arithmetic/scalar.hpp>
#include <kroton/runtime/context/context_copy.hpp>
#include <kroton/runtime/extents_at_call.hpp>
#include <kroton/runtime/initial_values.hpp>
#include <kroton/runtime/context/memory.hpp>
#include <kroton/runtime/shared_storage.hpp>

#include <algorithm>
#include <cstring>
#include <limits>

namespace kroton::runtime {

/// Copies the elements at the indices that two row-major tensors of the same rank have in common. An element has
/// `element_size` bytes.
inline void copy_common(const std::byte* from, const std::int64_t* old_extents, std::byte* to,
                        const std::int64_t* extents, std::size_t rank, std::int64_t element_size) {
  if (rank == 0) {
    std::memcpy(to, from, static_cast<std::size_t>(element_size));
    return;
  }
  const auto bytes_of = [&](const std::int64_t* every) {
    std::int64_t n = element_size;
    for (std::size_t axis = 1; axis < rank; ++axis) n = product_of_extents(n, every[axis]);
    return n;
  };
  const std::int64_t old_stride = bytes_of(old_extents), stride = bytes_of(extents),
                     count = std::min(old_extents[0], extents[0]);
  for (std::int64_t i = 0; i < count; ++i)
    copy_common(from + product_of_extents(i, old_stride), old_extents + 1, to + product_of_extents(i, stride),
                extents + 1, rank - 1, element_size);
}

/// The state of random numbers before the first call.
struct random_numbers_state {
  std::uint64_t seed, calls = 0;
  explicit random_numbers_state(std::uint64_t of) : seed(of) {}
  const std::byte* bytes() const { return reinterpret_cast<const std::byte*>(this); }
};

struct shared_storage::change {
  std::size_t variable;
  context_block block;
  std::vector<std::int64_t> extents;
};

KROTON_DEFINITION shared_storage::shared_storage() = default;
KROTON_DEFINITION shared_storage::shared_storage(list_view<variable> shared, const shape* shapes,
                                                 const block_name* blocks, std::vector<context> places,
                                                 std::uint64_t seed)
    : addresses(shared.size()), extents(shared.size()), shared_(shared.begin(), shared.end()), blocks_of_names_(blocks),
      places_(std::move(places)), seed_(seed), random_seed_(seed), blocks_(shared.size()) {
  for (const variable& v : shared_) shapes_.push_back(shapes[v.shape]);
}
KROTON_DEFINITION shared_storage::~shared_storage() = default;

KROTON_DEFINITION std::shared_ptr<shared_storage> shared_storage::copy(
    std::initializer_list<new_elements> others) const {
  const std::shared_lock reading(lock);
  require("copy", others);
  auto made = std::make_shared<shared_storage>();
  made->extents = extents;
  made->dimensions = dimensions;
  made->shared_ = shared_;
  made->shapes_ = shapes_;
  made->blocks_of_names_ = blocks_of_names_;
  made->places_ = places_;
  made->seed_ = seed_;
  made->random_seed_ = random_seed_;
  made->is_laid_out_ = is_laid_out_;
  std::vector<std::byte> staging;
  for (std::size_t i = 0; i < shared_.size(); ++i) {
    context_block block(place_of(i).account(), bytes(i));
    const auto other = std::find_if(others.begin(), others.end(), [&](const auto& each) { return each.variable == i; });
    copy_in(place_of(i), block.data(), other != others.end() ? other->from : on_host(i, staging), bytes(i));
    made->addresses.push_back(block.data());
    made->blocks_.push_back(std::move(block));
  }
  return made;
}
KROTON_DEFINITION std::size_t shared_storage::random_state() const {
  return static_cast<std::size_t>(random_state_position(shared_, static_cast<int>(shared_.size())));
}
KROTON_DEFINITION void shared_storage::require_random_state() {
  const std::unique_lock changing(lock);
  if (!has_random_state()) make_random_state();
}
KROTON_DEFINITION void shared_storage::make_random_state() {
  const std::size_t i = shared_.size();
  variable v;
  v.name = random_state_name;
  v.type = dtype::uint64;
  v.is_trained = false;
  v.initial.what = initializer::kind::random_state;
  const random_numbers_state state(random_seed_);
  context_block block(places_[at_home].account(), sizeof(state));
  copy_in(places_[at_home], block.data(), state.bytes(), sizeof(state));
  std::vector<std::int64_t> elements{2};
  shared_.reserve(i + 1), shapes_.reserve(i + 1), extents.reserve(i + 1), addresses.reserve(i + 1);
  blocks_.reserve(i + 1);  // so that nothing below throws
  ++version, ++extents_version;
  shared_.push_back(v);
  shapes_.push_back(random_state_shape);
  extents.push_back(std::move(elements));
  addresses.push_back(block.data());
  blocks_.push_back(std::move(block));
}
KROTON_DEFINITION void shared_storage::reseed(std::uint64_t seed) {
  const std::unique_lock changing(lock);
  random_seed_ = seed;
  if (const std::size_t i = random_state(); i < shared_.size()) write(i, random_numbers_state(seed).bytes());
}
KROTON_DEFINITION std::vector<variable_info> shared_storage::info() const {
  const std::shared_lock reading(lock);
  std::vector<variable_info> all;
  for (std::size_t i = 0; i < shared_.size(); ++i) all.push_back(info(i));
  return all;
}
KROTON_DEFINITION variable_info shared_storage::info(std::size_t i) const {
  std::string name;
  spell_block(name, blocks_of_names_, shared_[i].parent);
  return {name + shared_[i].name, shared_[i].type, extents[i], shared_[i].is_trained};
}
KROTON_DEFINITION std::int64_t shared_storage::elements(std::size_t i) const { return element_count(extents[i]); }
KROTON_DEFINITION void shared_storage::resize(std::vector<std::int64_t> symbols) {
  std::vector<change> changes = changes_for(symbols);
  require_room(changes);
  for (change& c : changes) c.block = make(c.variable, c.extents);
  ++version, ++extents_version;
  for (change& c : changes) {
    addresses[c.variable] = c.block.data();
    extents[c.variable] = std::move(c.extents);
    blocks_[c.variable] = std::move(c.block);
  }
  dimensions = std::move(symbols);
  is_laid_out_ = true;
}
KROTON_DEFINITION std::int64_t shared_storage::largest_extent(std::vector<std::int64_t> symbols,
                                                              std::size_t symbol) const {
  const auto fits_budgets = [&](std::int64_t value) {
    symbols[symbol] = value;
    try {
      require_room(changes_for(symbols));
    } catch (const memory_error&) {
      return false;
    }
    return true;
  };
  const auto has_budget = [](const context& where) { return where.memory().budget <= most_bytes; };
  const std::int64_t wanted = symbols[symbol];
  if (std::none_of(places_.begin(), places_.end(), has_budget) || fits_budgets(wanted))
    return -1;  // the system has refused the memory, and does not tell how much it has
  return largest_fitting(wanted - 1, fits_budgets);
}
KROTON_DEFINITION std::int64_t shared_storage::bytes(std::size_t i) const {
  return elements(i) * size_of(shared_[i].type);
}
KROTON_DEFINITION bool shared_storage::is_on_host(std::size_t i) const { return place_of(i).stream() == nullptr; }
KROTON_DEFINITION void shared_storage::read(std::size_t i, std::byte* to) const {
  copy_out(place_of(i), to, addresses[i], bytes(i));
}
KROTON_DEFINITION const std::byte* shared_storage::on_host(std::size_t i, std::vector<std::byte>& staging) const {
  if (is_on_host(i)) return addresses[i];
  staging.resize(static_cast<std::size_t>(bytes(i)));
  read(i, staging.data());
  return staging.data();
}
KROTON_DEFINITION void shared_storage::write(std::size_t i, const std::byte* from) {
  ++version;
  copy_in(place_of(i), addresses[i], from, bytes(i));
}

KROTON_DEFINITION void shared_storage::require_on_host(std::size_t i, const char* operation) const {
  if (!is_on_host(i))
    throw device_error(message("kroton: ", operation, ": ", shared_[i].name, " lies on ", place_of(i).where().name(),
                               "; session.get and session.set copy it"));
}
KROTON_DEFINITION void shared_storage::require_count(std::size_t i, const char* operation, std::int64_t count) const {
  if (count != elements(i))
    throw shape_error(
        message("kroton: ", operation, ": ", count, " elements, but ", shared_[i].name, " has ", elements(i)));
}
/// What does not fit; empty if everything does.
KROTON_DEFINITION std::string shared_storage::misfit(const new_elements& given) const {
  const variable_info has = info(given.variable);
  if (!given.fits) return text_of_misfit(has.name, given.number, has.type);
  if (given.count >= 0)
    return given.count == elements(given.variable)
               ? ""
               : message(given.count, " elements, but ", has.name, " has ", elements(given.variable));
  if (!std::equal(given.extents.begin(), given.extents.end(), has.extents.begin(), has.extents.end()))
    return message("extents ", text_of_extents(given.extents), ", but ", has.name, " has ",
                   text_of_extents(has.extents));
  return given.from == nullptr && elements(given.variable) > 0 ? text_of_null(has.name) : "";
}
KROTON_DEFINITION void shared_storage::require(const char* operation, std::initializer_list<new_elements> given) const {
  std::string every;
  bool are_numbers = true;
  for (const new_elements& each : given) {
    const std::string text = misfit(each);
    if (text.empty()) continue;
    every += given.size() == 1 ? " " + text : "\n  " + text;
    are_numbers = are_numbers && !each.fits;
  }
  if (every.empty()) return;
  const std::string text = message("kroton: ", operation, ":", every);
  if (are_numbers) throw value_error(text);
  throw shape_error(text);
}
KROTON_DEFINITION void shared_storage::borrow(std::size_t i, std::byte* memory, std::int64_t count) {
  require_on_host(i, "borrow");
  require_count(i, "borrow", count);
  addresses[i] = memory;
  blocks_[i] = {};
}

KROTON_DEFINITION std::vector<shared_storage::change> shared_storage::changes_for(
    const std::vector<std::int64_t>& symbols) const {
  std::vector<change> changes;
  for (std::size_t i = 0; i < shared_.size(); ++i) {
    const shape& s = shapes_[i];
    std::vector<std::int64_t> wanted;
    for (int axis = 0; axis < s.rank; ++axis) wanted.push_back(extent_value(s[axis], symbols.data()));
    if (!is_laid_out_ || wanted != extents[i]) changes.push_back({i, {}, std::move(wanted)});
  }
  return changes;
}
KROTON_DEFINITION std::int64_t shared_storage::bytes_with(const change& c) const {
  return tensor_bytes(c.extents, size_of(shared_[c.variable].type));
}
/// Throws memory_error if the budgets do not allow the new elements beside the old elements, which exist at the same
/// time for a moment.
KROTON_DEFINITION void shared_storage::require_room(const std::vector<change>& changes) const {
  for (const context& place : places_) {
    std::vector<named_bytes> here;
    std::int64_t needed = 0;
    for (const change& c : changes)
      if (place_of(c.variable).account() == place.account()) {
        here.push_back({shared_[c.variable].name, bytes_with(c)});
        if (__builtin_add_overflow(needed, here.back().second, &needed))
          needed = std::numeric_limits<std::int64_t>::max();
      }
    if (place.account()->has(needed)) continue;
    const memory_use use = place.memory();
    throw over_budget(message(needed, " bytes of shared variables needed"), use.budget, use.in_use, std::move(here),
                      ", or give smaller extents");
  }
}
KROTON_DEFINITION const context& shared_storage::place_of(std::size_t i) const { return places_[shared_[i].place]; }

/// Makes memory for a variable, with the elements that it already has and with initial values for all others.
KROTON_DEFINITION context_block shared_storage::make(std::size_t i, const std::vector<std::int64_t>& wanted) const {
  const variable& v = shared_[i];
  const std::int64_t size = size_of(v.type), count = tensor_bytes(wanted, size) / size;
  context_block block(place_of(i).account(), count * size);
  // elements of a variable on a device are made on the host and then copied
  const bool here = is_on_host(i);
  std::vector<std::byte> made(static_cast<std::size_t>(here ? 0 : count * size)),
      old(static_cast<std::size_t>(here || !is_laid_out_ ? 0 : bytes(i)));
  std::byte* const start = here ? block.data() : made.data();
  const std::uint64_t stream =
      seed_ * 0x9e3779b97f4a7c15u + hash_text(v.name) + static_cast<std::uint64_t>(v.parent + 1) * 1000003u;
  const std::size_t rank = wanted.size();
  initial_values values(v.initial, rank > 1 ? wanted[rank - 2] : count, rank > 0 ? wanted[rank - 1] : 1, stream);
  with_element(v.type, [&]<class T>() {
    T* const elements = reinterpret_cast<T*>(start);
    for (std::int64_t e = 0; e < count; ++e) {
      if constexpr (std::is_integral_v<T>)
        elements[e] = simd::convert<T>(values.next());  // the nearest integer, as in
                                                        // a cast
      else elements[e] = static_cast<T>(values.next());
    }
  });
  if (v.initial.what == initializer::kind::random_state) {
    const random_numbers_state state(random_seed_);
    std::memcpy(start, &state, sizeof(state));
  }
  if (is_laid_out_) {
    if (!here) read(i, old.data());
    copy_common(here ? addresses[i] : old.data(), extents[i].data(), start, wanted.data(), wanted.size(), size);
  }
  if (!here) copy_in(place_of(i), block.data(), made.data(), count * size);
  return block;
}

[[gnu::cold]] KROTON_DEFINITION const std::shared_ptr<shared_storage>& empty_storage() {
  static const auto none = std::make_shared<shared_storage>();
  return none;
}

}  // namespace kroton::runtime
