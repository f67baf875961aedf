// This header is what clang precompiles for tests.
#pragma once

#include <kroton/debug/verify.hpp>
#include <kroton/debug/verify_grad.hpp>
#include <kroton/kroton.hpp>

#include <doctest/doctest.h>
