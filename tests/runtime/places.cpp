// Functions at several places: what is transferred, that results are right, and that nothing is half done.
#include <kroton/debug/verify.hpp>
#include <kroton/kroton.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>

namespace kt = kroton;

namespace {

constexpr struct batch : kt::dim<batch> {} batch;
constexpr struct first : kt::context_name<first> {} first;
constexpr struct second : kt::context_name<second> {} second;
constexpr struct third : kt::context_name<third> {} third;
constexpr struct fourth : kt::context_name<fourth> {} fourth;

/// first and second on cores of their own where there are two, third on that of first, fourth on all.
void map_contexts() {
  static const bool done = [] {
    kt::context::map("first", "cpu0");
    kt::context::map("second", kt::host_cores().size() > 1 ? "cpu1" : "cpu0");
    kt::context::map("third", "cpu0");
    kt::context::map("fourth", "cpu");
    return true;
  }();
  static_cast<void>(done);
}

std::vector<float> ramp(std::size_t count) {
  std::vector<float> v(count);
  for (std::size_t i = 0; i < count; ++i) v[i] = static_cast<float>(i % 13) / 7 - 0.9f;
  return v;
}

/// Calls a function some times, each time beside the interpreter.
template <class Function, class... X>
void check(Function& f, const X&... x) {
  for (int call = 0; call < 4; ++call) {
    const auto found = kt::debug::verify(f, x...);
    INFO(found.where << ": " << found.found << " instead of " << found.expected);
    CHECK(found.ok);
  }
}

// A network whose layers are in different contexts, and the same network in one.
template <auto Where, auto There>
struct network : kt::model {
  kt::shared<float, 20, 30> W1{this, "W1", kt::init::glorot_uniform, Where};
  kt::shared<float, 30> b1{this, "b1", Where};
  kt::shared<float, 30, 5> W2{this, "W2", kt::init::glorot_uniform, There};
  kt::shared<float, 5> b2{this, "b2", There};

  constexpr auto logits(kt::var<float, batch, 20> x) const {
    auto hidden = kt::tanh(kt::dot(kt::transfer<Where>(x), W1) + b1);
    return kt::dot(kt::transfer<There>(hidden), W2) + b2;
  }
  constexpr auto train(kt::var<float, batch, 20> x, kt::var<int, batch> label) const {
    auto cost = kt::mean(kt::nn::cross_entropy(logits(x), label));
    return kt::outputs(cost).updates(kt::optim::sgd(cost, parameters(), 0.5f));
  }
};
using split = network<first, second>;
using whole = network<kt::host, kt::host>;
using single = network<first, first>;

}  // namespace

TEST_CASE("a network in two contexts learns what it learns in one") {
  map_contexts();
  kt::session<split> in_two{kt::context::host(1), kt::seed{5}};
  kt::session<single> in_one{kt::context::host(1), kt::seed{5}};
  auto train = in_two.compile<&split::train>();
  auto reference = in_one.compile<&single::train>();
  for (const std::int64_t size : {7, 1, 64}) {
    CAPTURE(size);
    const std::vector<float> pixels = ramp(static_cast<std::size_t>(size) * 20);
    const auto x = kt::view(pixels.data(), {size, 20});
    std::vector<int> label(static_cast<std::size_t>(size));
    for (std::size_t i = 0; i < label.size(); ++i) label[i] = static_cast<int>(i % 5);
    check(train, x, label);
    for (int i = 0; i < 4; ++i) kt::debug::verify(reference, x, label);
    for (int step = 0; step < 50; ++step) {
      const float cost = train(x, label), expected = reference(x, label);
      CHECK(cost == expected);  // the same kernels, bit for bit
    }
  }
  const auto left = in_two.values<&split::W2>(), right = in_one.values<&single::W2>();
  CHECK(std::equal(left.begin(), left.end(), right.begin(), right.end()));
}

