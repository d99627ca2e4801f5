#include "engine/thread_pool.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <new>
#include <thread>

#include "engine/cpu_count.hpp"
#include "engine/forks.hpp"
#include "engine/native_thread.hpp"

namespace fastcollate::engine {
namespace {

using Clock = std::chrono::steady_clock;
using Lock = std::unique_lock<std::mutex>;

/// A thread out of work looks out for more this long before it sleeps: about what going to sleep and being woken
/// costs, so that spinning at most doubles that. Set by tests/bench_thread_pool.cpp.
constexpr std::chrono::microseconds kSpin{10};
/// While several calls are open, a worker looks after this long whether another one needs it more.
constexpr std::chrono::microseconds kTurn{100};
/// After the system refused a thread, it is not asked again for this long.
constexpr std::chrono::seconds kRefusalPause{1};
/// Who opens or joins a call wakes no more than this many others, who wake others in turn: a tree is up sooner than a
/// row, and no caller pays for waking them all.
constexpr int kWakes = 2;

std::atomic<std::int64_t> idle_ms{2000};

/// True on workers, and on callers while they are inside a call: what they call in turn runs serially.
thread_local bool inside_a_call = false;

/// True as soon as `done()` holds; false after kSpin.
template <typename Done>
bool spin_until(const Done& done) noexcept {
    const auto end = Clock::now() + kSpin;
    do {
        for (int i = 0; i < 16; ++i) {
            if (done()) {
                return true;
            }
            relax_cpu();
        }
        // Whoever is waited for may sit in this CPU's queue, above all on a busy machine.
        std::this_thread::yield();
    } while (Clock::now() < end);
    return done();
}

class Pool {
public:
    Pool(unsigned generation, Pool* abandoned) noexcept : generation_(generation), abandoned_(abandoned) {}

    static Pool* instance() noexcept;
    static Pool* existing() noexcept;

    void run(Job& job);
    int worker_count() noexcept;
    bool retire(std::chrono::milliseconds patience) noexcept;

private:
    void open(Job& job) noexcept;
    void close(Job& job) noexcept;
    void take_pieces(Job& job, bool by_turns) noexcept;
    void add_workers(int count) noexcept;
    void wake_and_unlock(int wanted, Lock& lock) noexcept;
    void work() noexcept;
    bool await_demand(Lock& lock, bool spins, int callers_cpu) noexcept;

    // intentional: never deleted. Destruction at exit would have to join threads, which under a loader's lock means a
    // hang. The workers sleep, and end with the process.
    inline static std::atomic<Pool*> current{nullptr};

