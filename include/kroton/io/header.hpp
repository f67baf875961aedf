// This header reads and writes the header of a safetensors file, which lists its tensors:
//
//     8 bytes            n, the length of the list, little-endian
//     n bytes            {"first.W":{"dtype":"F32","shape":[64,128],"data_offsets":[0,32768]}, ...}, in JSON
//     all other bytes    the elements, one tensor after the other, row-major and little-endian
//
// Source: https://huggingface.co/docs/safetensors, the specification of the format.
#pragma once

#include <kroton/arithmetic/dtype.hpp>
#include <kroton/io/file.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kroton::io {

/// A tensor of a file.
struct tensor_entry {
  std::string name;
  std::string type;            ///< as the file names it
  std::optional<dtype> known;  ///< the same, if Kroton has this element type
  std::vector<std::uint64_t> extents;
  std::uint64_t begin = 0, end = 0;  ///< its bytes, as positions of the file
  std::uint64_t position = 0;        ///< where the file lists it
};

/// "F32": the name of an element type in a file.
std::string_view saved_name(dtype type);

/// The tensors of a file, in the order of their elements: none overlap, all bytes belong to one, and each has the bytes
/// that its elements take. Throws io_error with the position of what is malformed.
std::vector<tensor_entry> read_header(const input_file& file);
/// Throws io_error: two variables of a session have the same name.
[[noreturn]] void refuse_same_name(const std::string& name);
/// The first bytes of a file with these tensors, up to the elements, which begin at a multiple of 8. The bytes of the
/// tensors are counted from there. Throws io_error for a name that is not UTF-8, or that two tensors have.
std::string make_header(const std::vector<tensor_entry>& tensors);

}  // namespace kroton::io

#if KROTON_HAS_DEFINITIONS
#include <kroton/io/header.ipp>
#endif
