// The buffer protocol (PEP 3118): how an eager TensorFlow tensor, a memoryview or an array.array lends its memory.
// Who owns what: a BufferLoan keeps the producer's memory alive until it is destroyed, which needs the GIL.
#pragma once

#include "interop/numpy_array.hpp"
#include "interop/python.hpp"

namespace fastcollate::interop {

/// NumPy's type number for a buffer's format string and item size; -1 when it isn't one native number an item.
int type_of_format(const char* format, Py_ssize_t itemsize) noexcept;

class BufferLoan {
public:
    BufferLoan() noexcept = default;
    BufferLoan(BufferLoan&& other) noexcept;
    BufferLoan(const BufferLoan&) = delete;
    BufferLoan& operator=(const BufferLoan&) = delete;
    BufferLoan& operator=(BufferLoan&&) = delete;
    ~BufferLoan();

    /// Borrows a C-contiguous, read-only view. False, with no Python error left, when the producer refuses or the
    /// items aren't of a type that is copied natively.
    bool borrow(PyObject* producer, Borrowed& view) noexcept;

private:
    Py_buffer buffer_{};
};

}  // namespace fastcollate::interop