namespace {

struct chains : kt::model {
  kt::shared<float, 6, 8> a{this, "a", kt::init::uniform(-1, 1), first};
  kt::shared<float, 6, 8> b{this, "b", kt::init::uniform(-1, 1), second};
  kt::shared<float, 6, 8> h{this, "h", kt::init::uniform(-1, 1)};
  kt::shared<int, 6> which{this, "which", kt::init::ones, second};

  // theano.md section 4, line by line; c is a third context
  constexpr auto there_and_back() const { return kt::updates(kt::update(a, kt::transfer<first>(kt::transfer<kt::host>(a)) + 1)); }
  constexpr auto through_host() const { return kt::updates(kt::update(b, kt::transfer<second>(kt::transfer<kt::host>(a)) + 1)); }
  constexpr auto host_and_back() const {
    return kt::updates(kt::update(a, a + kt::transfer<first>(kt::sum(kt::transfer<kt::host>(kt::transfer<first>(kt::transfer<kt::host>(b)))))));
  }
  constexpr auto to_host_by_another() const { return kt::sum(kt::transfer<kt::host>(kt::transfer<second>(a))); }
  constexpr auto to_itself() const { return kt::updates(kt::update(a, kt::transfer<first>(a) * 0.5f)); }
  constexpr auto from_host_by_another() const { return kt::updates(kt::update(b, kt::transfer<second>(kt::transfer<first>(h)) * 0.5f)); }
  constexpr auto to_and_fro() const { return kt::updates(kt::update(a, kt::transfer<first>(kt::transfer<second>(a)) * 0.5f)); }
  constexpr auto to_a_third() const {
    return kt::sum(kt::transfer<kt::host>(kt::sqr(kt::transfer<third>(kt::transfer<second>(a)))));
  }
  constexpr auto gradient() const {
    auto cost = kt::sum(kt::sqr(kt::transfer<second>(a)) * b);
    return kt::outputs(cost).updates(kt::update(a, a - 0.1f * kt::grad(cost, a)));
  }

