// Contestants that take turns on a stream, timed with CUDA events; the times of all rounds as JSON for report.py.
#pragma once

#include <cuda_profiler_api.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace bench {

inline void check(cudaError_t found, const char* what) {
  if (found != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(found));
}
/// Whether there is a GPU that can be used; says so if not.
inline bool has_gpu(const char* program) {
  int count = 0;
  const cudaError_t found = cudaGetDeviceCount(&count);
  if (found == cudaSuccess && count > 0) return true;
  std::fprintf(stderr, "%s: no GPU can be used here (%s): nothing was measured\n", program,
               found == cudaSuccess ? "the driver has none" : cudaGetErrorString(found));
  return false;
}

/// Memory of the current GPU.
class device_bytes {
 public:
  explicit device_bytes(std::size_t bytes) { check(cudaMalloc(&start_, bytes), "cudaMalloc"); }
  device_bytes(const device_bytes&) = delete;
  device_bytes& operator=(const device_bytes&) = delete;
  ~device_bytes() { (void)cudaFree(start_); }
  template <class T>
  T* as() const {
    return static_cast<T*>(start_);
  }

 private:
  void* start_ = nullptr;
};

/// Measures what a GPU does on a stream between two moments.
class stopwatch {
 public:
  explicit stopwatch(cudaStream_t stream) : stream_(stream) {
    check(cudaEventCreate(&begin_), "cudaEventCreate");
    check(cudaEventCreate(&end_), "cudaEventCreate");
  }
  stopwatch(const stopwatch&) = delete;
  stopwatch& operator=(const stopwatch&) = delete;
  ~stopwatch() {
    (void)cudaEventDestroy(begin_);
    (void)cudaEventDestroy(end_);
  }
  /// Seconds of one of `calls` calls that are put on the stream one after the other.
  double seconds_of(const std::function<void()>& call, int calls) {
    check(cudaEventRecord(begin_, stream_), "cudaEventRecord");
    for (int i = 0; i < calls; ++i) call();
    check(cudaEventRecord(end_, stream_), "cudaEventRecord");
    check(cudaEventSynchronize(end_), "cudaEventSynchronize");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin_, end_), "cudaEventElapsedTime");
    return 1e-3 * static_cast<double>(milliseconds) / calls;
  }
  /// So many calls that they take `seconds`; they are made, which warms up the GPU and what calls keep.
  int calls_in(double seconds, const std::function<void()>& call) {
    for (int calls = 1;; calls *= 2) {
      const double each = seconds_of(call, calls);
      if (each * calls >= seconds || calls >= 1 << 20)
        return std::max(1, static_cast<int>(seconds / std::max(each, 1e-9)));
    }
  }

 private:
  cudaStream_t stream_;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

struct contestant {
  std::string name;
  std::function<void()> call;  ///< puts its work on the stream
};

/// All that a program measures. Options: `--json FILE`, `--rounds N`, `--only WORKLOAD`; `--check` times nothing and
/// only compares small calls with the reference interpreter, which it also does on the host where there is no GPU;
/// `--profile` calls Kroton once in each race, where a profiler looks, and times nothing.
class suite {
 public:
  suite(const char* program, int argc, char** argv) : program_(program) {
    for (int i = 1; i < argc; ++i) {
      const std::string option = argv[i];
      if (option == "--json" && i + 1 < argc) json_ = argv[++i];
      else if (option == "--rounds" && i + 1 < argc) rounds_ = std::max(1, std::atoi(argv[++i]));
      else if (option == "--only" && i + 1 < argc) only_ = argv[++i];
      else if (option == "--check") checks_only_ = true;
      else if (option == "--profile") profiles_ = true;
      else
        throw std::runtime_error("unknown option " + option +
                                 "; there are --json FILE, --rounds N, --only WORKLOAD, --check, --profile");
    }
  }

  int rounds() const { return rounds_; }
  bool checks_only() const { return checks_only_; }
  bool wants(const std::string& workload) const { return only_.empty() || only_ == workload; }

