#include "interop/trace_memory.hpp"

#include <cstdint>

// intentional: declared here instead of including Python.h, which before 3.12 declares them without C linkage.
extern "C" {
int PyTraceMalloc_Track(unsigned int domain, std::uintptr_t address, std::size_t bytes);
int PyTraceMalloc_Untrack(unsigned int domain, std::uintptr_t address);
}

namespace fastcollate::interop {
namespace {

/// NumPy's own domain, so that a filter for array data shows ours beside it.
constexpr unsigned int kDomain = 389047;

}  // namespace

void trace_memory(const std::byte* memory, std::size_t bytes) noexcept {
    // Fails only when tracemalloc is off, or has no memory for its own books; neither is the batch's trouble.
    (void)PyTraceMalloc_Track(kDomain, reinterpret_cast<std::uintptr_t>(memory), bytes);
}

void untrace_memory(const std::byte* memory) noexcept {
    (void)PyTraceMalloc_Untrack(kDomain, reinterpret_cast<std::uintptr_t>(memory));
}

}  // namespace fastcollate::interop
