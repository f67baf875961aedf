// This header silences, up to warnings_back.hpp, compiler warnings about intended code in Kroton's headers. The two
// headers are included in pairs around each public header, so this one has no include guard.

#if defined(__clang__) && defined(__has_warning)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wsign-conversion"
#if __has_warning("-Wnan-infinity-disabled")
#pragma clang diagnostic ignored "-Wnan-infinity-disabled"  // config.hpp says once what -ffast-math breaks
#endif
#elif defined(__GNUC__)
#pragma GCC diagnostic push
// extents are signed; g++ warns even where a constant indexes an array
#pragma GCC diagnostic ignored "-Wsign-conversion"
#if !defined(KROTON_SHADOW_WARNINGS)
// g++ warns about local names of the library where a user has a global of the same name, such as a dimension `n`
#pragma GCC diagnostic ignored "-Wshadow"
#endif
#endif
