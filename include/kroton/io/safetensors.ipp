// This file saves and loads the shared variables of a session.
#pragma once

#include <kroton/arithmetic/scalar.hpp>
#include <kroton/io/safetensors.hpp>

#include <algorithm>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <shared_mutex>

namespace kroton::io {

/// The variables of a session in its order, with the state of random numbers as the last one, also if the session has
/// not made it yet.
inline std::vector<variable_info> saved_variables(const shared_storage& variables) {
  std::vector<variable_info> all;
  for (std::size_t i = 0; i < variables.addresses.size(); ++i) all.push_back(variables.info(i));
  if (!variables.has_random_state()) all.push_back({random_state_name, dtype::uint64, {2}, false});
  return all;
}

KROTON_DEFINITION void safetensors::save(const shared_storage& variables, const std::string& path) {
  const std::shared_lock reading(variables.lock);
  const std::vector<variable_info> all = saved_variables(variables);
  const auto bytes_of = [](const variable_info& v) {
    return static_cast<std::uint64_t>(tensor_bytes(v.extents, size_of(v.type)));
  };
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // those of wide elements first, so that each begins at a multiple of its elements' size
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t x, std::size_t y) { return size_of(all[x].type) > size_of(all[y].type); });
  std::vector<tensor_entry> tensors;
  std::uint64_t end = 0;
  for (const std::size_t i : order) {
    const variable_info& v = all[i];
    const std::uint64_t begin = end;
    end += bytes_of(v);
    tensors.push_back({.name = v.name,
                       .type = std::string(saved_name(v.type)),
                       .known = v.type,
                       .extents{v.extents.begin(), v.extents.end()},
                       .begin = begin,
                       .end = end});
  }
  const std::string header = make_header(tensors);
  replacing_file file(path);
  file.write(reinterpret_cast<const std::byte*>(header.data()), header.size());
  const random_numbers_state undrawn(variables.random_seed());
  std::vector<std::byte> staging;
  for (const std::size_t i : order)
    file.write(i < variables.addresses.size() ? variables.on_host(i, staging) : undrawn.bytes(), bytes_of(all[i]));
  file.complete();
}

/// The name in the session that a name in a file stands for.
inline std::string name_in_session(const std::string& in_file, const load_options& options) {
  const std::pair<std::string, std::string>* longest = nullptr;
  for (const auto& entry : options.names) {
    if (entry.first == in_file) return entry.second;
    if (entry.first.ends_with('.') && in_file.starts_with(entry.first) &&
        (longest == nullptr || entry.first.size() > longest->first.size()))
      longest = &entry;
  }
  return longest == nullptr ? in_file : longest->second + in_file.substr(longest->first.size());
}

/// Converts elements as `kt::cast` does, which computes 16-bit floats as floats.
template <class From, class To>
void convert_elements(const std::byte* from, std::byte* to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto x = static_cast<computed_in_t<From>>(reinterpret_cast<const From*>(from)[i]);
    reinterpret_cast<To*>(to)[i] = static_cast<To>(simd::convert<computed_in_t<To>>(x));
  }
}

/// The tensors of a file that belong to the variables of a session, and what does not fit.
class loading {
 public:
  loading(const shared_storage& variables, const input_file& file, const load_options& options)
      : file_(file), options_(options) {
    for (variable_info& v : saved_variables(variables)) add_variable(std::move(v));
    tensors_ = read_header(file);
    for (const tensor_entry& t : tensors_) match(t);
    // files of other programs have no state of random numbers, which is the last: the session keeps its own
    for (std::size_t i = 0; i + 1 < wanted_.size(); ++i)
      if (sources_[i] == nullptr && options.missing == unmatched::refuse)
        differ(wanted_[i].name, ": ", text_of(wanted_[i]), " in the session, not in the file");
    if (!differences_.empty())
      throw io_error(message("kroton: ", printable(file.path()), " does not fit the session:", differences_));
    for (std::size_t i = 0; i < wanted_.size(); ++i) prepare(i);
  }

