#include "engine/aligned_memory.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "engine/checked_size.hpp"

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif
#if defined(_WIN32)
#include <malloc.h>
#endif

namespace fastcollate::engine {
namespace {

constexpr std::size_t kSmallPage = 4096;

constexpr std::size_t round_up(std::size_t bytes, std::size_t unit) noexcept {
    return (bytes + unit - 1) / unit * unit;
}

std::byte* from_heap(std::size_t bytes, std::size_t alignment) noexcept {
#if defined(_WIN32)
    return static_cast<std::byte*>(_aligned_malloc(bytes, alignment));
#else
    void* memory = nullptr;
    return posix_memalign(&memory, alignment, bytes) == 0 ? static_cast<std::byte*>(memory) : nullptr;
#endif
}

void to_heap(std::byte* memory) noexcept {
#if defined(_WIN32)
    _aligned_free(memory);
#else
    std::free(memory);
#endif
}

#if defined(__linux__)

std::size_t page_bytes() noexcept { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

// intentional: not from the C library's heap. glibc raises its threshold for mapping to the size of whatever was freed
// last, up to 32 MiB, and a heap of that many aligned blocks gives nothing back to the system until its end is free.
std::byte* map_pages(std::size_t bytes, std::size_t alignment) noexcept {
    const std::size_t length = round_up(bytes, page_bytes());
    // The system aligns to its own pages alone: for more, map more, and give back what sticks out on both sides.
    const std::size_t spare = alignment > page_bytes() ? alignment : 0;
    void* mapped = mmap(nullptr, length + spare, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) {
        return nullptr;
    }
    auto* memory = static_cast<std::byte*>(mapped);
    if (spare > 0) {
        const std::size_t past = reinterpret_cast<std::uintptr_t>(memory) % alignment;
        const std::size_t before = past == 0 ? 0 : alignment - past;
        if (before > 0) {
            munmap(memory, before);
        }
        memory += before;
        if (before < spare) {
            munmap(memory + length, spare - before);
        }
    }
#if defined(MADV_HUGEPAGE)
    if (bytes >= kHugePagesFrom) {
        // Advice only: where the kernel has no huge pages to give, small ones serve.
        (void)madvise(memory, length, MADV_HUGEPAGE);
    }
#endif
    return memory;
}

#endif

}  // namespace

std::byte* aligned_allocate(std::size_t bytes) noexcept {
    // The headroom covers every rounding below, which therefore can't wrap.
    if (bytes > kMaxBytes - 2 * kHugePage) {
        return nullptr;
    }
    const std::size_t alignment = bytes >= kHugePagesFrom ? kHugePage : bytes >= kPagesFrom ? kSmallPage : kAlignment;
#if defined(__linux__)
    if (bytes >= kPagesFrom) {
        return map_pages(bytes, alignment);
    }
#endif
    return from_heap(round_up(std::max(bytes, std::size_t{1}), kAlignment), alignment);
}

void aligned_free(std::byte* memory, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(__linux__)
    if (memory != nullptr && bytes >= kPagesFrom) {
        munmap(memory, round_up(bytes, page_bytes()));
        return;
    }
#endif
    to_heap(memory);
}

}  // namespace fastcollate::engine
