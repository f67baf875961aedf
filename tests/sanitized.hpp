// Whether a sanitizer looks at a test. It looks at how memory is used, which a few numbers show as well as many.
#pragma once

namespace test {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool is_sanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr bool is_sanitized = true;
#else
inline constexpr bool is_sanitized = false;
#endif
#else
inline constexpr bool is_sanitized = false;
#endif

/// How many numbers a test draws that would draw `count`: an eighth of them under a sanitizer.
constexpr int drawn(int count) { return is_sanitized ? count / 8 : count; }

}  // namespace test
