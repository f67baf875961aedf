// The shared variables of a session: their memory and extents, initial values, other extents, memory of the caller.
#pragma once

#include <kroton/graph/graph.hpp>
#include <kroton/runtime/context_copy.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <span>

namespace kroton {

/// Draws initial values as `how` says; `fan_in` and `fan_out` are the last two extents. No template, which would be compiled for each element type.
class initial_values {
 public:
  initial_values(const initializer& how, std::int64_t fan_in, std::int64_t fan_out, std::uint64_t stream) : how_(how), bits_(stream) {
    const double fan = static_cast<double>(how.what == kind::he_uniform || how.what == kind::he_normal ? fan_in : fan_in + fan_out);
    deviation_ = std::sqrt(2.0 / (fan > 0 ? fan : 1));
  }
  double next() {
    switch (how_.what) {
      case kind::constant: return how_.a;
      case kind::uniform: return how_.a + (how_.b - how_.a) * uniform();
      case kind::normal: return how_.a + how_.b * normal();
      case kind::glorot_uniform:
      case kind::he_uniform: return std::sqrt(3.0) * deviation_ * (2 * uniform() - 1);
      default: return deviation_ * normal();
    }
  }

 private:
  using kind = initializer::kind;
  initializer how_;
  std::mt19937_64 bits_;
  double deviation_;

  double uniform() { return static_cast<double>(bits_() >> 11) * 0x1.0p-53; }
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(6.283185307179586 * uniform());
  }
};

/// Copies the elements that two row-major tensors of one rank both have, of `element_size` bytes each.
inline void copy_common(const std::byte* from, std::span<const std::int64_t> old_extents, std::byte* to, std::span<const std::int64_t> extents,
                        std::int64_t element_size) {
  if (extents.empty()) {
    std::memcpy(to, from, static_cast<std::size_t>(element_size));
    return;
  }
  const auto bytes_of = [&](std::span<const std::int64_t> inner) {
    std::int64_t n = element_size;
    for (std::int64_t e : inner.subspan(1)) n *= e;
    return n;
  };
  const std::int64_t old_stride = bytes_of(old_extents), stride = bytes_of(extents), count = std::min(old_extents[0], extents[0]);
  for (std::int64_t i = 0; i < count; ++i)
    copy_common(from + i * old_stride, old_extents.subspan(1), to + i * stride, extents.subspan(1), element_size);
}

class shared_storage {
 public:
  std::vector<std::byte*> addresses;
  std::vector<std::vector<std::int64_t>> extents;
  std::uint64_t version = 0;  ///< another one after each change of an integer on a device, so that indices there are looked at once

  shared_storage() = default;
  /// `shared`: the variables, whose shapes are in `shapes`; `places`: the context of each place.
  shared_storage(std::span<const variable> shared, const shape* shapes, std::vector<context> places, std::uint64_t seed)
      : addresses(shared.size()), extents(shared.size()), shared_(shared), shapes_(shapes), places_(std::move(places)), seed_(seed), blocks_(shared.size()) {}

  std::int64_t elements(std::size_t i) const {
    std::int64_t n = 1;
    for (std::int64_t e : extents[i]) n *= e;
    return n;
  }
  /// Gives the variables the extents that they have for these values of the symbols. Elements that there are before and after keep their values; others,
  /// and all of the first call, have initial ones. Throws memory_error before anything changes, or is taken if the budget does not allow it.
  void resize(const std::vector<std::int64_t>& symbols) {
    std::vector<change> changes = changes_for(symbols);
    require_room(changes);
    for (change& c : changes) c.block = make(c.variable, c.extents);
    ++version;
    for (change& c : changes) {
      addresses[c.variable] = c.block.data();
      extents[c.variable] = std::move(c.extents);
      blocks_[c.variable] = std::move(c.block);
    }
    is_laid_out_ = true;
  }
  /// The largest value of a symbol, below what it has in `symbols`, with which the budgets allow it; -1 if there is none.
  std::int64_t largest_extent(std::vector<std::int64_t> symbols, std::size_t symbol) const {
    return largest_fitting(symbols[symbol] - 1, [&](std::int64_t value) {
      symbols[symbol] = value;
      try {
        require_room(changes_for(symbols));
      } catch (const memory_error&) {
        return false;
      }
      return true;
    });
  }
  std::int64_t bytes(std::size_t i) const { return elements(i) * size_of(shared_[i].type); }
  /// Whether the host can look at a variable where it lies.
  bool is_on_host(std::size_t i) const { return place_of(i).stream() == nullptr; }
  /// Copies the elements of a variable to or from memory of the host.
  void read(std::size_t i, std::byte* to) const { copy_out(place_of(i), to, addresses[i], bytes(i)); }
  void write(std::size_t i, const std::byte* from) {
    ++version;
    copy_in(place_of(i), addresses[i], from, bytes(i));
  }

