// This file calls the system to read and to write files.
#pragma once

#include <kroton/io/file.hpp>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace kroton::io {

/// The most bytes that one call of the system takes.
inline constexpr std::uint64_t most_at_once = std::uint64_t{1} << 30;

KROTON_DEFINITION void refuse_by_system(const std::string& path, const char* verb) {
  throw io_error(message("kroton: ", path, " cannot be ", verb, ": ", std::strerror(errno)));
}

KROTON_DEFINITION open_file::open_file(const std::string& path, int flags) {
  do number_ = ::open(path.c_str(), flags | O_CLOEXEC, 0666);
  while (number_ < 0 && errno == EINTR);
}
KROTON_DEFINITION open_file::~open_file() {
  if (is_open()) ::close(number_);
}

KROTON_DEFINITION input_file::input_file(const std::string& path)
    : path_(path), file_(path, O_RDONLY | O_NONBLOCK) {  // a pipe would wait for its writer
  struct stat found {};
  if (!file_.is_open() || ::fstat(file_.number(), &found) != 0) refuse_by_system(path, "read");
  if (!S_ISREG(found.st_mode)) throw io_error(message("kroton: ", path, " cannot be read: it is not a regular file"));
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
  throw io_error(message("kroton: ", path_, ", byte ", position, ": ", why));
}

/// A name beside that of a file, which no other file of this or another process has.
inline std::string name_beside(const std::string& path) {
  static std::atomic<unsigned> count{0};
  return message(path, ".", static_cast<long long>(::getpid()), ".", count++, ".part");
}
KROTON_DEFINITION replacing_file::replacing_file(const std::string& path)
    : path_(path), beside_(name_beside(path)), file_(beside_, O_WRONLY | O_CREAT | O_EXCL) {
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
  if (::fsync(file_.number()) != 0) refuse_by_system(path_, "written");
  if (std::rename(beside_.c_str(), path_.c_str()) != 0) refuse_by_system(path_, "written");
  is_complete_ = true;
  // the new name is in the folder, which is written too, where the system lets one
  const std::size_t end = path_.rfind('/');
  const open_file folder(end == std::string::npos ? "." : path_.substr(0, end + 1), O_RDONLY | O_DIRECTORY);
  if (folder.is_open()) ::fsync(folder.number());
}

}  // namespace kroton::io
