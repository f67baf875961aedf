// What saving does to the file that has the name: links, permissions, and what is no regular file.
#include <doctest/doctest.h>

#include <filesystem>
#include <iterator>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "files.hpp"

namespace kt = kroton;
using test::error_of;

namespace {

struct scalar : kt::model {
  kt::shared<float> value{this, "value"};
};
/// A folder of its own, removed at the end of the test.
struct folder {
  std::filesystem::path path = std::filesystem::temp_directory_path() / "kroton_io_folder";
  folder() {
    std::filesystem::remove_all(path);
    std::filesystem::create_directory(path);
  }
  folder(const folder&) = delete;
  folder& operator=(const folder&) = delete;
  ~folder() { std::filesystem::remove_all(path); }
  std::string operator/(const char* name) const { return (path / name).string(); }
  auto count() const { return std::distance(std::filesystem::directory_iterator(path), {}); }
};
/// The type and the permissions of what has a name, which is not followed if it is a link.
unsigned mode_of(const std::string& path) {
  struct stat found {};
  REQUIRE(::lstat(path.c_str(), &found) == 0);
  return found.st_mode;
}
/// Saves a value under one name, and reads it from the file under another.
float saved(float value, const std::string& under, const std::string& from) {
  kt::session<scalar> session(kt::context::host()), other(kt::context::host());
  session.set<&scalar::value>(value);
  session.save(under);
  other.load(from);
  return other.get<&scalar::value>();
}

TEST_CASE("save: links are followed and stay") {
  const folder own;
  std::filesystem::create_directory(own / "runs");
  const std::string file = own / "runs/1", link = own / "last", chain = own / "chain", absolute = own / "runs/absolute";
  std::filesystem::create_symlink("runs/absolute", link);
  std::filesystem::create_symlink("last", chain);
  std::filesystem::create_symlink(own / "runs/../runs/1", absolute);
  CHECK(saved(1, link, file) == 1);  // there was no file yet
  CHECK(saved(2, link, file) == 2);
  CHECK(saved(3, chain, file) == 3);
  for (const std::string& each : {link, chain, absolute}) CHECK(S_ISLNK(mode_of(each)));
  CHECK(S_ISREG(mode_of(file)));
  CHECK(own.count() == 3);  // nothing is left beside
  CHECK(std::distance(std::filesystem::directory_iterator(own.path / "runs"), {}) == 2);
  // names without a folder, where the process works
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(own.path);
  CHECK(saved(4, "plain", own / "plain") == 4);
  CHECK(saved(5, "last", file) == 5);
  std::filesystem::current_path(before);
  std::filesystem::create_symlink("circle", own / "circle");
  const kt::session<scalar> session(kt::context::host());
  CHECK(error_of([&] { session.save(own / "circle"); }) ==
        "kroton: " + own / "circle" + " cannot be written: Too many levels of symbolic links");
}

TEST_CASE("save: the permissions of a file are kept") {
  const folder own;
  const std::string file = own / "file", link = own / "link";
  const auto mask = ::umask(027);
  CHECK(saved(1, file, file) == 1);
  CHECK((mode_of(file) & 07777) == 0640);  // a new file has those that the process gives
  std::filesystem::create_symlink("file", link);
  for (const unsigned mode : {0600u, 0666u, 0444u, 0755u}) {
    REQUIRE(::chmod(file.c_str(), mode) == 0);
    CHECK(saved(2, mode == 0666 ? link : file, file) == 2);
    CHECK((mode_of(file) & 07777) == mode);
  }
  ::umask(mask);
}

TEST_CASE("save: what is no regular file is refused and stays") {
  const folder own;
  std::filesystem::create_directories(own / "folder/inside");
  REQUIRE(::mkfifo((own / "pipe").c_str(), 0600) == 0);
  struct stat null {};
  REQUIRE(::stat("/dev/null", &null) == 0);
  const bool has_device = ::mknod((own / "device").c_str(), S_IFCHR | 0600, null.st_rdev) == 0;  // root makes them
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = own / "socket";
  REQUIRE(name.size() < sizeof(address.sun_path));
  name.copy(address.sun_path, sizeof(address.sun_path) - 1);
  REQUIRE(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0);
  std::filesystem::create_symlink("pipe", own / "link");
  const auto count = own.count();
  const kt::session<scalar> session(kt::context::host());
  for (const char* each : {"folder", "pipe", "device", "socket", "link"}) {
    const std::string path = own / each;
    if (path.ends_with("device") && !has_device) continue;
    const unsigned before = mode_of(path);
    CHECK(error_of([&] { session.save(path); }) == "kroton: " + path + " cannot be written: it is not a regular file");
    CHECK(mode_of(path) == before);
    CHECK(own.count() == count);
  }
  ::close(socket);
}

TEST_CASE("save: files that cannot be written or read") {
  const folder own;
  kt::session<scalar> session(kt::context::host());
  const std::string absent = own / "no_folder/x", folder = own.path.string();
  CHECK(error_of([&] { session.save(absent); }) ==
        "kroton: " + absent + " cannot be written: No such file or directory");
  CHECK(error_of([&] { session.load(absent); }) == "kroton: " + absent + " cannot be read: No such file or directory");
  CHECK(error_of([&] { session.load(folder); }) == "kroton: " + folder + " cannot be read: it is not a regular file");
  CHECK(error_of([&] { session.save(""); }) == "kroton: a file cannot be written: its path is empty");
  CHECK(error_of([&] { session.load(""); }) == "kroton: a file cannot be read: its path is empty");
  CHECK(error_of([&] { session.save(own / "\x1b]0;\a/x"); }) ==
        "kroton: " + own.path.string() + "/\\x1b]0;\\a/x cannot be written: No such file or directory");
}

}  // namespace
