// Multiplication of sizes that refuses to wrap. Every product that becomes a byte count goes through here.
#pragma once

#include <cstddef>
#include <limits>

namespace fastcollate::engine {

/// Sizes stay below this, so that they also fit the signed strides of an array.
inline constexpr std::size_t kMaxBytes = static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max());

/// Multiplies `product` by `factor`; false, with `product` unchanged, when the result would exceed kMaxBytes.
inline bool multiply_checked(std::size_t& product, std::size_t factor) noexcept {
    if (factor != 0 && product > kMaxBytes / factor) {
        return false;
    }
    product *= factor;
    return true;
}

}  // namespace fastcollate::engine
