// This file reads and writes the header of a safetensors file.
#pragma once

#include <kroton/io/header.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <set>

namespace kroton::io {

static_assert(std::endian::native == std::endian::little, "kroton: safetensors files are little-endian");

/// The longest list that is read, the same as in other readers of the format.
inline constexpr std::uint64_t most_header_bytes = 100'000'000;

struct saved_type {
  std::string_view name;
  dtype type;
};
inline constexpr saved_type saved_types[] = {
    {"BOOL", dtype::boolean},  {"I8", dtype::int8},     {"I16", dtype::int16},   {"I32", dtype::int32},
    {"I64", dtype::int64},     {"U8", dtype::uint8},    {"U16", dtype::uint16},  {"U32", dtype::uint32},
    {"U64", dtype::uint64},    {"F16", dtype::float16}, {"F32", dtype::float32}, {"F64", dtype::float64},
    {"BF16", dtype::bfloat16},
};
KROTON_DEFINITION std::string_view saved_name(dtype type) {
  return std::find_if(std::begin(saved_types), std::end(saved_types), [&](auto& t) { return t.type == type; })->name;
}
inline std::optional<dtype> type_named(std::string_view name) {
  for (const saved_type& t : saved_types)
    if (t.name == name) return t.type;
  return {};
}

/// Where the parser has come in the text of a list.
class text_position {
 public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  text_position(const char* at, const char** seen) : at_(at), seen_(seen) {}
  reference operator*() const { return *at_; }
  text_position& operator++() {
    *seen_ = ++at_;
    return *this;
  }
  text_position operator++(int) {
    text_position before = *this;
    ++*this;
    return before;
  }
  bool operator==(const text_position& other) const { return at_ == other.at_; }

 private:
  const char* at_;
  const char** seen_;
};

/// Takes what the parser finds in a list, and refuses what is not of the format.
class list_reader : public nlohmann::json_sax<nlohmann::json> {
 public:
  list_reader(const input_file& file, std::string_view text, const char* const& seen)
      : file_(file), text_(text), seen_(seen) {}
  std::vector<tensor_entry> tensors;

  bool null() override { unexpected("null"); }
  bool boolean(bool) override { unexpected("a truth value"); }
  bool number_integer(number_integer_t) override { unexpected("a negative number"); }
  bool number_float(number_float_t, const string_t&) override { unexpected("a number that is no integer of 64 bits"); }
  bool binary(binary_t&) override { unexpected("binary data"); }
  bool number_unsigned(number_unsigned_t number) override {
    if (where_ != place::numbers) unexpected("a number");
    (member_ == "shape" ? tensors.back().extents : offsets_).push_back(number);
    return true;
  }
  bool string(string_t& text) override {
    if (where_ == place::metadata) return true;
    if (where_ != place::tensor || member_ != "dtype") unexpected("a text");
    tensors.back().known = type_named(text);
    tensors.back().type = std::move(text);
    return true;
  }
  bool key(string_t& name) override {
    if (where_ == place::list) {
      require_new(names_, name);
      is_metadata_ = name == "__metadata__";
      if (!is_metadata_) add_tensor(std::move(name));
    } else {
      require_new(members_, name);
      if (where_ == place::tensor && name != "dtype" && name != "shape" && name != "data_offsets")
        file_.refuse(position(), message(name, " is no member of a tensor"));
      member_ = std::move(name);
    }
    return true;
  }
  bool start_object(std::size_t) override {
    if (where_ == place::nowhere) where_ = place::list;
    else if (where_ == place::list) where_ = is_metadata_ ? place::metadata : place::tensor;
    else unexpected("an object");
    members_.clear(), offsets_.clear();
    return true;
  }
  bool end_object() override {
    if (where_ == place::tensor) finish_tensor();
    where_ = where_ == place::list ? place::nowhere : place::list;
    return true;
  }
  bool start_array(std::size_t) override {
    if (where_ != place::tensor || member_ == "dtype") unexpected("an array");
    where_ = place::numbers;
    return true;
  }
  bool end_array() override {
    where_ = place::tensor;
    return true;
  }
  bool parse_error(std::size_t at, const std::string&, const nlohmann::detail::exception& error) override {
    const std::string_view what(error.what());
    const std::size_t rule = what.rfind("] ");
    file_.refuse(std::min<std::uint64_t>(8 + at, file_.size()),
                 message("the list of tensors is not JSON: ", what.substr(rule == what.npos ? 0 : rule + 2)));
  }

 private:
  enum class place { nowhere, list, metadata, tensor, numbers };
  const input_file& file_;
  std::string_view text_;
  const char* const& seen_;
  place where_ = place::nowhere;
  bool is_metadata_ = false;
  std::string member_;
  std::set<std::string, std::less<>> names_, members_;
  std::vector<std::uint64_t> offsets_;