  constexpr auto mixed() const { return kt::sum(a * b + h); }
  constexpr auto mixed_from_right() const { return kt::sum(h + b * a); }
  constexpr auto picked() const { return kt::sum(kt::pick(a, which)); }
  constexpr auto nothing_moves(kt::var<float> x) const { return kt::sum(h * x); }
  constexpr auto stays() const { return kt::updates(kt::update(a, kt::tanh(a))); }
  // the new a overwrites what b's context still reads
  constexpr auto swapped() const { return kt::updates(kt::update(a, b), kt::update(b, a)); }
  constexpr auto read_while_written() const { return kt::updates(kt::update(a, a * 0.5f + 1), kt::update(b, b + kt::tanh(kt::transfer<second>(a)))); }
  // known anywhere: computed at each place that uses it
  constexpr auto indices() const {
    auto each = kt::cast<float>(kt::one_hot<8>(kt::transfer<kt::host>(kt::argmax(a, kt::axis<1>))));
    return kt::updates(kt::update(a, a + each), kt::update(b, b - each));
  }
  constexpr auto results() const { return kt::outputs(a, kt::transfer<kt::host>(b * 2), h + 1); }
};

constexpr bool moves(const kt::transfer_fact& t, std::string_view from, std::string_view to, bool inserted = false) {
  return t.from == from && t.to == to && t.is_inserted == inserted;
}

static_assert(kt::transfers<&chains::there_and_back>().empty());
static_assert(kt::transfers<&chains::through_host>().size() == 1 && moves(kt::transfers<&chains::through_host>()[0], "first", "second"));
static_assert(kt::transfers<&chains::host_and_back>().size() == 2 && moves(kt::transfers<&chains::host_and_back>()[0], "second", "host"));
static_assert(kt::transfers<&chains::to_host_by_another>().size() == 1 && moves(kt::transfers<&chains::to_host_by_another>()[0], "first", "host"));
static_assert(kt::transfers<&chains::to_itself>().empty());
static_assert(kt::transfers<&chains::from_host_by_another>().size() == 1 && moves(kt::transfers<&chains::from_host_by_another>()[0], "session", "second"));
static_assert(kt::transfers<&chains::to_and_fro>().empty());
static_assert(kt::transfers<&chains::to_a_third>().size() == 2 && moves(kt::transfers<&chains::to_a_third>()[0], "first", "third") &&
              moves(kt::transfers<&chains::to_a_third>()[1], "third", "host"));
// forth, the gradient back as the user wrote the way forth, and the cost to where it can be read
static_assert(kt::transfers<&chains::gradient>().size() == 3);
static_assert(kt::transfers<&chains::gradient>().bytes() == 2 * 6 * 8 * 4 + 4);

// to the first operand with a device: b and h to a, or a and h to b; the sum to the host
template <auto Member>
constexpr int inserted(std::string_view from, std::string_view to) {
  constexpr auto all = kt::transfers<Member>();
  int count = 0;
  for (int i = 0; i < static_cast<int>(all.size()); ++i) count += moves(all[i], from, to, true);
  return count;
}
static_assert(kt::transfers<&chains::mixed>().size() == 3);
static_assert(inserted<&chains::mixed>("second", "first") == 1 && inserted<&chains::mixed>("session", "first") == 1);
static_assert(kt::transfers<&chains::mixed>().bytes() == 2 * 6 * 8 * 4 + 4);
static_assert(kt::transfers<&chains::mixed_from_right>().size() == 3);
static_assert(inserted<&chains::mixed_from_right>("first", "second") == 1 && inserted<&chains::mixed_from_right>("session", "second") == 1);
static_assert(kt::transfers<&chains::nothing_moves>().empty());
static_assert(kt::transfers<&chains::stays>().empty());
static_assert(inserted<&chains::picked>("second", "first") == 1 && kt::transfers<&chains::picked>().bytes() == (6 + 1) * 4);
// the images, the activations and their gradient, the labels, and the cost
static_assert(kt::transfers<&split::train>().bytes(batch(10)) == 10 * (20 + 30 + 30 + 1) * 4 + 4);

}  // namespace

TEST_CASE("transfers: results are right") {
  map_contexts();
  kt::session<chains> session{kt::context::host(2), kt::seed{11}};
  const auto each = [&]<auto... F>() {
    const auto run = [&](auto f, auto... x) { check(f, x...); };
    (run(session.template compile<F>()), ...);
  };
  each.operator()<&chains::there_and_back, &chains::through_host, &chains::host_and_back, &chains::to_host_by_another, &chains::to_itself,
                  &chains::from_host_by_another, &chains::to_and_fro, &chains::to_a_third, &chains::gradient, &chains::mixed, &chains::mixed_from_right, &chains::picked, &chains::stays,
                  &chains::swapped, &chains::read_while_written, &chains::indices, &chains::results>();
  auto scaled = session.compile<&chains::nothing_moves>();
  check(scaled, 1.5f);
}

TEST_CASE("a session in one core") {
  map_contexts();
  kt::session<whole> session{kt::context::named(first), kt::seed{2}};
  auto train = session.compile<&whole::train>();
  const std::vector<float> pixels = ramp(9 * 20);
  const std::vector<int> label{0, 1, 2, 3, 4, 0, 1, 2, 3};
  check(train, kt::view(pixels.data(), {9, 20}), label);
}

