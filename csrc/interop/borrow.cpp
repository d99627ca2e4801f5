#include "interop/borrow.hpp"

#include <cstring>

namespace fastcollate::interop {

WayIn way_in(PyObject* element) noexcept {
    if (is_exact_ndarray(element)) {
        return WayIn::kNdarray;
    }
    // NumPy reads bytes as a string, not as memory; subclasses and scalars have rules of their own.
    if (PyBytes_Check(element) || is_ndarray_or_subclass(element) || is_numpy_scalar(element) ||
        !PyObject_CheckBuffer(element)) {
        return WayIn::kNone;
    }
    PyObject* type = reinterpret_cast<PyObject*>(Py_TYPE(element));
    return PyObject_HasAttrString(type, "__array_function__") != 0 ? WayIn::kNone : WayIn::kBuffer;
}

bool BorrowedList::borrow(PyObject* tuple) {
    const Py_ssize_t count = PyTuple_GET_SIZE(tuple);
    sources_.reserve(static_cast<std::size_t>(count));
    PyTypeObject* last_type = nullptr;
    WayIn way = WayIn::kNone;
    for (Py_ssize_t i = 0; i < count; ++i) {
        PyObject* element = PyTuple_GET_ITEM(tuple, i);
        if (Py_TYPE(element) != last_type) {
            last_type = Py_TYPE(element);
            way = way_in(element);
        }
        Borrowed view;
        if (way == WayIn::kNdarray) {
            if (!borrow_ndarray(element, view) || !is_c_contiguous(element)) {
                return false;
            }
        } else if (way == WayIn::kBuffer) {
            if (loans_.capacity() == 0) {
                loans_.reserve(static_cast<std::size_t>(count - i));
            }
            if (!loans_.emplace_back().borrow(element, view)) {
                return false;
            }
        } else {
            return false;
        }
        if (!add(view)) {
            return false;
        }
    }
    return count > 0;
}

std::vector<std::ptrdiff_t> BorrowedList::dense_strides() const {
    std::vector<std::ptrdiff_t> strides(shape_.size());
    auto step = static_cast<std::ptrdiff_t>(itemsize_);
    for (std::size_t d = shape_.size(); d-- > 0;) {
        strides[d] = step;
        step *= shape_[d];
    }
    return strides;
}

bool BorrowedList::add(const Borrowed& view) {
    if (sources_.empty()) {
        shape_.assign(view.shape, view.shape + view.ndim);
        type_ = view.type;
        itemsize_ = view.itemsize;
    } else if (view.type != type_ || view.ndim != shape_.size() ||
               std::memcmp(view.shape, shape_.data(), shape_.size() * sizeof(std::ptrdiff_t)) != 0) {
        return false;
    }
    sources_.push_back(view.data);
    return true;
}

}  // namespace fastcollate::interop
