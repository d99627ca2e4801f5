#include "kernels/dispatch.hpp"

#include <cstdlib>
#include <cstring>

#include "kernels/target_region.hpp"

namespace fastcollate::kernels {

TargetList available_targets() noexcept {
    TargetList list{{&table_baseline}, 1};
#if FASTCOLLATE_X86_TARGETS
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c")) {
        list.tables[list.count++] = &table_avx2;
        // Nested: the AVX-512 region is compiled with AVX2, FMA and F16C too.
        if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
            __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")) {
            list.tables[list.count++] = &table_avx512;
        }
    }
#elif FASTCOLLATE_ARM64_TARGETS
    list.tables[list.count++] = &table_neon;
#endif
    return list;
}

const KernelTable* find_target(const char* name) noexcept {
    const TargetList list = available_targets();
    for (std::size_t i = 0; i < list.count; ++i) {
        if (std::strcmp(list.tables[i]->name, name) == 0) {
            return list.tables[i];
        }
    }
    return nullptr;
}

const KernelTable* active() noexcept {
    static const KernelTable* const chosen = []() -> const KernelTable* {
        const char* wanted = std::getenv("FASTCOLLATE_SIMD");
        if (wanted != nullptr && *wanted != '\0') {
            return find_target(wanted);
        }
        const TargetList list = available_targets();
        return list.tables[list.count - 1];
    }();
    return chosen;
}

}  // namespace fastcollate::kernels
