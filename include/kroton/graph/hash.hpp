// This header computes hashes of texts and of types in constant expressions.
#pragma once

#include <cstdint>

namespace kroton::graph {

constexpr std::uint32_t hash_text(const char* text) {
  std::uint32_t h = 2166136261u;
  for (; *text; ++text) h = (h ^ static_cast<std::uint32_t>(static_cast<unsigned char>(*text))) * 16777619u;
  return h;
}

/// Whether two texts are the same. The standard library asks whether it runs, see `evaluable`.
constexpr bool same_text(const char* x, const char* y) {
  while (*x != '\0' && *x == *y) ++x, ++y;
  return *x == *y;
}

/// A text that ends with the full name of `T`. `auto`, because g++ would go on with what a written type of the result
/// means.
template <class T>
constexpr auto text_of_type() {
  return __PRETTY_FUNCTION__;
}
/// Where in it begins what depends on the type.
inline constexpr int before_type = [] {
  int i = 0;
  while (text_of_type<void>()[i] != '=') ++i;
  return i;
}();

/// Of the type's full name. It stands for the type where an address would have to be compared, which g++ refuses in
/// constants as soon as a sanitizer looks for null pointers: it then takes any inline variable for one that may be
/// absent, at address 0.
template <class T>
constexpr std::uint64_t hash_of_type() {
  std::uint64_t h = 1469598103934665603u;
  for (const char* p = text_of_type<T>() + before_type; *p != '\0'; ++p)
    h = (h ^ static_cast<unsigned char>(*p)) * 1099511628211u;
  return h;
}

}  // namespace kroton::graph
