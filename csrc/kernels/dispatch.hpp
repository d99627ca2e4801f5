// Which target's kernels run: chosen once, read through one pointer. Asking is public; changing is done by the
// environment variable FASTCOLLATE_SIMD before the first use only.
#pragma once

#include <cstddef>

#include "kernels/kernel_table.hpp"

namespace fastcollate::kernels {

extern const KernelTable table_baseline;
extern const KernelTable table_avx2;
extern const KernelTable table_avx512;
extern const KernelTable table_neon;

/// The targets that this CPU can run, lowest first. The first is always "baseline".
struct TargetList {
    const KernelTable* tables[4];
    std::size_t count;
};
TargetList available_targets() noexcept;

/// The available target of this name; nullptr where this build or CPU has none.
const KernelTable* find_target(const char* name) noexcept;

/// The kernels in use: FASTCOLLATE_SIMD's, else the highest available. An unknown name there gives nullptr.
const KernelTable* active() noexcept;

}  // namespace fastcollate::kernels
