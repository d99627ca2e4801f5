// The calls that are open in the thread pool, and whom a free worker should help: the policy of sharing, apart from
// threads and sleep. Not thread-safe except where it says so; the pool guards it. Must not know who runs the pieces.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>

namespace fastcollate::engine {

using PieceFunction = void (*)(void* context, std::size_t piece);

/// One open call. Lives on its caller's stack, so a worker must not touch it once it has counted itself out.
struct Job {
    const PieceFunction run;
    void* const context;
    const std::size_t pieces;
    const int threads;  // how many may work at it, its caller among them
    const int cpu;      // that its caller began on; -1: unknown
    std::atomic<std::size_t> next{0};
    std::atomic<int> workers{0};  // inside it besides its caller; read by the caller without the pool's mutex
    unsigned turns = 0;           // how often a worker has joined
    std::exception_ptr error = nullptr;
    Job* before = nullptr;
    Job* after = nullptr;
};

/// What a free worker could do: the job to join (nullptr: none), and how many workers could join one now.
struct Demand {
    Job* job;
    int workers;
};

class JobBoard {
public:
    /// `cpus`: how many threads the calls together may keep busy, unless one of them alone asks for more.
    explicit JobBoard(int cpus) noexcept : cpus_(cpus) {}

    void add(Job& job) noexcept;
    void remove(Job& job) noexcept;
    Demand demand() const noexcept;

    /// Whether several calls are open. Thread-safe.
    bool is_shared() const noexcept { return count_.load(std::memory_order_relaxed) > 1; }

private:
    const int cpus_;
    Job* first_ = nullptr;
    std::atomic<int> count_{0};
};

}  // namespace fastcollate::engine
