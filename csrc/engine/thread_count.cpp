#include "engine/thread_count.hpp"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <limits>

#include "engine/cpu_count.hpp"
#include "engine/forks.hpp"

namespace fastcollate::engine {
namespace {

constexpr int kUnread = -2;
constexpr int kInvalid = -1;
constexpr int kUnset = 0;

// intentional: all of this is single atomics without guards or locks, so that a fork at any moment leaves it usable.
std::atomic<int> environment{kUnread};
std::atomic<bool> marked{false};
/// The fork generation that set it in the upper half, the number in the lower.
std::atomic<std::uint64_t> chosen{0};

bool is_blank(char c) noexcept { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

int environment_threads() noexcept {
    int threads = environment.load(std::memory_order_relaxed);
    if (threads == kUnread) {
        const char* text = std::getenv("FASTCOLLATE_NUM_THREADS");
        threads = kUnset;
        if (text != nullptr && *text != '\0') {
            const int parsed = parse_thread_count(text);
            threads = parsed == 0 ? kInvalid : parsed;
        }
        environment.store(threads, std::memory_order_relaxed);
    }
    return threads;
}

int chosen_threads(std::uint64_t setting) noexcept {
    return static_cast<unsigned>(setting >> 32) == fork_generation() ? static_cast<int>(setting & 0x7FFF'FFFF) : 0;
}

}  // namespace

int parse_thread_count(const char* text) noexcept {
    while (is_blank(*text)) {
        ++text;
    }
    constexpr int kMost = std::numeric_limits<int>::max();
    int number = 0;
    const char* digit = text;
    for (; *digit >= '0' && *digit <= '9'; ++digit) {
        const int value = *digit - '0';
        // More threads than an int can count is still "as many as there can be".
        number = number > (kMost - value) / 10 ? kMost : number * 10 + value;
    }
    const char* end = digit;
    while (is_blank(*end)) {
        ++end;
    }
    return digit != text && *end == '\0' ? number : 0;
}

bool environment_threads_valid() noexcept { return environment_threads() != kInvalid; }

int get_num_threads() noexcept {
    const int asked = chosen_threads(chosen.load(std::memory_order_relaxed));
    if (asked > 0) {
        return asked;
    }
    if (environment_threads() > 0) {
        return environment_threads();
    }
    return fork_generation() > 0 || marked.load(std::memory_order_relaxed) ? 1 : available_cpus();
}

int set_num_threads(int threads) noexcept {
    const auto number = static_cast<std::uint64_t>(threads > 0 ? threads : 0);
    const std::uint64_t setting = std::uint64_t{fork_generation()} << 32 | number;
    return chosen_threads(chosen.exchange(setting, std::memory_order_relaxed));
}

void mark_as_worker() noexcept { marked.store(true, std::memory_order_relaxed); }

}  // namespace fastcollate::engine
