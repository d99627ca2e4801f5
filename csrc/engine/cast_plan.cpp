#include "engine/cast_plan.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>

namespace fastcollate::engine {
namespace {

constexpr std::size_t kByteValues = 256;

}  // namespace

CastPlan::CastPlan(const ByteRows& rows, double scale, double offset, const kernels::KernelTable& kernels)
    : rows_(rows),
      kernels_(kernels),
      scale_(scale),
      offset_(offset),
      packer_(rows.shape, rows.strides, rows.ndim, kernels),
      scale_high_(static_cast<float>(scale)),
      scale_low_(static_cast<float>(scale - static_cast<double>(scale_high_))) {
    use_scale_ = single_precision_is_exact();
}

bool CastPlan::single_precision_is_exact() const noexcept {
    if (kernels_.scale_u8_f32 == nullptr || offset_ != 0.0) {
        return false;
    }
    std::array<std::uint8_t, kByteValues> bytes{};
    for (std::size_t i = 0; i < kByteValues; ++i) {
        bytes[i] = static_cast<std::uint8_t>(i);
    }
    std::array<float, kByteValues> defined{};
    std::array<float, kByteValues> single{};
    kernels_.affine_u8_f32(bytes.data(), defined.data(), kByteValues, scale_, offset_);
    kernels_.scale_u8_f32(bytes.data(), single.data(), kByteValues, scale_high_, scale_low_);
    // Bytes, not values: minus zero and NaN count too.
    return std::memcmp(defined.data(), single.data(), sizeof defined) == 0;
}

void CastPlan::select_at(const std::vector<const std::byte*>& rows) {
    selected_.clear();
    selected_.reserve(rows.size());
    for (const std::byte* row : rows) {
        selected_.push_back(reinterpret_cast<const std::uint8_t*>(row));
    }
}

Verdict CastPlan::select(const std::int64_t* indices, std::size_t count) {
    const auto rows = static_cast<std::int64_t>(rows_.count);
    selected_.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        const std::int64_t index = indices[i];  // read once: the caller's array may change under us
        if (index < -rows || index >= rows) {
            return Verdict::kIndexOutOfRange;
        }
        selected_[i] = rows_.data + static_cast<std::ptrdiff_t>(index < 0 ? index + rows : index) * rows_.row_stride;
    }
    return Verdict::kServed;
}

bool CastPlan::overlaps(const void* begin, std::size_t bytes) const noexcept {
    if (rows_.count == 0 || row_items() == 0) {
        return false;
    }
    const std::ptrdiff_t last_row = static_cast<std::ptrdiff_t>(rows_.count - 1) * rows_.row_stride;
    const std::uint8_t* low = rows_.data + std::min<std::ptrdiff_t>(last_row, 0) - packer_.reach_before();
    const std::uint8_t* high = rows_.data + std::max<std::ptrdiff_t>(last_row, 0) + packer_.reach_behind();
    const auto* out = static_cast<const std::uint8_t*>(begin);
    const std::less<const std::uint8_t*> before;
    return before(low, out + bytes) && !before(high, out);
}

/// Casts rows to where they go: straight there, or by way of a block in the first-level cache that is then streamed.
/// The block fills across rows, so that streamed stores stay aligned whatever a row's length.
class CastPlan::Writer {
public:
    Writer(const CastPlan& plan, float* target, bool stream) noexcept
        : plan_(plan), target_(target), stream_(stream && plan.kernels_.stream_bytes != nullptr) {}

    void write(const std::uint8_t* src, std::size_t count) noexcept {
        if (!stream_) {
            plan_.cast(src, target_, count);
            target_ += count;
            return;
        }
        while (count > 0) {
            const std::size_t part = std::min(count, kBlockItems - filled_);
            plan_.cast(src, block_ + filled_, part);
            filled_ += part;
            src += part;
            count -= part;
            if (filled_ == kBlockItems) {
                flush();
            }
        }
    }

    void flush() noexcept {
        if (filled_ > 0) {
            plan_.kernels_.stream_bytes(reinterpret_cast<const std::byte*>(block_),
                                        reinterpret_cast<std::byte*>(target_), filled_ * sizeof(float));
            target_ += filled_;
            filled_ = 0;
        }
    }

private:
    /// 8 KiB: stays in any first-level cache beside the source.
    static constexpr std::size_t kBlockItems = 2048;

    const CastPlan& plan_;
    float* target_;
    const bool stream_;
    std::size_t filled_ = 0;
    alignas(64) float block_[kBlockItems];
};

void CastPlan::run(std::byte* batch, std::size_t begin, std::size_t end, bool stream) const {
    if (begin == end) {
        return;
    }
    // Two rows' worth of bytes: small enough to stay in the cache between packing and casting.
    const std::size_t row_items = packer_.items();
    const bool dense = packer_.is_dense();
    std::vector<std::uint8_t> packed(dense ? 0 : 2 * row_items);
    Writer writer(*this, reinterpret_cast<float*>(batch + begin), stream);
    std::size_t item = begin / sizeof(float);
    const std::size_t last = end / sizeof(float);
    while (item < last) {
        const std::uint8_t* source = row(item / row_items);
        const std::size_t within = item % row_items;
        const std::size_t count = std::min(row_items - within, last - item);
        if (!dense) {
            packer_.pack(source, packed.data(), packed.data() + row_items);
            source = packed.data();
        }
        writer.write(source + within, count);
        item += count;
    }
    writer.flush();
}

void CastPlan::cast(const std::uint8_t* src, float* dst, std::size_t count) const noexcept {
    if (use_scale_) {
        kernels_.scale_u8_f32(src, dst, count, scale_high_, scale_low_);
    } else {
        kernels_.affine_u8_f32(src, dst, count, scale_, offset_);
    }
}

}  // namespace fastcollate::engine
