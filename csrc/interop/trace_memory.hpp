// Telling tracemalloc of memory that doesn't come from Python's allocators. Both need the GIL, and do nothing while
// tracemalloc doesn't run.
#pragma once

#include <cstddef>

namespace fastcollate::interop {

void trace_memory(const std::byte* memory, std::size_t bytes) noexcept;
void untrace_memory(const std::byte* memory) noexcept;

}  // namespace fastcollate::interop
