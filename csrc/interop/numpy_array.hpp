// ndarrays without a protocol call: their fields are read through NumPy's C API, and fresh results are ndarrays over
// our own aligned memory. Who owns what: a result owns its memory through a capsule, which frees it when the last
// view is gone; a borrowed array stays alive by the reference that the caller holds.
#pragma once

#include <cstddef>
#include <cstdint>

#include "interop/python.hpp"

namespace fastcollate::interop {

/// Must run once, before anything else here; false with a Python error set when NumPy is missing.
bool import_numpy();

/// What the native path needs of an array. Shape and strides (bytes) belong to the producer.
struct Borrowed {
    const std::byte* data;
    int type;  // NumPy's type number, one a width: `canonical_type`
    std::size_t itemsize;
    std::size_t ndim;
    const std::ptrdiff_t* shape;
    const std::ptrdiff_t* strides;
};

/// One number for each width and kind of the numeric types that are copied natively (`long long` is `long` where both
/// have 8 bytes); -1 for all others.
int canonical_type(int type) noexcept;

/// Exactly `numpy.ndarray`, not a subclass: those keep their own behaviour and go to NumPy.
bool is_exact_ndarray(PyObject* object) noexcept;
bool is_ndarray_or_subclass(PyObject* object) noexcept;
/// A NumPy scalar: its buffer doesn't always tell its dtype (datetime64 exports bytes).
bool is_numpy_scalar(PyObject* object) noexcept;

/// The array's fields when it has native byte order and a type served here. Precondition: is_exact_ndarray.
bool borrow_ndarray(PyObject* array, Borrowed& view) noexcept;
bool is_c_contiguous(PyObject* array) noexcept;

/// The data of an `out`: an exact, writable, C-contiguous ndarray of this type and shape; nullptr when it isn't one.
std::byte* writable_data(PyObject* array, int type, const std::ptrdiff_t* shape, std::size_t ndim) noexcept;

/// A fresh C-contiguous, 64-byte aligned ndarray (a new reference) and its memory; nullptr with a Python error
/// set, or without one where the size is beyond all memory: NumPy has its own words for that.
PyObject* new_batch(int type, const std::ptrdiff_t* shape, std::size_t ndim, std::byte** data);

/// The int64 items of a C-contiguous one-dimensional array; false when it is anything else.
bool int64_items(PyObject* array, const std::int64_t** items, std::size_t* count) noexcept;

/// The most axes that an array can have here.
std::size_t max_ndim() noexcept;

/// NumPy's numbers for the types the bindings name.
extern const int kTypeUint8;
extern const int kTypeFloat32;

}  // namespace fastcollate::interop
