// Sessions that are saved and loaded: round trips, differences, other frameworks' files, and runs that go on.
#include <doctest/doctest.h>

#include <iterator>
#include <limits>

#include "files.hpp"

namespace kt = kroton;
using test::error_of, test::file_of, test::scratch;

namespace {

constexpr struct batch : kt::dim<batch> {} batch;

template <class T>
std::string bytes_of(std::initializer_list<T> values) {
  std::string bytes;
  for (const T& v : values) bytes.append(reinterpret_cast<const char*>(&v), sizeof v);
  return bytes;
}

struct layer : kt::model {
  using kt::model::model;
  kt::shared<float, 2, 3> W{this, "W", kt::init::glorot_uniform};
};
struct net : kt::model {
  kt::stack<layer, 2> layers{this, "layers"};
  kt::shared<float, 3> b{this, "b", kt::init::ones};
  kt::state<std::int64_t> count{this, "count"};
  kt::optim::adamw optimiser{this};
  constexpr auto cost(kt::var<float, batch, 2> x) const {
    return kt::sum(kt::sqr(kt::dot(kt::nn::dropout(x, 0.5), layers[0].W + layers[1].W) + b - 2));
  }
  constexpr auto train(kt::var<float, batch, 2> x) const {
    auto c = cost(x);
    return kt::outputs(c).updates(optimiser(c, parameters(), 0.01), kt::update(count, count + 1));
  }
  constexpr auto norm() const { return kt::sum(kt::sqr(layers[0].W)); }
};

TEST_CASE("save: a run that is stopped and goes on has the same bits") {
  const scratch file("resumed.safetensors");
  const kt::tensor<float, 2> x({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  kt::session<net> one(kt::context::host(), kt::seed{5});
  auto train = one.compile<&net::train>();
  for (int i = 0; i < 5; ++i) train(x);
  one.save(file.path);
  kt::session<net> before(kt::context::host(), kt::seed{77}), after(kt::context::host(), kt::seed{78});
  auto train_before = before.compile<&net::train>();
  before.load(file.path);
  after.load(file.path);
  auto train_after = after.compile<&net::train>();
  for (int i = 0; i < 5; ++i) {
    const float cost = train(x);
    CHECK(static_cast<float>(train_before(x)) == cost);
    CHECK(static_cast<float>(train_after(x)) == cost);
  }
  CHECK(one.names().size() == after.names().size());
  CHECK(std::ranges::equal(one.get<&net::layers, 1, &layer::W>(), after.get<&net::layers, 1, &layer::W>()));
  CHECK(static_cast<std::int64_t>(after.get<&net::count>()) == 10);
}

TEST_CASE("save: a session that draws nothing loads a file with the state of random numbers") {
  const scratch file("drawn.safetensors");
  kt::session<net> one(kt::context::host());
  auto train = one.compile<&net::train>();
  train(kt::tensor<float, 2>({1, 2}));
  one.save(file.path);
  kt::session<net> other(kt::context::host());
  other.load(file.path);
  CHECK(other.names().back().name == "kroton.random");
}

struct every_type : kt::model {
  kt::state<bool, 3> flags{this, "flags"};
  kt::state<std::int8_t, 3> i8{this, "i8"};
  kt::state<std::uint16_t, 3> u16{this, "u16"};
  kt::state<std::int64_t> i64{this, "i64"};
  kt::shared<kt::half, 2> h{this, "h"};
  kt::shared<kt::bfloat16, 2> bf{this, "bf"};
  kt::shared<double, 2> d{this, "d"};
  kt::shared<float, 0, 3> none{this, "none"};
  kt::shared<float, batch, 2> rows{this, "rows"};
};

TEST_CASE("save: the file is that of the specification") {
  const scratch file("types.safetensors");
  kt::session<every_type> session(kt::context::host(), kt::seed{9});
  session.resize(batch(1));
  session.set<&every_type::flags>({true, false, true});
  session.set<&every_type::i8>({-128, 0, 127});
  session.set<&every_type::u16>({0, 1, 65535});
  session.set<&every_type::i64>(std::int64_t{-5});
  session.set<&every_type::d>({1.5, -0.0});
  session.set<&every_type::rows>({3, 4});
  session.save(file.path);
  const std::string list =
      R"({"i64":{"dtype":"I64","shape":[],"data_offsets":[0,8]},"d":{"dtype":"F64","shape":[2],"data_offsets":[8,24]},)"
      R"("kroton.random":{"dtype":"U64","shape":[2],"data_offsets":[24,40]},)"
      R"("none":{"dtype":"F32","shape":[0,3],"data_offsets":[40,40]},"rows":{"dtype":"F32","shape":[1,2],)"
      R"("data_offsets":[40,48]},"u16":{"dtype":"U16","shape":[3],"data_offsets":[48,54]},"h":{"dtype":"F16",)"
      R"("shape":[2],"data_offsets":[54,58]},"bf":{"dtype":"BF16","shape":[2],"data_offsets":[58,62]},)"
      R"("flags":{"dtype":"BOOL","shape":[3],"data_offsets":[62,65]},"i8":{"dtype":"I8","shape":[3],)"
      R"("data_offsets":[65,68]}})";
  const std::string text = file.bytes();
  CHECK(text.substr(8, list.size()) == list);
  CHECK(text[0] % 8 == 0);
  CHECK(text.substr(text.size() - 68) ==
        bytes_of<std::int64_t>({-5}) + bytes_of({1.5, -0.0}) + bytes_of<std::uint64_t>({9, 0}) + bytes_of({3.f, 4.f}) +
            bytes_of<std::uint16_t>({0, 1, 65535, 0, 0, 0, 0}) + bytes_of<std::int8_t>({1, 0, 1, -128, 0, 127}));
  kt::session<every_type> other(kt::context::host());
  CHECK(error_of([&] { other.load(file.path); }) ==
        "kroton: " + file.path +
            " does not fit the session:\n  rows: float32 (0, 2) in the session, float32 (1, 2) in the file");
  other.resize(batch(1));
  other.load(file.path);
  CHECK(std::ranges::equal(other.get<&every_type::flags>(), session.get<&every_type::flags>()));
  CHECK(std::ranges::equal(other.get<&every_type::u16>(), session.get<&every_type::u16>()));
  CHECK(std::signbit(other.get<&every_type::d>().data()[1]));
}

struct two : kt::model {
  kt::shared<float, 2> a{this, "a", kt::init::ones};
  kt::shared<std::uint8_t, 2> b{this, "b", kt::init::ones};
};

TEST_CASE("load: all differences are named at once, and nothing changes") {
  const scratch file("differences.safetensors");
  kt::session<two> session(kt::context::host());
  file.write(file_of(
      R"({"a":{"dtype":"F64","shape":[3],"data_offsets":[0,24]},"c":{"dtype":"F8_E4M3","shape":[2],"data_offsets":[24,26]}})",
      std::string(26, '\1')));
  CHECK(error_of([&] { session.load(file.path); }) == "kroton: " + file.path +
                                                          " does not fit the session:"
                                                          "\n  a: float32 (2) in the session, float64 (3) in the file"
                                                          "\n  c: F8_E4M3 (2) in the file, not in the session"
                                                          "\n  b: uint8 (2) in the session, not in the file");
  CHECK(std::ranges::equal(session.get<&two::a>(), std::vector<float>{1, 1}));
  CHECK(error_of([&] {
          session.load(file.path, {.names = {{"c", "b"}, {"a", "b"}}});
        }) == "kroton: " + file.path +
                  " does not fit the session:"
                  "\n  a (b): uint8 (2) in the session, float64 (3) in the file"
                  "\n  c (b): in the file twice, as a too"
                  "\n  c (b): uint8 (2) in the session, F8_E4M3 (2) in the file"
                  "\n  a: float32 (2) in the session, not in the file");
}

TEST_CASE("load: names and element types of other frameworks") {
  const scratch file("other.safetensors");
  kt::session<two> session(kt::context::host());
  file.write(file_of(
      R"({"__metadata__":{"format":"pt"},"model.a":{"data_offsets":[0,16],"dtype":"F64","shape":[2]},)"
      R"("bias":{"dtype":"I32","shape":[2],"data_offsets":[16,24]},"x":{"dtype":"F32","shape":[],"data_offsets":[24,28]}} )",
      bytes_of({0.1, 1e300}) + bytes_of({300, -7}) + bytes_of({1.f})));
  const kt::load_options options{.extra = kt::allow, .convert = true, .names = {{"model.", ""}, {"bias", "b"}}};
  session.load(file.path, options);
  CHECK(std::ranges::equal(session.get<&two::a>(), std::vector<float>{0.1f, std::numeric_limits<float>::infinity()}));
  auto wrapped = kt::function([](kt::var<int, 2> x) { return kt::cast<std::uint8_t>(x); }, kt::context::host());
  CHECK(std::ranges::equal(session.get<&two::b>(), wrapped(std::vector<int>{300, -7})));
  kt::load_options strict = options;
  strict.convert = false;
  CHECK(error_of([&] { session.load(file.path, strict); }).find("bias (b): uint8 (2) in the session, int32 (2)") !=
        std::string::npos);
}

struct named : kt::model {
  kt::shared<float> a{this, "a \"quoted\" \\ name", kt::init::ones};
};
struct inner : kt::model {
  using kt::model::model;
  kt::shared<float> c{this, "c"};
};
struct alike : kt::model {
  kt::shared<float> first{this, "b.c"};
  inner b{this, "b"};
};

TEST_CASE("save: names are those of the variables, whatever their letters, and must differ") {
  const scratch file("names.safetensors");
  kt::session<named> session(kt::context::host());
  session.save(file.path);
  session.set<&named::a>(3.f);
  session.load(file.path);
  CHECK(static_cast<float>(session.get<&named::a>()) == 1);
  kt::session<alike> same(kt::context::host());
  const std::string sentence =
      "kroton: two shared variables of the session have the name b.c, and in a file names differ";
  CHECK(error_of([&] { same.save(file.path); }) == sentence);
  CHECK(error_of([&] { same.load(file.path); }) == sentence);
}

TEST_CASE("load: values of a borrowed variable are written to memory of the caller") {
  const scratch file("borrowed.safetensors");
  kt::session<two> session(kt::context::host());
  session.save(file.path);
  std::vector<float> own(2, 9);
  session.borrow<&two::a>(own);
  session.load(file.path);
  CHECK(own == std::vector<float>{1, 1});
}

}  // namespace
