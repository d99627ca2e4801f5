// Forks in the midst of other threads' calls: the child can use both pools at once, however the parent's threads were
// caught, and never hangs. A hang is ended by an alarm and counts as a failure.
#include "tests/check.hpp"
#include "tests/sanitizers.hpp"

#if defined(__unix__) || defined(__APPLE__)

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "engine/buffer_pool.hpp"
#include "engine/thread_count.hpp"
#include "engine/thread_pool.hpp"

namespace {

using namespace fastcollate::engine;
using fastcollate::tests::kSanitizer;

/// The thread sanitizer itself can't take new threads in a child of many threads; the rest it can watch.
constexpr int kChildThreads = fastcollate::tests::kThreadSanitizer ? 1 : 2;

/// A batch in small: memory from the pool, filled by several threads, looked at.
bool use_both_pools(std::size_t bytes, int threads) {
    constexpr std::size_t kPieces = 16;
    const Buffer buffer = acquire_buffer(bytes);
    if (buffer == nullptr) {
        return false;
    }
    parallel_for(kPieces, threads, [&](std::size_t piece) {
        std::memset(buffer.get() + bytes / kPieces * piece, static_cast<int>(piece), bytes / kPieces);
    });
    bool right = true;
    for (std::size_t piece = 0; piece < kPieces; ++piece) {
        right = right && buffer[bytes / kPieces * piece] == static_cast<std::byte>(piece);
    }
    return right;
}

/// Threads that keep both pools busy until this object goes.
class Noise {
public:
    Noise() {
        for (std::size_t t = 0; t < 3; ++t) {
            threads_.emplace_back([this, t] {
                for (std::size_t round = 0; !stop_.load(std::memory_order_relaxed); ++round) {
                    use_both_pools(1'000 + 100'000 * ((round + t) % 4), 2 + static_cast<int>(t % 2));
                    if (round % 64 == 0) {
                        trim_pool();
                    }
                }
            });
        }
    }
    ~Noise() {
        stop_.store(true);
        for (std::thread& thread : threads_) {
            thread.join();
        }
    }
    Noise(const Noise&) = delete;
    Noise& operator=(const Noise&) = delete;

private:
    std::atomic<bool> stop_{false};
    std::vector<std::thread> threads_;
};

template <typename Body>
int status_of_child(const Body& body) {
    const pid_t child = fork();
    if (child == 0) {
        alarm(20);
        body();
        _exit(1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return status;
}

void test_forks_amid_calls(int forks) {
    const auto start = std::chrono::steady_clock::now();
    const Noise noise;
    int failed = 0;
    for (int i = 0; i < forks; ++i) {
        Buffer before = acquire_buffer(200'000);
        before[7] = std::byte{42};
        const int status = status_of_child([&] {
            bool right = get_num_threads() == 1 && before[7] == std::byte{42};
            right = right && worker_count() == 0;
            before.reset();  // a batch of the parent's, whose last reference here goes
            right = right && use_both_pools(100'000, kChildThreads) && use_both_pools(1'000, 2 * kChildThreads - 1);
            right = right && trim_pool() > 0;
            _exit(right ? 0 : 1);
        });
        failed += status == 0 ? 0 : 1;
        // The parent goes on too, on this thread.
        failed += before[7] == std::byte{42} && use_both_pools(100'000, 2) ? 0 : 1;
    }
    CHECK(failed == 0);
    std::printf("%d forks amid other threads' calls: %.1f s\n", forks,
                std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
}

void test_child_of_a_child() {
    const Noise noise;
    const int status = status_of_child([] {
        bool right = use_both_pools(50'000, kChildThreads);
        right = right && status_of_child([] { _exit(use_both_pools(50'000, kChildThreads) ? 0 : 1); }) == 0;
        _exit(right && use_both_pools(50'000, kChildThreads) ? 0 : 1);
    });
    CHECK(status == 0);
}

/// A child that leaves by exit() runs static destructors and, where there is one, the leak check.
void test_child_exits_the_long_way() {
    use_both_pools(50'000, kChildThreads);
    const int status = status_of_child([] {
        const bool right = use_both_pools(50'000, kChildThreads);
        std::exit(right ? 0 : 1);
    });
    CHECK(status == 0);
}

void test_idle_memory_of_the_parent_is_not_reused() {
    {
        const Buffer idle = acquire_buffer(70'000);
    }
    const int status = status_of_child([] {
        const PoolStats inherited = pool_stats();
        const Buffer first = acquire_buffer(70'000);
        const PoolStats now = pool_stats();
        _exit(inherited.bytes_idle >= 70'000 && now.bytes_idle == 0 && now.misses == inherited.misses + 1 ? 0 : 1);
    });
    CHECK(status == 0);
}

}  // namespace

int main() {
    alarm(300);
    test_child_exits_the_long_way();
    test_idle_memory_of_the_parent_is_not_reused();
    test_child_of_a_child();
    test_forks_amid_calls(kSanitizer ? 100 : 1'000);
    return fastcollate::tests::report("forks");
}

#else

int main() {
    CHECK(true);  // no fork, nothing to survive
    return fastcollate::tests::report("forks");
}

#endif
