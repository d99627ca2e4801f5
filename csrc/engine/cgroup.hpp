// The limits that Linux control groups (v1, v2 and both at once) set on this process, read from their files. Knows no
// system call, only files below a root, so that tests can build a tree of their own; where there is none, no limits.
#pragma once

#include <cstdint>
#include <string>

namespace fastcollate::engine {

/// CPU time per time in whole CPUs, rounded up: the tightest of the process's group and its parents; 0: no limit.
std::uint64_t cgroup_cpus(const std::string& root = "") noexcept;

/// Bytes of memory: the tightest of the process's group and its parents; 0: no limit.
std::uint64_t cgroup_memory(const std::string& root = "") noexcept;

}  // namespace fastcollate::engine
