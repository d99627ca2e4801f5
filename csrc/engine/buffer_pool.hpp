// Where the memory of fresh results comes from and goes back to: recycled memory is warm, and the page faults of fresh
// memory cost several times the copy into it. Must not know what lies in a buffer nor who refers to it: whoever does
// gives it back when the last reference is gone. All of this is thread-safe, noexcept, and usable after fork().
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace fastcollate::engine {

/// Gives memory from acquire_buffer back. `capacity` is the buffer's, not what was asked for; nothing for nullptr.
void release_buffer(std::byte* memory, std::size_t capacity) noexcept;

struct Recycle {
    std::size_t capacity = 0;
    void operator()(std::byte* memory) const noexcept { release_buffer(memory, capacity); }
};

/// Memory on loan. To hand it on, as to a capsule, keep `get_deleter().capacity` beside what `release()` returns.
using Buffer = std::unique_ptr<std::byte[], Recycle>;

/// At least `bytes` of memory with undefined content, aligned as aligned_allocate does (64 bytes, pages, huge pages),
/// at most a quarter larger. Empty when memory is short, even after all idle buffers were given up, or when `bytes`
/// can't be an object's size.
Buffer acquire_buffer(std::size_t bytes) noexcept;

/// How many bytes the pool may keep idle; buffers in use don't count. Beyond it those idle for longest are freed. One
/// eighth of main memory, or of the cgroup's limit if that is less, unless set; 0 recycles nothing.
void set_pool_limit(std::size_t bytes) noexcept;

/// Frees all idle buffers; returns how many bytes that were.
std::size_t trim_pool() noexcept;

struct PoolStats {
    std::size_t bytes_idle;
    std::size_t bytes_in_use;
    std::size_t buffers_idle;
    std::size_t limit;
    std::uint64_t hits;    // requests served by an idle buffer
    std::uint64_t misses;  // requests that needed fresh memory
};

PoolStats pool_stats() noexcept;

}  // namespace fastcollate::engine
