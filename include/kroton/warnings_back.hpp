// The warnings that warnings_off.hpp silenced are as they were.

#if defined(__clang__) && defined(__has_warning)
#pragma clang diagnostic pop
#elif defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
