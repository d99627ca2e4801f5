#include "bindings/pybind.hpp"
#include "engine/runtime.hpp"

namespace fastcollate::bindings {
namespace {

py::list simd_targets() {
    py::list names;
    for (const char* name : engine::simd_targets()) {
        names.append(name);
    }
    return names;
}

/// None when FASTCOLLATE_SIMD names no target of this CPU: the face then refuses to start, and lists those there are.
py::object simd_target() {
    const char* name = engine::simd_target();
    return name == nullptr ? py::object(py::none()) : py::object(py::str(name));
}

}  // namespace

void bind_runtime(py::module_& module) {
    module.def("simd_targets", &simd_targets, "The SIMD targets this CPU can run, lowest first.");
    module.def("simd_target", &simd_target, "The SIMD target in use, or None when the environment asks for another.");
}

}  // namespace fastcollate::bindings
