#include "engine/aligned_buffer.hpp"

#include <cstdlib>

#if defined(__linux__)
#include <sys/mman.h>
#endif
#if defined(_WIN32)
#include <malloc.h>
#endif

namespace fastcollate::engine {
namespace {

/// From here on huge pages pay: below it the rounding to 2 MiB wastes more than the faults cost (NumPy's own limit).
constexpr std::size_t kHugePageThreshold = std::size_t{4} << 20;
constexpr std::size_t kHugePage = std::size_t{2} << 20;

constexpr std::size_t round_up(std::size_t bytes, std::size_t unit) noexcept {
    return (bytes + unit - 1) / unit * unit;
}

}  // namespace

AlignedBuffer allocate_aligned(std::size_t bytes) noexcept {
    const std::size_t alignment = bytes >= kHugePageThreshold ? kHugePage : kAlignment;
    if (bytes > static_cast<std::size_t>(-1) - alignment) {
        return nullptr;
    }
    const std::size_t rounded = round_up(bytes == 0 ? 1 : bytes, kAlignment);
#if defined(_WIN32)
    void* memory = _aligned_malloc(rounded, alignment);
#else
    void* memory = nullptr;
    if (posix_memalign(&memory, alignment, rounded) != 0) {
        return nullptr;
    }
#endif
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (alignment == kHugePage) {
        // Advice only: where the kernel has no huge pages to give, small ones serve.
        (void)madvise(memory, rounded, MADV_HUGEPAGE);
    }
#endif
    return AlignedBuffer(static_cast<std::byte*>(memory));
}

void FreeAligned::operator()(std::byte* memory) const noexcept {
#if defined(_WIN32)
    _aligned_free(memory);
#else
    std::free(memory);
#endif
}

}  // namespace fastcollate::engine
