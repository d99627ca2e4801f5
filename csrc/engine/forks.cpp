#include "engine/forks.hpp"

#include <atomic>

#if (defined(__unix__) || defined(__APPLE__)) && !defined(__EMSCRIPTEN__)
#define FASTCOLLATE_HAS_FORK 1
#include <pthread.h>
#else
#define FASTCOLLATE_HAS_FORK 0
#endif

namespace fastcollate::engine {
namespace {

std::atomic<unsigned> generation{0};

void count_fork() noexcept { generation.fetch_add(1, std::memory_order_relaxed); }

// intentional: registered when the library loads and not on first use, because a process that forks its workers
// before its own first call must see them as forked too.
[[maybe_unused]] const bool registered = (at_fork(nullptr, nullptr, &count_fork), true);

}  // namespace

unsigned fork_generation() noexcept { return generation.load(std::memory_order_relaxed); }

void at_fork([[maybe_unused]] void (*prepare)(), [[maybe_unused]] void (*parent)(),
             [[maybe_unused]] void (*child)()) noexcept {
#if FASTCOLLATE_HAS_FORK
    // Fails only when memory is short while the library loads; nothing can be done about it, and only fork suffers.
    (void)pthread_atfork(prepare, parent, child);
#endif
}

}  // namespace fastcollate::engine
