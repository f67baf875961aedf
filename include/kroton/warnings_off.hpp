// Silences, up to warnings_back.hpp, warnings of compilers of what is meant in Kroton's headers: included in pairs, around each public header, so it has no guard.

#if defined(__clang__) && defined(__has_warning)
#pragma clang diagnostic push
#if __has_warning("-Wnan-infinity-disabled")
#pragma clang diagnostic ignored "-Wnan-infinity-disabled"  // config.hpp says once what -ffast-math breaks
#endif
#elif defined(__GNUC__) && !defined(KROTON_SHADOW_WARNINGS)
// g++ warns of the library's local names where a user has a global of the same name, such as a dimension `n`
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#endif
