// What the target_*.cpp files share: how each compiler says "restrict" and how a SIMD region opens and closes.
// intentional: regions by pragma, not `-mavx2` on the file, so that nothing outside the region (an inline function of
// a standard header, say) is ever compiled for a CPU that the machine may not be.
#pragma once

#if defined(_MSC_VER) && !defined(__clang__)
#define FASTCOLLATE_RESTRICT __restrict
#else
#define FASTCOLLATE_RESTRICT __restrict__
#endif

#if defined(__clang__)
#define FASTCOLLATE_PRAGMA(text) _Pragma(#text)
#define FASTCOLLATE_TARGET_BEGIN(features) \
    FASTCOLLATE_PRAGMA(clang attribute push(__attribute__((target(features))), apply_to = function))
#define FASTCOLLATE_TARGET_END FASTCOLLATE_PRAGMA(clang attribute pop)
#elif defined(__GNUC__)
#define FASTCOLLATE_PRAGMA(text) _Pragma(#text)
#define FASTCOLLATE_TARGET_BEGIN(features) FASTCOLLATE_PRAGMA(GCC push_options) FASTCOLLATE_PRAGMA(GCC target(features))
#define FASTCOLLATE_TARGET_END FASTCOLLATE_PRAGMA(GCC pop_options)
#endif

// The wide x86 targets exist where the compiler can open a region for them.
#if defined(__x86_64__) && defined(FASTCOLLATE_TARGET_BEGIN)
#define FASTCOLLATE_X86_TARGETS 1
#else
#define FASTCOLLATE_X86_TARGETS 0
#endif

// NEON needs no region: it belongs to arm64 itself.
#if defined(__aarch64__) && defined(__GNUC__)
#define FASTCOLLATE_ARM64_TARGETS 1
#else
#define FASTCOLLATE_ARM64_TARGETS 0
#endif
