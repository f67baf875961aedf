// This header reads the map from names of contexts to devices, a text such as `dev0->cuda0;dev1->cuda1`.
#pragma once

#include <kroton/expr/place.hpp>
#include <kroton/runtime/context/machine.hpp>

#include <algorithm>

namespace kroton::runtime {

/// The name of a context, and the device that it is mapped to.
struct context_entry {
  std::string name;  ///< empty: the context of sessions that get no context
  device where;
  std::string told;  ///< the text and where it is written, for messages
};

/// Reads context maps. Every parse_error names the entry, the column where it begins, and the rule.
///
///     map := '' | entry (';' entry)*       entry := name '->' device       device := cpu | cpuN | cuda | cudaN
///
/// Spaces around maps, names and devices are ignored. Names are not empty, are different, have no `->` or `;` in them,
/// and do not begin with cpu, cuda, gpu or opencl, in lower or upper case.
class context_map_reader {
 public:
  /// `source`: the origin of the text, for messages; `column`: the column of its first character there.
  context_map_reader(std::string_view source, std::size_t column) : source_(source), column_(column) {}

  [[gnu::cold]] std::vector<context_entry> read(std::string_view text) const {
    std::vector<context_entry> entries;
    if (trimmed(text).empty()) return entries;
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t stop = std::min(text.find(';', begin), text.size());
      const std::string_view whole = text.substr(begin, stop - begin);
      const std::string_view text_of_entry = trimmed(whole);
      const std::size_t blank =
          text_of_entry.empty() ? 0 : static_cast<std::size_t>(text_of_entry.data() - whole.data());
      entries.push_back(entry(text_of_entry, column_ + begin + blank, entries));
      begin = stop + 1;
    }
    return entries;
  }

  /// Makes one entry from its two sides.
  [[gnu::cold]] context_entry pair(std::string_view name, std::string_view target) const {
    const std::string shown = message(trimmed(name), "->", trimmed(target));
    return make(shown, column_, trimmed(name), trimmed(target), {});
  }

 private:
  std::string_view source_;
  std::size_t column_;

  [[gnu::cold]] [[noreturn]] void refuse(std::string_view shown, std::size_t column, std::string_view rule) const {
    throw parse_error(message("kroton: ", told(shown, column), ": ", rule));
  }
  [[gnu::cold]] std::string told(std::string_view shown, std::size_t column) const {
    return message(source_, ", column ", column, ": \"", shown, "\"");
  }
  [[gnu::cold]] context_entry entry(std::string_view text, std::size_t column,
                                    const std::vector<context_entry>& before) const {
    if (text.empty()) refuse(text, column, "an entry is empty; `;` stands between entries only");
    const std::size_t arrow = text.find("->");
    if (arrow == text.npos) refuse(text, column, "an entry is written name->device");
    if (text.find("->", arrow + 2) != text.npos)
      refuse(text, column, "an entry has one `->`, between the name and the device");
    return make(text, column, trimmed(text.substr(0, arrow)), trimmed(text.substr(arrow + 2)), before);
  }
  [[gnu::cold]] context_entry make(std::string_view shown, std::size_t column, std::string_view name,
                                   std::string_view target, const std::vector<context_entry>& before) const {
    if (name.empty()) refuse(shown, column, "the name of a context is empty");
    if (name.find("->") != name.npos || name.find(';') != name.npos)
      refuse(shown, column, "the name of a context has no `->` or `;` in it");
    if (const char* reserved = reserved_start(name))
      refuse(shown, column, message("the name of a context does not begin with ", reserved));
    if (is_known_place(name)) refuse(shown, column, message(name, " is a place without being mapped"));
    for (const context_entry& other : before)
      if (other.name == name) refuse(shown, column, message("the context ", name, " is mapped twice"));
    const std::optional<device> where = device::named(target);
    if (!where) refuse(shown, column, "a device is cpu, cpuN, cuda or cudaN, where N is a number");
    return {std::string(name), *where, told(shown, column)};
  }
};

}  // namespace kroton::runtime
