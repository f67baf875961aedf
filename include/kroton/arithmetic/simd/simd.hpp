// This header includes all of the SIMD value types: packs, masks, and the functions on them.
#pragma once

#include <kroton/arithmetic/simd/arithmetic.hpp>
#include <kroton/arithmetic/simd/basic.hpp>
#include <kroton/arithmetic/simd/comparison.hpp>
#include <kroton/arithmetic/simd/convert.hpp>
#include <kroton/arithmetic/simd/division.hpp>
#include <kroton/arithmetic/simd/error_function.hpp>
#include <kroton/arithmetic/simd/exponential.hpp>
#include <kroton/arithmetic/simd/gamma.hpp>
#include <kroton/arithmetic/simd/gelu.hpp>
#include <kroton/arithmetic/simd/logarithm.hpp>
#include <kroton/arithmetic/simd/memory.hpp>
#include <kroton/arithmetic/simd/normal.hpp>
#include <kroton/arithmetic/simd/power.hpp>
#include <kroton/arithmetic/simd/short_float.hpp>
#include <kroton/arithmetic/simd/trigonometric.hpp>
