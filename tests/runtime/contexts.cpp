// Names of contexts, flags, and what devices there are.
#include <kroton/kroton.hpp>
#include <kroton/runtime/context/flags.hpp>

#include <doctest/doctest.h>

namespace kt = kroton;

namespace {

constexpr struct near_one : kt::context_name<near_one> {} near_one;
constexpr struct near_two : kt::context_name<near_two> {} near_two;
constexpr struct nowhere : kt::context_name<nowhere> {} nowhere;

using kind = kt::device::kind;

std::vector<kt::runtime::context_entry> read(const char* text) {
  return kt::runtime::context_map_reader("contexts", 1).read(text);
}

/// The message of the error E that `body` throws.
template <class E, class Body>
std::string message_of(Body body) {
  try {
    body();
  } catch (const E& e) {
    return e.what();
  }
  return "nothing was thrown";
}
std::string refusal(const char* text) {
  return message_of<kt::parse_error>([=] { read(text); });
}
std::string refused_flags(const char* text) {
  return message_of<kt::parse_error>([=] { kt::runtime::flags::read(text); });
}

}  // namespace

TEST_CASE("names of devices") {
  CHECK(kt::device::named("cpu") == kt::device{kind::whole, 0});
  CHECK(kt::device::named("cpu0") == kt::device{kind::core, 0});
  CHECK(kt::device::named("cpu12") == kt::device{kind::core, 12});
  CHECK(kt::device::named("cuda") == kt::device{kind::cuda, 0});
  CHECK(kt::device::named("cuda0") == kt::device::named("cuda"));
  CHECK(kt::device::named("cuda3") == kt::device{kind::cuda, 3});
  for (const char* none : {"", "CPU", "cpu-1", "cpu+1", "cpu 1", "cpu01", "cpu1x", "cpu99999999999", "gpu0", "cudax",
                           "cuda0:0", "opencl0"}) {
    CAPTURE(none);
    CHECK_FALSE(kt::device::named(none).has_value());
  }
  for (const char* name : {"cpu", "cpu0", "cpu7", "cuda0", "cuda5"}) CHECK(kt::device::named(name)->name() == name);
  CHECK(kt::device::named("cuda")->name() == "cuda0");
}

TEST_CASE("contexts say what multiplies matrices") {
  const std::string library = kt::context::host().product_library();
  CAPTURE(library);
#ifndef KROTON_BLAS
  CHECK(library.starts_with("Kroton's own products"));
#elif __has_include(<openblas_config.h>)
  CHECK(library.starts_with("OpenBLAS "));
  CHECK(library.find(", kernels for ") < library.size() - 14);
#endif
  CHECK_FALSE(library.empty());
}

TEST_CASE("context maps that are right") {
  CHECK(read("").empty());
  CHECK(read("  \t ").empty());
  const auto two = read("  dev0 -> cpu0 ;\tdev1->cuda  ");
  REQUIRE(two.size() == 2);
  CHECK(two[0].name == "dev0");
  CHECK(two[0].where == kt::device{kind::core, 0});
  CHECK(two[1].name == "dev1");
  CHECK(two[1].where == kt::device{kind::cuda, 0});
  CHECK(read("a->cpu0;b->cpu0;A->cpu").size() == 3);  // one device by two names; names are told apart by case
  CHECK(read("my cpu->cpu")[0].name == "my cpu");
}

TEST_CASE("context maps that are wrong: entry, column and rule") {
  CHECK(refusal("dev0->cpu0;") ==
        "kroton: contexts, column 12: \"\": an entry is empty; `;` stands between entries only");
  CHECK(refusal(";dev0->cpu0") ==
        "kroton: contexts, column 1: \"\": an entry is empty; `;` stands between entries only");
  CHECK(refusal("a->cpu; ;b->cpu") ==
        "kroton: contexts, column 8: \"\": an entry is empty; `;` stands between entries only");
  CHECK(refusal(" a->cpu;  dev1=cpu") == "kroton: contexts, column 11: \"dev1=cpu\": an entry is written name->device");
  CHECK(refusal("a->b->cpu") ==
        "kroton: contexts, column 1: \"a->b->cpu\": an entry has one `->`, between the name and the device");
  CHECK(refusal("  ->cpu") == "kroton: contexts, column 3: \"->cpu\": the name of a context is empty");
  CHECK(refusal("a->cpu;a->cpu1") == "kroton: contexts, column 8: \"a->cpu1\": the context a is mapped twice");
  CHECK(refusal("CudaThing->cpu") ==
        "kroton: contexts, column 1: \"CudaThing->cpu\": the name of a context does not begin with cuda");
  for (const char* reserved : {"cpu->cpu", "CPU1->cpu", "gpu->cpu", "GpUx->cpu", "openCL->cpu", "cuda0->cuda0"}) {
    CAPTURE(reserved);
    CHECK(refusal(reserved).find("does not begin with") != std::string::npos);
  }
  for (const char* target : {"a->", "a->gpu0", "a->cpu0x", "a->CUDA", "a->cuda-1", "a->dev0"}) {
    CAPTURE(target);
    CHECK(refusal(target).find("a device is cpu, cpuN, cuda or cudaN, where N is a number") != std::string::npos);
  }
}

