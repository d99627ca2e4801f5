// The kernels for any CPU of the architecture, with what its compiler assumes unasked: SSE2 on x86-64.
#include <cstddef>
#include <cstdint>

#include "kernels/dispatch.hpp"
#include "kernels/target_region.hpp"

// intentional: no FMA here, also where the architecture has it (arm64): this is the plain definition that every other
// target is compared with.
#define FASTCOLLATE_HAS_FMA 0

namespace fastcollate::kernels {
namespace {
#include "kernels/bodies.inl.hpp"
}  // namespace

extern const KernelTable table_baseline{"baseline", affine_u8_f32, nullptr, pack_u8};
}  // namespace fastcollate::kernels
