// This file calls the system to read and to write files.
#pragma once

#include <kroton/io/file.hpp>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

namespace kroton::io {

/// The most bytes that one call of the system takes.
inline constexpr std::uint64_t most_at_once = std::uint64_t{1} << 30;

KROTON_DEFINITION std::string printable(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef", short_names = "abtnvfr";  // of bytes 7 to 13
  std::string to;
  const auto add_escaped = [&](unsigned char byte) {
    to += '\\';
    if (byte >= 7 && byte <= 13) to += short_names[byte - 7u];
    else to += {'x', digits[byte / 16u], digits[byte % 16u]};
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : '\0');
    if (byte == 0xc2 && next >= 0x80 && next < 0xa0) add_escaped(byte), add_escaped(next), ++i;  // U+0080 to U+009f
    else if (byte < 0x20 || byte == 0x7f) add_escaped(byte);
    else to += text[i];
  }
  return to;
}
/// Throws io_error for a file that cannot be read or written.
[[noreturn]] inline void refuse_file(const std::string& path, const char* verb, const char* why) {
  throw io_error(message("kroton: ", printable(path), " cannot be ", verb, ": ", why));
}
KROTON_DEFINITION void refuse_by_system(const std::string& path, const char* verb) {
  refuse_file(path, verb, std::strerror(errno));
}
/// Throws io_error for an empty path, of which the system would say that no file has it.
inline const std::string& require_path(const std::string& path, const char* verb) {
  if (path.empty()) refuse_file("a file", verb, "its path is empty");
  return path;
}
/// Throws io_error for what is no regular file.
inline void require_regular(const struct stat& found, const std::string& path, const char* verb) {
  if (!S_ISREG(found.st_mode)) refuse_file(path, verb, "it is not a regular file");
}

KROTON_DEFINITION open_file::open_file(const std::string& path, int flags, unsigned mode) {
  do number_ = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  while (number_ < 0 && errno == EINTR);
}
KROTON_DEFINITION open_file::~open_file() {
  if (is_open()) ::close(number_);
}

KROTON_DEFINITION input_file::input_file(const std::string& path)
    : path_(require_path(path, "read")), file_(path, O_RDONLY | O_NONBLOCK) {  // a pipe would wait for its writer
  struct stat found {};
  if (!file_.is_open() || ::fstat(file_.number(), &found) != 0) refuse_by_system(path, "read");
  require_regular(found, path, "read");
  size_ = static_cast<std::uint64_t>(found.st_size);
}
KROTON_DEFINITION void input_file::read(std::uint64_t position, std::byte* to, std::uint64_t count) const {
  while (count > 0) {
    const auto done = ::pread(file_.number(), to, std::min(count, most_at_once), static_cast<off_t>(position));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) refuse_by_system(path_, "read");
    if (done == 0) refuse(position, "the file ends here, and did not when it was opened");
    to += done, position += static_cast<std::uint64_t>(done), count -= static_cast<std::uint64_t>(done);
  }
}
KROTON_DEFINITION void input_file::refuse(std::uint64_t position, const std::string& why) const {
  throw io_error(message("kroton: ", printable(path_), ", byte ", position, ": ", printable(why)));
}

/// The folder of a path, with the `/` at its end; empty: the folder in which the process works.
inline std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }
/// Follows symbolic links, also those that lead to no file yet. Throws io_error if there is something other than a
/// regular file at the end.
inline found_file follow_links(const std::string& path) {
  struct stat found {};
  const bool exists = ::stat(path.c_str(), &found) == 0;
  if (exists) require_regular(found, path, "written");
  else if (errno != ENOENT) refuse_by_system(path, "written");
  found_file file{path, {}};
  if (exists) file.mode = found.st_mode & 07777;
  char target[PATH_MAX];
  for (ssize_t length; (length = ::readlink(file.path.c_str(), target, sizeof(target))) >= 0;) {
    const std::string next(target, static_cast<std::size_t>(length));
    file.path = next.starts_with('/') ? next : folder_of(file.path) + next;
  }
  return file;
}
/// A name beside that of a file, which no other file of this or another process has.
inline std::string name_beside(const std::string& path) {
  static std::atomic<unsigned> count{0};
  return message(path, ".", static_cast<long long>(::getpid()), ".", count++, ".part");
}
KROTON_DEFINITION replacing_file::replacing_file(const std::string& path)
    : path_(require_path(path, "written")), replaced_(follow_links(path)), beside_(name_beside(replaced_.path)),
      file_(beside_, O_WRONLY | O_CREAT | O_EXCL, replaced_.mode.value_or(0666)) {
  if (!file_.is_open()) refuse_by_system(path, "written");
}
KROTON_DEFINITION replacing_file::~replacing_file() {
  if (!is_complete_) ::unlink(beside_.c_str());
}
KROTON_DEFINITION void replacing_file::write(const std::byte* from, std::uint64_t count) {
  while (count > 0) {
    const auto done = ::write(file_.number(), from, std::min(count, most_at_once));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) refuse_by_system(path_, "written");
    from += done, count -= static_cast<std::uint64_t>(done);
  }
}
KROTON_DEFINITION void replacing_file::complete() {
  if (replaced_.mode && ::fchmod(file_.number(), *replaced_.mode) != 0) refuse_by_system(path_, "written");
  if (::fsync(file_.number()) != 0) refuse_by_system(path_, "written");
  if (std::rename(beside_.c_str(), replaced_.path.c_str()) != 0) refuse_by_system(path_, "written");
  is_complete_ = true;
  // the new name is in the folder, which is written too, where the system lets one
  const std::string folder_name = folder_of(replaced_.path);
  const open_file folder(folder_name.empty() ? "." : folder_name, O_RDONLY | O_DIRECTORY);
  if (folder.is_open()) ::fsync(folder.number());
}

}  // namespace kroton::io
