// This header has element types: the enumeration that graphs store and its correspondence to C++ types.
#pragma once

#include <kroton/arithmetic/short_float.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace kroton {

/// The element type of a tensor, as a value: `kt::dtype_of<float>` is `kt::dtype::float32`.
enum class dtype : std::uint8_t {
  boolean,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float16,
  bfloat16,
  float32,
  float64
};

namespace arithmetic {
inline constexpr int dtype_count = 13;

template <class T>
inline constexpr bool is_element = false;
}  // namespace arithmetic

/// The element type that a C++ type stands for: `kt::dtype_of<float>`.
template <class T>
inline constexpr dtype dtype_of = dtype::float32;  // also of other types, so that few errors follow from that mistake

namespace arithmetic {
template <dtype Type>
struct element;
}  // namespace arithmetic

/// The C++ type of an element type: `kt::element_t<kt::dtype::float32>` is `float`.
template <dtype Type>
using element_t = typename arithmetic::element<Type>::type;

namespace arithmetic {
template <>
inline constexpr bool is_element<bool> = true;
template <>
inline constexpr bool is_element<std::int8_t> = true;
template <>
inline constexpr bool is_element<std::int16_t> = true;
template <>
inline constexpr bool is_element<std::int32_t> = true;
template <>
inline constexpr bool is_element<std::int64_t> = true;
template <>
inline constexpr bool is_element<std::uint8_t> = true;
template <>
inline constexpr bool is_element<std::uint16_t> = true;
template <>
inline constexpr bool is_element<std::uint32_t> = true;
template <>
inline constexpr bool is_element<std::uint64_t> = true;
template <>
inline constexpr bool is_element<half> = true;
template <>
inline constexpr bool is_element<bfloat16> = true;
template <>
inline constexpr bool is_element<float> = true;
template <>
inline constexpr bool is_element<double> = true;
}  // namespace arithmetic

template <>
inline constexpr dtype dtype_of<bool> = dtype::boolean;
template <>
inline constexpr dtype dtype_of<std::int8_t> = dtype::int8;
template <>
inline constexpr dtype dtype_of<std::int16_t> = dtype::int16;
template <>
inline constexpr dtype dtype_of<std::int32_t> = dtype::int32;
template <>
inline constexpr dtype dtype_of<std::int64_t> = dtype::int64;
template <>
inline constexpr dtype dtype_of<std::uint8_t> = dtype::uint8;
template <>
inline constexpr dtype dtype_of<std::uint16_t> = dtype::uint16;
template <>
inline constexpr dtype dtype_of<std::uint32_t> = dtype::uint32;
template <>
inline constexpr dtype dtype_of<std::uint64_t> = dtype::uint64;
template <>
inline constexpr dtype dtype_of<half> = dtype::float16;
template <>
inline constexpr dtype dtype_of<bfloat16> = dtype::bfloat16;
template <>
inline constexpr dtype dtype_of<float> = dtype::float32;
template <>
inline constexpr dtype dtype_of<double> = dtype::float64;

namespace arithmetic {
template <>
struct element<dtype::boolean> {
  using type = bool;
};
template <>
struct element<dtype::int8> {
  using type = std::int8_t;
};
template <>
struct element<dtype::int16> {
  using type = std::int16_t;
};
template <>
struct element<dtype::int32> {
  using type = std::int32_t;
};
template <>
struct element<dtype::int64> {
  using type = std::int64_t;
};
template <>
struct element<dtype::uint8> {
  using type = std::uint8_t;
};
template <>
struct element<dtype::uint16> {
  using type = std::uint16_t;
};
template <>
struct element<dtype::uint32> {
  using type = std::uint32_t;
};
template <>
struct element<dtype::uint64> {
  using type = std::uint64_t;
};
template <>
struct element<dtype::float16> {
  using type = half;
};
template <>
struct element<dtype::bfloat16> {
  using type = bfloat16;
};
template <>
struct element<dtype::float32> {
  using type = float;
};
template <>
struct element<dtype::float64> {
  using type = double;
};
}  // namespace arithmetic

/// Bytes of one element.
constexpr int size_of(dtype type) {
  constexpr int sizes[] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8};
  return sizes[static_cast<int>(type)];
}

/// The name that messages have for an element type: "float32".
constexpr const char* name_of(dtype type) {
  constexpr const char* names[] = {"bool",   "int8",   "int16",   "int32",    "int64",   "uint8",  "uint16",
                                   "uint32", "uint64", "float16", "bfloat16", "float32", "float64"};
  return names[static_cast<int>(type)];
}

/// Whether an element type is a floating-point type.
constexpr bool is_floating(dtype type) { return type >= dtype::float16; }
/// Whether an element type is an integer type; bool is not one.
constexpr bool is_integer(dtype type) { return type > dtype::boolean && type < dtype::float16; }
/// Whether an element type is an unsigned integer type.
constexpr bool is_unsigned(dtype type) { return type >= dtype::uint8 && type <= dtype::uint64; }

namespace arithmetic {
/// The type in which values of `type` are computed: tensors of 16-bit floats are kept in these and computed in float.
constexpr dtype computed_in(dtype type) {
  return type == dtype::float16 || type == dtype::bfloat16 ? dtype::float32 : type;
}
template <class T>
using computed_in_t = element_t<computed_in(dtype_of<T>)>;

/// Calls `f.template operator()<T>()` with the C++ type of `type`.
template <class F>
constexpr decltype(auto) with_element(dtype type, F&& f) {
  switch (type) {
    case dtype::boolean: return f.template operator()<bool>();
    case dtype::int8: return f.template operator()<std::int8_t>();
    case dtype::int16: return f.template operator()<std::int16_t>();
    case dtype::int32: return f.template operator()<std::int32_t>();
    case dtype::int64: return f.template operator()<std::int64_t>();
    case dtype::uint8: return f.template operator()<std::uint8_t>();
    case dtype::uint16: return f.template operator()<std::uint16_t>();
    case dtype::uint32: return f.template operator()<std::uint32_t>();
    case dtype::uint64: return f.template operator()<std::uint64_t>();
    case dtype::float16: return f.template operator()<half>();
    case dtype::bfloat16: return f.template operator()<bfloat16>();
    case dtype::float32: return f.template operator()<float>();
    default: return f.template operator()<double>();
  }
}
}  // namespace arithmetic

}  // namespace kroton
