// Benchmarks as one table: contestants in groups, each compared within the run with the group's baseline and its goal.
#pragma once

#include <kroton/runtime/context/context.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#ifdef _OPENMP
#include <omp.h>
#endif

namespace bench {

/// Starts the program anew without the variables that choose kernels or threads for OpenBLAS, MKL and OpenMP, if there
/// are any: these libraries read them before `main`. With `--keep-environment` among the arguments they stay.
inline void clear_environment(int argc, char** argv) {
  for (int i = 1; i < argc; ++i)
    if (std::strcmp(argv[i], "--keep-environment") == 0) return;
  std::vector<std::string> cleared;
  for (char** variable = environ; *variable != nullptr; ++variable)
    for (const char* prefix : {"OPENBLAS_", "GOTO_", "MKL_", "OMP_", "GOMP_", "KMP_"})
      if (std::strncmp(*variable, prefix, std::strlen(prefix)) == 0)
        cleared.emplace_back(*variable, std::strcspn(*variable, "="));
  if (cleared.empty()) return;
  for (const std::string& name : cleared) {
    std::fprintf(stderr, "%s is cleared; --keep-environment keeps it\n", name.c_str());
    unsetenv(name.c_str());
  }
  execv("/proc/self/exe", argv);
  std::perror("cannot start the program anew without these variables");
  std::exit(2);
}

/// What Kroton should reach in a group.
struct goal {
  enum class kind { none, rate_ratio, time_ratio, seconds };
  kind what = kind::none;
  double bound = 0;
};
/// At least `ratio` of the baseline's GB/s or GFLOP/s.
inline goal at_least(double ratio) { return {goal::kind::rate_ratio, ratio}; }
/// At most `ratio` times the time of the baseline.
inline goal at_most(double ratio) { return {goal::kind::time_ratio, ratio}; }
/// At most so many seconds.
inline goal within(double seconds) { return {goal::kind::seconds, seconds}; }

/// What a call does, for its rate.
struct work {
  const char* unit = "";
  double amount = 0;
};
inline work bytes(double count) { return {"GB/s", count}; }
inline work flops(double count) { return {"GFLOP/s", count}; }

/// The threads that OpenMP would use, which is also what `kt::context::host()` uses.
inline int all_threads() {
#ifdef _OPENMP
  return omp_get_max_threads();
#else
  return 1;
#endif
}
/// The numbers of threads to measure with: one, and all where that is more.
inline std::vector<int> thread_counts() {
  std::vector<int> counts{1};
  if (all_threads() > 1) counts.push_back(all_threads());
  return counts;
}
inline std::string threads_text(int threads) {
  return threads == 1 ? "1 thread" : std::to_string(threads) + " threads";
}

/// Calls `body(begin, end)` for consecutive parts of [0, count), one a thread.
template <class Body>
void in_parts(std::int64_t count, [[maybe_unused]] int threads, const Body& body) {
#ifdef _OPENMP
  if (threads > 1) {
#pragma omp parallel for schedule(static, 1) num_threads(threads)
    for (int t = 0; t < threads; ++t) body(count * t / threads, count * (t + 1) / threads);
    return;
  }
#endif
  body(std::int64_t{0}, count);
}

class suite;

/// Contestants that do the same work. Their names have no slash.
class group {
 public:
  /// Times calls of `body` after a first one, with as many OpenMP threads as the group has.
  template <class Body>
  group& add(const std::string& contestant, Body body) {
    const int threads = threads_;
    const work each = work_;
    contestants_.push_back(contestant);
    const auto kept = std::make_shared<Body>(std::move(body));  // a compiled function moves but is not copied
    benchmark::RegisterBenchmark((name_ + "/" + contestant).c_str(), [kept, threads, each](benchmark::State& state) {
      Body& call = *kept;
#ifdef _OPENMP
      const int before = omp_get_max_threads();
      omp_set_num_threads(threads);
#endif
      call();
      for (auto _ : state) {
        call();
        benchmark::ClobberMemory();
      }
      if (each.amount > 0)
        state.counters[each.unit] = benchmark::Counter(each.amount, benchmark::Counter::kIsIterationInvariantRate);
#ifdef _OPENMP
      omp_set_num_threads(before);
#endif
    })->UseRealTime();
    return *this;
  }