TEST_CASE("flags") {
  const kt::runtime::flags none = kt::runtime::flags::read("");
  CHECK(none.contexts.empty());
  CHECK_FALSE(none.where.has_value());
  CHECK(none.print_active_device);
  CHECK(none.budget == std::numeric_limits<std::int64_t>::max());

  const kt::runtime::flags all =
      kt::runtime::flags::read("contexts=dev0->cuda0;dev1->cuda1, device = cuda0 ,budget=2GiB,print_active_device=0");
  CHECK(all.contexts.size() == 2);
  REQUIRE(all.where.has_value());
  CHECK(all.where->where == kt::device{kind::cuda, 0});
  CHECK(all.where->told == "KROTON_FLAGS, column 35: \"device = cuda0\"");
  CHECK(all.budget == std::int64_t{2} << 30);
  CHECK_FALSE(all.print_active_device);

  CHECK(refused_flags("device=cpu,contexts=a->cpu;b=cpu") ==
        "kroton: KROTON_FLAGS, column 28: \"b=cpu\": an entry is written name->device");
  CHECK(refused_flags("device=cpu,  speed=1 ").starts_with("kroton: KROTON_FLAGS, column 14: \"speed=1\": "));
  CHECK(refused_flags("device=cpu, contexts = a->cpu;b=cpu") ==
        "kroton: KROTON_FLAGS, column 31: \"b=cpu\": an entry is written name->device");
  CHECK(refused_flags("device=cpu,device=cpu") ==
        "kroton: KROTON_FLAGS, column 12: \"device=cpu\": the flag device is there twice");
  CHECK(refused_flags("floatX=float32") ==
        "kroton: KROTON_FLAGS, column 1: \"floatX=float32\": the flags are contexts, device, budget and "
        "print_active_device");
  CHECK(refused_flags("cuda").find("a flag is written name=value") != std::string::npos);
  CHECK(refused_flags("device=cpu,") == "kroton: KROTON_FLAGS, column 12: \"\": a flag is written name=value");
  CHECK(refused_flags("device=gpu").find("a device is cpu") != std::string::npos);
  CHECK(refused_flags("budget=lots").find("a budget is a number of bytes") != std::string::npos);
  CHECK(refused_flags("print_active_device=maybe").find("1 or 0") != std::string::npos);
}

TEST_CASE("numbers of bytes") {
  CHECK(kt::runtime::flags::bytes("0") == 0);
  CHECK(kt::runtime::flags::bytes("17") == 17);
  CHECK(kt::runtime::flags::bytes("17B") == 17);
  CHECK(kt::runtime::flags::bytes("3 KiB") == 3072);
  CHECK(kt::runtime::flags::bytes("64MiB") == 64 << 20);
  CHECK(kt::runtime::flags::bytes("1TiB") == std::int64_t{1} << 40);
  for (const char* wrong : {"", "-1", "GiB", "2GB", "2.5GiB", "99999999999999999999", "9999999999TiB", "1KiB2"}) {
    CAPTURE(wrong);
    CHECK_FALSE(kt::runtime::flags::bytes(wrong).has_value());
  }
}

