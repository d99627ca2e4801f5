#include "engine/row_packer.hpp"

#include <cstring>

namespace fastcollate::engine {
namespace {

/// Up to here an axis counts as one of channels, for which there are kernels that keep a pixel together.
constexpr std::size_t kMostChannels = 4;

}  // namespace

RowPacker::RowPacker(const std::ptrdiff_t* shape, const std::ptrdiff_t* strides, std::size_t ndim,
                     const kernels::KernelTable& kernels)
    : kernels_(kernels) {
    for (std::size_t d = 0; d < ndim; ++d) {
        const auto length = static_cast<std::size_t>(shape[d]);
        items_ *= length;
        if (length == 1) {
            continue;
        }
        // An axis whose step spans the whole next axis merges with it: fewer, longer loops.
        if (!axes_.empty() && axes_.back().stride == strides[d] * shape[d]) {
            axes_.back() = {axes_.back().length * length, strides[d]};
        } else {
            axes_.push_back({length, strides[d]});
        }
    }
}

std::ptrdiff_t RowPacker::reach_before() const noexcept {
    std::ptrdiff_t reach = 0;
    for (const Axis& axis : axes_) {
        reach += axis.stride < 0 ? static_cast<std::ptrdiff_t>(axis.length - 1) * -axis.stride : 0;
    }
    return reach;
}

std::ptrdiff_t RowPacker::reach_behind() const noexcept {
    std::ptrdiff_t reach = 0;
    for (const Axis& axis : axes_) {
        reach += axis.stride > 0 ? static_cast<std::ptrdiff_t>(axis.length - 1) * axis.stride : 0;
    }
    return reach;
}

void RowPacker::pack(const std::uint8_t* src, std::uint8_t* dst, std::uint8_t* planes,
                     std::size_t first) const noexcept {
    const std::size_t left = axes_.size() - first;
    if (left <= 2) {
        pack_plane(src, dst, left == 2 ? axes_[first] : Axis{1, 0}, axes_.back());
        return;
    }
    if (left == 3 && axes_[first].stride == 1 && axes_.back().length <= kMostChannels) {
        pack_planes(src, dst, planes);
        return;
    }
    std::size_t part_items = 1;
    for (std::size_t d = first + 1; d < axes_.size(); ++d) {
        part_items *= axes_[d].length;
    }
    for (std::size_t i = 0; i < axes_[first].length; ++i) {
        pack(src + static_cast<std::ptrdiff_t>(i) * axes_[first].stride, dst + i * part_items, planes, first + 1);
    }
}

void RowPacker::pack_plane(const std::uint8_t* src, std::uint8_t* dst, const Axis& outer,
                           const Axis& inner) const noexcept {
    const bool has_channels = outer.length > 1 && outer.length <= kMostChannels;
    if (inner.stride == 1) {
        for (std::size_t i = 0; i < outer.length; ++i) {
            std::memcpy(dst + i * inner.length, src + static_cast<std::ptrdiff_t>(i) * outer.stride, inner.length);
        }
    } else if (has_channels && outer.stride == 1 && inner.stride == static_cast<std::ptrdiff_t>(outer.length)) {
        kernels_.deinterleave_u8(src, dst, inner.length, outer.length);
    } else if (outer.stride == 1 && inner.length > 1 && inner.length <= kMostChannels) {
        kernels_.interleave_u8(src, dst, outer.length, inner.length, inner.stride);
    } else if (outer.stride == 1 && outer.length > kMostChannels) {
        kernels_.transpose_u8(src, dst, outer.length, inner.length, inner.length, inner.stride);
    } else {
        kernels_.pack_u8(src, dst, outer.length, inner.length, outer.stride, inner.stride);
    }
}

/// The last three axes when the first of them is the dense one and the last has the channels, as in STL-10's planes
/// that lie column by column: each plane is turned, then the planes become pixels.
void RowPacker::pack_planes(const std::uint8_t* src, std::uint8_t* dst, std::uint8_t* planes) const noexcept {
    const Axis& row = axes_[axes_.size() - 3];
    const Axis& column = axes_[axes_.size() - 2];
    const Axis& channel = axes_.back();
    const std::size_t plane_items = row.length * column.length;
    for (std::size_t k = 0; k < channel.length; ++k) {
        kernels_.transpose_u8(src + static_cast<std::ptrdiff_t>(k) * channel.stride, planes + k * plane_items,
                              row.length, column.length, column.length, column.stride);
    }
    kernels_.interleave_u8(planes, dst, plane_items, channel.length, static_cast<std::ptrdiff_t>(plane_items));
}

}  // namespace fastcollate::engine
