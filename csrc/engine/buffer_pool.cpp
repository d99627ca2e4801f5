#include "engine/buffer_pool.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>

#include "engine/aligned_memory.hpp"
#include "engine/checked_size.hpp"
#include "engine/forks.hpp"
#include "engine/memory_size.hpp"
#include "engine/size_class.hpp"

#if __has_include(<sanitizer/asan_interface.h>)
#include <sanitizer/asan_interface.h>  // its macros do nothing in a build without the address sanitizer
#endif

namespace fastcollate::engine {
namespace {

constexpr std::size_t kLimitShare = 8;                       // the default limit is this part of memory,
constexpr std::size_t kLimitBlind = std::size_t{256} << 20;  // or this where the system doesn't say how much there is
constexpr std::size_t kUnset = static_cast<std::size_t>(-1);

/// Under the address sanitizer whoever touches these bytes is found out: behind a request, or in an idle buffer.
void forbid([[maybe_unused]] std::byte* memory, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(ASAN_POISON_MEMORY_REGION)
    ASAN_POISON_MEMORY_REGION(memory, bytes);
#endif
}

void allow([[maybe_unused]] std::byte* memory, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(ASAN_UNPOISON_MEMORY_REGION)
    ASAN_UNPOISON_MEMORY_REGION(memory, bytes);
#endif
}

/// How an idle buffer remembers its place: in its own first bytes, so that giving a buffer back never allocates.
struct Idle {
    SizeClass size;
    Idle* newer;  // among all
    Idle* older;
    Idle* newer_of_size;  // among those of the same size
    Idle* older_of_size;
};
static_assert(sizeof(Idle) <= kAlignment, "must fit the smallest buffer");

/// Idle buffers that left the pool and are yet to be freed, which happens outside of the lock.
void free_all(Idle* idle) noexcept {
    while (idle != nullptr) {
        Idle* next = idle->older;
        aligned_free(reinterpret_cast<std::byte*>(idle), idle->size.bytes);
        idle = next;
    }
}

struct Pool {
    // One lock for all sizes and threads, held for a few pointer moves and never across a call into the system. A batch
    // takes it twice; caches for each thread would save some 20 ns of that, and would have to be emptied by trim_pool.
    std::mutex mutex;
    Idle* newest = nullptr;
    Idle* oldest = nullptr;
    Idle* newest_of_size[kSizeClasses] = {};
    bool inherited = false;  // what is idle was idle already when this process was forked
    PoolStats stats{};

    void push(std::byte* memory, std::size_t capacity) noexcept {
        const SizeClass size = size_class(capacity);
        Idle*& newest_alike = newest_of_size[size.index];
        Idle* idle = new (memory) Idle{size, nullptr, newest, nullptr, newest_alike};
        (newest == nullptr ? oldest : newest->newer) = idle;
        newest = idle;
        if (newest_alike != nullptr) {
            newest_alike->newer_of_size = idle;
        }
        newest_alike = idle;
        stats.bytes_idle += capacity;
        ++stats.buffers_idle;
        forbid(memory + sizeof(Idle), capacity - sizeof(Idle));
    }

    void remove(Idle* idle) noexcept {
        (idle->newer == nullptr ? newest : idle->newer->older) = idle->older;
        (idle->older == nullptr ? oldest : idle->older->newer) = idle->newer;
        (idle->newer_of_size == nullptr ? newest_of_size[idle->size.index] : idle->newer_of_size->older_of_size) =
            idle->older_of_size;
        if (idle->older_of_size != nullptr) {
            idle->older_of_size->newer_of_size = idle->newer_of_size;
        }
        stats.bytes_idle -= idle->size.bytes;
        --stats.buffers_idle;
        allow(reinterpret_cast<std::byte*>(idle), idle->size.bytes);
    }

    /// Takes out those idle for longest until at most `bytes` are idle; a list for free_all.
    Idle* shrink(std::size_t bytes) noexcept {
        Idle* taken = nullptr;
        while (stats.bytes_idle > bytes) {
            Idle* idle = oldest;
            remove(idle);
            idle->older = taken;
            taken = idle;
        }
        return taken;
    }

