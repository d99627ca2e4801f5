// What parallel_for promises: every piece once, exceptions carried home, calls that don't wait for each other, serial
// work inside a piece. What becomes of the threads is in test_workers.cpp, of forks in test_forks.cpp.
#include <atomic>
#include <chrono>
#include <initializer_list>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "engine/thread_pool.hpp"
#include "tests/check.hpp"
#include "tests/sanitizers.hpp"

namespace {

using fastcollate::engine::parallel_for;
using fastcollate::tests::kSanitizer;

/// Waits until `done()` holds; false after ten seconds, so that a hang becomes a failed check.
template <typename Done>
bool wait_for(const Done& done) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!done()) {
        if (std::chrono::steady_clock::now() > end) {
            return false;
        }
        std::this_thread::yield();
    }
    return true;
}

void test_every_piece_once() {
    for (const std::size_t pieces : std::initializer_list<std::size_t>{0, 1, 2, 3, 7, 64, 10'000}) {
        for (const int threads : {std::numeric_limits<int>::min(), -1, 0, 1, 2, 3, 8}) {
            std::vector<std::atomic<int>> seen(pieces);
            parallel_for(pieces, threads, [&seen](std::size_t piece) { seen[piece].fetch_add(1); });
            bool once = true;
            for (const auto& count : seen) {
                once = once && count.load() == 1;
            }
            CHECK(once);
        }
    }
    // More threads than any system gives at once: work goes on with those there are.
    std::atomic<int> ran{0};
    parallel_for(2'000, std::numeric_limits<int>::max(), [&ran](std::size_t) { ran.fetch_add(1); });
    CHECK(ran.load() == 2'000);
}

void test_plain_results_are_visible() {
    // Not atomic: what the pieces wrote must be there when the call returns, or the thread sanitizer speaks.
    std::vector<std::size_t> squares(5'000);
    for (int round = 0; round < 20; ++round) {
        parallel_for(squares.size(), 4, [&squares](std::size_t piece) { squares[piece] = piece * piece; });
        CHECK(std::accumulate(squares.begin(), squares.end(), std::size_t{0}) == 41'654'167'500);
        std::fill(squares.begin(), squares.end(), 0);
    }
}

void test_caller_and_worker_take_part() {
    std::thread::id serial[8];
    parallel_for(8, 1, [&serial](std::size_t piece) { serial[piece] = std::this_thread::get_id(); });
    for (const auto& id : serial) {
        CHECK(id == std::this_thread::get_id());
    }
    // Two pieces that wait for each other end only if two threads run them at once, and the caller must be one.
    std::atomic<int> here{0};
    std::atomic<bool> met{true};
    std::atomic<int> by_caller{0};
    const auto caller = std::this_thread::get_id();
    parallel_for(2, 2, [&](std::size_t) {
        here.fetch_add(1);
        by_caller.fetch_add(std::this_thread::get_id() == caller ? 1 : 0);
        if (!wait_for([&here] { return here.load() == 2; })) {
            met.store(false);
        }
    });
    CHECK(met.load());
    CHECK(by_caller.load() == 1);
}

void test_returns_when_the_last_worker_is_done() {
    const auto caller = std::this_thread::get_id();
    std::atomic<int> here{0};
    bool worker_done = false;
    parallel_for(2, 2, [&](std::size_t) {
        here.fetch_add(1);
        wait_for([&here] { return here.load() == 2; });
        if (std::this_thread::get_id() != caller) {
            std::this_thread::sleep_for(std::chrono::milliseconds(30));  // the caller is asleep by now
            worker_done = true;
        }
    });
    CHECK(worker_done);
}

void test_never_more_threads_than_asked_for() {
    std::atomic<int> inside{0};
    std::atomic<int> most{0};
    for (int round = 0; round < 20; ++round) {
        parallel_for(200, 3, [&](std::size_t) {
            const int now = inside.fetch_add(1) + 1;
            for (int seen = most.load(); seen < now && !most.compare_exchange_weak(seen, now);) {
            }
            std::this_thread::yield();
            inside.fetch_sub(1);
        });
    }
    CHECK(most.load() <= 3);
}

void test_exceptions() {
    for (const int threads : {1, 2, 4}) {
        for (int round = 0; round < (kSanitizer ? 20 : 200); ++round) {
            std::atomic<int> inside{0};
            std::atomic<int> ran{0};
            std::string said;
            try {
                parallel_for(1'000, threads, [&](std::size_t piece) {
                    inside.fetch_add(1);
                    ran.fetch_add(1);
                    // Several throw, perhaps at once: one comes home, the others are dropped.
                    if (piece >= 10 && piece < 14) {
                        inside.fetch_sub(1);
                        throw std::runtime_error("piece " + std::to_string(piece));
                    }
                    inside.fetch_sub(1);
                });
            } catch (const std::runtime_error& error) {
                said = error.what();
            }
            CHECK(said.rfind("piece 1", 0) == 0);
            CHECK(inside.load() == 0);
            CHECK(ran.load() >= 11 && ran.load() < 1'000);
        }
    }
    // Whichever thread it comes from, also when it isn't a std::exception.
    const auto caller = std::this_thread::get_id();
    for (const bool from_caller : {true, false}) {
        int thrown = 0;
        try {
            std::atomic<int> here{0};
            parallel_for(2, 2, [&](std::size_t) {
                here.fetch_add(1);
                wait_for([&here] { return here.load() == 2; });
                if ((std::this_thread::get_id() == caller) == from_caller) {
                    throw 42;
                }
            });
        } catch (int number) {
            thrown = number;
        }
        CHECK(thrown == 42);
    }
    std::atomic<int> ran{0};
    parallel_for(100, 2, [&ran](std::size_t) { ran.fetch_add(1); });
    CHECK(ran.load() == 100);
}

void test_nested_calls_are_serial() {
    std::atomic<int> ran{0};
    std::atomic<int> strangers{0};
    parallel_for(16, 2, [&](std::size_t) {
        const auto outer = std::this_thread::get_id();
        // More threads than the outer call has: if they were to be had, they would come.
        parallel_for(50, 8, [&](std::size_t) {
            ran.fetch_add(1);
            std::this_thread::yield();
            strangers.fetch_add(std::this_thread::get_id() == outer ? 0 : 1);
        });
    });
    CHECK(ran.load() == 16 * 50);
    CHECK(strangers.load() == 0);
    int thrown = 0;
    try {
        parallel_for(4, 2, [](std::size_t) { parallel_for(4, 2, [](std::size_t) { throw 7; }); });
    } catch (int number) {
        thrown = number;
    }
    CHECK(thrown == 7);
}

void test_no_call_waits_for_another() {
    // Both threads of the first call are held up until the second call, made meanwhile, is done as a whole.
    std::atomic<int> held{0};
    std::atomic<bool> second_done{false};
    std::atomic<bool> in_time{true};
    std::thread first([&] {
        parallel_for(2, 2, [&](std::size_t) {
            held.fetch_add(1);
            if (!wait_for([&second_done] { return second_done.load(); })) {
                in_time.store(false);
            }
        });
    });
    CHECK(wait_for([&held] { return held.load() == 2; }));
    std::atomic<int> ran{0};
    parallel_for(100, 2, [&ran](std::size_t) { ran.fetch_add(1); });
    second_done.store(true);
    first.join();
    CHECK(ran.load() == 100);
    CHECK(in_time.load());
}

void test_many_callers() {
    std::atomic<int> wrong{0};
    std::vector<std::thread> callers;
    for (int c = 0; c < 8; ++c) {
        callers.emplace_back([c, &wrong] {
            for (int round = 0; round < (kSanitizer ? 50 : 500); ++round) {
                const auto pieces = static_cast<std::size_t>((round * 7 + c) % 40);
                std::vector<std::size_t> written(pieces);
                parallel_for(pieces, 1 + (round + c) % 4,
                             [&written](std::size_t piece) { written[piece] = piece + 1; });
                if (std::accumulate(written.begin(), written.end(), std::size_t{0}) != pieces * (pieces + 1) / 2) {
                    wrong.fetch_add(1);
                }
            }
        });
    }
    for (std::thread& caller : callers) {
        caller.join();
    }
    CHECK(wrong.load() == 0);
}

}  // namespace

int main() {
    test_every_piece_once();
    test_plain_results_are_visible();
    test_caller_and_worker_take_part();
    test_returns_when_the_last_worker_is_done();
    test_never_more_threads_than_asked_for();
    test_exceptions();
    test_nested_calls_are_serial();
    test_no_call_waits_for_another();
    test_many_callers();
    return fastcollate::tests::report("thread_pool");
}
