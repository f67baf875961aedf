// This header reads the environment variable KROTON_FLAGS: `contexts=dev0->cuda0;dev1->cuda1,device=cuda0,budget=2GiB`.
#pragma once

#include <kroton/runtime/context/context_map.hpp>

#include <cstdlib>
#include <limits>

namespace kroton::runtime {

struct flags {
  std::vector<context_entry> contexts;                             ///< the map from names of contexts to devices
  std::optional<context_entry> where;                              ///< the device of sessions that get no context
  std::int64_t budget = std::numeric_limits<std::int64_t>::max();  ///< bytes for each context
  bool print_active_device = true;                                 ///< print each mapping on stderr

  /// Throws parse_error if the text is not a list of `name=value` with commas between, or if a value is wrong.
  [[gnu::cold]] static flags read(std::string_view text) {
    flags result;
    std::vector<std::string_view> seen;
    if (trimmed(text).empty()) return result;
    for (std::size_t next = 0; next <= text.size();) {
      const std::size_t stop = std::min(text.find(',', next), text.size());
      const std::string_view flag = trimmed(text.substr(next, stop - next));
      const std::size_t begin = flag.empty() ? next : static_cast<std::size_t>(flag.data() - text.data());
      const std::size_t equals = flag.find('=');
      if (equals == flag.npos) refuse(flag, begin, "a flag is written name=value");
      const std::string_view name = trimmed(flag.substr(0, equals)), value = flag.substr(equals + 1);
      for (const std::string_view other : seen)
        if (other == name) refuse(flag, begin, message("the flag ", name, " is there twice"));
      seen.push_back(name);
      result.set(name, value, flag, begin, begin + equals + 2);
      next = stop + 1;
    }
    return result;
  }
  /// The flags of the environment, which are read once.
  [[gnu::cold]] static const flags& of_environment() {
    static const flags every = [] {
      const char* text = std::getenv("KROTON_FLAGS");
      return read(text == nullptr ? "" : text);
    }();
    return every;
  }

  /// A number of bytes: `1048576`, `64KiB`, `2GiB`.
  [[gnu::cold]] static std::optional<std::int64_t> bytes(std::string_view text) {
    std::int64_t count = 0;
    const auto [rest, problem] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (problem != std::errc() || count < 0) return std::nullopt;
    const std::string_view unit = trimmed({rest, static_cast<std::size_t>(text.data() + text.size() - rest)});
    std::int64_t scale = 1;
    for (const std::string_view known : {"B", "KiB", "MiB", "GiB", "TiB"}) {
      if (unit == known || unit.empty())
        return count <= std::numeric_limits<std::int64_t>::max() / scale ? std::optional(count * scale) : std::nullopt;
      scale *= 1024;
    }
    return std::nullopt;
  }

 private:
  [[gnu::cold]] [[noreturn]] static void refuse(std::string_view flag, std::size_t begin, std::string_view rule) {
    throw parse_error(message("kroton: ", told(flag, begin), ": ", rule));
  }
  [[gnu::cold]] static std::string told(std::string_view flag, std::size_t begin) {
    return message("KROTON_FLAGS, column ", begin + 1, ": \"", flag, "\"");
  }
  [[gnu::cold]] void set(std::string_view name, std::string_view value, std::string_view flag, std::size_t begin,
                         std::size_t column) {
    const std::string_view plain = trimmed(value);
    if (name == "contexts") {
      contexts = context_map_reader("KROTON_FLAGS", column).read(value);
    } else if (name == "device") {
      const std::optional<device> named = device::named(plain);
      if (!named) refuse(flag, begin, "a device is cpu, cpuN, cuda or cudaN, where N is a number");
      where = context_entry{"", *named, told(flag, begin)};
    } else if (name == "budget") {
      const std::optional<std::int64_t> given = bytes(plain);
      if (!given) refuse(flag, begin, "a budget is a number of bytes, such as 1048576, 64KiB or 2GiB");
      budget = *given;
    } else if (name == "print_active_device") {
      if (plain != "0" && plain != "1" && plain != "true" && plain != "false")
        refuse(flag, begin, "it is 1 or 0, true or false");
      print_active_device = plain == "1" || plain == "true";
    } else {
      refuse(flag, begin, "the flags are contexts, device, budget and print_active_device");
    }
  }
};

}  // namespace kroton::runtime
