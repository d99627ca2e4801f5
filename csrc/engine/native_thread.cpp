#include "engine/native_thread.hpp"

#include <exception>
#include <initializer_list>
#include <thread>

#if (defined(__unix__) || defined(__APPLE__)) && !defined(__EMSCRIPTEN__)
#define FASTCOLLATE_POSIX_THREADS 1
#include <pthread.h>
// NOLINTNEXTLINE(modernize-deprecated-headers): POSIX's signal sets, which <csignal> need not have
#include <signal.h>
#else
#define FASTCOLLATE_POSIX_THREADS 0
#endif
#if defined(__linux__)
#include <sched.h>
#endif
#if defined(__x86_64__) || defined(_M_X64) || defined(__i386__) || defined(_M_IX86)
#include <immintrin.h>
#endif

namespace fastcollate::engine {
namespace {

/// While this lives, threads are born with signals blocked: Python's handlers run on threads that Python knows, and a
/// Ctrl-C must not be lost on one that never looks. Blocked before the birth, for after it would be too late.
class SignalsBlocked {
public:
#if FASTCOLLATE_POSIX_THREADS
    SignalsBlocked() noexcept {
        sigset_t blocked;
        sigfillset(&blocked);
        // Except those that a thread raises by its own mistake: blocked, they would kill the process at once, past
        // Python's faulthandler (a truncated memory-mapped file is a SIGBUS).
        for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT}) {
            sigdelset(&blocked, fault);
        }
        pthread_sigmask(SIG_SETMASK, &blocked, &before_);
    }
    ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    SignalsBlocked(const SignalsBlocked&) = delete;
    SignalsBlocked& operator=(const SignalsBlocked&) = delete;

private:
    sigset_t before_;
#endif
};

#if defined(__linux__)
/// The CPUs this thread may run on, and the same without its caller's.
thread_local cpu_set_t allowed;
thread_local cpu_set_t barred;
thread_local bool is_barred = false;

void lift_bar() noexcept {
    cpu_set_t now;
    if (is_barred && sched_getaffinity(0, sizeof now, &now) == 0 && CPU_EQUAL(&now, &barred)) {
        (void)sched_setaffinity(0, sizeof allowed, &allowed);
    }
    is_barred = false;
}
#endif

void name_this_thread() noexcept {
#if defined(__linux__) && FASTCOLLATE_POSIX_THREADS
    pthread_setname_np(pthread_self(), "fastcollate");
#elif defined(__APPLE__)
    pthread_setname_np("fastcollate");
#endif
}

}  // namespace

bool start_detached(void (*run)(void*) noexcept, void* context) noexcept {
    try {
        [[maybe_unused]] const SignalsBlocked signals;
        std::thread([run, context] {
            name_this_thread();
            run(context);
        }).detach();
        return true;
    } catch (const std::exception&) {
        return false;
    }
}

void relax_cpu() noexcept {
#if defined(__x86_64__) || defined(_M_X64) || defined(__i386__) || defined(_M_IX86)
    _mm_pause();
#elif (defined(__aarch64__) || defined(__arm__)) && defined(__GNUC__)
    __asm__ __volatile__("yield");
#else
    std::this_thread::yield();
#endif
}

int current_cpu() noexcept {
#if defined(__linux__)
    return sched_getcpu();
#else
    return -1;
#endif
}

void sleep_apart_from([[maybe_unused]] int cpu) noexcept {
#if defined(__linux__)
    lift_bar();
    if (cpu < 0 || cpu >= CPU_SETSIZE || sched_getaffinity(0, sizeof allowed, &allowed) != 0) {
        return;
    }
    barred = allowed;
    CPU_CLR(cpu, &barred);
    is_barred = CPU_COUNT(&barred) > 0 && sched_setaffinity(0, sizeof barred, &barred) == 0;
#endif
}

void work_apart_from([[maybe_unused]] int cpu) noexcept {
#if defined(__linux__)
    if (current_cpu() == cpu) {
        sleep_apart_from(cpu);  // moves it at once
    }
    lift_bar();
#endif
}

}  // namespace fastcollate::engine
