// The whole test framework: a failed CHECK says where and goes on, and `report` is main's exit code. Tests of the
// kernels and the engine need no Python and nothing to install.
#pragma once

#include <cstdio>

namespace fastcollate::tests {

inline int failures = 0;
inline int checks = 0;

inline bool check(bool holds, const char* expression, const char* file, int line) {
    ++checks;
    if (!holds) {
        ++failures;
        std::fprintf(stderr, "%s:%d: failed: %s\n", file, line, expression);
    }
    return holds;
}

/// Zero checks is a failure too: a test that looked at nothing proves nothing.
inline int report(const char* name) {
    std::printf("%s: %d checks, %d failed\n", name, checks, failures);
    return failures == 0 && checks > 0 ? 0 : 1;
}

}  // namespace fastcollate::tests

#define CHECK(expression) ::fastcollate::tests::check((expression), #expression, __FILE__, __LINE__)
