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

}  // namespace fastcollate::engine
