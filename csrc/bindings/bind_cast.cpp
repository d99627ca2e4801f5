#include "bindings/pybind.hpp"
#include "engine/cast_plan.hpp"
#include "engine/write_batch.hpp"
#include "interop/numpy_array.hpp"

namespace fastcollate::bindings {
namespace {

py::object cast_rows(py::handle X, py::handle idx, double scale, double offset, py::handle out, int threads) {
    // Read.
    interop::Borrowed view;
    if (!interop::is_exact_ndarray(X.ptr()) || !interop::borrow_ndarray(X.ptr(), view) ||
        view.type != interop::kTypeUint8 || view.ndim == 0) {
        return declined();
    }
    const engine::ByteRows rows{reinterpret_cast<const std::uint8_t*>(view.data),
                                static_cast<std::size_t>(view.shape[0]),
                                view.strides[0],
                                view.shape + 1,
                                view.strides + 1,
                                view.ndim - 1};
    engine::CastPlan plan(rows, scale, offset);

    // Check.
    if (idx.is_none()) {
        plan.select_all();
    } else {
        const std::int64_t* indices = nullptr;
        std::size_t count = 0;
        if (!interop::int64_items(idx.ptr(), &indices, &count) ||
            plan.select(indices, count) != engine::Verdict::kServed) {
            return declined();
        }
    }
    std::vector<std::ptrdiff_t> shape(view.shape, view.shape + view.ndim);
    shape[0] = static_cast<std::ptrdiff_t>(plan.batch_size());

    py::object result;
    std::byte* data = nullptr;
    if (out.is_none()) {
        PyObject* fresh = interop::new_batch(interop::kTypeFloat32, shape.data(), shape.size(), &data);
        if (fresh == nullptr && PyErr_Occurred() == nullptr) {
            return declined();
        }
        result = take_reference(fresh);
    } else {
        data = interop::writable_data(out.ptr(), interop::kTypeFloat32, shape.data(), shape.size());
        if (data == nullptr || plan.overlaps(data, plan.total_bytes())) {
            return declined();
        }
        result = py::reinterpret_borrow<py::object>(out);
    }

    // Release the GIL: the caller's arguments keep X and out alive, and the plan has its own copy of the indices.
    {
        const ReleasedGil released(plan.total_bytes());
        engine::write_batch(plan, data, threads_for(threads));
    }
    return result;
}

}  // namespace

void bind_cast(py::module_& module) {
    module.def("cast_rows", &cast_rows, py::arg("X"), py::arg("idx"), py::arg("scale"), py::arg("offset"),
               py::arg("out"), py::arg("threads"),
               "Gather rows of uint8 and cast them to float32, or return NotImplemented.");
}

}  // namespace fastcollate::bindings