 private:
  friend class suite;
  std::string name_;
  int threads_ = 1;
  work work_{};
  std::string baseline_;
  goal goal_;
  std::vector<std::string> contestants_;
};

/// All groups of a program. Options: `--json FILE` writes the table as JSON too, `--strict` makes a missed goal a
/// failure,
/// `--processor-time` measures groups of one thread alone, and their processor time, in the system too, which other
/// programs do not change much; `--keep-environment`, see clear_environment; and those of Google Benchmark.
class suite {
 public:
  suite(std::string title, int argc, char** argv) : title_(std::move(title)) { clear_environment(argc, argv); }

  /// A group whose contestants are compared with `baseline`; the goal is Kroton's.
  group& add_group(const std::string& name, int threads, work each, const std::string& baseline, goal wanted = {}) {
    group& g = groups_.emplace_back();
    g.name_ = name + ", " + threads_text(threads);
    g.threads_ = threads;
    g.work_ = each;
    g.baseline_ = baseline;
    g.goal_ = wanted;
    return g;
  }

  int run(int argc, char** argv) {
    std::vector<char*> arguments{argv[0]};
    // repetitions in random order, so that what disturbs the machine for a while disturbs all contestants
    static char repetitions[] = "--benchmark_repetitions=11",
                interleaving[] = "--benchmark_enable_random_interleaving=true", time[] = "--benchmark_min_time=0.1";
    for (char* option : {repetitions, interleaving, time}) arguments.push_back(option);
    const char* json = nullptr;
    bool strict = false;
    for (int i = 1; i < argc; ++i) {
      if (std::strcmp(argv[i], "--json") == 0 && i + 1 < argc) json = argv[++i];
      else if (std::strcmp(argv[i], "--strict") == 0) strict = true;
      else if (std::strcmp(argv[i], "--processor-time") == 0) is_processor_time_ = true;
      else if (std::strcmp(argv[i], "--keep-environment") == 0) continue;
      else arguments.push_back(argv[i]);
    }
    int count = static_cast<int>(arguments.size());
    benchmark::Initialize(&count, arguments.data());
    if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;
    collector all(samples_, is_processor_time_);
    benchmark::RunSpecifiedBenchmarks(&all);
    const bool missed = print();
    if (json != nullptr && !write(json)) {
      std::fprintf(stderr, "cannot write %s\n", json);
      return 2;
    }
    return strict && missed ? 1 : 0;
  }

 private:
  using samples = std::map<std::string, std::vector<double>>;  // seconds of each repetition

  class collector : public benchmark::BenchmarkReporter {
   public:
    collector(samples& all, bool is_processor_time) : all_(all), is_processor_time_(is_processor_time) {}
    bool ReportContext(const Context&) override { return true; }
    void ReportRuns(const std::vector<Run>& runs) override {
      for (const Run& run : runs)
        if (run.run_type == Run::RT_Iteration && run.iterations > 0)
          all_[run.run_name.function_name].push_back(
              (is_processor_time_ ? run.cpu_accumulated_time : run.real_accumulated_time) /
              static_cast<double>(run.iterations));
    }

   private:
    samples& all_;
    bool is_processor_time_;
  };

  struct row {
    std::string contestant;
    double median = 0, best = 0, rate = 0;
    double ratio = 0, best_ratio = 0;  ///< to the baseline, as the goal counts it; 0: no baseline was measured
  };
  struct verdict {
    bool measured = false, met = false;
    double value = 0;
  };

  std::string title_;
  std::deque<group> groups_;
  samples samples_;
  bool is_processor_time_ = false;

