// Whether matrix products of the host go through a CBLAS: where cblas.h is, unless KROTON_NO_BLAS is defined.
#pragma once

#if !defined(KROTON_NO_BLAS) && __has_include(<cblas.h>)
#define KROTON_HAS_BLAS 1
#else
#define KROTON_HAS_BLAS 0
#endif
