// From a Python sequence of arrays to the pointers that the engine copies. For each element the cheapest way in is
// chosen by its type, and the type of the last element is remembered: a homogeneous list costs one decision.
// Ways in, cheapest first: exact ndarray (fields), buffer protocol (eager tensors, memoryviews, array.array).
// Who owns what: the caller's tuple keeps the elements alive; the loans kept here keep their memory alive.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "interop/buffer_protocol.hpp"
#include "interop/numpy_array.hpp"
#include "interop/python.hpp"

namespace fastcollate::interop {

/// How an element's memory is reached; `kNone` leaves it to NumPy.
enum class WayIn { kNdarray, kBuffer, kNone };

WayIn way_in(PyObject* element) noexcept;

/// The elements of one stack: their common shape and type, and where each one's data begins.
class BorrowedList {
public:
    /// False, with no Python error left, unless every element is C-contiguous, of one shape and one native type.
    bool borrow(PyObject* tuple);

    const std::ptrdiff_t* shape() const noexcept { return shape_.data(); }
    std::size_t ndim() const noexcept { return shape_.size(); }
    int type() const noexcept { return type_; }
    std::size_t itemsize() const noexcept { return itemsize_; }
    /// What the strides of every element are, in bytes.
    std::vector<std::ptrdiff_t> dense_strides() const;
    std::vector<const std::byte*> take_sources() noexcept { return std::move(sources_); }

private:
    bool add(const Borrowed& view);

    std::vector<std::ptrdiff_t> shape_;
    int type_ = -1;
    std::size_t itemsize_ = 0;
    std::vector<const std::byte*> sources_;
    std::vector<BufferLoan> loans_;
};

}  // namespace fastcollate::interop
