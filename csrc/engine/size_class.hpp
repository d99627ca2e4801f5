// Which sizes the buffer pool rounds to. Four steps to each doubling, so that a buffer is never more than a quarter
// larger than what was asked for (64 bytes at the least), and equal requests always land in the same class.
#pragma once

#include <cstddef>

#include "engine/aligned_memory.hpp"

namespace fastcollate::engine {

struct SizeClass {
    std::size_t index;
    std::size_t bytes;  // what buffers of this class hold
};

inline constexpr std::size_t kAlignmentShift = 6;
static_assert(std::size_t{1} << kAlignmentShift == kAlignment);

inline constexpr std::size_t kSizeClasses = 4 + 4 * 55;  // the last holds 2^63 bytes

/// The class for a request of up to kMaxBytes; cannot wrap.
constexpr SizeClass size_class(std::size_t bytes) noexcept {
    if (bytes <= 4 * kAlignment) {
        const std::size_t index = bytes == 0 ? 0 : (bytes - 1) / kAlignment;
        return {index, (index + 1) * kAlignment};
    }
    std::size_t doubling = 0;  // counted from 256 bytes
    std::size_t rest = (bytes - 1) / (4 * kAlignment);
    for (std::size_t shift = sizeof(std::size_t) * 4; shift > 0; shift /= 2) {
        if (rest >> shift > 0) {
            rest >>= shift;
            doubling += shift;
        }
    }
    const std::size_t step_shift = kAlignmentShift + doubling;
    const std::size_t steps = (bytes - 1) >> step_shift;  // 4 to 7
    return {4 * doubling + steps, (steps + 1) << step_shift};
}

}  // namespace fastcollate::engine
