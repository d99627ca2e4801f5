// How many CPUs this process may keep busy: those it is bound to, and no more than its cgroup's quota pays for. Knows
// nothing of what the user asked for.
#pragma once

#include <cstdint>

namespace fastcollate::engine {

/// The CPUs that the scheduler may put this process on; at least 1.
int affinity_cpus() noexcept;

/// `cpus`, but no more than a quota in CPUs (0: none); at least 1.
int cpus_within(int cpus, std::uint64_t quota) noexcept;

/// affinity_cpus() within the cgroup quota; at least 1. Affinity is asked anew each time (it can change, and asking
/// takes a fraction of a microsecond), the quota is read once.
int available_cpus() noexcept;

}  // namespace fastcollate::engine