  /// Throws device_error if the host cannot look at a variable where it lies.
  void require_on_host(std::size_t i, const char* operation) const {
    if (!is_on_host(i))
      throw device_error(message("kroton: ", operation, ": ", shared_[i].name, " lies on ", place_of(i).where().name(), "; session.get and session.set copy it"));
  }
  /// Puts a variable into memory of the caller.
  void borrow(std::size_t i, std::byte* memory, std::int64_t count) {
    require_on_host(i, "borrow");
    if (count != elements(i))
      throw shape_error(message("kroton: borrow: ", count, " elements, but ", shared_[i].name, " has ", elements(i)));
    addresses[i] = memory;
    blocks_[i] = {};
  }

 private:
  struct change {
    std::size_t variable;
    context_block block;
    std::vector<std::int64_t> extents;
  };
  std::span<const variable> shared_;
  const shape* shapes_ = nullptr;
  std::vector<context> places_;
  std::uint64_t seed_ = 0;
  std::vector<context_block> blocks_;  // empty: the variable is borrowed, or has no elements
  bool is_laid_out_ = false;

  std::vector<change> changes_for(const std::vector<std::int64_t>& symbols) const {
    std::vector<change> changes;
    for (std::size_t i = 0; i < shared_.size(); ++i) {
      const shape& s = shapes_[shared_[i].shape];
      std::vector<std::int64_t> wanted;
      for (int axis = 0; axis < s.rank; ++axis) wanted.push_back(extent_value(s[axis], symbols.data()));
      if (!is_laid_out_ || wanted != extents[i]) changes.push_back({i, {}, std::move(wanted)});
    }
    return changes;
  }
  std::int64_t bytes_with(const change& c) const { return tensor_bytes(c.extents, static_cast<std::size_t>(size_of(shared_[c.variable].type))); }
  /// Old and new elements are there together for a moment.
  void require_room(const std::vector<change>& changes) const {
    for (const context& place : places_) {
      std::vector<named_bytes> here;
      std::int64_t needed = 0;
      for (const change& c : changes)
        if (place_of(c.variable).account() == place.account()) {
          here.emplace_back(shared_[c.variable].name, bytes_with(c));
          if (__builtin_add_overflow(needed, here.back().second, &needed)) needed = std::numeric_limits<std::int64_t>::max();
        }
      if (place.account()->has(needed)) continue;
      const memory_use use = place.memory();
      throw over_budget(message(needed, " bytes of shared variables needed"), use.budget, use.in_use, std::move(here), ", or give smaller extents");
    }
  }
  const context& place_of(std::size_t i) const { return places_[static_cast<std::size_t>(shared_[i].place)]; }

  /// Memory of a variable with the elements that it has already, and initial values for others.
  context_block make(std::size_t i, const std::vector<std::int64_t>& wanted) const {
    const variable& v = shared_[i];
    const std::int64_t size = size_of(v.type), count = tensor_bytes(wanted, static_cast<std::size_t>(size)) / size;
    context_block block(place_of(i).account(), count * size);
    // on the host first, where a device is concerned
    const bool here = is_on_host(i);
    std::vector<std::byte> made(static_cast<std::size_t>(here ? 0 : count * size)), old(static_cast<std::size_t>(here || !is_laid_out_ ? 0 : bytes(i)));
    std::byte* const start = here ? block.data() : made.data();
    const std::uint64_t stream = seed_ * 0x9e3779b97f4a7c15u + hash_text(v.name) + static_cast<std::uint64_t>(v.parent + 1) * 1000003u;
    const std::size_t rank = wanted.size();
    initial_values values(v.initial, rank > 1 ? wanted[rank - 2] : count, rank > 0 ? wanted[rank - 1] : 1, stream);
    with_element(v.type, [&]<class T>() {
      T* const elements = reinterpret_cast<T*>(start);
      for (std::int64_t e = 0; e < count; ++e) elements[e] = static_cast<T>(values.next());
    });
    if (is_laid_out_) {
      if (!here) read(i, old.data());
      copy_common(here ? addresses[i] : old.data(), extents[i], start, wanted, size);
    }
    if (!here) copy_in(place_of(i), block.data(), made.data(), count * size);
    return block;
  }
};

}  // namespace kroton