namespace {

struct four : kt::model {
  kt::shared<double, 40, 40> a{this, "a", kt::init::normal(0, 1), first};
  kt::shared<double, 40, 40> b{this, "b", kt::init::normal(0, 1), second};
  kt::shared<double, 40, 40> c{this, "c", kt::init::normal(0, 1), third};
  kt::shared<double, 40, 40> d{this, "d", kt::init::normal(0, 1), fourth};
  constexpr auto round() const {
    return kt::outputs(kt::sum(kt::dot(a, b)) + kt::sum(kt::dot(c, d)))
        .updates(kt::update(a, kt::tanh(kt::dot(b, b))), kt::update(b, kt::tanh(kt::dot(c, c))), kt::update(c, kt::tanh(kt::dot(d, d))),
                 kt::update(d, kt::tanh(kt::dot(a, a))));
  }
};

struct lookup : kt::model {
  kt::shared<float, 10, 4> table{this, "table", kt::init::uniform(-1, 1), first};
  kt::shared<float, 10, 4> other{this, "other", kt::init::uniform(-1, 1), second};
  kt::shared<float> count{this, "count", kt::init::zeros, second};
  constexpr auto step(kt::var<int, batch> row) const {
    auto computed = kt::transfer<first>(row) * 2;
    return kt::outputs(kt::sum(kt::take(table, computed))).updates(kt::update(count, count + 1), kt::update(other, other * 2));
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

TEST_CASE("the transfers of a lambda are told too") {
  map_contexts();
  auto f = kt::function([](kt::var<float, batch, 3> x) { return kt::exp(kt::transfer<first>(x)); });
  const auto all = kt::transfers(f);
  REQUIRE(all.size() == 2);
  CHECK(moves(all[0], "session", "first"));
  CHECK(moves(all[1], "first", "host", true));
  CHECK(all.bytes(batch(5)) == 2 * 5 * 3 * 4);
  const std::vector<float> x = ramp(15);
  check(f, kt::view(x.data(), {5, 3}));
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
    return kt::updates(kt::update(a, kt::typed_layer::map<doubled_together>(a)), kt::update(b, kt::typed_layer::map<doubled_together>(b)));
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

TEST_CASE("functions of several threads in the same contexts") {
  map_contexts();
  const auto work = [](std::uint64_t seed, bool& same) {
    kt::session<chains> one{kt::context::host(1), kt::seed{seed}}, other{kt::context::host(1), kt::seed{seed}};
    auto f = one.compile<&chains::swapped>();
    auto g = other.compile<&chains::swapped>();
    for (int i = 0; i < 200; ++i) f(), g();
    const auto x = one.values<&chains::a>(), y = other.values<&chains::a>();
    same = std::equal(x.begin(), x.end(), y.begin());
  };
  bool same[3] = {};
  std::thread threads[] = {std::thread(work, 1, std::ref(same[0])), std::thread(work, 2, std::ref(same[1])), std::thread(work, 3, std::ref(same[2]))};
  for (std::thread& thread : threads) thread.join();
  CHECK(same[0]);
  CHECK(same[1]);
  CHECK(same[2]);
}

TEST_CASE("memory is counted in the context where it is") {
  map_contexts();
  const std::int64_t before = kt::context::named(first).memory().in_use;
  const auto home = kt::context::host(1);
  {
    kt::session<split> session{home, kt::seed{1}};
    CHECK(kt::context::named(first).memory().in_use == before + 20 * 30 * 4 + 30 * 4);
    CHECK(home.memory().in_use == 0);
    auto train = session.compile<&split::train>();
    const std::vector<float> pixels = ramp(10 * 20);
    const std::vector<int> label(10);
    train(kt::view(pixels.data(), {10, 20}), label);
    CHECK(kt::context::named(first).memory().in_use > before + 20 * 30 * 4 + 30 * 4);
  }
  CHECK(kt::context::named(first).memory().in_use == before);
}

struct at_host : kt::model {
  kt::shared<float, 1000> h{this, "h", kt::init::ones, kt::host};
  constexpr auto f(kt::var<float, batch, 1000> x) const { return kt::sum(kt::exp(kt::transfer<kt::host>(x)) * h, kt::axis<1>); }
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

TEST_CASE("contexts that are not mapped") {
  kt::session<whole> session;
  CHECK_NOTHROW(session.compile<&whole::train>());
  const auto f = [] { return kt::function([](kt::var<float, 3> x) { return kt::transfer<kt::host>(kt::exp(x)); }); };
  CHECK_NOTHROW(f());
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
