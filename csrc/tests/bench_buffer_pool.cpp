// What a buffer from the pool costs, beside the heap's and the system's fresh memory: the call alone, the call and
// writing the memory once, and calls from two threads at once. A plain program, not a test.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <thread>
#include <vector>

#include "engine/aligned_memory.hpp"
#include "engine/buffer_pool.hpp"

namespace {

using namespace fastcollate::engine;

template <typename Call>
double ns_per_call(int runs, const Call& call) {
    double best = 1e300;
    for (int repeat = 0; repeat < 5; ++repeat) {
        const auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < runs; ++i) {
            call();
        }
        const auto ns = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
        best = ns / runs < best ? ns / runs : best;
    }
    return best;
}

/// Keeps the compiler from leaving out what nobody reads.
void use(void* memory) {
#if defined(__GNUC__)
    __asm__ __volatile__("" : : "g"(memory) : "memory");
#else
    static volatile void* sink;
    sink = memory;
#endif
}

void pooled(std::size_t bytes, bool written) {
    const Buffer buffer = acquire_buffer(bytes);
    if (written) {
        std::memset(buffer.get(), 1, bytes);
    }
    use(buffer.get());
}

void from_heap(std::size_t bytes, bool written) {
    void* memory = std::malloc(bytes);
    if (written) {
        std::memset(memory, 1, bytes);
    }
    use(memory);
    std::free(memory);
}

void fresh(std::size_t bytes, bool written) {
    std::byte* memory = aligned_allocate(bytes);
    if (written) {
        std::memset(memory, 1, bytes);
    }
    use(memory);
    aligned_free(memory, bytes);
}

}  // namespace

int main() {
    std::printf("%-34s %12s %12s %12s   ns a call\n", "take and give back", "pool", "malloc", "fresh");
    for (const std::size_t bytes :
         std::initializer_list<std::size_t>{64, 1'000, 4'000, 60'000, 1'000'000, 4 << 20, 38'535'168}) {
        std::printf("%-22s %11zu %12.1f %12.1f %12.1f\n", "call alone, bytes", bytes,
                    ns_per_call(100'000, [=] { pooled(bytes, false); }),
                    ns_per_call(bytes < 100'000 ? 100'000 : 2'000, [=] { from_heap(bytes, false); }),
                    ns_per_call(bytes < 60'000 ? 100'000 : 2'000, [=] { fresh(bytes, false); }));
    }
    for (const std::size_t bytes : std::initializer_list<std::size_t>{4'000, 60'000, 1'000'000, 4 << 20, 38'535'168}) {
        const int runs = bytes < 2'000'000 ? 1'000 : 10;
        std::printf("%-22s %11zu %12.0f %12.0f %12.0f\n", "written once, bytes", bytes,
                    ns_per_call(runs, [=] { pooled(bytes, true); }), ns_per_call(runs, [=] { from_heap(bytes, true); }),
                    ns_per_call(runs, [=] { fresh(bytes, true); }));
    }
    const auto two_threads = [](std::size_t first, std::size_t second) {
        double ns[2] = {};
        std::thread other([&] { ns[1] = ns_per_call(300'000, [=] { pooled(second, false); }); });
        ns[0] = ns_per_call(300'000, [=] { pooled(first, false); });
        other.join();
        std::printf("two threads at once, %zu and %zu bytes: %.1f and %.1f\n", first, second, ns[0], ns[1]);
    };
    two_threads(1'000, 1'000);
    two_threads(1'000, 64'000);
    return 0;
}
