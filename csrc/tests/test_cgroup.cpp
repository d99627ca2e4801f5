// The limits of control groups, read from trees of files as Linux lays them out: v1, v2, both, containers that see
// their own group as the top or as a path that isn't there, broken files, no files.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "engine/cgroup.hpp"
#include "engine/cpu_count.hpp"
#include "engine/memory_size.hpp"
#include "tests/check.hpp"

namespace {

namespace fs = std::filesystem;
using namespace fastcollate::engine;

constexpr const char* kV2Mount = "30 24 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
constexpr const char* kV1CpuMount = "31 24 0:27 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n";
constexpr const char* kV1MemoryMount = "32 24 0:28 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n";
constexpr const char* kOtherMounts =
    "24 1 8:1 / / rw,relatime - ext4 /dev/vda rw\n"
    "25 24 0:5 / /sys rw - sysfs sysfs rw\nbroken line\n"
    "33 24 0:29 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n";

/// A root with files, gone at the end.
class Tree {
public:
    Tree() : root_(fs::temp_directory_path() / ("fastcollate_cgroup_" + std::to_string(std::random_device{}()))) {
        fs::create_directories(root_);
    }
    ~Tree() { fs::remove_all(root_); }
    Tree(const Tree&) = delete;
    Tree& operator=(const Tree&) = delete;

