// The kernels for AVX-512 (F, BW, VL, DQ): x86-64-v4 machines.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/dispatch.hpp"
#include "kernels/target_region.hpp"

#if FASTCOLLATE_X86_TARGETS
#include <immintrin.h>

#define FASTCOLLATE_HAS_FMA 1
#define FASTCOLLATE_FMAF __builtin_fmaf
#define FASTCOLLATE_STREAM_BYTES 64
#define FASTCOLLATE_STREAM(dst, src) \
    _mm512_stream_si512(reinterpret_cast<__m512i*>(dst), _mm512_loadu_si512(reinterpret_cast<const __m512i*>(src)))

namespace fastcollate::kernels {
FASTCOLLATE_TARGET_BEGIN("avx512f,avx512bw,avx512vl,avx512dq,avx2,fma,f16c")
namespace {
#include "kernels/bodies.inl.hpp"
}  // namespace
FASTCOLLATE_TARGET_END

extern const KernelTable table_avx512{"avx512",     affine_u8_f32, scale_u8_f32,    pack_u8,
                                      transpose_u8, interleave_u8, deinterleave_u8, stream_bytes};
}  // namespace fastcollate::kernels
#endif
