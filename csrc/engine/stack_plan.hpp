// Stacking arrays of one shape and item size: where each array's pieces land in the batch. Plain bytes; the plan
// owns nothing and knows no dtype and no Python.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/dispatch.hpp"

namespace fastcollate::engine {

/// `sources[i]` is copied into the batch as its i-th slice along the new axis. Both sides are C-contiguous.
class StackPlan {
public:
    /// `axis` counts in the result, 0 to ndim. `shape` is one array's.
    StackPlan(const std::ptrdiff_t* shape, std::size_t ndim, std::size_t axis, std::size_t itemsize,
              std::vector<const std::byte*> sources, const kernels::KernelTable& kernels = *kernels::active()) noexcept;

    /// Whether any source's bytes lie in [begin, begin + bytes): then copying piece by piece could read what was just
    /// written. `bytes` is total_bytes(), or more if the batch's items are wider.
    bool overlaps(const std::byte* begin, std::size_t bytes) const noexcept;

    /// The size of the batch in bytes.
    std::size_t total_bytes() const noexcept { return outer_ * sources_.size() * piece_bytes_; }
    /// Parts of the batch that are written apart should begin at multiples of this many bytes.
    std::size_t granule_bytes() const noexcept { return 64; }

    /// Writes the bytes [begin, end) of the batch, past the caches if `stream` says so and it pays.
    void run(std::byte* batch, std::size_t begin, std::size_t end, bool stream) const noexcept;

    const std::vector<const std::byte*>& sources() const noexcept { return sources_; }

private:
    const kernels::KernelTable& kernels_;
    std::size_t outer_ = 1;    // the product of the axes before the new one
    std::size_t piece_bytes_;  // the bytes of the axes after it
    std::vector<const std::byte*> sources_;
};

}  // namespace fastcollate::engine
