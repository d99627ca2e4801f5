#include "engine/stack_plan.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>

namespace fastcollate::engine {
namespace {

/// Below this many bytes the heads and tails of a streamed copy cost more than it saves.
constexpr std::size_t kSmallestStreamedPiece = 4096;

}  // namespace

StackPlan::StackPlan(const std::ptrdiff_t* shape, std::size_t ndim, std::size_t axis, std::size_t itemsize,
                     std::vector<const std::byte*> sources, const kernels::KernelTable& kernels) noexcept
    : kernels_(kernels), piece_bytes_(itemsize), sources_(std::move(sources)) {
    for (std::size_t d = 0; d < ndim; ++d) {
        // Cannot wrap: one array of this shape exists in memory, unless an axis is 0 and then nothing is copied.
        (d < axis ? outer_ : piece_bytes_) *= static_cast<std::size_t>(shape[d]);
    }
}

bool StackPlan::overlaps(const std::byte* begin, std::size_t bytes) const noexcept {
    const std::byte* end = begin + bytes;
    const std::size_t source_bytes = outer_ * piece_bytes_;
    const std::less<const std::byte*> before;  // a total order even between unrelated objects
    for (const std::byte* source : sources_) {
        if (before(source, end) && before(begin, source + source_bytes)) {
            return true;
        }
    }
    return false;
}

void StackPlan::run(std::byte* batch, std::size_t begin, std::size_t end, bool stream) const noexcept {
    if (begin == end) {
        return;
    }
    const bool streams = stream && kernels_.stream_bytes != nullptr && piece_bytes_ >= kSmallestStreamedPiece;
    std::size_t piece = begin / piece_bytes_;
    std::size_t within = begin % piece_bytes_;
    std::size_t source = piece % sources_.size();
    std::size_t offset = piece / sources_.size() * piece_bytes_;
    while (begin < end) {
        const std::size_t count = std::min(piece_bytes_ - within, end - begin);
        const std::byte* from = sources_[source] + offset + within;
        if (streams) {
            kernels_.stream_bytes(from, batch + begin, count);
        } else {
            std::memcpy(batch + begin, from, count);
        }
        begin += count;
        within = 0;
        if (++source == sources_.size()) {
            source = 0;
            offset += piece_bytes_;
        }
    }
}

}  // namespace fastcollate::engine
