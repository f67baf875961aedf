// This header includes xsimd in a way that its older versions compile without warnings, and without optimisation.
#pragma once

#include <kroton/config.hpp>

// GCC 12 takes the deliberately undefined registers in its own AVX-512 intrinsics for mistakes, wherever
// these are inlined.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif

// Without optimisation (and so under nvcc) GCC's intrinsics are macros, and these two do not take the classes
// that xsimd 8 hands them. Functions of other names stand in for them while xsimd is read.
#if defined(__AVX512BW__) && defined(__GNUC__) && !defined(__OPTIMIZE__)
#include <immintrin.h>
#ifdef _mm512_mask_blend_epi8
#define KROTON_BLENDS_REPLACED
KROTON_INLINE __m512i kroton_blend_bytes(__mmask64 bits, __m512i no, __m512i yes) {
  return _mm512_mask_blend_epi8(bits, no, yes);
}
KROTON_INLINE __m512i kroton_blend_words(__mmask32 bits, __m512i no, __m512i yes) {
  return _mm512_mask_blend_epi16(bits, no, yes);
}
#pragma push_macro("_mm512_mask_blend_epi8")
#pragma push_macro("_mm512_mask_blend_epi16")
#undef _mm512_mask_blend_epi8
#undef _mm512_mask_blend_epi16
#define _mm512_mask_blend_epi8 kroton_blend_bytes
#define _mm512_mask_blend_epi16 kroton_blend_words
#endif
#endif

#include <xsimd/xsimd.hpp>

#ifdef KROTON_BLENDS_REPLACED
#pragma pop_macro("_mm512_mask_blend_epi16")
#pragma pop_macro("_mm512_mask_blend_epi8")
#undef KROTON_BLENDS_REPLACED
#endif

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
