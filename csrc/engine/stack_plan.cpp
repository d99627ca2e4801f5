#include "engine/stack_plan.hpp"

#include <cstring>
#include <functional>
#include <utility>

namespace fastcollate::engine {

StackPlan::StackPlan(const std::ptrdiff_t* shape, std::size_t ndim, std::size_t axis, std::size_t itemsize,
                     std::vector<const std::byte*> sources) noexcept
    : piece_bytes_(itemsize), sources_(std::move(sources)) {
    for (std::size_t d = 0; d < ndim; ++d) {
        // Cannot wrap: one array of this shape exists in memory, unless an axis is 0 and then nothing is copied.
        (d < axis ? outer_ : piece_bytes_) *= static_cast<std::size_t>(shape[d]);
    }
}

bool StackPlan::overlaps(const std::byte* begin) const noexcept {
    const std::byte* end = begin + total_bytes();
    const std::size_t source_bytes = outer_ * piece_bytes_;
    const std::less<const std::byte*> before;  // a total order even between unrelated objects
    for (const std::byte* source : sources_) {
        if (before(source, end) && before(begin, source + source_bytes)) {
            return true;
        }
    }
    return false;
}

void StackPlan::run(std::byte* batch) const noexcept {
    if (piece_bytes_ == 0) {
        return;
    }
    for (std::size_t o = 0; o < outer_; ++o) {
        const std::size_t offset = o * piece_bytes_;
        for (const std::byte* source : sources_) {
            std::memcpy(batch, source + offset, piece_bytes_);
            batch += piece_bytes_;
        }
    }
}

}  // namespace fastcollate::engine
