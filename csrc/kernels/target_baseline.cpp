// The kernels for any CPU of the architecture, with what its compiler assumes unasked: SSE2 on x86-64.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/dispatch.hpp"
#include "kernels/target_region.hpp"

// intentional: no FMA here, also where the architecture has it (arm64): this is the plain definition that every other
// target is compared with.
#define FASTCOLLATE_HAS_FMA 0

#if FASTCOLLATE_X86_TARGETS
#include <immintrin.h>
#define FASTCOLLATE_STREAM_BYTES 16
#define FASTCOLLATE_STREAM(dst, src) \
    _mm_stream_si128(reinterpret_cast<__m128i*>(dst), _mm_loadu_si128(reinterpret_cast<const __m128i*>(src)))
#define FASTCOLLATE_STREAM_KERNEL stream_bytes
#else
#define FASTCOLLATE_STREAM_BYTES 0
#define FASTCOLLATE_STREAM_KERNEL nullptr
#endif

namespace fastcollate::kernels {
namespace {
#include "kernels/bodies.inl.hpp"
}  // namespace

extern const KernelTable table_baseline{"baseline",   affine_u8_f32, nullptr,         pack_u8,
                                        transpose_u8, interleave_u8, deinterleave_u8, FASTCOLLATE_STREAM_KERNEL};
}  // namespace fastcollate::kernels
