// All of the SIMD value types: packs, masks, and the functions on them.
#pragma once

#include <kroton/kernel/simd/arithmetic.hpp>
#include <kroton/kernel/simd/basic.hpp>
#include <kroton/kernel/simd/comparison.hpp>
#include <kroton/kernel/simd/convert.hpp>
#include <kroton/kernel/simd/division.hpp>
#include <kroton/kernel/simd/error_function.hpp>
#include <kroton/kernel/simd/exponential.hpp>
#include <kroton/kernel/simd/gamma.hpp>
#include <kroton/kernel/simd/gelu.hpp>
#include <kroton/kernel/simd/logarithm.hpp>
#include <kroton/kernel/simd/memory.hpp>
#include <kroton/kernel/simd/normal.hpp>
#include <kroton/kernel/simd/power.hpp>
#include <kroton/kernel/simd/short_float.hpp>
#include <kroton/kernel/simd/trigonometric.hpp>
