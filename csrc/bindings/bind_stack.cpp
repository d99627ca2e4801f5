#include "bindings/pybind.hpp"
#include "engine/cast_plan.hpp"
#include "engine/stack_plan.hpp"
#include "engine/write_batch.hpp"
#include "interop/borrow.hpp"

namespace fastcollate::bindings {
namespace {

/// The arguments as a tuple of our own: it holds a reference to each array, whatever another thread does to the list.
py::object owned_tuple(py::handle arrays) {
    if (PyTuple_CheckExact(arrays.ptr())) {
        return py::reinterpret_borrow<py::object>(arrays);
    }
    return take_reference(PyList_AsTuple(arrays.ptr()));
}

/// Bytes into a float32 `out`: cast while they are copied.
void write_as_floats(const interop::BorrowedList& list, const engine::StackPlan& plan, std::byte* data, int threads) {
    const std::vector<std::ptrdiff_t> strides = list.dense_strides();
    engine::CastPlan cast({nullptr, 0, 0, list.shape(), strides.data(), list.ndim()}, 1.0, 0.0);
    cast.select_at(plan.sources());
    engine::write_batch(cast, data, threads);
}

py::object stack(py::handle arrays, Py_ssize_t axis, py::handle out, int threads) {
    // Read.
    if (!PyTuple_CheckExact(arrays.ptr()) && !PyList_CheckExact(arrays.ptr())) {
        return declined();
    }
    const py::object elements = owned_tuple(arrays);
    interop::BorrowedList list;
    if (!list.borrow(elements.ptr())) {
        return declined();
    }

    // Check.
    const auto result_ndim = static_cast<Py_ssize_t>(list.ndim()) + 1;
    if (axis < -result_ndim || axis >= result_ndim || list.ndim() >= interop::max_ndim()) {
        return declined();
    }
    const auto new_axis = static_cast<std::size_t>(axis < 0 ? axis + result_ndim : axis);
    std::vector<std::ptrdiff_t> shape(list.shape(), list.shape() + list.ndim());
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(new_axis), PyTuple_GET_SIZE(elements.ptr()));
    const engine::StackPlan plan(list.shape(), list.ndim(), new_axis, list.itemsize(), list.take_sources());

    py::object result;
    std::byte* data = nullptr;
    bool casts = false;
    if (out.is_none()) {
        PyObject* fresh = interop::new_batch(list.type(), shape.data(), shape.size(), &data);
        if (fresh == nullptr && PyErr_Occurred() == nullptr) {
            return declined();
        }
        result = take_reference(fresh);
    } else {
        data = interop::writable_data(out.ptr(), list.type(), shape.data(), shape.size());
        if (data == nullptr && new_axis == 0 && list.type() == interop::kTypeUint8) {
            data = interop::writable_data(out.ptr(), interop::kTypeFloat32, shape.data(), shape.size());
            casts = data != nullptr;
        }
        if (data == nullptr || plan.overlaps(data, plan.total_bytes() * (casts ? sizeof(float) : 1))) {
            return declined();
        }
        result = py::reinterpret_borrow<py::object>(out);
    }

    // Release the GIL: no Python object is touched inside.
    const int workers = threads_for(threads);
    const ReleasedGil released(plan.total_bytes());
    if (casts) {
        write_as_floats(list, plan, data, workers);
    } else {
        engine::write_batch(plan, data, workers);
    }
    return result;
}

/// Whether and how the native path would read one element; it is borrowed for a moment and given back.
const char* way_in(py::handle element) {
    const interop::WayIn way = interop::way_in(element.ptr());
    interop::BorrowedList list;
    if (way == interop::WayIn::kNone || !list.borrow(py::make_tuple(element).ptr())) {
        return "NumPy";
    }
    return way == interop::WayIn::kNdarray ? "ndarray" : "buffer";
}

}  // namespace

void bind_stack(py::module_& module) {
    module.def("stack", &stack, py::arg("arrays"), py::arg("axis"), py::arg("out"), py::arg("threads"),
               "Stack C-contiguous arrays of one shape and dtype, or return NotImplemented.");
    module.def("way_in", &way_in, py::arg("element"), "How one element would be read: 'ndarray', 'buffer' or 'NumPy'.");
}

}  // namespace fastcollate::bindings
