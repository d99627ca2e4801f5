// How much memory this process may hope for: the machine's, within its cgroup's limit. Knows nothing of who uses it.
#pragma once

#include <cstdint>

namespace fastcollate::engine {

/// Bytes of main memory within the cgroup limit, read anew each time; 0 when the system doesn't say.
std::uint64_t available_memory() noexcept;

}  // namespace fastcollate::engine
