// How many threads a call gets by default: what was set, what the environment says, what the machine grants, and 1 in
// a process that is one of many. The environment is read once a process, so its cases run in forked children.
#include <climits>
#include <cstdlib>
#include <string>

#include "engine/cpu_count.hpp"
#include "engine/thread_count.hpp"
#include "tests/check.hpp"

#if defined(__linux__)
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

namespace {

using namespace fastcollate::engine;

void test_parse() {
    CHECK(parse_thread_count("1") == 1);
    CHECK(parse_thread_count("8") == 8);
    CHECK(parse_thread_count(" 12\n") == 12);
    CHECK(parse_thread_count("007") == 7);
    CHECK(parse_thread_count("2147483647") == INT_MAX);
    CHECK(parse_thread_count("2147483648") == INT_MAX);
    CHECK(parse_thread_count("99999999999999999999999999") == INT_MAX);
    for (const char* wrong : {"", " ", "0", "00", "-1", "+4", "4x", "x4", "4 4", "4.0", "0x4", "four", "1e3", "4,"}) {
        CHECK(parse_thread_count(wrong) == 0);
    }
}

void test_set_and_put_back() {
    const int machine = get_num_threads();
    CHECK(machine == available_cpus());
    CHECK(machine >= 1);
    CHECK(environment_threads_valid());
    CHECK(set_num_threads(3) == 0);
    CHECK(get_num_threads() == 3);
    CHECK(set_num_threads(INT_MAX) == 3);
    CHECK(get_num_threads() == INT_MAX);
    CHECK(set_num_threads(0) == INT_MAX);
    CHECK(get_num_threads() == machine);
}

#if defined(__linux__)

/// Whether `holds()` is true in a forked child.
template <typename Holds>
bool in_child(const Holds& holds) {
    const pid_t child = fork();
    if (child == 0) {
        _exit(holds() ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return status == 0;
}

void test_forked_children_default_to_one() {
    set_num_threads(7);
    CHECK(in_child([] { return get_num_threads() == 1; }));
    CHECK(in_child([] { return set_num_threads(3) == 0 && get_num_threads() == 3 && set_num_threads(0) == 3; }));
    CHECK(in_child([] { return set_num_threads(5) == 0 && in_child([] { return get_num_threads() == 1; }); }));
    CHECK(get_num_threads() == 7);
    CHECK(set_num_threads(0) == 7);
}

void test_affinity() {
    cpu_set_t before;
    cpu_set_t one;
    CHECK(sched_getaffinity(0, sizeof before, &before) == 0);
    CHECK(affinity_cpus() == CPU_COUNT(&before));
    CPU_ZERO(&one);
    for (int cpu = 0; CPU_COUNT(&one) == 0; ++cpu) {
        if (CPU_ISSET(cpu, &before)) {
            CPU_SET(cpu, &one);
        }
    }
    CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
    CHECK(affinity_cpus() == 1);
    CHECK(available_cpus() == 1);
    CHECK(get_num_threads() == 1);
    CHECK(sched_setaffinity(0, sizeof before, &before) == 0);
    CHECK(affinity_cpus() == CPU_COUNT(&before));
}

/// Run again with the variable set, so that this process reads it first.
void test_environment(const char* self) {
    const auto says = [self](const char* value, const char* expected) {
        return in_child([=] {
            setenv("FASTCOLLATE_NUM_THREADS", value, 1);
            execl(self, self, expected, static_cast<char*>(nullptr));
            return false;
        });
    };
    CHECK(says("5", "5"));
    CHECK(says(" 6 ", "6"));
    CHECK(says("", "machine"));
    CHECK(says("0", "invalid"));
    CHECK(says("-2", "invalid"));
    CHECK(says("many", "invalid"));
    CHECK(says("", "marked"));
}

/// What the process with the variable set finds; in its children too, for asked is asked.
bool is_as_expected(const std::string& expected) {
    const bool valid = environment_threads_valid();
    if (expected == "invalid") {
        return !valid && get_num_threads() == available_cpus();
    }
    if (expected == "machine") {
        return valid && get_num_threads() == available_cpus();
    }
    if (expected == "marked") {
        mark_as_worker();
        return get_num_threads() == 1 && set_num_threads(4) == 0 && get_num_threads() == 4;
    }
    const int number = std::stoi(expected);
    return valid && get_num_threads() == number && in_child([=] { return get_num_threads() == number; }) &&
           set_num_threads(2) == 0 && get_num_threads() == 2;
}

#endif

}  // namespace

int main([[maybe_unused]] int argc, [[maybe_unused]] char** argv) {
#if defined(__linux__)
    if (argc > 1) {
        return is_as_expected(argv[1]) ? 0 : 1;
    }
    unsetenv("FASTCOLLATE_NUM_THREADS");
    test_environment("/proc/self/exe");
#endif
    test_parse();
    test_set_and_put_back();
#if defined(__linux__)
    test_forked_children_default_to_one();
    test_affinity();
#endif
    return fastcollate::tests::report("thread_count");
}
