// Files have the state of random numbers, whatever the sessions have compiled that save and load them.
#include <doctest/doctest.h>

#include <algorithm>

#include "files.hpp"

namespace kt = kroton;
using test::file_of, test::scratch;

namespace {

struct drawing : kt::model {
  kt::shared<float> w{this, "w"};
  constexpr auto noise() const { return w + kt::random::uniform<float, 4>(); }
};

TEST_CASE("save: whether a file loads, and what is drawn then, does not depend on what is compiled") {
  const scratch file("undrawn.safetensors"), later("undrawn_later.safetensors");
  kt::session<drawing> one(kt::context::host(), kt::seed{5});
  const std::size_t count = one.names().size();
  one.save(file.path);
  CHECK(one.names().size() == count);  // the session has no state of random numbers, but its file has
  auto noise = one.compile<&drawing::noise>();
  one.save(later.path);
  CHECK(later.bytes() == file.bytes());
  const kt::tensor<float, 1> first = noise(), second = noise();
  CHECK(!std::ranges::equal(first, second));
  one.reseed(kt::seed{6});
  const kt::tensor<float, 1> of_six = noise();
  kt::session<drawing> before(kt::context::host(), kt::seed{77}), after(kt::context::host(), kt::seed{78});
  auto noise_before = before.compile<&drawing::noise>();
  noise_before();
  before.load(file.path);
  after.load(file.path);
  auto noise_after = after.compile<&drawing::noise>();
  for (auto* each : {&noise_before, &noise_after}) {
    CHECK(std::ranges::equal((*each)(), first));
    CHECK(std::ranges::equal((*each)(), second));
  }
  kt::session<drawing> reseeded(kt::context::host(), kt::seed{5});
  reseeded.reseed(kt::seed{6});
  reseeded.save(file.path);
  after.load(file.path);
  CHECK(std::ranges::equal(noise_after(), of_six));
}

TEST_CASE("load: a file of another program leaves the random numbers as they are") {
  const scratch file("no_state.safetensors");
  file.write(file_of(R"({"w":{"dtype":"F32","shape":[],"data_offsets":[0,4]}})", std::string(4, '\0')));
  kt::session<drawing> loaded(kt::context::host(), kt::seed{5}), other(kt::context::host(), kt::seed{5});
  auto noise = loaded.compile<&drawing::noise>(), same = other.compile<&drawing::noise>();
  CHECK(std::ranges::equal(noise(), same()));
  loaded.load(file.path);
  CHECK(std::ranges::equal(noise(), same()));
}

}  // namespace