  std::uint64_t position() const { return 8 + static_cast<std::uint64_t>(seen_ - text_.data()); }
  [[noreturn]] void unexpected(const char* what) const {
    file_.refuse(position(), message(what, " does not belong here"));
  }
  void add_tensor(std::string name) {
    tensors.emplace_back();
    tensors.back().name = std::move(name);
    tensors.back().position = position();
  }
  void require_new(std::set<std::string, std::less<>>& known, const std::string& name) const {
    if (!known.insert(name).second) file_.refuse(position(), message(name, " is there twice"));
  }
  void finish_tensor() {
    tensor_entry& t = tensors.back();
    for (const char* member : {"dtype", "shape", "data_offsets"})
      if (!members_.contains(member)) file_.refuse(position(), message(t.name, " has no ", member));
    const std::uint64_t first = 8 + text_.size(), bytes = file_.size() - first;
    if (offsets_.size() != 2 || offsets_[0] > offsets_[1] || offsets_[1] > bytes)
      file_.refuse(position(), message("the data_offsets of ", t.name, " are not two that ascend up to ", bytes));
    t.begin = first + offsets_[0], t.end = first + offsets_[1];
    std::uint64_t count = 1;
    for (const std::uint64_t extent : t.extents)
      if (__builtin_mul_overflow(count, extent, &count))
        file_.refuse(position(), message(t.name, " has more than 2^64 elements"));
    if (!t.known) return;
    if (__builtin_mul_overflow(count, size_of(*t.known), &count) || count != t.end - t.begin)
      file_.refuse(position(),
                   message(t.name, " has ", t.end - t.begin, " bytes, which is not what its elements take"));
  }
};

/// Refuses tensors that overlap, and bytes that belong to none.
inline void require_no_gaps(const input_file& file, const std::vector<tensor_entry>& tensors, std::uint64_t first) {
  for (const tensor_entry& t : tensors) {
    if (t.begin != first)
      file.refuse(t.position, message(t.name, " begins at byte ", t.begin, ", and not at ", first,
                                      ", where the one before it ends"));
    first = t.end;
  }
  if (first != file.size()) file.refuse(first, message(file.size() - first, " bytes belong to no tensor"));
}

KROTON_DEFINITION std::vector<tensor_entry> read_header(const input_file& file) {
  std::uint64_t length = 0;
  if (file.size() < sizeof(length)) file.refuse(file.size(), "the file ends before the length of its list");
  file.read(0, reinterpret_cast<std::byte*>(&length), sizeof(length));
  if (length > most_header_bytes || length > file.size() - sizeof(length))
    file.refuse(0, message("a list of ", length, " bytes, of which the file has ",
                           std::min(file.size() - sizeof(length), most_header_bytes)));
  std::string text(length, ' ');
  file.read(sizeof(length), reinterpret_cast<std::byte*>(text.data()), length);
  if (text.empty() || text[0] != '{') file.refuse(sizeof(length), "the list does not begin with {");
  const char* seen = text.data();
  list_reader reader(file, text, seen);
  nlohmann::json::sax_parse(text_position(text.data(), &seen), text_position(text.data() + length, &seen), &reader);
  std::vector<tensor_entry>& tensors = reader.tensors;
  std::stable_sort(tensors.begin(), tensors.end(), [](const tensor_entry& x, const tensor_entry& y) {
    return x.begin != y.begin ? x.begin < y.begin : x.end < y.end;
  });
  require_no_gaps(file, tensors, sizeof(length) + length);
  return std::move(tensors);
}

KROTON_DEFINITION void refuse_same_name(const std::string& name) {
  throw io_error(message("kroton: two shared variables of the session have the name ", printable(name),
                         ", and in a file names differ"));
}
KROTON_DEFINITION std::string make_header(const std::vector<tensor_entry>& tensors) {
  nlohmann::ordered_json list = nlohmann::ordered_json::object();
  for (const tensor_entry& t : tensors)
    if (!list.emplace(
                 t.name,
                 nlohmann::ordered_json{{"dtype", t.type}, {"shape", t.extents}, {"data_offsets", {t.begin, t.end}}})
             .second)
      refuse_same_name(t.name);
  std::string text;
  try {
    text = list.dump();
  } catch (const nlohmann::json::exception&) {
    throw io_error("kroton: the name of a shared variable is not UTF-8, which files need");
  }
  text.resize((text.size() + 7) / 8 * 8, ' ');
  const std::uint64_t length = text.size();
  std::string header(sizeof(length), '\0');
  std::memcpy(header.data(), &length, sizeof(length));
  return header + text;
}

}  // namespace kroton::io
