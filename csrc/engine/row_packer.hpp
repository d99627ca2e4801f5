// Making a strided row of bytes dense: which kernel does it, decided once a batch by how the row's axes lie in memory.
// Knows nothing of what becomes of the bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/dispatch.hpp"

namespace fastcollate::engine {

class RowPacker {
public:
    /// A row of this shape and these strides, in bytes.
    RowPacker(const std::ptrdiff_t* shape, const std::ptrdiff_t* strides, std::size_t ndim,
              const kernels::KernelTable& kernels);

    /// The bytes of a row.
    std::size_t items() const noexcept { return items_; }
    /// Whether the bytes lie in order, without gaps: then there is nothing to pack.
    bool is_dense() const noexcept { return axes_.empty() || (axes_.size() == 1 && axes_[0].stride == 1); }
    /// How many bytes before and behind its first one a row reaches.
    std::ptrdiff_t reach_before() const noexcept;
    std::ptrdiff_t reach_behind() const noexcept;

    /// Writes the row that begins at `src` to `dst` in order. `planes` has room for items() bytes.
    void pack(const std::uint8_t* src, std::uint8_t* dst, std::uint8_t* planes) const noexcept {
        pack(src, dst, planes, 0);
    }

private:
    /// One axis, after axes that lie behind each other have been merged and axes of length 1 left out.
    struct Axis {
        std::size_t length;
        std::ptrdiff_t stride;
    };

    void pack(const std::uint8_t* src, std::uint8_t* dst, std::uint8_t* planes, std::size_t first) const noexcept;
    void pack_plane(const std::uint8_t* src, std::uint8_t* dst, const Axis& outer, const Axis& inner) const noexcept;
    void pack_planes(const std::uint8_t* src, std::uint8_t* dst, std::uint8_t* planes) const noexcept;

    const kernels::KernelTable& kernels_;
    std::size_t items_ = 1;
    std::vector<Axis> axes_;
};

}  // namespace fastcollate::engine
