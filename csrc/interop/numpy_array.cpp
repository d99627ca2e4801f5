#define FASTCOLLATE_IMPORTS_NUMPY
#include "interop/numpy_array.hpp"

#include <cstdint>
#include <cstring>
#include <utility>

#include "engine/buffer_pool.hpp"
#include "engine/checked_size.hpp"
#include "interop/numpy_api.hpp"
#include "interop/trace_memory.hpp"

namespace fastcollate::interop {

const int kTypeUint8 = NPY_UINT8;
const int kTypeFloat32 = NPY_FLOAT32;

namespace {

static_assert(sizeof(npy_intp) == sizeof(std::ptrdiff_t), "NumPy's sizes are pointer-sized");

PyArrayObject* as_array(PyObject* object) noexcept { return reinterpret_cast<PyArrayObject*>(object); }

/// Runs when the last reference to a batch is gone, on whichever thread drops it, and gives the buffer back.
void recycle(PyObject* capsule) {
    auto* memory = static_cast<std::byte*>(PyCapsule_GetPointer(capsule, nullptr));
    untrace_memory(memory);
    engine::release_buffer(memory, reinterpret_cast<std::uintptr_t>(PyCapsule_GetContext(capsule)));
}

/// A capsule that owns the buffer; nullptr with a Python error set, the buffer then gone back.
PyObject* capsule_of(engine::Buffer buffer, std::size_t bytes) {
    PyObject* capsule = PyCapsule_New(buffer.get(), nullptr, nullptr);
    if (capsule == nullptr) {
        return nullptr;
    }
    // The capacity travels as the capsule's context: no allocation for one number.
    if (PyCapsule_SetContext(capsule, reinterpret_cast<void*>(buffer.get_deleter().capacity)) != 0 ||
        PyCapsule_SetDestructor(capsule, recycle) != 0) {
        Py_DECREF(capsule);
        return nullptr;
    }
    trace_memory(buffer.get(), bytes);
    (void)buffer.release();
    return capsule;
}

}  // namespace

bool import_numpy() { return _import_array() >= 0; }

int canonical_type(int type) noexcept {
    switch (type) {
        case NPY_BOOL:
        case NPY_BYTE:
        case NPY_UBYTE:
        case NPY_SHORT:
        case NPY_USHORT:
        case NPY_HALF:
        case NPY_FLOAT:
        case NPY_DOUBLE:
        case NPY_CFLOAT:
        case NPY_CDOUBLE:
            return type;
        case NPY_INT:
            return NPY_INT;
        case NPY_LONG:  // 4 bytes on Windows, 8 elsewhere
            return sizeof(long) == sizeof(int) ? static_cast<int>(NPY_INT) : static_cast<int>(NPY_INT64);
        case NPY_LONGLONG:
            return NPY_INT64;
        case NPY_UINT:
            return NPY_UINT;
        case NPY_ULONG:
            return sizeof(long) == sizeof(int) ? static_cast<int>(NPY_UINT) : static_cast<int>(NPY_UINT64);
        case NPY_ULONGLONG:
            return NPY_UINT64;
        default:
            return -1;  // long double, strings, dates, structured, object and user types: NumPy's
    }
}

bool is_exact_ndarray(PyObject* object) noexcept { return PyArray_CheckExact(object); }

bool is_ndarray_or_subclass(PyObject* object) noexcept { return PyArray_Check(object); }

bool is_numpy_scalar(PyObject* object) noexcept { return PyArray_CheckScalar(object); }

bool borrow_ndarray(PyObject* array, Borrowed& view) noexcept {
    PyArrayObject* fields = as_array(array);
    const int type = canonical_type(PyArray_TYPE(fields));
    if (type < 0 || PyArray_ISBYTESWAPPED(fields)) {
        return false;
    }
    view.data = static_cast<const std::byte*>(PyArray_DATA(fields));
    view.type = type;
    view.itemsize = static_cast<std::size_t>(PyArray_ITEMSIZE(fields));
    view.ndim = static_cast<std::size_t>(PyArray_NDIM(fields));
    view.shape = PyArray_DIMS(fields);
    view.strides = PyArray_STRIDES(fields);
    return true;
}

bool is_c_contiguous(PyObject* array) noexcept { return PyArray_IS_C_CONTIGUOUS(as_array(array)); }

std::byte* writable_data(PyObject* array, int type, const std::ptrdiff_t* shape, std::size_t ndim) noexcept {
    Borrowed view;
    if (!is_exact_ndarray(array) || !borrow_ndarray(array, view) || view.type != type || view.ndim != ndim ||
        !PyArray_ISWRITEABLE(as_array(array)) || !is_c_contiguous(array) || !PyArray_ISALIGNED(as_array(array)) ||
        std::memcmp(view.shape, shape, ndim * sizeof *shape) != 0) {
        return nullptr;
    }
    return static_cast<std::byte*>(PyArray_DATA(as_array(array)));
}

std::size_t max_ndim() noexcept {
    // Compiled against NumPy 2, run under 1.x too, which has 32.
    return PyArray_RUNTIME_VERSION >= NPY_2_0_API_VERSION ? 64 : 32;
}

PyObject* new_batch(int type, const std::ptrdiff_t* shape, std::size_t ndim, std::byte** data) {
    PyArray_Descr* descr = PyArray_DescrFromType(type);
    if (descr == nullptr) {
        return nullptr;
    }
    auto bytes = static_cast<std::size_t>(PyDataType_ELSIZE(descr));
    bool fits = true;
    for (std::size_t d = 0; fits && d < ndim; ++d) {
        fits = engine::multiply_checked(bytes, static_cast<std::size_t>(shape[d]));
    }
    if (!fits) {
        Py_DECREF(descr);
        return nullptr;
    }
    engine::Buffer buffer = engine::acquire_buffer(bytes);
    if (buffer == nullptr) {
        Py_DECREF(descr);
        return PyErr_NoMemory();
    }
    *data = buffer.get();
    PyObject* owner = capsule_of(std::move(buffer), bytes);
    if (owner == nullptr) {
        Py_DECREF(descr);
        return nullptr;
    }
    PyObject* array =
        PyArray_NewFromDescr(&PyArray_Type, descr, static_cast<int>(ndim), const_cast<npy_intp*>(shape), nullptr, *data,
                             NPY_ARRAY_CARRAY, nullptr);  // takes the reference to descr, also when it fails
    if (array == nullptr) {
        Py_DECREF(owner);
        return nullptr;
    }
    if (PyArray_SetBaseObject(as_array(array), owner) < 0) {  // takes the reference to owner, also when it fails
        Py_DECREF(array);
        return nullptr;
    }
    return array;
}

bool int64_items(PyObject* array, const std::int64_t** items, std::size_t* count) noexcept {
    Borrowed view;
    if (!is_exact_ndarray(array) || !borrow_ndarray(array, view) || view.type != canonical_type(NPY_INT64) ||
        view.ndim != 1 || !is_c_contiguous(array) || !PyArray_ISALIGNED(as_array(array))) {
        return false;
    }
    *items = reinterpret_cast<const std::int64_t*>(view.data);
    *count = static_cast<std::size_t>(view.shape[0]);
    return true;
}

}  // namespace fastcollate::interop