    const unsigned generation_;
    [[maybe_unused]] Pool* const abandoned_;  // the forking process's; kept only so that it doesn't look like a leak
    std::mutex mutex_;
    std::condition_variable awake_;     // idle workers sleep here
    std::condition_variable finished_;  // callers wait here until the last worker has left
    std::atomic<unsigned> news_{0};     // what spinning workers look at
    // Under the mutex:
    JobBoard board_{available_cpus()};
    int workers_ = 0;
    int idle_ = 0;  // of the workers, those in no job; of these some spin and some sleep
    int spinning_ = 0;
    int sleeping_ = 0;
    int waiting_ = 0;  // at finished_
    int retiring_ = 0;
    Clock::time_point refused_until_ = Clock::time_point::min();
};

Pool* Pool::existing() noexcept {
    Pool* pool = current.load(std::memory_order_acquire);
    return pool != nullptr && pool->generation_ == fork_generation() ? pool : nullptr;
}

/// The process's pool; nullptr when there is no memory for one. A forked child must not touch the one it inherited,
/// whose mutex may be held by a thread that doesn't exist any more: it leaves it alone and makes its own.
Pool* Pool::instance() noexcept {
    Pool* seen = current.load(std::memory_order_acquire);
    while (seen == nullptr || seen->generation_ != fork_generation()) {
        std::unique_ptr<Pool> fresh(new (std::nothrow) Pool(fork_generation(), seen));
        if (fresh == nullptr || current.compare_exchange_strong(seen, fresh.get(), std::memory_order_acq_rel)) {
            return fresh.release();
        }
    }
    return seen;
}

void Pool::run(Job& job) {
    inside_a_call = true;
    open(job);
    take_pieces(job, false);
    close(job);
    inside_a_call = false;
    if (job.error != nullptr) {
        std::rethrow_exception(job.error);
    }
}

void Pool::open(Job& job) noexcept {
    Lock lock(mutex_);
    board_.add(job);
    const int wanted = board_.demand().workers;
    int missing = std::max(0, std::min(wanted - idle_, kMaxThreads - 1 - workers_));
    if (missing > 0 && Clock::now() < refused_until_) {
        missing = 0;
    }
    workers_ += missing;
    idle_ += missing;
    wake_and_unlock(wanted - missing, lock);
    add_workers(missing);
}

/// Starts workers that are already counted; if the system refuses, those there are do the work.
void Pool::add_workers(int count) noexcept {
    for (; count > 0; --count) {
        if (!start_detached([](void* pool) noexcept { static_cast<Pool*>(pool)->work(); }, this)) {
            const Lock lock(mutex_);
            workers_ -= count;
            idle_ -= count;
            refused_until_ = Clock::now() + kRefusalPause;
            return;
        }
    }
}

void Pool::close(Job& job) noexcept {
    Lock lock(mutex_);
    board_.remove(job);
    // This thread no longer counts against the other calls' share, so they may want one more.
    wake_and_unlock(board_.demand().workers, lock);
    const auto left = [&job] { return job.workers.load(std::memory_order_acquire) == 0; };
    if (left() || spin_until(left)) {
        return;
    }
    lock.lock();
    ++waiting_;
    finished_.wait(lock, left);
    --waiting_;
}

void Pool::take_pieces(Job& job, bool by_turns) noexcept {
    const auto start = Clock::now();
    for (;;) {
        const std::size_t piece = job.next.fetch_add(1, std::memory_order_relaxed);
        if (piece >= job.pieces) {
            return;
        }
        try {
            job.run(job.context, piece);
        } catch (...) {
            job.next.store(job.pieces, std::memory_order_relaxed);
            const Lock lock(mutex_);
            if (job.error == nullptr) {
                job.error = std::current_exception();
            }
        }
        if (by_turns && board_.is_shared() && Clock::now() - start > kTurn) {
            return;
        }
    }
}

void Pool::wake_and_unlock(int wanted, Lock& lock) noexcept {
    if (wanted > 0 && spinning_ > 0) {
        news_.fetch_add(1, std::memory_order_release);
    }
    const int calls = std::min({wanted - spinning_, sleeping_, kWakes});
    lock.unlock();  // first, or those woken would run into it
    for (int i = 0; i < calls; ++i) {
        awake_.notify_one();
    }
}

/// A worker's life.
void Pool::work() noexcept {
    inside_a_call = true;
    Lock lock(mutex_);
    bool spins = false;
    int callers_cpu = -1;
    for (;;) {
        const auto [job, wanted] = board_.demand();
        if (job != nullptr) {
            --idle_;
            ++job->turns;
            job->workers.fetch_add(1, std::memory_order_relaxed);
            wake_and_unlock(wanted - 1, lock);
            callers_cpu = job->cpu;
            work_apart_from(callers_cpu);
            take_pieces(*job, true);
            lock.lock();
            ++idle_;
            job->workers.fetch_sub(1, std::memory_order_release);
            if (waiting_ > 0) {
                finished_.notify_all();
            }
        } else if (!await_demand(lock, spins, callers_cpu)) {
            break;
        }
        spins = job != nullptr;
    }
    --workers_;
    --idle_;
    if (waiting_ > 0) {
        finished_.notify_all();
    }
}

/// Waits for work, awake or asleep; false when this worker should go.
bool Pool::await_demand(Lock& lock, bool spins, int callers_cpu) noexcept {
    if (retiring_ > 0) {
        return false;
    }
    if (spins) {
        const unsigned seen = news_.load(std::memory_order_relaxed);
        ++spinning_;
        lock.unlock();
        if (!spin_until([this, seen] { return news_.load(std::memory_order_acquire) != seen; })) {
            sleep_apart_from(callers_cpu);
        }
        lock.lock();
        --spinning_;
        return true;
    }
    ++sleeping_;
    const std::chrono::milliseconds idle(idle_ms.load(std::memory_order_relaxed));
    const bool expired = awake_.wait_for(lock, idle) == std::cv_status::timeout;
    --sleeping_;
    return !expired || board_.demand().job != nullptr;
}

int Pool::worker_count() noexcept {
    const Lock lock(mutex_);
    return workers_;
}

bool Pool::retire(std::chrono::milliseconds patience) noexcept {
    Lock lock(mutex_);
    ++retiring_;
    ++waiting_;
    awake_.notify_all();
    const bool gone = finished_.wait_for(lock, patience, [this] { return workers_ == 0; });
    --waiting_;
    --retiring_;
    return gone;
}

}  // namespace

void run_pieces(std::size_t pieces, int threads, PieceFunction run, void* context) {
    const auto useful =
        static_cast<int>(std::min<std::size_t>(pieces, static_cast<std::size_t>(std::clamp(threads, 1, kMaxThreads))));
    Pool* pool = useful > 1 && !inside_a_call ? Pool::instance() : nullptr;
    if (pool == nullptr) {
        for (std::size_t piece = 0; piece < pieces; ++piece) {
            run(context, piece);
        }
        return;
    }
    Job job{run, context, pieces, useful, current_cpu()};
    pool->run(job);
}

int worker_count() noexcept {
    Pool* pool = Pool::existing();
    return pool == nullptr ? 0 : pool->worker_count();
}

bool retire_workers(std::chrono::milliseconds patience) noexcept {
    Pool* pool = Pool::existing();
    return pool == nullptr || pool->retire(patience);
}

std::chrono::milliseconds set_idle_time(std::chrono::milliseconds idle) noexcept {
    return std::chrono::milliseconds(idle_ms.exchange(idle.count(), std::memory_order_relaxed));
}

}  // namespace fastcollate::engine
