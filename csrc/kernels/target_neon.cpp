// The kernels for NEON (Advanced SIMD), which every arm64 CPU has, fused multiply-add included.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/dispatch.hpp"
#include "kernels/target_region.hpp"

#if FASTCOLLATE_ARM64_TARGETS
#define FASTCOLLATE_HAS_FMA 1
#define FASTCOLLATE_FMAF __builtin_fmaf
#define FASTCOLLATE_STREAM_BYTES 0  // arm64 has no store that surely passes the caches by

namespace fastcollate::kernels {
namespace {
#include "kernels/bodies.inl.hpp"
}  // namespace

extern const KernelTable table_neon{"neon",       affine_u8_f32, scale_u8_f32,    pack_u8,
                                    transpose_u8, interleave_u8, deinterleave_u8, nullptr};
}  // namespace fastcollate::kernels
#endif