  /// Times the contestants in turns: what disturbs the machine for a while disturbs all.
  void race(const std::string& workload, cudaStream_t stream, const std::vector<contestant>& all) {
    if (profiles_) return profile(workload, all);
    stopwatch watch(stream);
    std::vector<int> calls;
    for (const contestant& c : all) calls.push_back(watch.calls_in(0.02, c.call));
    std::vector<std::vector<double>> seconds(all.size());
    for (int round = 0; round < rounds_; ++round)
      for (std::size_t c = 0; c < all.size(); ++c) seconds[c].push_back(watch.seconds_of(all[c].call, calls[c]));
    for (std::size_t c = 0; c < all.size(); ++c) add(workload, all[c].name, seconds[c]);
  }
  /// Takes note of what was measured otherwise: the seconds of each round.
  void add(const std::string& workload, const std::string& name, std::vector<double> seconds) {
    std::vector<double> sorted = seconds;
    std::sort(sorted.begin(), sorted.end());
    std::printf("%-28s %-32s %12.2f us\n", workload.c_str(), name.c_str(), 1e6 * sorted[sorted.size() / 2]);
    std::fflush(stdout);
    results_.push_back({workload, name, std::move(seconds)});
    write();  // what was measured is there, whatever happens next
  }
  /// Takes note of a result that is wrong, which makes the program fail.
  void complain(const std::string& workload, const std::string& problem) {
    std::fprintf(stderr, "%s: %s: %s\n", program_.c_str(), workload.c_str(), problem.c_str());
    is_right_ = false;
  }
  /// Takes note of a comparison that was made.
  void count_check() { ++checks_; }
  /// The status of the program: a failure too if nothing was done.
  int status() const {
    if (checks_only_) std::printf("%s: %d calls compared with the reference interpreter\n", program_.c_str(), checks_);
    return is_right_ && (checks_only_ ? checks_ > 0 : !results_.empty()) ? 0 : 1;
  }

 private:
  struct result {
    std::string workload, name;
    std::vector<double> seconds;
  };
  std::string program_, json_, only_;
  int rounds_ = 11;
  bool checks_only_ = false, profiles_ = false, is_right_ = true;
  int checks_ = 0;
  std::vector<result> results_;

  /// The first call, which is no graph, so that kernels are seen one by one.
  void profile(const std::string& workload, const std::vector<contestant>& all) {
    for (const contestant& c : all) {
      if (c.name != "kroton") continue;
      check(cudaProfilerStart(), "cudaProfilerStart");
      c.call();
      check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
      check(cudaProfilerStop(), "cudaProfilerStop");
      results_.push_back({workload, c.name, {}});
    }
  }
  void write() const {
    if (json_.empty()) return;
    std::FILE* file = std::fopen(json_.c_str(), "w");
    if (file == nullptr) throw std::runtime_error("cannot write " + json_);
    std::fprintf(file, "{\"program\": \"%s\", \"results\": [", program_.c_str());
    for (std::size_t r = 0; r < results_.size(); ++r) {
      std::fprintf(file, "%s\n  {\"workload\": \"%s\", \"contestant\": \"%s\", \"seconds\": [", r == 0 ? "" : ",",
                   results_[r].workload.c_str(), results_[r].name.c_str());
      for (std::size_t s = 0; s < results_[r].seconds.size(); ++s)
        std::fprintf(file, "%s%.6g", s == 0 ? "" : ", ", results_[r].seconds[s]);
      std::fprintf(file, "]}");
    }
    std::fprintf(file, "\n]}\n");
    if (std::fclose(file) != 0) throw std::runtime_error("cannot write " + json_);
  }
};

/// The main function of a benchmark: `measure(all)` on a machine with a GPU.
template <class Measure>
int run(const char* program, int argc, char** argv, const Measure& measure) {
  try {
    suite all(program, argc, argv);
    if (!all.checks_only() && !has_gpu(program)) return 1;
    measure(all);
    return all.status();
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "%s: %s\n", program, problem.what());
    return 1;
  }
}

}  // namespace bench
