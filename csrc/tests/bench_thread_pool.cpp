// What a call on several threads costs before its work begins: hot (calls back to back), cold (workers asleep) and the
// very first; and how two callers at once share the pool. A plain program, not a test: prints medians and 90%.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

#include "engine/thread_pool.hpp"

namespace {

using Clock = std::chrono::steady_clock;
using fastcollate::engine::parallel_for;

double us_since(Clock::time_point start) {
    return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

void spin_us(double us) {
    for (const auto start = Clock::now(); us_since(start) < us;) {
    }
}

void print(const char* what, std::vector<double> us) {
    std::sort(us.begin(), us.end());
    std::printf("%-66s %9.2f us   90%% %9.2f us\n", what, us[us.size() / 2], us[us.size() * 9 / 10]);
}

/// Times `call` again and again, with `pause_us` between the calls, awake or asleep.
template <typename Call>
void time_calls(const char* what, int runs, double pause_us, bool asleep, const Call& call) {
    std::vector<double> us;
    for (int i = 0; i < runs; ++i) {
        if (asleep) {
            std::this_thread::sleep_for(std::chrono::microseconds(static_cast<int>(pause_us)));
        } else {
            spin_us(pause_us);
        }
        const auto start = Clock::now();
        call();
        us.push_back(us_since(start));
    }
    print(what, us);
}

void nothing() {
    parallel_for(2, 2, [](std::size_t) {});
}

/// Both pieces wait for each other (10 ms at most), so this ends when the worker has begun.
void meet() {
    std::atomic<int> here{0};
    parallel_for(2, 2, [&here](std::size_t) {
        here.fetch_add(1);
        for (const auto start = Clock::now(); here.load() < 2 && us_since(start) < 10'000;) {
        }
    });
}

/// Two callers of `pieces` pieces of `piece_us` each; returns when both are done.
void two_callers(int pieces, double piece_us, int threads, double* first_us, double* second_us) {
    const auto call = [=](double* us) {
        const auto start = Clock::now();
        parallel_for(static_cast<std::size_t>(pieces), threads, [=](std::size_t) { spin_us(piece_us); });
        *us = us_since(start);
    };
    std::thread other([&] { call(second_us); });
    call(first_us);
    other.join();
}

}  // namespace

int main() {
    const auto start = Clock::now();
    nothing();
    std::printf("%-66s %9.2f us\n", "first call: pool and thread made", us_since(start));
    time_calls("hot dispatch: calls back to back", 20'000, 0, false, nothing);
    time_calls("hot dispatch: 5 us of other work between", 5'000, 5, false, nothing);
    time_calls("until a hot worker has begun", 5'000, 0, false, meet);
    time_calls("cold dispatch: workers asleep, 2 ms between, caller sleeps", 500, 2'000, true, nothing);
    time_calls("cold dispatch: workers asleep, 200 us between, caller works", 2'000, 200, false, nothing);
    time_calls("until a cold worker has begun, caller slept", 500, 2'000, true, meet);
    time_calls("until a cold worker has begun, caller worked 200 us", 2'000, 200, false, meet);
    time_calls("serial (threads=1), 2 pieces", 20'000, 0, false, [] { parallel_for(2, 1, [](std::size_t) {}); });
    time_calls("10,000 empty pieces, 1 thread", 200, 0, false, [] { parallel_for(10'000, 1, [](std::size_t) {}); });
    time_calls("10,000 empty pieces, 2 threads", 200, 0, false, [] { parallel_for(10'000, 2, [](std::size_t) {}); });
    time_calls("200 pieces of 50 us, 1 thread", 5, 0, false,
               [] { parallel_for(200, 1, [](std::size_t) { spin_us(50); }); });
    time_calls("200 pieces of 50 us, 2 threads", 5, 0, false,
               [] { parallel_for(200, 2, [](std::size_t) { spin_us(50); }); });
    std::vector<double> first;
    std::vector<double> second;
    for (int i = 0; i < 5; ++i) {
        double a = 0;
        double b = 0;
        two_callers(200, 50, 2, &a, &b);
        first.push_back(a);
        second.push_back(b);
    }
    print("two callers at once, 200 pieces of 50 us each: the one", first);
    print("two callers at once, 200 pieces of 50 us each: the other", second);

    // A short call must not wait for a long one: 8 pieces of 50 us (200 us alone on two threads) while 100 ms run.
    std::atomic<bool> stop{false};
    std::thread long_caller([&stop] {
        while (!stop.load()) {
            parallel_for(2'000, 2, [](std::size_t) { spin_us(50); });
        }
    });
    time_calls("8 pieces of 50 us while another call of 100 ms runs", 50, 3'000, true,
               [] { parallel_for(8, 2, [](std::size_t) { spin_us(50); }); });
    stop.store(true);
    long_caller.join();
    return 0;
}
