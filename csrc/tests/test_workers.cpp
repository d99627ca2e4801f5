// The pool's threads: when they come, what they block, that they sleep without using the CPU, and that they go.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>

#include "engine/thread_pool.hpp"
#include "tests/check.hpp"
#include "tests/sanitizers.hpp"

#if defined(__linux__)
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

namespace {

using std::chrono::milliseconds;
using namespace fastcollate::engine;

/// Makes sure that a worker exists and has worked.
template <typename OnWorker>
bool run_on_worker(const OnWorker& on_worker) {
    const auto caller = std::this_thread::get_id();
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    std::atomic<bool> done{false};
    parallel_for(2, 2, [&](std::size_t) {
        if (std::this_thread::get_id() != caller) {
            on_worker();
            done.store(true);
        }
        while (!done.load() && std::chrono::steady_clock::now() < end) {
            std::this_thread::yield();
        }
    });
    return done.load();
}

#if defined(__linux__)

int thread_count() {
    DIR* folder = opendir("/proc/self/task");
    int count = 0;
    for (const dirent* entry = readdir(folder); entry != nullptr; entry = readdir(folder)) {
        count += entry->d_name[0] == '.' ? 0 : 1;
    }
    closedir(folder);
    return count;
}

bool falls_to(int wanted, milliseconds patience) {
    const auto end = std::chrono::steady_clock::now() + patience;
    while (thread_count() > wanted && std::chrono::steady_clock::now() < end) {
        std::this_thread::sleep_for(milliseconds(5));
    }
    return thread_count() == wanted;
}

void test_none_before_the_first_call(int before) {
    CHECK(thread_count() == before);
    CHECK(worker_count() == 0);
    parallel_for(100, 1, [](std::size_t) {});
    parallel_for(1, 8, [](std::size_t) {});
    CHECK(worker_count() == 0);
    CHECK(run_on_worker([] {}));
    CHECK(worker_count() == 1);
    CHECK(thread_count() == before + 1);
}

void test_signals_and_name() {
    sigset_t blocked;
    sigset_t callers_before;
    sigset_t callers_after;
    char name[16] = "";
    pthread_sigmask(SIG_SETMASK, nullptr, &callers_before);
    CHECK(run_on_worker([&] {
        pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
        pthread_getname_np(pthread_self(), name, sizeof name);
    }));
    pthread_sigmask(SIG_SETMASK, nullptr, &callers_after);
    for (const int signal : {SIGINT, SIGTERM, SIGALRM, SIGCHLD, SIGUSR1, SIGPROF}) {
        CHECK(sigismember(&blocked, signal) == 1);
        CHECK(sigismember(&callers_after, signal) == sigismember(&callers_before, signal));
    }
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
        CHECK(sigismember(&blocked, fault) == 0);
    }
    CHECK(std::string(name) == "fastcollate");
}

double cpu_ms() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto ms = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
    };
    return ms(usage.ru_utime) + ms(usage.ru_stime);
}

void test_idle_workers_use_no_cpu() {
    CHECK(run_on_worker([] {}));
    std::this_thread::sleep_for(milliseconds(20));
    const double before = cpu_ms();
    std::this_thread::sleep_for(milliseconds(1000));
    const double used = cpu_ms() - before;
    std::printf("one second idle with %d worker(s): %.3f ms of CPU\n", worker_count(), used);
    CHECK(worker_count() == 1);
    CHECK(used < 5.0);
    // And they wake up when called, long before their idle time is over.
    const auto start = std::chrono::steady_clock::now();
    CHECK(run_on_worker([] {}));
    CHECK(std::chrono::steady_clock::now() - start < milliseconds(500));
    CHECK(worker_count() == 1);
}

