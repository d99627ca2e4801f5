#include "engine/cgroup.hpp"

#include <algorithm>
#include <exception>
#include <fstream>
#include <sstream>
#include <vector>

namespace fastcollate::engine {
namespace {

enum class Version { kV1, kV2 };

/// A mounted hierarchy: `origin` is the group that appears at `point` (in a container not always the topmost).
struct Mount {
    std::string origin = "/";
    std::string point;
};

bool lists(const std::string& comma_separated, const std::string& word) {
    return ("," + comma_separated + ",").find("," + word + ",") != std::string::npos;
}

/// The path of this process's group, from a line such as `4:cpu,cpuacct:/path` (v1) or `0::/path` (v2); "" if none.
std::string group_path(const std::string& root, const std::string& controller, Version version) {
    std::ifstream file(root + "/proc/self/cgroup");
    for (std::string line; std::getline(file, line);) {
        const std::size_t first = line.find(':');
        const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
        if (second == std::string::npos) {
            continue;
        }
        const std::string controllers = line.substr(first + 1, second - first - 1);
        if (version == Version::kV2 ? controllers.empty() : lists(controllers, controller)) {
            return line.substr(second + 1);
        }
    }
    return "";
}

/// From a line such as `35 31 0:32 /origin /sys/fs/cgroup/cpu rw shared:9 - cgroup cgroup rw,cpu`.
Mount find_mount(const std::string& root, const std::string& controller, Version version) {
    std::ifstream file(root + "/proc/self/mountinfo");
    for (std::string line; std::getline(file, line);) {
        const std::size_t dash = line.find(" - ");
        if (dash == std::string::npos) {
            continue;
        }
        std::istringstream head(line.substr(0, dash));
        std::istringstream tail(line.substr(dash + 3));
        std::string skipped;
        std::string type;
        std::string options;
        Mount mount;
        head >> skipped >> skipped >> skipped >> mount.origin >> mount.point;
        tail >> type >> skipped >> options;
        if (version == Version::kV2 ? type == "cgroup2" : type == "cgroup" && lists(options, controller)) {
            return mount;
        }
    }
    // A sandbox may hide mountinfo; the usual places are worth a look.
    return {"/", version == Version::kV2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/" + controller};
}

/// The folders of this process's group and its parents, as far up as they are mounted.
std::vector<std::string> group_folders(const std::string& root, const std::string& controller, Version version) {
    std::string path = group_path(root, controller, version);
    if (path.empty()) {
        return {};
    }
    const Mount mount = find_mount(root, controller, version);
    if (mount.origin != "/") {
        const bool below = (path + "/").rfind(mount.origin + "/", 0) == 0;
        path = below ? path.substr(mount.origin.size()) : "";
    }
    if (path.find("/..") != std::string::npos) {
        path.clear();  // the group lies outside of what this namespace may see
    }
    const std::string top = root + mount.point;
    std::vector<std::string> folders;
    while (!path.empty() && path != "/") {
        std::string& folder = folders.emplace_back(top);
        folder += path;
        path.erase(path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
    }
    folders.push_back(top);
    return folders;
}

/// The numbers that a file opens with; none when there is no such file or it says "max" or -1.
std::vector<std::uint64_t> read_numbers(const std::string& path) {
    std::ifstream file(path);
    std::vector<std::uint64_t> numbers;
    for (std::int64_t number = 0; file >> number && number > 0;) {
        numbers.push_back(static_cast<std::uint64_t>(number));
    }
    return numbers;
}

void tighten(std::uint64_t& limit, std::uint64_t candidate) {
    limit = limit == 0 ? candidate : std::min(limit, candidate);
}

std::uint64_t read_cpus(const std::string& root) {
    constexpr std::uint64_t kDefaultPeriod = 100'000;
    std::uint64_t cpus = 0;
    const auto apply = [&cpus](const std::vector<std::uint64_t>& quota, std::uint64_t period) {
        if (!quota.empty()) {
            tighten(cpus, quota[0] / period + (quota[0] % period != 0));
        }
    };
    for (const std::string& folder : group_folders(root, "cpu", Version::kV2)) {
        const auto numbers = read_numbers(folder + "/cpu.max");
        apply(numbers, numbers.size() > 1 ? numbers[1] : kDefaultPeriod);
    }
    for (const std::string& folder : group_folders(root, "cpu", Version::kV1)) {
        const auto period = read_numbers(folder + "/cpu.cfs_period_us");
        apply(read_numbers(folder + "/cpu.cfs_quota_us"), period.empty() ? kDefaultPeriod : period[0]);
    }
    return cpus;
}

std::uint64_t read_memory(const std::string& root) {
    std::uint64_t bytes = 0;
    for (const auto& [version, file] :
         {std::pair(Version::kV2, "/memory.max"), std::pair(Version::kV1, "/memory.limit_in_bytes")}) {
        for (const std::string& folder : group_folders(root, "memory", version)) {
            const auto numbers = read_numbers(folder + file);
            if (!numbers.empty()) {
                tighten(bytes, numbers[0]);
            }
        }
    }
    return bytes;
}

/// A limit that can't be read is none: a guess about the machine must never be the reason why a call fails.
template <typename Read>
std::uint64_t none_on_failure(const Read& read, const std::string& root) noexcept {
    try {
        return read(root);
    } catch (const std::exception&) {
        return 0;
    }
}

}  // namespace

std::uint64_t cgroup_cpus(const std::string& root) noexcept { return none_on_failure(read_cpus, root); }

std::uint64_t cgroup_memory(const std::string& root) noexcept { return none_on_failure(read_memory, root); }

}  // namespace fastcollate::engine
