#include "engine/memory_size.hpp"

#include <algorithm>

#include "engine/cgroup.hpp"

#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>
#else
#include <unistd.h>
#endif

namespace fastcollate::engine {
namespace {

std::uint64_t machine_memory() noexcept {
#if defined(_WIN32)
    MEMORYSTATUSEX status{};
    status.dwLength = sizeof status;
    return GlobalMemoryStatusEx(&status) != 0 ? status.ullTotalPhys : 0;
#elif defined(_SC_PHYS_PAGES)
    const auto pages = static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES));
    const auto page_bytes = static_cast<std::int64_t>(sysconf(_SC_PAGESIZE));
    return pages > 0 && page_bytes > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes) : 0;
#else
    return 0;
#endif
}

}  // namespace

std::uint64_t available_memory() noexcept {
    const std::uint64_t machine = machine_memory();
    const std::uint64_t group = cgroup_memory();
    return group == 0 ? machine : machine == 0 ? group : std::min(machine, group);
}

}  // namespace fastcollate::engine
