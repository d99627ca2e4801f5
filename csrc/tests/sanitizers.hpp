// Whether this build carries a sanitizer: some tests then run fewer rounds, or leave out what the sanitizer itself
// would fail at (limits on address space).
#pragma once

#if defined(__has_feature)
#define FASTCOLLATE_HAS_FEATURE(feature) __has_feature(feature)
#else
#define FASTCOLLATE_HAS_FEATURE(feature) 0
#endif

namespace fastcollate::tests {

#if defined(__SANITIZE_THREAD__) || FASTCOLLATE_HAS_FEATURE(thread_sanitizer)
inline constexpr bool kThreadSanitizer = true;
#else
inline constexpr bool kThreadSanitizer = false;
#endif
#if defined(__SANITIZE_ADDRESS__) || FASTCOLLATE_HAS_FEATURE(address_sanitizer)
inline constexpr bool kAddressSanitizer = true;
#else
inline constexpr bool kAddressSanitizer = false;
#endif
inline constexpr bool kSanitizer = kThreadSanitizer || kAddressSanitizer;

}  // namespace fastcollate::tests
