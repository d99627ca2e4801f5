// Gathering rows of bytes and casting them to float in one pass: which rows, how a row lies in memory, and which
// kernel gives the right bits. The caller's index array is copied while it is checked, so that nobody can change it
// in between. Knows no Python.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/errors.hpp"
#include "engine/row_packer.hpp"
#include "kernels/dispatch.hpp"

namespace fastcollate::engine {

/// A data set of bytes: `count` rows, `row_stride` bytes apart, each of `shape` and `strides` (in bytes).
struct ByteRows {
    const std::uint8_t* data;
    std::size_t count;
    std::ptrdiff_t row_stride;
    const std::ptrdiff_t* shape;
    const std::ptrdiff_t* strides;
    std::size_t ndim;
};

class CastPlan {
public:
    /// value = float(double(byte) * scale + offset). Tests name a target's kernels; all others take those in use.
    CastPlan(const ByteRows& rows, double scale, double offset,
             const kernels::KernelTable& kernels = *kernels::active());

    /// All rows, in order.
    void select_all() noexcept { all_ = true; }
    /// The rows that `indices` names, negative ones counted from the end. Checks every one.
    Verdict select(const std::int64_t* indices, std::size_t count);
    /// Rows that lie anywhere, each of the data set's shape and strides.
    void select_at(const std::vector<const std::byte*>& rows);

    std::size_t batch_size() const noexcept { return all_ ? rows_.count : selected_.size(); }
    std::size_t row_items() const noexcept { return packer_.items(); }

    /// Whether [begin, begin + bytes) meets the memory that the data set spans.
    bool overlaps(const void* begin, std::size_t bytes) const noexcept;

    /// The size of the batch in bytes.
    std::size_t total_bytes() const noexcept { return batch_size() * row_items() * sizeof(float); }
    /// Parts of the batch that are written apart should begin at multiples of this many bytes: a row that is packed
    /// first is packed whole.
    std::size_t granule_bytes() const noexcept { return packer_.is_dense() ? 64 : row_items() * sizeof(float); }

    /// Writes the bytes [begin, end) of the batch, past the caches if `stream` says so.
    void run(std::byte* batch, std::size_t begin, std::size_t end, bool stream) const;

private:
    class Writer;

    const std::uint8_t* row(std::size_t i) const noexcept {
        return all_ ? rows_.data + static_cast<std::ptrdiff_t>(i) * rows_.row_stride : selected_[i];
    }

    void cast(const std::uint8_t* src, float* dst, std::size_t count) const noexcept;
    bool single_precision_is_exact() const noexcept;

    const ByteRows rows_;
    const kernels::KernelTable& kernels_;
    const double scale_;
    const double offset_;
    const RowPacker packer_;
    bool use_scale_;  // the single-precision kernel gives the same 256 values
    float scale_high_;
    float scale_low_;
    bool all_ = false;                           // every row in order: no list of them is needed
    std::vector<const std::uint8_t*> selected_;  // else, where each row of the batch begins
};

}  // namespace fastcollate::engine
