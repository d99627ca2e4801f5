// Every kernel on every target of this CPU against a plain loop: all lengths from 0 to twice the widest vector, three
// misalignments of source and destination, sentinels behind the end.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "kernels/dispatch.hpp"
#include "tests/check.hpp"

namespace {

using fastcollate::kernels::KernelTable;

// Twice the bytes of an AVX-512 vector: a kernel reads one byte an item, and the widest load takes 64 of them.
constexpr std::size_t kLongest = 128;
constexpr std::size_t kMisalignments = 3;
constexpr float kSentinel = -12345.0F;

std::vector<std::uint8_t> all_bytes(std::size_t count) {
    std::vector<std::uint8_t> bytes(count);
    for (std::size_t i = 0; i < count; ++i) {
        bytes[i] = static_cast<std::uint8_t>(i * 37 + 11);
    }
    return bytes;
}

float defined_value(std::uint8_t byte, double scale, double offset) {
    const double product = static_cast<double>(byte) * scale;
    return static_cast<float>(product + offset);
}

bool same_bits(float a, float b) { return std::memcmp(&a, &b, sizeof a) == 0; }

/// Runs `kernel(src, dst, count)` at every length and misalignment; `expected` gives one item's value.
template <typename Kernel, typename Expected>
void sweep(Kernel kernel, Expected expected) {
    const std::vector<std::uint8_t> source = all_bytes(kLongest + kMisalignments);
    for (std::size_t shift_source = 0; shift_source < kMisalignments; ++shift_source) {
        for (std::size_t shift_target = 0; shift_target < kMisalignments; ++shift_target) {
            for (std::size_t count = 0; count <= kLongest; ++count) {
                std::vector<float> target(kLongest + kMisalignments + 1, kSentinel);
                kernel(source.data() + shift_source, target.data() + shift_target, count);
                bool right = true;
                for (std::size_t i = 0; i < target.size(); ++i) {
                    const bool inside = i >= shift_target && i < shift_target + count;
                    const float wanted = inside ? expected(source[shift_source + i - shift_target]) : kSentinel;
                    right = right && same_bits(target[i], wanted);
                }
                CHECK(right);
            }
        }
    }
}

void test_affine(const KernelTable& table) {
    const double cases[][2] = {{1 / 255.0, 0.0}, {1.0, 0.0}, {1 / 255.0 / 0.229, -0.485 / 0.229}, {-3.5e30, 1e-3}};
    for (const auto& [scale, offset] : cases) {
        sweep([&](const std::uint8_t* src, float* dst,
                  std::size_t count) { table.affine_u8_f32(src, dst, count, scale, offset); },
              [&, scale = scale, offset = offset](std::uint8_t byte) { return defined_value(byte, scale, offset); });
    }
}

void test_scale(const KernelTable& table) {
    if (table.scale_u8_f32 == nullptr) {
        return;
    }
    // 1/255 is the scale that matters: one fused step must give the definition's bits for all 256 bytes.
    const double scale = 1 / 255.0;
    const auto high = static_cast<float>(scale);
    const auto low = static_cast<float>(scale - static_cast<double>(high));
    sweep(
        [&](const std::uint8_t* src, float* dst, std::size_t count) { table.scale_u8_f32(src, dst, count, high, low); },
        [&](std::uint8_t byte) { return defined_value(byte, scale, 0.0); });
    for (unsigned value = 0; value < 256; ++value) {
        const auto byte = static_cast<std::uint8_t>(value);
        float got = kSentinel;
        table.scale_u8_f32(&byte, &got, 1, high, low);
        CHECK(same_bits(got, static_cast<float>(value / 255.0)));
    }
}

void test_pack(const KernelTable& table) {
    const std::vector<std::uint8_t> source = all_bytes(4096);
    const std::size_t sizes[] = {0, 1, 2, 3, 16, 17, 31};
    for (const std::size_t rows : sizes) {
        for (const std::size_t columns : sizes) {
            const std::ptrdiff_t strides[][2] = {{1, 64}, {64, 1}, {-1, 64}, {64, -2}, {0, 3}, {7, 0}};
            for (const auto& [row_stride, column_stride] : strides) {
                const std::uint8_t* middle = source.data() + 2048;
                std::vector<std::uint8_t> target(rows * columns + 1, 99);
                table.pack_u8(middle, target.data(), rows, columns, row_stride, column_stride);
                bool right = target.back() == 99;
                for (std::size_t r = 0; r < rows; ++r) {
                    for (std::size_t c = 0; c < columns; ++c) {
                        const std::ptrdiff_t from = static_cast<std::ptrdiff_t>(r) * row_stride +
                                                    static_cast<std::ptrdiff_t>(c) * column_stride;
                        right = right && target[r * columns + c] == middle[from];
                    }
                }
                CHECK(right);
            }
        }
    }
}

void test_transpose(const KernelTable& table) {
    const std::vector<std::uint8_t> source = all_bytes(4096);
    for (const std::size_t rows : {0, 1, 7, 8, 9, 16, 31}) {
        for (const std::size_t columns : {0, 1, 7, 8, 9, 16, 31}) {
            for (const std::ptrdiff_t stride : {31, 40, -33}) {
                const std::uint8_t* middle = source.data() + 2048;
                std::vector<std::uint8_t> target(rows * (columns + 2) + 1, 99);
                table.transpose_u8(middle, target.data(), rows, columns, columns + 2, stride);
                bool right = target.back() == 99;
                for (std::size_t r = 0; r < rows; ++r) {
                    for (std::size_t c = 0; c < columns + 2; ++c) {
                        const std::ptrdiff_t from =
                            static_cast<std::ptrdiff_t>(c) * stride + static_cast<std::ptrdiff_t>(r);
                        right = right && target[r * (columns + 2) + c] == (c < columns ? middle[from] : 99);
                    }
                }
                CHECK(right);
            }
        }
    }
}

void test_channels(const KernelTable& table) {
    const std::vector<std::uint8_t> source = all_bytes(4 * kLongest + 64);
    for (std::size_t channels = 2; channels <= 4; ++channels) {
        for (std::size_t count = 0; count <= kLongest; ++count) {
            const auto plane = static_cast<std::ptrdiff_t>(count + 3);
            std::vector<std::uint8_t> pixels(channels * count + 1, 99);
            std::vector<std::uint8_t> planes(channels * count + 1, 99);
            table.interleave_u8(source.data() + 1, pixels.data(), count, channels, plane);
            table.deinterleave_u8(source.data() + 1, planes.data(), count, channels);
            bool right = pixels.back() == 99 && planes.back() == 99;
            for (std::size_t i = 0; i < count; ++i) {
                for (std::size_t k = 0; k < channels; ++k) {
                    right = right && pixels[i * channels + k] == source[1 + k * static_cast<std::size_t>(plane) + i];
                    right = right && planes[k * count + i] == source[1 + i * channels + k];
                }
            }
            CHECK(right);
        }
    }
}

void test_stream(const KernelTable& table) {
    if (table.stream_bytes == nullptr) {
        return;
    }
    constexpr std::size_t kMost = 3 * 64;  // around twice the widest store, and its head
    const std::vector<std::uint8_t> source = all_bytes(kMost + kMisalignments);
    for (std::size_t shift_source = 0; shift_source < kMisalignments; ++shift_source) {
        for (std::size_t shift_target = 0; shift_target < 64; ++shift_target) {
            for (std::size_t count = 0; count <= kMost; ++count) {
                std::vector<std::uint8_t> target(kMost + 65, 99);
                table.stream_bytes(reinterpret_cast<const std::byte*>(source.data()) + shift_source,
                                   reinterpret_cast<std::byte*>(target.data()) + shift_target, count);
                bool right = std::memcmp(target.data() + shift_target, source.data() + shift_source, count) == 0;
                for (std::size_t i = 0; i < target.size(); ++i) {
                    right = right && ((i >= shift_target && i < shift_target + count) || target[i] == 99);
                }
                CHECK(right);
            }
        }
    }
}

}  // namespace

int main() {
    const auto targets = fastcollate::kernels::available_targets();
    CHECK(targets.count >= 1);
    CHECK(std::strcmp(targets.tables[0]->name, "baseline") == 0);
    CHECK(fastcollate::kernels::find_target("no such target") == nullptr);
    for (std::size_t i = 0; i < targets.count; ++i) {
        const KernelTable& table = *targets.tables[i];
        std::printf("target %s\n", table.name);
        CHECK(fastcollate::kernels::find_target(table.name) == &table);
        test_affine(table);
        test_scale(table);
        test_pack(table);
        test_transpose(table);
        test_channels(table);
        test_stream(table);
    }
    return fastcollate::tests::report("kernels");
}
