// The kernels for AVX2 and FMA: x86-64-v3 machines, 2013 and later.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/dispatch.hpp"
#include "kernels/target_region.hpp"

#if FASTCOLLATE_X86_TARGETS
#include <immintrin.h>

#define FASTCOLLATE_HAS_FMA 1
#define FASTCOLLATE_FMAF __builtin_fmaf
#define FASTCOLLATE_STREAM_BYTES 32
#define FASTCOLLATE_STREAM(dst, src) \
    _mm256_stream_si256(reinterpret_cast<__m256i*>(dst), _mm256_loadu_si256(reinterpret_cast<const __m256i*>(src)))

namespace fastcollate::kernels {
FASTCOLLATE_TARGET_BEGIN("avx2,fma,f16c")
namespace {
#include "kernels/bodies.inl.hpp"
}  // namespace
FASTCOLLATE_TARGET_END

extern const KernelTable table_avx2{"avx2",       affine_u8_f32, scale_u8_f32,    pack_u8,
                                    transpose_u8, interleave_u8, deinterleave_u8, stream_bytes};
}  // namespace fastcollate::kernels
#endif
