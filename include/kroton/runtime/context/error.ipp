// This file makes the texts of errors, and throws the errors that all rooms throw.
#pragma once

#include <kroton/runtime/context/error.hpp>
#include <kroton/runtime/context/memory_keeper.hpp>

#include <cstdio>

namespace kroton::runtime {

[[gnu::cold]] KROTON_DEFINITION void message_part::append_to(std::string& to) const {
  if (what_ == kind::text) to.append(text_, size_);
  else if (what_ == kind::real) {
    char text[32];
    std::snprintf(text, sizeof text, "%.9g", real_);
    to += text;
  } else if (what_ == kind::natural) to += std::to_string(static_cast<unsigned long long>(integer_));
  else to += std::to_string(integer_);
}

[[gnu::cold]] KROTON_DEFINITION std::string message_of(std::initializer_list<message_part> parts) {
  std::string text;
  for (const message_part& part : parts) part.append_to(text);
  return text;
}

[[gnu::cold]] KROTON_DEFINITION void refuse_extent(const char* operation, std::int64_t extent) {
  throw shape_error(message("kroton: ", operation, ": an extent is ", extent, "; extents are 0 or more"));
}

KROTON_DEFINITION std::string text_of_extents(list_view<std::int64_t> extents) {
  std::string text;
  for (const std::int64_t extent : extents) text += (text.empty() ? "" : ", ") + std::to_string(extent);
  return "(" + text + ")";
}
KROTON_DEFINITION std::int64_t tensor_bytes(list_view<std::int64_t> extents, std::int64_t element_size) {
  std::int64_t bytes = element_size;
  bool is_too_large = false, is_empty = false;
  for (const std::int64_t e : extents) {
    is_empty = is_empty || e == 0;
    is_too_large = __builtin_mul_overflow(bytes, e, &bytes) || is_too_large;
  }
  if (is_empty) return 0;
  if (is_too_large || bytes > most_bytes)
    throw memory_error("kroton: a tensor is larger than memory can be; give smaller extents");
  return bytes;
}

[[gnu::cold]] KROTON_DEFINITION void make_room(bool is_first) {
  if (!is_first || memory_keeper::trim_all() == 0)
    throw memory_error("kroton: the program has no memory left; release what is not needed");
}

}  // namespace kroton::runtime