    /// In a forked child every write to an inherited page copies it, and huge pages fall apart: fresh memory is better.
    Idle* drop_inherited() noexcept {
        if (!inherited) {
            return nullptr;
        }
        inherited = false;
        return shrink(0);
    }
};

// intentional: in static storage and never destroyed. Batches may outlive every static object, and give their memory
// back at exit. Made when the library loads: made on first use, a fork in the midst of that would leave half a pool.
alignas(Pool) std::byte storage[sizeof(Pool)];
Pool& pool = *new (storage) Pool;

// The lock is taken across a fork, so that the child finds the pool in order whatever other threads were doing; it
// keeps the count of buffers in use, which the child's copies of the batches give back like any others.
void before_fork() noexcept { pool.mutex.lock(); }
void after_fork_in_parent() noexcept { pool.mutex.unlock(); }
void after_fork_in_child() noexcept {
    pool.inherited = true;
    pool.mutex.unlock();
}
[[maybe_unused]] const bool registered = (at_fork(&before_fork, &after_fork_in_parent, &after_fork_in_child), true);

std::atomic<std::size_t> chosen_limit{kUnset};

std::size_t limit() noexcept {
    std::size_t bytes = chosen_limit.load(std::memory_order_relaxed);
    if (bytes == kUnset) {
        const std::uint64_t share = available_memory() / kLimitShare;
        const auto usual =
            static_cast<std::size_t>(std::min<std::uint64_t>(share == 0 ? kLimitBlind : share, kMaxBytes));
        // Unless somebody set it meanwhile: then `bytes` becomes theirs.
        if (chosen_limit.compare_exchange_strong(bytes, usual, std::memory_order_relaxed)) {
            bytes = usual;
        }
    }
    return bytes;
}

std::byte* allocate_or_trim(std::size_t capacity) noexcept {
    std::byte* memory = aligned_allocate(capacity);
    if (memory == nullptr && trim_pool() > 0) {
        memory = aligned_allocate(capacity);
    }
    return memory;
}

}  // namespace

Buffer acquire_buffer(std::size_t bytes) noexcept {
    if (bytes > kMaxBytes) {
        return Buffer(nullptr);
    }
    const SizeClass wanted = size_class(bytes);
    std::byte* memory = nullptr;
    Idle* dropped = nullptr;
    {
        const std::scoped_lock lock(pool.mutex);
        dropped = pool.drop_inherited();
        if (Idle* idle = pool.newest_of_size[wanted.index]; idle != nullptr) {
            pool.remove(idle);
            memory = reinterpret_cast<std::byte*>(idle);
            pool.stats.bytes_in_use += wanted.bytes;
            ++pool.stats.hits;
        }
    }
    free_all(dropped);
    if (memory == nullptr) {
        memory = allocate_or_trim(wanted.bytes);
        if (memory == nullptr) {
            return Buffer(nullptr);
        }
        const std::scoped_lock lock(pool.mutex);
        pool.stats.bytes_in_use += wanted.bytes;
        ++pool.stats.misses;
    }
    forbid(memory + bytes, wanted.bytes - bytes);
    return Buffer(memory, Recycle{wanted.bytes});
}

void release_buffer(std::byte* memory, std::size_t capacity) noexcept {
    if (memory == nullptr) {
        return;
    }
    allow(memory, capacity);
    const std::size_t most = limit();
    const bool fits = capacity <= most;  // or it would drive out all others and then go itself
    Idle* dropped = nullptr;
    Idle* evicted = nullptr;
    {
        const std::scoped_lock lock(pool.mutex);
        pool.stats.bytes_in_use -= capacity;
        dropped = pool.drop_inherited();
        if (fits) {
            pool.push(memory, capacity);
            evicted = pool.shrink(most);
        }
    }
    free_all(dropped);
    free_all(evicted);
    if (!fits) {
        aligned_free(memory, capacity);
    }
}

void set_pool_limit(std::size_t bytes) noexcept {
    const std::size_t most = std::min(bytes, kMaxBytes);
    chosen_limit.store(most, std::memory_order_relaxed);
    Idle* evicted = nullptr;
    {
        const std::scoped_lock lock(pool.mutex);
        evicted = pool.shrink(most);
    }
    free_all(evicted);
}

std::size_t trim_pool() noexcept {
    Idle* all = nullptr;
    std::size_t bytes = 0;
    {
        const std::scoped_lock lock(pool.mutex);
        bytes = pool.stats.bytes_idle;
        all = pool.shrink(0);
    }
    free_all(all);
    return bytes;
}

PoolStats pool_stats() noexcept {
    const std::size_t most = limit();
    const std::scoped_lock lock(pool.mutex);
    PoolStats stats = pool.stats;
    stats.limit = most;
    return stats;
}

}  // namespace fastcollate::engine
