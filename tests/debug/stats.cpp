#include <doctest/doctest.h>
#include <kroton/debug/stats.hpp>

#include <sstream>

namespace kt = kroton;

namespace {

inline constexpr struct rows : kt::dim<rows> {} rows;

struct layer : kt::model {
  kt::shared<float, 64, 10> W{this, "W"};
  constexpr auto probabilities(kt::var<float, rows, 64> x) const { return kt::nn::softmax(kt::dot(x, W)); }
  constexpr auto penalty() const { return kt::sum(W * W); }
};

template <class Printed>
std::string text_of(const Printed& printed) {
  std::ostringstream out;
  out << printed;
  return out.str();
}
/// The number of a row, with all that stands before it in the line.
bool has_row(const std::string& text, const std::string& name, std::int64_t value) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (const std::string number = std::to_string(value); line.starts_with(name) && line.ends_with(number)) {
      const std::size_t at = line.find_first_not_of(' ', name.size());
      if (at > name.size() && at == line.size() - number.size()) return true;
    }
  return false;
}

}  // namespace

TEST_CASE("stats: a table of a function, and of a member function, with extents") {
  kt::session<layer> session;
  auto f = session.compile<&layer::probabilities>();
  const std::string text = text_of(kt::debug::stats(f, rows(100)));
  CAPTURE(text);
  using facts = decltype(kt::stats<&layer::probabilities>());
  CHECK(has_row(text, "nodes as captured", facts::nodes_before));
  CHECK(has_row(text, "nodes after the passes", facts::nodes_after));
  CHECK(has_row(text, "launches", 2));
  CHECK(has_row(text, "matrix products", 1));
  CHECK(has_row(text, "different fused kernels", 1));
  CHECK(has_row(text, "floating-point operations", facts::flops(rows(100))));
  CHECK(has_row(text, "bytes read and written", facts::bytes(rows(100))));
  CHECK(has_row(text, "peak bytes of temporaries", facts::peak_bytes(rows(100))));
  std::istringstream lines(text);
  std::size_t width = 0;
  for (std::string line; std::getline(lines, line); width = line.size())
    CHECK((width == 0 || line.size() == width));  // numbers end in one column
  CHECK(text_of(kt::debug::stats<&layer::probabilities>(rows(100))) == text);
}

TEST_CASE("stats: what kt::stats returns prints what is known without extents") {
  const std::string some = text_of(kt::stats<&layer::probabilities>()), all = text_of(kt::stats<&layer::penalty>());
  CHECK(has_row(some, "launches", 2));
  CHECK(some.find("bytes") == std::string::npos);
  CHECK(has_row(all, "bytes read and written", 64 * 10 * 4 + 4));
  CHECK(all == text_of(kt::debug::stats<&layer::penalty>()));
}
