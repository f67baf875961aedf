// The devices that these tests run on: simulated ones, or the GPUs of this machine where nvcc compiles the tests.
#pragma once

#ifdef __CUDACC__
#include <kroton/cuda.hpp>
#else
#include "simulated.hpp"
#endif

#include <kroton/debug/verify.hpp>
#include <kroton/kroton.hpp>

#include <doctest/doctest.h>

#include <random>
#include <string>

namespace test {

namespace kt = kroton;

#ifdef __CUDACC__
using backend = kt::runtime::on_cuda::backend;
inline constexpr bool is_simulated = false;
inline void install() {}
#else
using backend = simulated::backend;
inline constexpr bool is_simulated = true;
inline void install() { simulated::install(); }
#endif

/// The name of a device; where there are fewer, of the same one again.
inline std::string device_name(int index) {
  install();
  const int count = kt::runtime::installed_driver()->count();
  return "cuda" + std::to_string(count > 0 ? index % count : index);
}
inline kt::context device(int index) { return kt::context::on(device_name(index)); }

template <class T, int Rank>
kt::tensor<T, Rank> random(const std::array<std::int64_t, static_cast<std::size_t>(Rank)>& extents, unsigned seed,
                           double least = -1, double most = 1) {
  kt::tensor<T, Rank> x(extents);
  std::mt19937 bits(seed);
  std::uniform_real_distribution<double> uniform(least, most);
  for (T& v : x) v = static_cast<T>(uniform(bits));
  return x;
}
/// Numbers below `most`.
inline kt::tensor<int, 1> classes(std::int64_t count, int most) {
  kt::tensor<int, 1> x({count});
  for (std::int64_t i = 0; i < count; ++i) x(i) = static_cast<int>(i * 7 % most);
  return x;
}
/// A function of a session, for the host and for devices.
template <auto Member, class Session>
auto compile(Session& session) {
  return session.template compile<Member, kt::policy::none, backend>();
}
/// Compares a call with the interpreter.
template <class Function, class... X>
void check_call(Function& f, const X&... x) {
  const kt::debug::comparison found = kt::debug::verify(f, x...);
  CAPTURE(found.where);
  CAPTURE(found.found);
  CAPTURE(found.expected);
  CAPTURE(found.max_error);
  CHECK(found.ok);
}
/// Compares a call of a lambda on a device with the interpreter.
template <class Lambda, class... X>
void check(Lambda lambda, const X&... x) {
  auto f = kt::function<kt::policy::none, backend>(lambda, device(0));
  check_call(f, x...);
}

}  // namespace test