  /// Writes to the variables; nothing here is of a wrong form.
  void write_to(shared_storage& variables) const {
    if (!variables.has_random_state() && sources_.back() != nullptr) variables.make_random_state();
    for (std::size_t i = 0; i < variables.addresses.size(); ++i) {
      if (sources_[i] == nullptr) continue;
      if (const std::optional<bytes>& made = prepared_[i]) {
        variables.write(i, made->data());
      } else if (variables.is_on_host(i)) {
        ++variables.version;
        file_.read(sources_[i]->begin, variables.addresses[i], sources_[i]->end - sources_[i]->begin);
      } else {
        variables.write(i, read(*sources_[i]).data());
      }
    }
  }

 private:
  using bytes = std::vector<std::byte>;
  const input_file& file_;
  const load_options& options_;
  std::vector<variable_info> wanted_;
  std::map<std::string, std::size_t> positions_;
  std::vector<tensor_entry> tensors_;
  std::vector<const tensor_entry*> sources_;    // of each variable; none: it stays as it is
  std::vector<std::optional<bytes>> prepared_;  // of each variable: its elements, if they are not those of the file
  std::string differences_;

  void add_variable(variable_info v) {
    if (!positions_.emplace(v.name, wanted_.size()).second) refuse_same_name(v.name);
    wanted_.push_back(std::move(v));
    sources_.push_back(nullptr), prepared_.emplace_back();
  }
  /// Adds a line to what does not fit.
  template <class... Part>
  void differ(const Part&... parts) {
    differences_ += "\n  " + printable(message(parts...));
  }
  static std::string text_of(const variable_info& v) {
    return message(name_of(v.type), " ", text_of_extents(v.extents));
  }
  static std::string text_of(const tensor_entry& t) {
    std::string text = message(t.known ? name_of(*t.known) : t.type.c_str(), " (");
    for (std::size_t i = 0; i < t.extents.size(); ++i) text += message(i == 0 ? "" : ", ", t.extents[i]);
    return text + ")";
  }
  void match(const tensor_entry& t) {
    const std::string name = name_in_session(t.name, options_);
    const std::string told = name == t.name ? name : message(t.name, " (", name, ")");
    const auto found = positions_.find(name);
    if (found == positions_.end()) {
      if (options_.extra == unmatched::refuse) differ(told, ": ", text_of(t), " in the file, not in the session");
      return;
    }
    const variable_info& v = wanted_[found->second];
    const tensor_entry*& source = sources_[found->second];
    if (source != nullptr) differ(told, ": in the file twice, as ", source->name, " too");
    source = &t;
    const bool is_of_type = t.known && (*t.known == v.type || options_.convert);
    const bool has_extents = std::equal(t.extents.begin(), t.extents.end(), v.extents.begin(), v.extents.end(),
                                        [](std::uint64_t x, std::int64_t y) { return std::cmp_equal(x, y); });
    if (!is_of_type || !has_extents) differ(told, ": ", text_of(v), " in the session, ", text_of(t), " in the file");
  }
  bytes read(const tensor_entry& t) const {
    bytes elements(t.end - t.begin);
    file_.read(t.begin, elements.data(), elements.size());
    return elements;
  }
  /// Checks truth values, which are 0 or 1, and converts elements of another type.
  void prepare(std::size_t i) {
    if (sources_[i] == nullptr) return;
    const tensor_entry& t = *sources_[i];
    const dtype type = *t.known;
    if (type == wanted_[i].type && type != dtype::boolean) return;
    bytes elements = read(t);
    if (type == dtype::boolean)
      for (std::size_t e = 0; e < elements.size(); ++e)
        if (elements[e] > std::byte{1})
          file_.refuse(t.begin + e, message(t.name, " has a truth value that is no 0 or 1"));
    if (type == wanted_[i].type) {
      prepared_[i] = std::move(elements);
      return;
    }
    const std::size_t count = elements.size() / static_cast<std::size_t>(size_of(type));
    bytes& converted = prepared_[i].emplace(count * static_cast<std::size_t>(size_of(wanted_[i].type)));
    with_element(type, [&]<class From>() {
      with_element(wanted_[i].type,
                   [&]<class To>() { convert_elements<From, To>(elements.data(), converted.data(), count); });
    });
  }
};

KROTON_DEFINITION void safetensors::load(shared_storage& variables, const std::string& path,
                                         const load_options& options) {
  const input_file file(path);
  const std::unique_lock changing(variables.lock);
  loading(variables, file, options).write_to(variables);
}

}  // namespace kroton::io
