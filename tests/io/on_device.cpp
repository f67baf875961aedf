// Sessions on a device are saved and loaded as those of the host.
#include "device/device.hpp"

#include "files.hpp"

using namespace test;

namespace {

struct kept : kt::model {
  kt::shared<float, 5> w{this, "w", kt::init::uniform(-1, 1)};
  kt::state<bool, 3> flags{this, "flags"};
  constexpr auto noise() const { return w + kt::random::normal<float, 5>(); }
};

TEST_CASE("device: what is saved on a device is loaded on the host and back") {
  const scratch file("device.safetensors");
  kt::session<kept> session(device(0), kt::seed{1});
  auto noise = compile<&kept::noise>(session);
  noise();
  session.set<&kept::flags>({true, false, true});
  session.save(file.path);
  kt::session<kept> on_host(kt::context::host(), kt::seed{2});
  on_host.load(file.path);
  auto same_noise = on_host.compile<&kept::noise>();
  CHECK(std::ranges::equal(same_noise(), noise()));
  on_host.set<&kept::w>({1, 2, 3, 4, 5});
  on_host.save(file.path);
  session.load(file.path);
  CHECK(std::ranges::equal(session.get<&kept::w>(), std::vector<float>{1, 2, 3, 4, 5}));
  CHECK(std::ranges::equal(session.get<&kept::flags>(), std::vector<bool>{true, false, true}));
  CHECK(std::ranges::equal(same_noise(), noise()));
}

}  // namespace