    Tree& file(const std::string& path, const std::string& content) {
        fs::create_directories((root_ / path).parent_path());
        std::ofstream(root_ / path) << content;
        return *this;
    }
    std::uint64_t cpus() const { return cgroup_cpus(root_.string()); }
    std::uint64_t memory() const { return cgroup_memory(root_.string()); }

private:
    fs::path root_;
};

void test_none() {
    CHECK(Tree().cpus() == 0);
    CHECK(Tree().memory() == 0);
    CHECK(cgroup_cpus("/no/such/folder") == 0);
    Tree tree;
    tree.file("proc/self/cgroup", "0::/\n").file("proc/self/mountinfo", std::string(kOtherMounts) + kV2Mount);
    CHECK(tree.cpus() == 0);
    tree.file("sys/fs/cgroup/cpu.max", "max 100000\n").file("sys/fs/cgroup/memory.max", "max\n");
    CHECK(tree.cpus() == 0);
    CHECK(tree.memory() == 0);
}

void test_v2_rounds_up() {
    const struct {
        const char* content;
        std::uint64_t cpus;
    } cases[] = {{"100000 100000", 1}, {"150000 100000", 2}, {"200000 100000", 2},
                 {"200001 100000", 3}, {"1000 100000", 1},   {"50000 20000", 3},
                 {"300000", 3},        {"max", 0},           {"", 0},
                 {"nonsense", 0},      {"-1 100000", 0},     {"0 100000", 0}};
    for (const auto& one : cases) {
        Tree tree;
        tree.file("proc/self/cgroup", "0::/\n").file("proc/self/mountinfo", kV2Mount);
        tree.file("sys/fs/cgroup/cpu.max", one.content);
        CHECK(tree.cpus() == one.cpus);
    }
}

void test_v2_parents() {
    Tree tree;
    tree.file("proc/self/cgroup", "0::/user.slice/app.slice/job\n").file("proc/self/mountinfo", kV2Mount);
    tree.file("sys/fs/cgroup/user.slice/app.slice/job/cpu.max", "max 100000\n");
    tree.file("sys/fs/cgroup/user.slice/app.slice/cpu.max", "250000 100000\n");
    tree.file("sys/fs/cgroup/user.slice/cpu.max", "800000 100000\n");
    tree.file("sys/fs/cgroup/user.slice/memory.max", "5000000000\n");
    tree.file("sys/fs/cgroup/user.slice/app.slice/job/memory.max", "7000000000\n");
    CHECK(tree.cpus() == 3);
    CHECK(tree.memory() == 5'000'000'000);
    tree.file("sys/fs/cgroup/user.slice/app.slice/job/cpu.max", "100000 100000\n");
    CHECK(tree.cpus() == 1);
    // A group beside it with a longer name that begins alike is none of ours.
    tree.file("sys/fs/cgroup/user.slice/app.slice/job2/cpu.max", "1000 100000\n");
    CHECK(tree.cpus() == 1);
}

void test_v1() {
    Tree tree;
    tree.file("proc/self/cgroup", "9:cpuset:/\n4:cpu,cpuacct:/batch/one\n3:memory:/batch\n1:name=systemd:/x\n");
    tree.file("proc/self/mountinfo", std::string(kOtherMounts) + kV1CpuMount + kV1MemoryMount);
    tree.file("sys/fs/cgroup/cpu,cpuacct/batch/one/cpu.cfs_quota_us", "-1\n");
    tree.file("sys/fs/cgroup/cpu,cpuacct/batch/one/cpu.cfs_period_us", "100000\n");
    CHECK(tree.cpus() == 0);
    tree.file("sys/fs/cgroup/cpu,cpuacct/batch/cpu.cfs_quota_us", "350000\n");
    tree.file("sys/fs/cgroup/cpu,cpuacct/batch/cpu.cfs_period_us", "50000\n");
    CHECK(tree.cpus() == 7);
    tree.file("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "120000\n");
    CHECK(tree.cpus() == 2);  // no period beside it: the usual one
    tree.file("sys/fs/cgroup/memory/batch/memory.limit_in_bytes", "2147483648\n");
    tree.file("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    CHECK(tree.memory() == 2'147'483'648);
}

void test_v1_beside_v2() {
    Tree tree;
    tree.file("proc/self/cgroup", "4:cpu:/a\n0::/b\n");
    tree.file("proc/self/mountinfo", std::string("41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n") +
                                         "33 31 0:30 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n");
    tree.file("sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "400000\n")
        .file("sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n");
    CHECK(tree.cpus() == 4);
    tree.file("sys/fs/cgroup/unified/b/cpu.max", "200000 100000\n");
    CHECK(tree.cpus() == 2);
}

void test_containers() {
    // The container's group is mounted as the top, while the path is the one the host knows.
    Tree docker;
    docker.file("proc/self/cgroup", "4:cpu,cpuacct:/docker/abc/inner\n");
    docker.file("proc/self/mountinfo", "31 24 0:27 /docker/abc /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpuacct,cpu\n");
    docker.file("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "200000\n")
        .file("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
    CHECK(docker.cpus() == 2);
    docker.file("sys/fs/cgroup/cpu/inner/cpu.cfs_quota_us", "100000\n");
    CHECK(docker.cpus() == 1);
    // The same without the mount's origin saying so: the path isn't there, the top of the mount is.
    Tree plain;
    plain.file("proc/self/cgroup", "0::/system.slice/docker-abc.scope\n").file("proc/self/mountinfo", kV2Mount);
    plain.file("sys/fs/cgroup/cpu.max", "300000 100000\n");
    CHECK(plain.cpus() == 3);
    // A path that leads out of the namespace, also into what would be another place.
    Tree outside;
    outside.file("proc/self/cgroup", "0::/../../other\n").file("proc/self/mountinfo", kV2Mount);
    outside.file("sys/other/cpu.max", "100000 100000\n").file("sys/fs/cgroup/cpu.max", "600000 100000\n");
    CHECK(outside.cpus() == 6);
    // An origin of which the path is no part.
    Tree foreign;
    foreign.file("proc/self/cgroup", "0::/abcd\n");
    foreign.file("proc/self/mountinfo", "30 24 0:26 /abc /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
    foreign.file("sys/fs/cgroup/d/cpu.max", "100000 100000\n").file("sys/fs/cgroup/cpu.max", "500000 100000\n");
    CHECK(foreign.cpus() == 5);
}

void test_without_mountinfo() {
    Tree tree;
    tree.file("proc/self/cgroup", "0::/\n").file("sys/fs/cgroup/cpu.max", "200000 100000\n");
    CHECK(tree.cpus() == 2);
    Tree older;
    older.file("proc/self/cgroup", "2:cpu:/\n").file("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "100000\n");
    CHECK(older.cpus() == 1);
}

void test_cpus_within_a_quota() {
    CHECK(cpus_within(8, 0) == 8);
    CHECK(cpus_within(8, 3) == 3);
    CHECK(cpus_within(2, 3) == 2);
    CHECK(cpus_within(0, 0) == 1);
    CHECK(cpus_within(4, UINT64_MAX) == 4);
}

void test_this_machine() {
    CHECK(affinity_cpus() >= 1);
    CHECK(available_cpus() >= 1);
    CHECK(available_cpus() <= affinity_cpus());
    CHECK(available_memory() > (std::uint64_t{1} << 20));
}

}  // namespace

int main() {
    test_none();
    test_v2_rounds_up();
    test_v2_parents();
    test_v1();
    test_v1_beside_v2();
    test_containers();
    test_without_mountinfo();
    test_cpus_within_a_quota();
    test_this_machine();
    return fastcollate::tests::report("cgroup");
}