  /// What multiplies matrices, whoever asks for it.
  static std::string products() { return kroton::context::shared_host().product_library(); }
  static double median_of(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
  }
  std::vector<row> rows_of(const group& g) const {
    std::vector<row> rows;
    if (is_processor_time_ && g.threads_ > 1) return rows;
    for (const std::string& contestant : g.contestants_) {
      const auto found = samples_.find(g.name_ + "/" + contestant);
      if (found == samples_.end() || found->second.empty()) continue;
      row r{contestant, median_of(found->second), *std::min_element(found->second.begin(), found->second.end())};
      r.rate = g.work_.amount / r.median * 1e-9;
      rows.push_back(r);
    }
    const auto base = std::find_if(rows.begin(), rows.end(), [&](const row& r) { return r.contestant == g.baseline_; });
    if (base == rows.end()) return rows;
    const row reference = *base;
    for (row& r : rows) {
      const bool by_rate = g.goal_.what == goal::kind::rate_ratio;
      r.ratio = by_rate ? reference.median / r.median : r.median / reference.median;
      r.best_ratio = by_rate ? reference.best / r.best : r.best / reference.best;
    }
    return rows;
  }
  static verdict judge(const group& g, const std::vector<row>& rows) {
    for (const row& r : rows) {
      if (r.contestant != "kroton") continue;
      const double value = g.goal_.what == goal::kind::seconds ? r.median : r.ratio;
      const bool met = g.goal_.what == goal::kind::rate_ratio ? value >= g.goal_.bound : value <= g.goal_.bound;
      return {g.goal_.what != goal::kind::none && value > 0, met, value};
    }
    return {};
  }
  static std::string time_text(double seconds) {
    char text[32];
    const char* units[] = {"s", "ms", "us", "ns"};
    int unit = 0;
    for (; seconds < 1 && unit < 3; ++unit) seconds *= 1000;
    std::snprintf(text, sizeof text, "%.*f %s", seconds < 10 ? 2 : seconds < 100 ? 1 : 0, seconds, units[unit]);
    return text;
  }
  static std::string goal_text(const group& g) {
    char text[96];
    switch (g.goal_.what) {
      case goal::kind::rate_ratio:
        std::snprintf(text, sizeof text, "at least %.2f of the %s of %s", g.goal_.bound, g.work_.unit,
                      g.baseline_.c_str());
        break;
      case goal::kind::time_ratio:
        std::snprintf(text, sizeof text, "at most %.2f of the time of %s", g.goal_.bound, g.baseline_.c_str());
        break;
      case goal::kind::seconds: std::snprintf(text, sizeof text, "at most %s", time_text(g.goal_.bound).c_str()); break;
      default: return "none";
    }
    return text;
  }

  /// Returns whether a goal was missed.
  bool print() const {
    bool missed = false;
    std::printf("%s%s\nproducts: %s\n", title_.c_str(), is_processor_time_ ? ", processor time" : "",
                products().c_str());
    for (const group& g : groups_) {
      const std::vector<row> rows = rows_of(g);
      if (rows.empty()) continue;
      const verdict v = judge(g, rows);
      missed = missed || (v.measured && !v.met);
      const bool has_rate = g.work_.amount > 0;
      const char* ratio_name = g.goal_.what == goal::kind::rate_ratio ? "rate" : "time";
      std::printf("\n%s\n  %-28s %10s %10s %9s %10s %10s\n", g.name_.c_str(), "", "median", "best",
                  has_rate ? g.work_.unit : "", (std::string(ratio_name) + " ratio").c_str(), "of bests");
      for (const row& r : rows) {
        char rate[24] = "";
        if (has_rate) std::snprintf(rate, sizeof rate, "%.1f", r.rate);
        std::printf("  %-28s %10s %10s %9s", r.contestant.c_str(), time_text(r.median).c_str(),
                    time_text(r.best).c_str(), rate);
        if (r.contestant == g.baseline_) std::printf(" %10s", "baseline");
        else if (r.ratio > 0) std::printf(" %10.2f %10.2f", r.ratio, r.best_ratio);
        std::printf("\n");
      }
      if (g.goal_.what != goal::kind::none)
        std::printf("  goal: %s: %s\n", goal_text(g).c_str(), !v.measured ? "not measured" : v.met ? "met" : "MISSED");
    }
    return missed;
  }
  bool write(const char* path) const {
    std::FILE* file = std::fopen(path, "w");
    if (file == nullptr) return false;
    std::fprintf(file, "{\"title\": \"%s\", \"products\": \"%s\", \"groups\": [", title_.c_str(), products().c_str());
    const char* separator = "";
    for (const group& g : groups_) {
      const std::vector<row> rows = rows_of(g);
      if (rows.empty()) continue;
      const verdict v = judge(g, rows);
      std::fprintf(file, "%s\n  {\"name\": \"%s\", \"baseline\": \"%s\", \"goal\": \"%s\", \"met\": %s, \"rows\": [",
                   separator, g.name_.c_str(), g.baseline_.c_str(), goal_text(g).c_str(),
                   !v.measured ? "null"
                   : v.met     ? "true"
                               : "false");
      const char* comma = "";
      for (const row& r : rows) {
        std::fprintf(file,
                     "%s\n    {\"contestant\": \"%s\", \"median_s\": %.9g, \"best_s\": %.9g, \"rate\": %.6g, \"unit\": "
                     "\"%s\", \"ratio\": %.4g}",
                     comma, r.contestant.c_str(), r.median, r.best, r.rate, g.work_.amount > 0 ? g.work_.unit : "",
                     r.ratio);
        comma = ",";
      }
      std::fprintf(file, "]}");
      separator = ",";
    }
    std::fprintf(file, "]}\n");
    return std::fclose(file) == 0;
  }
};

}  // namespace bench
