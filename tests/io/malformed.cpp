// Malformed files: each is loaded whole or refused with a position, and then the variables have their old values.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <random>

#include "files.hpp"

namespace kt = kroton;
using test::error_of, test::file_of, test::scratch;

namespace {

struct small : kt::model {
  kt::shared<float, 2, 2> W{this, "W", kt::init::ones};
  kt::shared<double, 2> b{this, "b", kt::init::ones};
  kt::state<bool, 5> flags{this, "flags"};
};

/// What is said of a file with these bytes, after its path.
std::string error_with(kt::session<small>& session, const scratch& file, const std::string& bytes) {
  file.write(bytes);
  const std::string what = error_of([&] { session.load(file.path, {.missing = kt::allow, .extra = kt::allow}); });
  return what.starts_with("kroton: " + file.path) ? what.substr(8 + file.path.size()) : what;
}

TEST_CASE("malformed: each error has the position and the rule") {
  const scratch file("malformed.safetensors");
  kt::session<small> session(kt::context::host());
  const auto error = [&](const std::string& list, std::size_t elements = 16) {
    return error_with(session, file, file_of(list, std::string(elements, '\0')));
  };
  CHECK(error(R"({"W":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]}})") == "none");
  CHECK(error("{}", 0) == "none");
  CHECK(error_with(session, file, "") == ", byte 0: the file ends before the length of its list");
  CHECK(error_with(session, file, "1234567") == ", byte 7: the file ends before the length of its list");
  CHECK(error_with(session, file, std::string(8, '\xff')) ==
        ", byte 0: a list of 18446744073709551615 bytes, of which the file has 0");
  CHECK(error_with(session, file, std::string(8, '\0')) == ", byte 8: the list does not begin with {");
  CHECK(error(" {}", 0) == ", byte 8: the list does not begin with {");
  CHECK(error("{}", 3) == ", byte 10: 3 bytes belong to no tensor");
  CHECK(error("{} x", 0).starts_with(", byte 12: the list of tensors is not JSON: "));
  CHECK(error(R"({"W":{"dtype":"F32")", 0).find("the list of tensors is not JSON") != std::string::npos);
  CHECK(error(R"({"W":3})") == ", byte 15: a number does not belong here");
  CHECK(error(R"({"W":[]})") == ", byte 14: an array does not belong here");
  CHECK(error(R"({"W":{"dtype":{}}})") == ", byte 23: an object does not belong here");
  CHECK(error(R"({"W":{"shape":[[2]]}})") == ", byte 24: an array does not belong here");
  CHECK(error(R"({"W":{"shape":[-2]}})").ends_with(": a negative number does not belong here"));
  CHECK(error(R"({"W":{"shape":[2.0]}})").ends_with(": a number that is no integer of 64 bits does not belong here"));
  CHECK(error(R"({"W":{"shape":[18446744073709551616]}})")
            .ends_with(": a number that is no integer of 64 bits does not belong here"));
  CHECK(error(R"({"W":{"order":1}})") == ", byte 21: order is no member of a tensor");
  CHECK(error(R"({"W":{"shape":[],"shape":[]}})") == ", byte 32: shape is there twice");
  CHECK(error(R"({"W":{"dtype":"F32","shape":[2,2]}})").ends_with(": W has no data_offsets"));
  CHECK(error(R"({"__metadata__":{"a":1}})").ends_with(": a number does not belong here"));
  CHECK(error(R"({"__metadata__":{"a":"x","a":"y"}})").ends_with(": a is there twice"));
  const std::string w = R"("W":{"dtype":"F32","shape":[2,2],"data_offsets":)";
  CHECK(error("{" + w + "[0,16]}," + w + "[0,16]}}").ends_with(": W is there twice"));
  CHECK(error("{" + w + "[0,17]}}").ends_with(": the data_offsets of W are not two that ascend up to 16"));
  CHECK(error("{" + w + "[16,0]}}").ends_with(": the data_offsets of W are not two that ascend up to 16"));
  CHECK(error("{" + w + "[0,8,16]}}").ends_with(": the data_offsets of W are not two that ascend up to 16"));
  CHECK(error("{" + w + "[0,12]}}").ends_with(": W has 12 bytes, which is not what its elements take"));
  CHECK(error(R"({"W":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,16]}})")
            .ends_with(": W has more than 2^64 elements"));
  CHECK(error(R"({"W":{"dtype":"F32","shape":[9223372036854775808],"data_offsets":[0,16]}})")
            .ends_with(": W has 16 bytes, which is not what its elements take"));
  const std::string x = R"("x":{"dtype":"U8","shape":[4],"data_offsets":)";
  CHECK(error("{" + w + "[0,16]}," + x + "[12,16]}}").find(": x begins at byte ") != std::string::npos);
  CHECK(error("{" + w + "[0,16]}," + x + "[18,22]}}", 22).find(": x begins at byte ") != std::string::npos);
  CHECK(error_with(session, file,
                   file_of(R"({"flags":{"dtype":"BOOL","shape":[5],"data_offsets":[0,5]}})",
                           std::string("\0\0\0\0\2", 5))) == ", byte 71: flags has a truth value that is no 0 or 1");
}

TEST_CASE("malformed: texts of a file are printed without control characters") {
  const scratch file("control\n\x1b[31m.safetensors");
  const std::string path =
      (std::filesystem::temp_directory_path() / "kroton_io_control\\n\\x1b[31m.safetensors").string();
  kt::session<small> session(kt::context::host());
  const auto error = [&](const std::string& list, const kt::load_options& options = {.missing = kt::allow}) {
    file.write(file_of(list, std::string(16, '\0')));
    return error_of([&] { session.load(file.path, options); });
  };
  const std::string tensor = R"(:{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]}})";
  const std::string differs = "kroton: " + path + " does not fit the session:\n  ";
  CHECK(error(R"({"a\u0000\u001b[2J\r\n\u007f\u009b1m\u00e9\t\\")" + tensor) ==
        differs + "a\\x00\\x1b[2J\\r\\n\\x7f\\xc2\\x9b1m\u00e9\\t\\: float32 (2, 2) in the file, not in the session");
  CHECK(error(R"({"\n")" + tensor, {.missing = kt::allow, .names = {{"\n", "W\v"}}}) ==
        differs + "\\n (W\\v): float32 (2, 2) in the file, not in the session");
  CHECK(error(R"({"W":{"dtype":"F\n32","shape":[2,2],"data_offsets":[0,16]}})") ==
        differs + "W: float32 (2, 2) in the session, F\\n32 (2, 2) in the file");
  CHECK(error(R"({"W":{"\u001bc":[]}})") == "kroton: " + path + ", byte 23: \\x1bc is no member of a tensor");
  for (const char* list : {R"({"\b":{}})", "{\x7f\xc2\x9b", "{\"\x1b\"}"}) {
    const std::string what = error(list);
    CHECK(what.starts_with("kroton: " + path + ", byte "));
    CHECK(std::none_of(what.begin(), what.end(), [](char c) { return (c >= 0 && c < ' ') || c == 0x7f; }));
    CHECK(what.find("\xc2\x9b") == std::string::npos);
  }
  std::filesystem::remove(file.path);
  CHECK(error_of([&] { session.load(file.path); }) == "kroton: " + path + " cannot be read: No such file or directory");
}

/// A copy of a file with a few changes of the kinds that files suffer, or that lie.
class mutation {
 public:
  explicit mutation(const std::string& of) : text_(of) {}
  std::string operator()() {
    std::string text = text_;
    const std::size_t changes = 1 + pick(3);
    for (std::size_t i = 0; i < changes; ++i) change(text);
    return text;
  }

 private:
  std::string text_;
  std::mt19937 random_{20};

  std::size_t pick(std::size_t count) { return count == 0 ? 0 : random_() % count; }
  void change(std::string& text) {
    static const char* const parts[] = {"{",
                                        "}",
                                        "[",
                                        "]",
                                        ",",
                                        ":",
                                        "\"",
                                        "0",
                                        "-1",
                                        "1e9",
                                        "18446744073709551615",
                                        "9223372036854775808",
                                        "null",
                                        "true",
                                        "\"W\"",
                                        "\"shape\":[2],",
                                        "\\u0000"};
    const std::size_t at = pick(text.size());
    switch (pick(6)) {
      case 0: text.resize(at); return;
      case 1: text.insert(at, parts[pick(std::size(parts))]); return;
      case 2: text.erase(at, 1 + pick(8)); return;
      case 3: text.replace(at, std::min<std::size_t>(text.size() - at, 1), parts[pick(std::size(parts))]); return;
      case 4: text.insert(pick(text.size()), text.substr(at, pick(40))); return;
      default:
        if (!text.empty()) text[at] = static_cast<char>(text[at] ^ (1 << pick(8)));
    }
  }
};

TEST_CASE("malformed: 10,000 mutated files are loaded or refused, and change nothing if they are refused") {
  const scratch file("mutated.safetensors");
  kt::session<small> session(kt::context::host());
  session.save(file.path);
  mutation mutated(file.bytes());
  int loaded = 0, refused = 0;
  for (int i = 0; i < 10'000; ++i) {
    std::string bytes = mutated();
    if (i % 2 == 0 && bytes.size() >= 8) {  // every other list has a length that fits it
      const std::size_t others = 8 + 16 + 16 + 16 + 5;
      const std::uint64_t length = bytes.size() > others ? bytes.size() - others : 0;
      std::memcpy(bytes.data(), &length, 8);
    }
    const std::vector<float> before(session.values<&small::W>().begin(), session.values<&small::W>().end());
    const std::string error = error_with(session, file, bytes);
    if (error == "none") {
      ++loaded;
      continue;
    }
    ++refused;
    const bool is_told = error.starts_with(", byte ") || error.starts_with(" does not fit the session:");
    if (!is_told) FAIL_CHECK(error);
    if (!std::ranges::equal(before, session.values<&small::W>(),
                            [](float x, float y) { return std::memcmp(&x, &y, sizeof x) == 0; }))
      FAIL_CHECK("the variable has changed");
  }
  MESSAGE(loaded, " files were loaded, ", refused, " were refused");
  CHECK(loaded > 200);
  CHECK(refused > 5'000);
}

}  // namespace
