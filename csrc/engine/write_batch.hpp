// Carrying out a plan: how its batch is written, by how many threads, through the caches or past them. The thresholds
// are here, each with the bench that set it.
#pragma once

#include <algorithm>
#include <cstddef>

#include "engine/thread_pool.hpp"

namespace fastcollate::engine {

/// From this size on a batch is written past the caches: it doesn't fit there, and streamed stores save reading each
/// line before it is overwritten. Set by csrc/tests/bench_streaming.cpp and bench/run.py: on one thread a loss of 20 to
/// 40% below 4 MiB, even between 8 and 24 MiB, 0.76 of the time for stacking 40 MiB; on two threads 0.7 of the time for
/// casting to 13 MiB (AMD EPYC, 8 MiB of L3).
inline constexpr std::size_t kStreamedBatchBytes = std::size_t{8} << 20;

/// A thread that writes less than this is not worth waking.
inline constexpr std::size_t kBytesPerThread = std::size_t{256} << 10;

/// A streamed batch is cut into parts of about this size: small enough that threads finish together, large enough that
/// taking a part costs nothing beside writing it. A smaller batch is cut into one part a thread, which then finds its
/// own part in its own cache when the memory is used again.
inline constexpr std::size_t kPartBytes = std::size_t{256} << 10;

/// Writes the whole batch of a plan (StackPlan, CastPlan), by up to `threads` threads.
template <typename Plan>
void write_batch(const Plan& plan, std::byte* batch, int threads) {
    const std::size_t bytes = plan.total_bytes();
    const bool stream = bytes >= kStreamedBatchBytes;
    const auto useful = static_cast<int>(std::min<std::size_t>(bytes / kBytesPerThread, kMaxThreads));
    if (std::min(threads, useful) <= 1) {
        plan.run(batch, 0, bytes, stream);
        return;
    }
    const int workers = std::min(threads, useful);
    const std::size_t share = (bytes + static_cast<std::size_t>(workers) - 1) / static_cast<std::size_t>(workers);
    const std::size_t granule = plan.granule_bytes();
    const std::size_t wanted = stream ? kPartBytes : share;
    const std::size_t part = (wanted + granule - 1) / granule * granule;
    parallel_for((bytes + part - 1) / part, workers, [&](std::size_t i) {
        const std::size_t begin = i * part;
        plan.run(batch, begin, std::min(begin + part, bytes), stream);
    });
}

}  // namespace fastcollate::engine
