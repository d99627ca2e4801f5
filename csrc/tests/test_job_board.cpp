// Whom a free worker helps, and how many may: the pool's policy without threads.
#include "engine/job_board.hpp"
#include "tests/check.hpp"

namespace {

using fastcollate::engine::Job;
using fastcollate::engine::JobBoard;

/// As the pool does when a worker joins.
void join(Job& job) {
    job.workers.fetch_add(1);
    ++job.turns;
}

void test_one_job() {
    JobBoard board(2);
    CHECK(board.demand().job == nullptr);
    CHECK(board.demand().workers == 0);
    // More threads than CPUs, since the call says so itself; its caller is one of them.
    Job job{nullptr, nullptr, 100, 4, -1};
    board.add(job);
    CHECK(board.demand().job == &job);
    CHECK(board.demand().workers == 3);
    CHECK(!board.is_shared());
    join(job);
    CHECK(board.demand().workers == 2);
    job.next = 100;  // no pieces left
    CHECK(board.demand().job == nullptr);
    CHECK(board.demand().workers == 0);
    board.remove(job);
    CHECK(board.demand().job == nullptr);
}

void test_two_jobs_share() {
    JobBoard board(8);
    Job first{nullptr, nullptr, 100, 8, -1};
    Job second{nullptr, nullptr, 100, 8, -1};
    board.add(first);
    for (int i = 0; i < 3; ++i) {
        join(first);
    }
    board.add(second);
    CHECK(board.is_shared());
    // Eight CPUs: two callers and six workers, three for each.
    CHECK(board.demand().workers == 3);
    for (int i = 0; i < 3; ++i) {
        CHECK(board.demand().job == &second);
        join(second);
    }
    CHECK(board.demand().job == nullptr);
    // A worker that ends its turn in the first finds it needier than the second: it would be back for the fourth time
    // there, but with fewer colleagues.
    first.workers.fetch_sub(1);
    CHECK(board.demand().job == &first);
    // Equal in workers: the one that was helped less often.
    second.workers.fetch_sub(1);
    first.turns = 9;
    CHECK(board.demand().job == &second);
    board.remove(second);
    CHECK(!board.is_shared());
    CHECK(board.demand().job == &first);
    CHECK(board.demand().workers == 5);
}

void test_callers_alone_keep_the_cpus_busy() {
    JobBoard board(2);
    Job first{nullptr, nullptr, 100, 2, -1};
    Job second{nullptr, nullptr, 100, 2, -1};
    board.add(first);
    board.add(second);
    CHECK(board.demand().job == nullptr);
    board.remove(first);
    CHECK(board.demand().job == &second);
    CHECK(board.demand().workers == 1);
}

void test_each_gets_what_it_asked_for_while_there_are_cpus() {
    JobBoard board(8);
    Job first{nullptr, nullptr, 100, 2, -1};
    Job second{nullptr, nullptr, 100, 2, -1};
    board.add(first);
    board.add(second);
    CHECK(board.demand().workers == 2);
    join(*board.demand().job);
    join(*board.demand().job);
    CHECK(first.workers.load() == 1);
    CHECK(second.workers.load() == 1);
    CHECK(board.demand().job == nullptr);
}

void test_removal_in_any_order() {
    Job jobs[] = {{nullptr, nullptr, 9, 2, -1}, {nullptr, nullptr, 9, 2, -1}, {nullptr, nullptr, 9, 2, -1}};
    const int orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (const auto& order : orders) {
        JobBoard board(16);
        for (Job& job : jobs) {
            job.before = nullptr;
            job.after = nullptr;
            board.add(job);
        }
        for (int left = 3; left > 0; --left) {
            CHECK(board.demand().workers == left);
            board.remove(jobs[order[3 - left]]);
        }
        CHECK(board.demand().workers == 0);
    }
}

}  // namespace

int main() {
    test_one_job();
    test_two_jobs_share();
    test_callers_alone_keep_the_cpus_busy();
    test_each_gets_what_it_asked_for_while_there_are_cpus();
    test_removal_in_any_order();
    return fastcollate::tests::report("job_board");
}
