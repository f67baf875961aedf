// Places that compute at the same time, of which none does half of something, and what comes home.
#include "places.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>

using namespace test;

namespace {

struct four : kt::model {
  kt::shared<double, 40, 40> a{this, "a", kt::init::normal(0, 1), first};
  kt::shared<double, 40, 40> b{this, "b", kt::init::normal(0, 1), second};
  kt::shared<double, 40, 40> c{this, "c", kt::init::normal(0, 1), third};
  kt::shared<double, 40, 40> d{this, "d", kt::init::normal(0, 1), fourth};
  constexpr auto round() const {
    return kt::outputs(kt::sum(kt::dot(a, b)) + kt::sum(kt::dot(c, d)))
        .updates(kt::update(a, kt::tanh(kt::dot(b, b))), kt::update(b, kt::tanh(kt::dot(c, c))),
                 kt::update(c, kt::tanh(kt::dot(d, d))), kt::update(d, kt::tanh(kt::dot(a, a))));
  }
};

struct lookup : kt::model {
  kt::shared<float, 10, 4> table{this, "table", kt::init::uniform(-1, 1), first};
  kt::shared<float, 10, 4> other{this, "other", kt::init::uniform(-1, 1), second};
  kt::shared<float> count{this, "count", kt::init::zeros, second};
  constexpr auto step(kt::var<int, batch> row) const {
    auto computed = kt::transfer<first>(row) * 2;
    return kt::outputs(kt::sum(kt::take(table, computed)))
        .updates(kt::update(count, count + 1), kt::update(other, other * 2));
  }
};

}  // namespace

TEST_CASE("four contexts") {
  map_contexts();
  kt::session<four> session{kt::context::host(1), kt::seed{3}};
  auto f = session.compile<&four::round>();
  for (int i = 0; i < 20; ++i) check(f);
}

TEST_CASE("a wrong index in one context changes nothing in another") {
  map_contexts();
  kt::session<lookup> session{kt::context::host(1), kt::seed{3}};
  auto f = session.compile<&lookup::step>();
  check(f, std::vector<int>{0, 3, 4});
  const auto before = session.values<&lookup::other>();
  const std::vector<float> kept(before.begin(), before.end());
  const float count = session.values<&lookup::count>()[0];
  for (const int wrong : {5, -1, 100}) {
    for (int i = 0; i < 20; ++i) CHECK_THROWS_AS(f(std::vector<int>{0, wrong}), kt::index_error);
    CHECK(session.values<&lookup::count>()[0] == count);
    CHECK(std::equal(kept.begin(), kept.end(), before.begin()));
  }
  check(f, std::vector<int>{1, 2});
}

#ifndef __CUDACC__  // GPUs have no kernel that waits for another thread
namespace {

/// Two threads, each of which waits for the other.
class meeting {
 public:
  void begin() { here_.clear(); }
  bool takes_place() {
    std::unique_lock lock(mutex_);
    here_.insert(std::this_thread::get_id());
    other_.notify_all();
    return other_.wait_for(lock, std::chrono::seconds(20), [this] { return here_.size() == 2; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable other_;
  std::set<std::thread::id> here_;
} both;

struct doubled_together : kt::elementwise<doubled_together, 1, kt::operands::floating> {
  static constexpr const char* name = "doubled_together";
  template <class V>
  static constexpr V apply(const V& x) {
    return !std::is_constant_evaluated() && both.takes_place() ? x + x : x;
  }
};
struct side_by_side : kt::model {
  kt::shared<float, 1> a{this, "a", kt::init::ones, first};
  kt::shared<float, 1> b{this, "b", kt::init::ones, second};
  constexpr auto step() const {
    return kt::updates(kt::update(a, kt::typed::typed_layer::map<doubled_together>(a)),
                       kt::update(b, kt::typed::typed_layer::map<doubled_together>(b)));
  }
};

}  // namespace

TEST_CASE("two contexts compute at the same time") {
  map_contexts();
  kt::session<side_by_side> session{kt::context::host(1)};
  auto step = session.compile<&side_by_side::step>();
  for (int call = 0; call < 5; ++call) {
    both.begin();
    step();
  }
  CHECK(session.values<&side_by_side::a>()[0] == 32);
  CHECK(session.values<&side_by_side::b>()[0] == 32);
}
#endif
struct at_host : kt::model {
  kt::shared<float, 1000> h{this, "h", kt::init::ones, kt::host};
  constexpr auto f(kt::var<float, batch, 1000> x) const {
    return kt::sum(kt::exp(kt::transfer<kt::host>(x)) * h, kt::axis<1>);
  }
};
TEST_CASE("the host as a place is the context of a session on the host") {
  const kt::context small = kt::context::host(1).with_budget(100000);
  kt::session<at_host> session{small};
  CHECK(small.memory().in_use == 4000);
  auto f = session.compile<&at_host::f>();
  CHECK_THROWS_AS(f(kt::tensor<float, 2>({500, 1000}, ramp(500000))), kt::memory_error);
  f(kt::tensor<float, 2>({5, 1000}, ramp(5000)));
  CHECK(small.memory().in_use == 4000 + f.memory_plan(batch(5)).peak);
}

struct comes_home : kt::model {
  kt::shared<float, 4> far{this, "far", kt::init::constant(2), first};
  kt::shared<float, 4> near{this, "near", kt::init::constant(5)};
  constexpr auto step() const { return kt::updates(kt::update(near, kt::transfer<kt::home>(far * 2.0F))); }
};
TEST_CASE("a transfer to the place of the session is written") {
  static_assert(kt::transfers<&comes_home::step>().size() == 1);
  static_assert(!kt::transfers<&comes_home::step>()[0].is_inserted);
  map_contexts();
  kt::session<comes_home> session{kt::context::host(1)};
  session.compile<&comes_home::step, kt::policy::explicit_transfers>()();
  CHECK(session.values<&comes_home::near>()[3] == 4);
}

TEST_CASE("a logarithm of picked probabilities is stable also where the labels come from elsewhere") {
  map_contexts();
  auto f = kt::function([](kt::var<float, batch, 3> x, kt::var<int, batch> label) {
    const auto p = kt::nn::softmax(kt::transfer<first>(x));
    return kt::outputs(-kt::log(kt::pick(p, label)), -kt::log(kt::sum(p * kt::one_hot<3>(label), kt::axis<1>)));
  });
  kt::tensor<float, 2> x({1, 3});
  const float row[] = {800, 0, -800};
  for (std::size_t i = 0; i < 3; ++i) x.data()[i] = row[i];
  const auto [picked, summed] = f(x, std::vector<int>{2});
  CHECK(picked(0) == 1600);
  CHECK(summed(0) == 1600);
}
