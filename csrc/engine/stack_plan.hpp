// Stacking arrays of one shape and item size: where each array's pieces land in the batch. Plain bytes; the plan
// owns nothing and knows no dtype and no Python.
#pragma once

#include <cstddef>
#include <vector>

namespace fastcollate::engine {

/// `sources[i]` is copied into the batch as its i-th slice along the new axis. Both sides are C-contiguous.
class StackPlan {
public:
    /// `axis` counts in the result, 0 to ndim. `shape` is one array's.
    StackPlan(const std::ptrdiff_t* shape, std::size_t ndim, std::size_t axis, std::size_t itemsize,
              std::vector<const std::byte*> sources) noexcept;

    /// Whether any source's bytes lie in [begin, begin + total_bytes): then copying piece by piece could read what
    /// was just written.
    bool overlaps(const std::byte* begin) const noexcept;

    /// Copies every source; `batch` has room for `total_bytes()`.
    void run(std::byte* batch) const noexcept;

    std::size_t total_bytes() const noexcept { return outer_ * sources_.size() * piece_bytes_; }

private:
    std::size_t outer_ = 1;    // the product of the axes before the new one
    std::size_t piece_bytes_;  // the bytes of the axes after it
    std::vector<const std::byte*> sources_;
};

}  // namespace fastcollate::engine
