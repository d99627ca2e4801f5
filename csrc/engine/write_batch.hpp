// Carrying out a plan: how its batch is written. The thresholds are here, each with the bench that set it.
#pragma once

#include <cstddef>

namespace fastcollate::engine {

/// From this size on a batch is written past the caches: it doesn't fit there, and streamed stores save reading each
/// line before it is overwritten. Set by csrc/tests/bench_streaming.cpp: a loss of 20 to 40% below 4 MiB, even between
/// 8 and 24 MiB, 0.76 of the time for stacking 40 MiB and 0.86 for casting to 108 MiB (AMD EPYC, 8 MiB of L3).
inline constexpr std::size_t kStreamedBatchBytes = std::size_t{16} << 20;

/// Writes the whole batch of a plan (StackPlan, CastPlan).
template <typename Plan>
void write_batch(const Plan& plan, std::byte* batch) {
    const std::size_t bytes = plan.total_bytes();
    plan.run(batch, 0, bytes, bytes >= kStreamedBatchBytes);
}

}  // namespace fastcollate::engine
