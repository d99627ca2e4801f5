// Runs the pieces of one call on several threads: the caller's own and those of one pool for the whole process, which
// comes into being on first use, sleeps when idle and goes after a while. The caller has cut the work (by bytes) and
// released the GIL; this room must not know what the pieces do, nor Python, nor how many threads a call should get.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <type_traits>

#include "engine/job_board.hpp"

namespace fastcollate::engine {

/// The most threads that ever work at one call, however many it asks for.
inline constexpr int kMaxThreads = 256;

/// What parallel_for does, without the template.
void run_pieces(std::size_t pieces, int threads, PieceFunction run, void* context);

/// Calls `body(piece)` once for each piece in [0, pieces), on up to `threads` threads, this one among them, and returns
/// when all are done. Threads take the next piece when they finish one, so pieces need not be equal; fewer threads than
/// asked for, even this one alone, may do it all. If a piece throws, pieces not yet begun are skipped, and the first
/// exception is thrown again here once no thread works any more. Called from within a piece, it works serially.
template <typename Body>
void parallel_for(std::size_t pieces, int threads, Body&& body) {
    using Plain = std::remove_reference_t<Body>;
    run_pieces(
        pieces, threads, [](void* context, std::size_t piece) { (*static_cast<Plain*>(context))(piece); },
        const_cast<void*>(static_cast<const void*>(std::addressof(body))));
}

/// The threads that the pool holds at this moment, working, awake or asleep.
int worker_count() noexcept;

/// Sends idle workers away at once and waits for that, but not longer than `patience`; false if some are left. For
/// callers about to fork(): since 3.12 Python warns when any other thread lives.
bool retire_workers(std::chrono::milliseconds patience) noexcept;

/// How long a worker sleeps without work before it goes; two seconds unless set. Returns what it was.
std::chrono::milliseconds set_idle_time(std::chrono::milliseconds idle) noexcept;

}  // namespace fastcollate::engine
