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
/// A cache line, and how far ahead of the reading the next ones are asked for, in bytes.
constexpr std::size_t kLine = 64;
constexpr std::size_t kAhead = 1024;

void scale_u8_f32(const std::uint8_t* FASTCOLLATE_RESTRICT src, float* FASTCOLLATE_RESTRICT dst, std::size_t count,
                  float high, float low) noexcept {
    // The CPU's own prefetcher stops at each page and starts late in each row; asking ahead took a third off 32 random
    // rows of 27 KiB (bench/run.py --only casting).
    std::size_t i = 0;
    for (; i + kLine <= count; i += kLine) {
        __builtin_prefetch(src + i + kAhead);
        for (std::size_t j = i; j < i + kLine; ++j) {
            const float x = static_cast<float>(static_cast<int>(src[j]));
            dst[j] = FASTCOLLATE_FMAF(x, high, x * low);
        }
    }
    for (; i < count; ++i) {
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

/// Turns a block of 8 by 8 bytes over its diagonal, each row in one integer: halves of rows change places at distance
/// four, then quarters at two, then bytes at one.
inline void turn_block(std::uint64_t* rows) noexcept {
    constexpr std::uint64_t kMasks[] = {0x00000000FFFFFFFF, 0x0000FFFF0000FFFF, 0x00FF00FF00FF00FF};
    for (unsigned step = 0; step < 3; ++step) {
        const unsigned distance = 4U >> step;
        const unsigned bits = distance * 8;
        for (unsigned i = 0; i < 8; ++i) {
            if ((i & distance) == 0) {
                const std::uint64_t moved = ((rows[i] >> bits) ^ rows[i + distance]) & kMasks[step];
                rows[i] ^= moved << bits;
                rows[i + distance] ^= moved;
            }
        }
    }
}

void transpose_u8(const std::uint8_t* FASTCOLLATE_RESTRICT src, std::uint8_t* FASTCOLLATE_RESTRICT dst,
                  std::size_t rows, std::size_t columns, std::size_t dst_stride, std::ptrdiff_t src_stride) noexcept {
    constexpr std::size_t kBlock = 8;
    const std::size_t whole_rows = rows / kBlock * kBlock;
    const std::size_t whole_columns = columns / kBlock * kBlock;
    for (std::size_t c = 0; c < whole_columns; c += kBlock) {
        const std::uint8_t* from = src + static_cast<std::ptrdiff_t>(c) * src_stride;
        for (std::size_t r = 0; r < whole_rows; r += kBlock) {
            std::uint64_t block[kBlock];
            for (std::size_t i = 0; i < kBlock; ++i) {
                std::memcpy(&block[i], from + static_cast<std::ptrdiff_t>(i) * src_stride + r, kBlock);
            }
            turn_block(block);
            for (std::size_t i = 0; i < kBlock; ++i) {
                std::memcpy(dst + (r + i) * dst_stride + c, &block[i], kBlock);
            }
        }
    }
    for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t c = r < whole_rows ? whole_columns : 0; c < columns; ++c) {
            dst[r * dst_stride + c] = src[static_cast<std::ptrdiff_t>(c) * src_stride + static_cast<std::ptrdiff_t>(r)];
        }
    }
}

void interleave_u8(const std::uint8_t* FASTCOLLATE_RESTRICT src, std::uint8_t* FASTCOLLATE_RESTRICT dst,
                   std::size_t count, std::size_t channels, std::ptrdiff_t plane_stride) noexcept {
    const std::uint8_t* const second = src + plane_stride;
    const std::uint8_t* const third = second + (channels > 2 ? plane_stride : 0);
    const std::uint8_t* const fourth = third + (channels > 3 ? plane_stride : 0);
    // One loop a number of channels: with the number fixed the compiler turns it into shuffles.
    if (channels == 2) {
        for (std::size_t i = 0; i < count; ++i) {
            dst[2 * i] = src[i];
            dst[2 * i + 1] = second[i];
        }
    } else if (channels == 3) {
        for (std::size_t i = 0; i < count; ++i) {
            dst[3 * i] = src[i];
            dst[3 * i + 1] = second[i];
            dst[3 * i + 2] = third[i];
        }
    } else {
        for (std::size_t i = 0; i < count; ++i) {
            dst[4 * i] = src[i];
            dst[4 * i + 1] = second[i];
            dst[4 * i + 2] = third[i];
            dst[4 * i + 3] = fourth[i];
        }
    }
}

void deinterleave_u8(const std::uint8_t* FASTCOLLATE_RESTRICT src, std::uint8_t* FASTCOLLATE_RESTRICT dst,
                     std::size_t count, std::size_t channels) noexcept {
    std::uint8_t* FASTCOLLATE_RESTRICT second = dst + count;
    std::uint8_t* FASTCOLLATE_RESTRICT third = second + count;
    std::uint8_t* FASTCOLLATE_RESTRICT fourth = third + count;
    if (channels == 2) {
        for (std::size_t i = 0; i < count; ++i) {
            dst[i] = src[2 * i];
            second[i] = src[2 * i + 1];
        }
    } else if (channels == 3) {
        for (std::size_t i = 0; i < count; ++i) {
            dst[i] = src[3 * i];
            second[i] = src[3 * i + 1];
            third[i] = src[3 * i + 2];
        }
    } else {
        for (std::size_t i = 0; i < count; ++i) {
            dst[i] = src[4 * i];
            second[i] = src[4 * i + 1];
            third[i] = src[4 * i + 2];
            fourth[i] = src[4 * i + 3];
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
    std::memcpy(dst, src, head);
    std::size_t i = head;
    for (; i + kStep <= count; i += kStep) {
        FASTCOLLATE_STREAM(dst + i, src + i);
    }
    std::memcpy(dst + i, src + i, count - i);
    _mm_sfence();
}
#endif
