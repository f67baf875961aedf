// What it takes to save and to load a session of 1 GiB, beside the system's calls alone. The files are in /dev/shm, if
// there is such a folder, because disks differ more than programs do.
#include <kroton/io.hpp>
#include <kroton/kroton.hpp>

#include "table.hpp"

#include <filesystem>

#include <fcntl.h>

namespace kt = kroton;

namespace {

constexpr std::int64_t count = std::int64_t{1} << 28;
constexpr std::size_t bytes = count * sizeof(float);

struct weights : kt::model {
  kt::shared<float, count> w{this, "w", kt::init::ones};
};

/// A file of the system, which is closed at the end.
class plain_file {
 public:
  plain_file(const std::string& path, int flags) : number_(open(path.c_str(), flags, 0666)) {
    if (number_ < 0) stop();
  }
  plain_file(const plain_file&) = delete;
  plain_file& operator=(const plain_file&) = delete;
  ~plain_file() { close(number_); }
  int number() const { return number_; }
  /// Moves all bytes by `call(address, count)`, as many at a time as the system takes.
  template <class Call>
  static void move_all(char* at, const Call& call) {
    for (std::size_t left = bytes; left > 0;) {
      const ssize_t done = call(at, left);
      if (done <= 0) stop();
      at += done, left -= static_cast<std::size_t>(done);
    }
  }
  [[noreturn]] static void stop() {
    std::perror("a file of 1 GiB");
    std::exit(2);
  }

 private:
  int number_;
};

/// As a session is saved: beside the old file, whose name the new one gets when the device has it.
void write_plainly(const std::string& path, std::vector<float>& from) {
  const std::string beside = path + ".part";
  const plain_file file(beside, O_WRONLY | O_CREAT | O_TRUNC);
  plain_file::move_all(reinterpret_cast<char*>(from.data()),
                       [&](char* at, std::size_t left) { return write(file.number(), at, left); });
  if (fsync(file.number()) != 0 || std::rename(beside.c_str(), path.c_str()) != 0) plain_file::stop();
}
void read_plainly(const std::string& path, std::vector<float>& to) {
  const plain_file file(path, O_RDONLY);
  plain_file::move_all(reinterpret_cast<char*>(to.data()),
                       [&](char* at, std::size_t left) { return read(file.number(), at, left); });
}

}  // namespace

int main(int argc, char** argv) {
  bench::suite all("Saving and loading sessions", argc, argv);
  const std::filesystem::path memory = "/dev/shm";
  const auto folder = (std::filesystem::exists(memory) ? memory : std::filesystem::temp_directory_path()) /
                      ("kroton-bench-saving-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  const std::string plain = folder / "plain", saved = folder / "saved.safetensors";
  std::vector<float> numbers(count, 1);
  kt::session<weights> session(kt::context::host(1));
  write_plainly(plain, numbers);
  session.save(saved);

  const bench::work each = bench::bytes(static_cast<double>(bytes));
  all.add_group("save 1 GiB", 1, each, "write", bench::at_least(0.8))
      .add("write", [&] { write_plainly(plain, numbers); })
      .add("kroton", [&] { session.save(saved); });
  all.add_group("load 1 GiB", 1, each, "read", bench::at_least(0.8))
      .add("read", [&] { read_plainly(plain, numbers); })
      .add("kroton", [&] { session.load(saved); });
  const int status = all.run(argc, argv);
  std::filesystem::remove_all(folder);
  return status;
}
