#include "engine/cpu_count.hpp"

#include <algorithm>
#include <atomic>
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

constexpr std::uint64_t kUnread = static_cast<std::uint64_t>(-1);

std::uint64_t quota_cpus() noexcept {
    // intentional: no function-local static with an initialiser. A fork in the midst of it would leave its guard
    // locked in the child for ever; reading the files twice does no harm.
    static std::atomic<std::uint64_t> cached{kUnread};
    std::uint64_t cpus = cached.load(std::memory_order_relaxed);
    if (cpus == kUnread) {
        cpus = cgroup_cpus();
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

int cpus_within(int cpus, std::uint64_t quota) noexcept {
    const auto bound = static_cast<std::uint64_t>(std::max(1, cpus));
    return static_cast<int>(quota == 0 ? bound : std::min(bound, quota));
}

int available_cpus() noexcept { return cpus_within(affinity_cpus(), quota_cpus()); }

}  // namespace fastcollate::engine
