// Each kernel's body, once. A target_*.cpp includes this file inside its SIMD region and its unnamed namespace, so
// that no copy compiled for a wide target can be the one the linker keeps. Hence no #include here, and no templates.
// FASTCOLLATE_HAS_FMA says whether a fused multiply-add is one instruction on the target; FASTCOLLATE_STREAM_BYTES how
// many bytes FASTCOLLATE_STREAM stores past the caches, 0 where it can't.

void affine_u8_f32(const std::uint8_t* FASTCOLLATE_RESTRICT src, float* FASTCOLLATE_RESTRICT dst, std::size_t count,
                   double scale, double offset) noexcept {
    for (std::size_t i = 0; i < count; ++i) {
        // The cast by way of int: every SIMD set converts int32 to double, few convert unsigned bytes.
        dst[i] = static_cast<float>(static_cast<double>(static_cast<int>(src[i])) * scale + offset);
    }
}

#if FASTCOLLATE_HAS_FMA
void scale_u8_f32(const std::uint8_t* FASTCOLLATE_RESTRICT src, float* FASTCOLLATE_RESTRICT dst, std::size_t count,
                  float high, float low) noexcept {
    for (std::size_t i = 0; i < count; ++i) {
        const float x = static_cast<float>(static_cast<int>(src[i]));
        dst[i] = FASTCOLLATE_FMAF(x, high, x * low);
    }
}
#endif

void pack_u8(const std::uint8_t* FASTCOLLATE_RESTRICT src, std::uint8_t* FASTCOLLATE_RESTRICT dst, std::size_t rows,
             std::size_t columns, std::ptrdiff_t row_stride, std::ptrdiff_t column_stride) noexcept {
    // The longer of the two loops runs inside: planes of images have two to four columns (their channels).
    if (columns > rows) {
        for (std::size_t r = 0; r < rows; ++r) {
            const std::uint8_t* from = src + static_cast<std::ptrdiff_t>(r) * row_stride;
            std::uint8_t* to = dst + r * columns;
            for (std::size_t c = 0; c < columns; ++c) {
                to[c] = from[static_cast<std::ptrdiff_t>(c) * column_stride];
            }
        }
        return;
    }
    for (std::size_t c = 0; c < columns; ++c) {
        const std::uint8_t* from = src + static_cast<std::ptrdiff_t>(c) * column_stride;
        std::uint8_t* to = dst + c;
        for (std::size_t r = 0; r < rows; ++r) {
            to[r * columns] = from[static_cast<std::ptrdiff_t>(r) * row_stride];
        }
    }
}

#if FASTCOLLATE_STREAM_BYTES
void stream_bytes(const std::byte* FASTCOLLATE_RESTRICT src, std::byte* FASTCOLLATE_RESTRICT dst,
                  std::size_t count) noexcept {
    constexpr std::size_t kStep = FASTCOLLATE_STREAM_BYTES;
    // Streaming stores need an aligned destination: the bytes before it and behind it are stored the usual way.
    const std::size_t misaligned = reinterpret_cast<std::uintptr_t>(dst) % kStep;
    std::size_t head = misaligned == 0 ? 0 : kStep - misaligned;
    if (head > count) {
        head = count;
    }
    __builtin_memcpy(dst, src, head);
    std::size_t i = head;
    for (; i + kStep <= count; i += kStep) {
        FASTCOLLATE_STREAM(dst + i, src + i);
    }
    __builtin_memcpy(dst + i, src + i, count - i);
    _mm_sfence();
}
#endif
