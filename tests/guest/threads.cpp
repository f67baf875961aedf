// How many threads a program has after calls that are worth several: no more than it was told. OpenMP keeps
// its threads, so that every count is taken by a new process, which is this executable running the test case
// that is skipped otherwise.
#include <doctest/doctest.h>
#include <kroton/kroton.hpp>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace kt = kroton;

namespace {

inline constexpr struct n : kt::dim<n> {} n;
inline constexpr struct m : kt::dim<m> {} m;

/// Calls a kernel of elements, one of rows, a full reduction and a matrix product; how many threads there are
/// then.
int threads_after_calls(const kt::context& where) {
  auto f = kt::function(
      [](kt::var<float, n, m> x) {
        const auto y = kt::tanh(x * 2 + 1);
        return kt::outputs(y, kt::nn::softmax(x), kt::sum(y), kt::dot(y, kt::transpose(x)));
      },
      where);
  constexpr std::int64_t size = 1024;
  const std::vector<float> x(size * size, 0.25F);
  f(kt::view(x.data(), {size, size}));
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return static_cast<int>(std::distance(begin(tasks), end(tasks)));
}

TEST_CASE("count threads" * doctest::skip()) {
  const char* asked = std::getenv("KROTON_TEST_THREADS");
  std::printf("%d threads\n", threads_after_calls(asked ? kt::context::host(std::atoi(asked)) : kt::context::best()));
}

/// What the test case above counts in a process of its own, with these environment variables.
int threads_with(const std::string& variables) {
  static const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string command = variables + " '" + self + "' --no-skip --minimal --test-case='count threads'";
  std::FILE* output = popen(command.c_str(), "r");
  REQUIRE(output != nullptr);
  int count = 0;
  const bool counted = std::fscanf(output, "%d threads", &count) == 1;
  CHECK(pclose(output) == 0);
  return counted ? count : -1;
}

TEST_CASE("threads: as many as were asked for, and no more") {
  CHECK(threads_with("OMP_NUM_THREADS=1") == 1);
  CHECK(threads_with("OMP_NUM_THREADS=2") == 2);
  CHECK(threads_with("OMP_NUM_THREADS=4 KROTON_TEST_THREADS=1") == 1);
  CHECK(threads_with("OMP_NUM_THREADS=4 KROTON_TEST_THREADS=2") == 2);
  CHECK(threads_with("OMP_NUM_THREADS=1 KROTON_TEST_THREADS=2") == 2);
}

}  // namespace
