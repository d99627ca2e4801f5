#include "engine/cpu_count.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>

#include "engine/cgroup.hpp"

#if defined(__linux__)
#include <sched.h>
#endif
#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>
#endif

namespace fastcollate::engine {
namespace {

constexpr int kUnread = -1;

/// The quota in CPUs; 0: none.
int quota_cpus() noexcept {
    // intentional: no function-local static with an initialiser. A fork in the midst of it would leave its guard
    // locked in the child for ever; reading the files twice does no harm.
    static std::atomic<int> cached{kUnread};
    int cpus = cached.load(std::memory_order_relaxed);
    if (cpus == kUnread) {
        constexpr std::uint64_t kMost = 1 << 20;
        cpus = static_cast<int>(std::min(cgroup_cpus(), kMost));
        cached.store(cpus, std::memory_order_relaxed);
    }
    return cpus;
}

}  // namespace

int affinity_cpus() noexcept {
#if defined(__linux__)
    // The kernel refuses a mask that is shorter than its own; 8,192 CPUs is the most that Linux is built for.
    constexpr std::size_t kMasks = 8;
    cpu_set_t masks[kMasks];
    if (sched_getaffinity(0, sizeof masks, masks) == 0) {
        return std::max(1, CPU_COUNT_S(sizeof masks, masks));
    }
#elif defined(_WIN32)
    DWORD_PTR process = 0;
    DWORD_PTR system = 0;
    // Both masks are 0 when the process's threads live in several processor groups.
    if (GetProcessAffinityMask(GetCurrentProcess(), &process, &system) != 0 && process != 0) {
        int cpus = 0;
        for (; process != 0; process &= process - 1) {
            ++cpus;
        }
        return cpus;
    }
#endif
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

int available_cpus() noexcept {
    const int quota = quota_cpus();
    const int bound = affinity_cpus();
    return quota == 0 ? bound : std::min(bound, quota);
}

}  // namespace fastcollate::engine
