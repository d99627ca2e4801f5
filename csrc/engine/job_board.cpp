#include "engine/job_board.hpp"

#include <algorithm>

namespace fastcollate::engine {
namespace {

int workers_in(const Job& job) noexcept { return job.workers.load(std::memory_order_relaxed); }

int wanted_by(const Job& job) noexcept {
    return job.next.load(std::memory_order_relaxed) < job.pieces ? job.threads - 1 - workers_in(job) : 0;
}

/// Fewest workers first; among equals, the one that was helped least often.
bool is_needier(const Job& job, const Job& than) noexcept {
    return workers_in(job) < workers_in(than) || (workers_in(job) == workers_in(than) && job.turns < than.turns);
}

}  // namespace

void JobBoard::add(Job& job) noexcept {
    job.after = first_;
    if (first_ != nullptr) {
        first_->before = &job;
    }
    first_ = &job;
    count_.fetch_add(1, std::memory_order_relaxed);
}

void JobBoard::remove(Job& job) noexcept {
    (job.before == nullptr ? first_ : job.before->after) = job.after;
    if (job.after != nullptr) {
        job.after->before = job.before;
    }
    count_.fetch_sub(1, std::memory_order_relaxed);
}

Demand JobBoard::demand() const noexcept {
    int most = 0;
    int sum = 0;
    int busy = 0;
    int wanted = 0;
    Job* neediest = nullptr;
    for (Job* job = first_; job != nullptr; job = job->after) {
        most = std::max(most, job->threads);
        sum += job->threads;
        busy += 1 + workers_in(*job);
        const int wants = wanted_by(*job);
        if (wants > 0) {
            wanted += wants;
            neediest = neediest == nullptr || is_needier(*job, *neediest) ? job : neediest;
        }
    }
    // The callers count among the busy, so that a worker doesn't take the CPU from one in the midst of its own pieces.
    const int allowed = std::max(most, std::min(sum, cpus_)) - busy;
    wanted = std::max(0, std::min(wanted, allowed));
    return {wanted > 0 ? neediest : nullptr, wanted};
}

}  // namespace fastcollate::engine