TEST_CASE("contexts by name") {
  kt::context::map("near_one", "cpu0");
  kt::context::map(" near_two ", "cpu0");  // a second name of one device is another context
  CHECK(kt::context::named(near_one).where() == kt::device{kind::core, 0});
  CHECK(kt::context::named(near_one).threads() == 1);
  CHECK(kt::context::named(near_one).account() == kt::context::named("near_one").account());
  CHECK(kt::context::named(near_one).account() != kt::context::named(near_two).account());
  CHECK(kt::context::named(near_one).memory().free > 0);

  CHECK(message_of<kt::parse_error>([] { kt::context::map(" near_one", "cpu"); }) ==
        "kroton: kt::context::map, column 1: \"near_one->cpu\": the context near_one is mapped to cpu0 already");
  CHECK(message_of<kt::parse_error>([] { kt::context::map("a->b", "cpu"); }) ==
        "kroton: kt::context::map, column 1: \"a->b->cpu\": the name of a context has no `->` or `;` in it");
  CHECK(message_of<kt::parse_error>([] { kt::context::map("a;b", "cpu"); }).find("no `->` or `;`") !=
        std::string::npos);
  CHECK(message_of<kt::parse_error>([] { kt::context::map("a", "cpu1;b->cpu"); }).find("a device is cpu") !=
        std::string::npos);
  CHECK(message_of<kt::device_error>([] { kt::context::named(nowhere); }) ==
        "kroton: no device is mapped to the context nowhere; mapped are near_one, near_two; say "
        "KROTON_FLAGS=\"contexts=nowhere->cpu\" or kt::context::map(\"nowhere\", \"cpu\")");
}

TEST_CASE("a name for a context with a budget of its own") {
  const kt::context small = kt::context::on("cpu0").with_budget(1000);
  kt::context::map("small_one", small);
  CHECK(kt::context::named("small_one").account() == small.account());
  CHECK(message_of<kt::parse_error>([&] { kt::context::map("small_one", small); }) ==
        "kroton: kt::context::map, column 1: \"small_one->cpu0\": the context small_one is mapped to cpu0 already");
  CHECK(message_of<kt::parse_error>([&] { kt::context::map("cpu7", small); }).find("does not begin with cpu") !=
        std::string::npos);
  CHECK(message_of<kt::parse_error>([] {
          kt::context::map("home", "cpu");
        }).find("home is a place without being mapped") != std::string::npos);
  CHECK(message_of<kt::parse_error>([] { kt::context::named("gpu0"); }).find("does not begin with gpu") !=
        std::string::npos);
  CHECK(message_of<kt::memory_error>([] { kt::context::host().with_budget(-5); }) ==
        "kroton: with_budget: a budget of -5 bytes; budgets are 0 or more");
  CHECK(message_of<kt::value_error>([] { (void)kt::context::host(-3); }) ==
        "kroton: host: -3 threads; 0 is as many as OpenMP would use, else 1 or more");
}

struct seven : kt::model {
  kt::shared<float, 1> a{this, "a"};
  kt::shared<float, 2> b{this, "b"};
  kt::shared<float, 7> c{this, "c"};
  kt::shared<float, 4> d{this, "d"};
  kt::shared<float, 5> e{this, "e"};
  kt::shared<float, 6> f{this, "f"};
  kt::shared<float, 3> g{this, "g"};
};
TEST_CASE("a budget that shared variables exceed: the five largest of many are told") {
  const auto too_large = [] { kt::session<seven> none(kt::context::host(1).with_budget(100)); };
  CHECK_THROWS_WITH_AS(too_large(), doctest::Contains("; the largest: c 28, f 24, e 20, d 16, g 12; raise the budget"),
                       kt::memory_error);
}

TEST_CASE("what is told no context shares one") {
  CHECK(kt::context::best().account() == kt::context::best().account());
  CHECK(kt::context::named(kt::host).account() == kt::context::shared_host().account());
  if (kt::context::best().stream() == nullptr)
    CHECK(kt::context::best().account() == kt::context::shared_host().account());
  CHECK(kt::context::host().account() != kt::context::best().account());
  CHECK(message_of<kt::parse_error>([] { kt::context::map("host", "cpu"); }) ==
        "kroton: kt::context::map, column 1: \"host->cpu\": host is a place without being mapped");
}

TEST_CASE("devices that are not there") {
  const std::string core = message_of<kt::device_error>([] { kt::context::map("far", "cpu4096"); });
  CHECK(core.find(
            "kroton: kt::context::map, column 1: \"far->cpu4096\": there is no device cpu4096; there are cpu, cpu0") ==
        0);
  CHECK_THROWS_AS(kt::context::named("far"), kt::device_error);  // nothing was mapped
  CHECK_THROWS_AS(kt::context::on("cuda4096"), kt::device_error);
  CHECK_THROWS_AS(kt::context::on("gpu"), kt::parse_error);
  CHECK(kt::context::on("cpu").where() == kt::context::host().where());
}
