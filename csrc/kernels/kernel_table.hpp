// The contract of every kernel: loops on pointers, nothing else. A kernel never allocates, throws or looks at
// shapes; callers in the engine have checked every argument. One table exists per SIMD target, and all targets
// give the same bits.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fastcollate::kernels {

struct KernelTable {
    /// The target's name as users write it in FASTCOLLATE_SIMD.
    const char* name;

    /// dst[i] = float(double(src[i]) * scale + offset): the definition itself, two roundings in double, one to float.
    void (*affine_u8_f32)(const std::uint8_t* src, float* dst, std::size_t count, double scale, double offset) noexcept;

    /// dst[i] = src[i] * (high + low) in single precision with one fused step, or nullptr where the target has no FMA.
    /// It equals `affine_u8_f32` for most scales, not for all: the engine compares all 256 values before it uses it.
    void (*scale_u8_f32)(const std::uint8_t* src, float* dst, std::size_t count, float high, float low) noexcept;

    /// dst[r * columns + c] = src[r * row_stride + c * column_stride]: a strided plane of bytes made dense.
    void (*pack_u8)(const std::uint8_t* src, std::uint8_t* dst, std::size_t rows, std::size_t columns,
                    std::ptrdiff_t row_stride, std::ptrdiff_t column_stride) noexcept;

    /// dst[r * dst_stride + c] = src[c * src_stride + r]: a plane turned over its diagonal, in blocks.
    void (*transpose_u8)(const std::uint8_t* src, std::uint8_t* dst, std::size_t rows, std::size_t columns,
                         std::size_t dst_stride, std::ptrdiff_t src_stride) noexcept;

    /// dst[i * channels + k] = src[k * plane_stride + i], for 2 to 4 channels: planes into pixels.
    void (*interleave_u8)(const std::uint8_t* src, std::uint8_t* dst, std::size_t count, std::size_t channels,
                          std::ptrdiff_t plane_stride) noexcept;

    /// dst[k * count + i] = src[i * channels + k], for 2 to 4 channels: pixels into planes.
    void (*deinterleave_u8)(const std::uint8_t* src, std::uint8_t* dst, std::size_t count,
                            std::size_t channels) noexcept;

    /// Copies bytes past the caches, for results larger than they are; nullptr where the target has no such store. When
    /// it returns the bytes are visible to all threads that see what is stored afterwards.
    void (*stream_bytes)(const std::byte* src, std::byte* dst, std::size_t count) noexcept;
};

}  // namespace fastcollate::kernels
