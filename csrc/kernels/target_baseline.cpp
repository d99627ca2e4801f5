// The kernels for any CPU of the architecture: SSE2 on x86-64, NEON on arm64 (whose compilers use it unasked).
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "kernels/dispatch.hpp"
#include "kernels/target_region.hpp"

#if defined(__aarch64__) || defined(_M_ARM64)
#define FASTCOLLATE_HAS_FMA 1
#define FASTCOLLATE_FMAF ::fmaf
#else
#define FASTCOLLATE_HAS_FMA 0
#endif

namespace fastcollate::kernels {
namespace {
#include "kernels/bodies.inl.hpp"
}  // namespace

#if FASTCOLLATE_HAS_FMA
extern const KernelTable table_baseline{"baseline", affine_u8_f32, scale_u8_f32, pack_u8};
#else
extern const KernelTable table_baseline{"baseline", affine_u8_f32, nullptr, pack_u8};
#endif
}  // namespace fastcollate::kernels
