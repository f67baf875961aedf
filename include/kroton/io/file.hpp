// This header reads files at any position, and writes files that take the place of others at once.
#pragma once

#include <kroton/runtime/context/error.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kroton::io {

/// A file that the system opens, or refuses to open. It is closed when the object ends.
class open_file {
 public:
  /// `mode`: of a file that is made, less what the process masks.
  open_file(const std::string& path, int flags, unsigned mode = 0666);
  open_file(const open_file&) = delete;
  open_file& operator=(const open_file&) = delete;
  ~open_file();
  bool is_open() const { return number_ >= 0; }
  int number() const { return number_; }

 private:
  int number_;
};

/// A text of a file or of a user as messages print it: control characters, which a terminal would obey, are written as
/// `\n` or `\x1b`.
std::string printable(std::string_view text);
/// Throws io_error for the error that the system has just reported.
[[noreturn]] void refuse_by_system(const std::string& path, const char* verb);

/// A file that is read.
class input_file {
 public:
  /// Throws io_error if there is no such file, or if it is none that can be read at any position.
  explicit input_file(const std::string& path);
  std::uint64_t size() const { return size_; }
  /// Reads bytes that the file has. Throws io_error if the system cannot.
  void read(std::uint64_t position, std::byte* to, std::uint64_t count) const;
  const std::string& path() const { return path_; }
  /// Throws io_error: the file is malformed at a position. `why` may have texts of the file.
  [[noreturn]] void refuse(std::uint64_t position, const std::string& why) const;

 private:
  std::string path_;
  open_file file_;
  std::uint64_t size_ = 0;
};

/// The file that a path leads to.
struct found_file {
  std::string path;              ///< of the file itself, which is no symbolic link
  std::optional<unsigned> mode;  ///< its permissions; none: there is no file yet
};

/// A file that takes the place of another one, and its permissions, when it is complete. Before, it lies beside that
/// one under a name of its own; if it is not completed, it is removed. Where the path is a symbolic link, the file that
/// it leads to is replaced, or made.
class replacing_file {
 public:
  /// Throws io_error if the path leads to something other than a regular file.
  explicit replacing_file(const std::string& path);
  replacing_file(const replacing_file&) = delete;
  replacing_file& operator=(const replacing_file&) = delete;
  ~replacing_file();
  void write(const std::byte* from, std::uint64_t count);
  /// Waits until the device of the file has all bytes, and gives the file its name.
  void complete();

 private:
  std::string path_;
  found_file replaced_;
  std::string beside_;
  open_file file_;
  bool is_complete_ = false;
};

}  // namespace kroton::io

#if KROTON_HAS_DEFINITIONS
#include <kroton/io/file.ipp>
#endif
