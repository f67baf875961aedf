// This header turns the warnings on again that warnings_off.hpp silenced.

#if defined(__clang__) && defined(__has_warning)
#pragma clang diagnostic pop
#elif defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
