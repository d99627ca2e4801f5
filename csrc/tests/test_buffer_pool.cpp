// What the buffer pool promises: alignment, steady batches that always hit, a bound with the least recently used going
// first, refusals instead of crashes, memory that stays flat, and threads that give back each other's buffers.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "engine/aligned_memory.hpp"
#include "engine/buffer_pool.hpp"
#include "engine/memory_size.hpp"
#include "tests/check.hpp"
#include "tests/sanitizers.hpp"

#if defined(__linux__)
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

namespace {

using namespace fastcollate::engine;
using fastcollate::tests::kSanitizer;

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr std::size_t kUsual = 64 * kMiB;

std::size_t misses_of(const PoolStats& before) { return static_cast<std::size_t>(pool_stats().misses - before.misses); }

void test_default_limit() {
    const std::size_t limit = pool_stats().limit;
    CHECK(limit == available_memory() / 8);
    set_pool_limit(static_cast<std::size_t>(-1));
    CHECK(pool_stats().limit >= limit);
    set_pool_limit(kUsual);
    CHECK(pool_stats().limit == kUsual);
}

void test_buffers() {
    for (const std::size_t bytes :
         std::initializer_list<std::size_t>{0, 1, 64, 1'000, 5'000, kPagesFrom, kMiB, 5 * kMiB, 38'535'168}) {
        const std::size_t alignment = bytes >= kHugePagesFrom ? kHugePage : bytes >= kPagesFrom ? 4096 : kAlignment;
        for (int round = 0; round < 2; ++round) {  // fresh, then recycled
            const Buffer buffer = acquire_buffer(bytes);
            CHECK(buffer != nullptr);
            CHECK(reinterpret_cast<std::uintptr_t>(buffer.get()) % alignment == 0);
            CHECK(buffer.get_deleter().capacity >= bytes);
            CHECK(buffer.get_deleter().capacity <= bytes + bytes / 4 + kAlignment);
            std::memset(buffer.get(), round, bytes);
        }
    }
    CHECK(pool_stats().bytes_in_use == 0);
    release_buffer(nullptr, 64);
    CHECK(pool_stats().bytes_in_use == 0);
    CHECK(trim_pool() > 38'535'168);
    CHECK(pool_stats().bytes_idle == 0);
    CHECK(pool_stats().buffers_idle == 0);
    CHECK(trim_pool() == 0);
}

void test_no_two_owners() {
    std::set<std::byte*> owned;
    std::vector<Buffer> buffers;
    for (int i = 0; i < 200; ++i) {
        buffers.push_back(acquire_buffer(1'000));
        CHECK(owned.insert(buffers.back().get()).second);
        if (i % 3 == 0) {
            owned.erase(buffers.front().get());
            buffers.erase(buffers.begin());
        }
    }
    CHECK(pool_stats().bytes_in_use == buffers.size() * 1'024);
    buffers.clear();
    CHECK(pool_stats().bytes_in_use == 0);
}

void test_steady_batches_hit() {
    // Epochs of equal batches, two in flight, each epoch with a short last batch.
    const auto epoch = [] {
        Buffer previous = nullptr;
        for (int batch = 0; batch < 20; ++batch) {
            Buffer next = acquire_buffer(batch < 19 ? 3 * kMiB : kMiB);
            previous = std::move(next);
        }
    };
    epoch();
    const PoolStats warm = pool_stats();
    for (int i = 0; i < 5; ++i) {
        epoch();
    }
    CHECK(misses_of(warm) == 0);
    CHECK(pool_stats().hits == warm.hits + 100);
    CHECK(pool_stats().bytes_idle == warm.bytes_idle);
    // Several sizes at once: image, mask, label, as one sample's leaves.
    const auto step = [] {
        const Buffer image = acquire_buffer(4 * kMiB);
        const Buffer mask = acquire_buffer(kMiB / 3);
        const Buffer label = acquire_buffer(128 * 4);
        const Buffer weight = acquire_buffer(128 * 4);
    };
    step();
    const PoolStats several = pool_stats();
    for (int i = 0; i < 50; ++i) {
        step();
    }
    CHECK(misses_of(several) == 0);
    trim_pool();
}

void test_limit_evicts_the_least_recently_used() {
    set_pool_limit(10 * kMiB);
    {
        const Buffer a = acquire_buffer(2 * kMiB), b = acquire_buffer(3 * kMiB), c = acquire_buffer(4 * kMiB);
    }
    // Destroyed in the order c, b, a, so that c has been idle for longest; nothing is over the limit yet.
    CHECK(pool_stats().bytes_idle == 9 * kMiB);
    {
        const Buffer more = acquire_buffer(5 * kMiB);
    }
    CHECK(pool_stats().bytes_idle == 10 * kMiB);  // 4 gone: 2 + 3 + 5
    const PoolStats before = pool_stats();
    {
        const Buffer a = acquire_buffer(2 * kMiB), b = acquire_buffer(3 * kMiB), more = acquire_buffer(5 * kMiB);
    }
    CHECK(misses_of(before) == 0);
    {
        const Buffer c = acquire_buffer(4 * kMiB);
    }
    CHECK(misses_of(before) == 1);
    CHECK(pool_stats().bytes_idle <= 10 * kMiB);
    // One that could never stay doesn't drive out the others.
    const std::size_t idle = pool_stats().bytes_idle;
    {
        const Buffer huge = acquire_buffer(12 * kMiB);
    }
    CHECK(pool_stats().bytes_idle == idle);
    set_pool_limit(5 * kMiB);
    CHECK(pool_stats().bytes_idle <= 5 * kMiB);
    set_pool_limit(0);
    CHECK(pool_stats().bytes_idle == 0);
    {
        const Buffer none = acquire_buffer(100);
    }
    CHECK(pool_stats().bytes_idle == 0);
    CHECK(pool_stats().buffers_idle == 0);
    set_pool_limit(kUsual);
}

void test_refusals() {
    const PoolStats before = pool_stats();
    constexpr auto kMost = static_cast<std::size_t>(-1);
    for (const std::size_t bytes : {kMost, kMost - 63, kMost / 2 + 1, kMost / 2, kMost / 2 - kHugePage, kMost / 4}) {
        const Buffer buffer = acquire_buffer(bytes);
        CHECK(buffer == nullptr);
    }
    CHECK(pool_stats().bytes_in_use == before.bytes_in_use);
    CHECK(pool_stats().misses == before.misses);
}

void test_threads_exchange_buffers() {
    constexpr int kSlots = 16;
    std::atomic<std::byte*> slots[kSlots] = {};
    std::atomic<int> wrong{0};
    const std::size_t sizes[kSlots] = {64,  100, 256,     1'000,  1'000,  4'096, 5'000,   20'000,
                                       320, 640, 100'000, 64'000, 70'000, 8'000, 500'000, 1'500'000};
    const auto work = [&](unsigned seed) {
        for (int i = 0; i < (kSanitizer ? 5'000 : 50'000); ++i) {
            seed = seed * 1'664'525 + 1'013'904'223;
            const std::size_t slot = (seed >> 16) % kSlots;
            const auto mark = static_cast<int>(seed & 0x7F);
            Buffer mine = acquire_buffer(sizes[slot]);
            const std::size_t capacity = mine.get_deleter().capacity;
            std::memset(mine.get(), mark, 64);
            // Whatever lay in the slot was, if the pool is right, written by one thread alone.
            std::byte* other = slots[slot].exchange(mine.release());
            if (other != nullptr) {
                for (int at = 1; at < 64; ++at) {
                    wrong.fetch_add(other[at] == other[0] ? 0 : 1);
                }
                release_buffer(other, capacity);
            }
            if (i % 1'000 == 0) {
                trim_pool();
            }
        }
    };
    std::thread others[3];
    for (unsigned t = 0; t < 3; ++t) {
        others[t] = std::thread(work, t + 1);
    }
    work(0);
    for (std::thread& other : others) {
        other.join();
    }
    for (std::size_t slot = 0; slot < kSlots; ++slot) {
        const Buffer last = acquire_buffer(sizes[slot]);  // tells the capacity
        if (slots[slot].load() != nullptr) {
            release_buffer(slots[slot].load(), last.get_deleter().capacity);
        }
    }
    CHECK(wrong.load() == 0);
    CHECK(pool_stats().bytes_in_use == 0);
    trim_pool();
}

#if defined(__linux__)

double resident_mib() {
    long pages = 0;
    long resident = 0;
    std::FILE* file = std::fopen("/proc/self/statm", "r");
    const bool read = std::fscanf(file, "%ld %ld", &pages, &resident) == 2;
    std::fclose(file);
    return read ? static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / double{kMiB} : -1.0;
}

void test_resident_memory_is_flat() {
    const std::size_t sizes[] = {100, 1'000, 3'000, 40'000, 70'000, 300'000, 1'000'000, 2'500'000, 5'000'000};
    unsigned seed = 1;
    const auto churn = [&](int rounds) {
        Buffer held[4];
        for (int i = 0; i < rounds; ++i) {
            seed = seed * 1'664'525 + 1'013'904'223;
            const std::size_t bytes = sizes[(seed >> 16) % 9] + (seed >> 24);
            Buffer& buffer = held[i % 4];
            buffer = acquire_buffer(bytes);
            // Every page, or it wouldn't be resident.
            for (std::size_t at = 0; at < bytes; at += 4'096) {
                buffer[at] = std::byte{1};
            }
        }
    };
    set_pool_limit(16 * kMiB);  // so low that eviction goes on all the time
    churn(5'000);
    const double start = resident_mib();
    double most = start;
    for (int tenth = 0; tenth < 10; ++tenth) {
        churn(kSanitizer ? 1'000 : 10'000);
        most = resident_mib() > most ? resident_mib() : most;
    }
    std::printf("resident memory over 100,000 buffers: %.1f MiB at the start, %.1f at most, ", start, most);
    CHECK(most - start < 16.0);
    trim_pool();
    std::printf("%.1f after trim_pool\n", resident_mib());
    CHECK(kSanitizer || resident_mib() < start);
    set_pool_limit(kUsual);
}

/// In a process that may map no more than 100 MiB on top of what it has.
void test_memory_is_short() {
    if (kSanitizer) {
        return;  // their own memory doesn't fit under any such limit
    }
    const pid_t child = fork();
    if (child == 0) {
        set_pool_limit(200 * kMiB);
        rlimit limit{};
        getrlimit(RLIMIT_AS, &limit);
        long pages = 0;
        std::FILE* file = std::fopen("/proc/self/statm", "r");
        const bool read = std::fscanf(file, "%ld", &pages) == 1;
        std::fclose(file);
        limit.rlim_cur = static_cast<rlim_t>(pages) * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + 100 * kMiB;
        bool right = read && setrlimit(RLIMIT_AS, &limit) == 0;
        {
            const Buffer a = acquire_buffer(40 * kMiB), b = acquire_buffer(24 * kMiB);
        }
        right = right && pool_stats().bytes_idle == 64 * kMiB;
        // Only the idle ones stand in the way: they are given up.
        Buffer big = acquire_buffer(80 * kMiB);
        right = right && big != nullptr && pool_stats().bytes_idle == 0;
        std::memset(big.get(), 1, 80 * kMiB);
        // And now there is no way; what is in use stays as it is.
        const Buffer none = acquire_buffer(80 * kMiB);
        right = right && none == nullptr && big[80 * kMiB - 1] == std::byte{1};
        big.reset();
        right = right && acquire_buffer(80 * kMiB) != nullptr;
        _exit(right ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(status == 0);
}

#endif

}  // namespace

int main() {
    test_default_limit();
    test_buffers();
    test_no_two_owners();
    test_steady_batches_hit();
    test_limit_evicts_the_least_recently_used();
    test_refusals();
    test_threads_exchange_buffers();
#if defined(__linux__)
    test_memory_is_short();
    test_resident_memory_is_flat();
#endif
    return fastcollate::tests::report("buffer_pool");
}
