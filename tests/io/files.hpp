// Files of tests: their names, their bytes, and what is said of them.
#pragma once

#include <kroton/io.hpp>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace test {

/// A file, removed at the end of the test.
struct scratch {
  std::string path;
  explicit scratch(const char* name)
      : path((std::filesystem::temp_directory_path() / (std::string("kroton_io_") + name)).string()) {}
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;
  ~scratch() { std::filesystem::remove(path); }
  std::string bytes() const {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void write(const std::string& bytes) const {
    std::filesystem::remove(path);  // file systems write a file to the disk that was made shorter
    std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
};
/// The bytes of a file with this list and these elements.
inline std::string file_of(const std::string& list, const std::string& elements) {
  const std::uint64_t length = list.size();
  std::string bytes(sizeof(length), '\0');
  std::memcpy(bytes.data(), &length, sizeof(length));
  return bytes + list + elements;
}
/// The message of the io_error that `work` throws.
template <class Work>
std::string error_of(const Work& work) {
  try {
    work();
  } catch (const kroton::io_error& e) {
    return e.what();
  }
  return "none";
}

}  // namespace test
