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
      scale_high_(static_cast<float>(scale)),
      scale_low_(static_cast<float>(scale - static_cast<double>(scale_high_))) {
    for (std::size_t d = 0; d < rows.ndim; ++d) {
        const auto length = static_cast<std::size_t>(rows.shape[d]);
        row_items_ *= length;
        if (length == 1) {
            continue;
        }
        // An axis whose step spans the whole next axis merges with it: fewer, longer loops.
        if (!axes_.empty() && axes_.back().stride == rows.strides[d] * rows.shape[d]) {
            axes_.back() = {axes_.back().length * length, rows.strides[d]};
        } else {
            axes_.push_back({length, rows.strides[d]});
        }
    }
    dense_ = axes_.empty() || (axes_.size() == 1 && axes_[0].stride == 1);
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

void CastPlan::select_all() {
    offsets_.resize(rows_.count);
    for (std::size_t i = 0; i < rows_.count; ++i) {
        offsets_[i] = static_cast<std::ptrdiff_t>(i) * rows_.row_stride;
    }
}

Verdict CastPlan::select(const std::int64_t* indices, std::size_t count) {
    const auto rows = static_cast<std::int64_t>(rows_.count);
    offsets_.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        const std::int64_t index = indices[i];  // read once: the caller's array may change under us
        if (index < -rows || index >= rows) {
            return Verdict::kIndexOutOfRange;
        }
        offsets_[i] = static_cast<std::ptrdiff_t>(index < 0 ? index + rows : index) * rows_.row_stride;
    }
    return Verdict::kServed;
}

bool CastPlan::overlaps(const void* begin, std::size_t bytes) const noexcept {
    if (rows_.count == 0 || row_items_ == 0) {
        return false;
    }
    const std::uint8_t* low = rows_.data;
    const std::uint8_t* high = rows_.data;
    const auto extend = [&](std::size_t length, std::ptrdiff_t stride) {
        const std::ptrdiff_t reach = static_cast<std::ptrdiff_t>(length - 1) * stride;
        (reach < 0 ? low : high) += reach;
    };
    extend(rows_.count, rows_.row_stride);
    for (const Axis& axis : axes_) {
        extend(axis.length, axis.stride);
    }
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
    // One row's worth of bytes: small enough to stay in the cache between packing and casting.
    std::vector<std::uint8_t> dense_row(dense_ ? 0 : row_items_);
    Writer writer(*this, reinterpret_cast<float*>(batch + begin), stream);
    std::size_t item = begin / sizeof(float);
    const std::size_t last = end / sizeof(float);
    while (item < last) {
        const std::uint8_t* row = rows_.data + offsets_[item / row_items_];
        const std::size_t within = item % row_items_;
        const std::size_t count = std::min(row_items_ - within, last - item);
        if (!dense_) {
            pack(row, dense_row.data(), 0);
            row = dense_row.data();
        }
        writer.write(row + within, count);
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

void CastPlan::pack(const std::uint8_t* src, std::uint8_t* dst, std::size_t axis) const noexcept {
    const std::size_t left = axes_.size() - axis;
    if (left <= 2) {
        const Axis outer = left == 2 ? axes_[axis] : Axis{1, 0};
        const Axis inner = axes_.back();
        kernels_.pack_u8(src, dst, outer.length, inner.length, outer.stride, inner.stride);
        return;
    }
    std::size_t plane_items = 1;
    for (std::size_t d = axis + 1; d < axes_.size(); ++d) {
        plane_items *= axes_[d].length;
    }
    for (std::size_t i = 0; i < axes_[axis].length; ++i) {
        pack(src + static_cast<std::ptrdiff_t>(i) * axes_[axis].stride, dst + i * plane_items, axis + 1);
    }
}

}  // namespace fastcollate::engine