/// Asleep, a worker is barred from its caller's CPU; at work it may run where the process may, or where it was put.
void test_workers_run_where_they_may() {
    cpu_set_t callers;
    cpu_set_t workers;
    pid_t worker = 0;
    CHECK(sched_getaffinity(0, sizeof callers, &callers) == 0);
    const auto look = [&] {
        sched_getaffinity(0, sizeof workers, &workers);
        worker = static_cast<pid_t>(syscall(SYS_gettid));
    };
    for (int round = 0; round < 20; ++round) {
        CHECK(run_on_worker(look));
        CHECK(CPU_EQUAL(&callers, &workers));
        std::this_thread::sleep_for(milliseconds(round % 4));
    }
    std::this_thread::sleep_for(milliseconds(20));
    cpu_set_t asleep;
    CHECK(sched_getaffinity(worker, sizeof asleep, &asleep) == 0);
    // Somebody puts it on the one CPU that it is barred from, so that the two can't be confused.
    cpu_set_t one;
    CPU_XOR(&one, &callers, &asleep);
    if (CPU_COUNT(&one) == 0) {
        one = callers;
    }
    CHECK(sched_setaffinity(worker, sizeof one, &one) == 0);
    for (int round = 0; round < 3; ++round) {
        CHECK(run_on_worker(look));
        CHECK(CPU_EQUAL(&one, &workers));
        std::this_thread::sleep_for(milliseconds(5));
    }
    CHECK(retire_workers(milliseconds(1000)));
}

void test_idle_workers_go(int before) {
    const milliseconds usual = set_idle_time(milliseconds(100));
    CHECK(usual == milliseconds(2000));
    parallel_for(1'000, 8, [](std::size_t) { std::this_thread::yield(); });
    CHECK(worker_count() >= 1);
    // Those that fell asleep before the idle time was shortened go after the usual one.
    CHECK(falls_to(before, milliseconds(4000)));
    CHECK(worker_count() == 0);
    CHECK(run_on_worker([] {}));
    const auto start = std::chrono::steady_clock::now();
    CHECK(falls_to(before, milliseconds(2000)));
    CHECK(std::chrono::steady_clock::now() - start > milliseconds(80));
    set_idle_time(usual);
}

void test_retire(int before) {
    CHECK(retire_workers(milliseconds(0)));
    CHECK(run_on_worker([] {}));
    CHECK(thread_count() == before + 1);
    const auto start = std::chrono::steady_clock::now();
    CHECK(retire_workers(milliseconds(1000)));
    CHECK(std::chrono::steady_clock::now() - start < milliseconds(500));
    CHECK(falls_to(before, milliseconds(100)));
    CHECK(run_on_worker([] {}));  // and they come back
    // From within a call the workers can't go: no hang, but a no after the patience.
    bool gone = true;
    run_on_worker([&gone] { gone = retire_workers(milliseconds(10)); });
    CHECK(!gone);
    CHECK(retire_workers(milliseconds(1000)));
}

/// In a process that may have no more memory mapped, a thread's stack can't be had. Before any other test, because the
/// C library keeps the stacks of ended threads for new ones.
void test_no_thread_to_be_had() {
    if (fastcollate::tests::kSanitizer) {
        return;  // their own memory doesn't fit under any such limit
    }
    const pid_t child = fork();
    if (child == 0) {
        rlimit limit{};
        limit.rlim_cur = limit.rlim_max = std::size_t{64} << 10;
        setrlimit(RLIMIT_AS, &limit);
        int ran = 0;
        for (int round = 0; round < 3; ++round) {
            parallel_for(1'000, 8, [&ran](std::size_t) { ++ran; });
        }
        _exit(ran == 3'000 && worker_count() == 0 ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(status == 0);
}

#endif

}  // namespace

int main() {
#if defined(__linux__)
    alarm(60);
    test_no_thread_to_be_had();
    std::thread([] {}).join();  // the thread sanitizer starts a thread of its own with the first one of ours
    const int before = thread_count();
    test_none_before_the_first_call(before);
    test_signals_and_name();
    test_idle_workers_use_no_cpu();
    test_workers_run_where_they_may();
    test_idle_workers_go(before);
    test_retire(before);
#else
    // Elsewhere: that they work and, asked to, go.
    CHECK(run_on_worker([] {}));
    CHECK(worker_count() == 1);
    CHECK(retire_workers(milliseconds(5000)));
    CHECK(worker_count() == 0);
#endif
    return fastcollate::tests::report("workers");
}
