// Table of contents of the extension module.
#include "bindings/pybind.hpp"
#include "interop/numpy_array.hpp"

PYBIND11_MODULE(_native, module) {
    if (!fastcollate::interop::import_numpy()) {
        throw pybind11::error_already_set();
    }
    module.doc() = "The native half of fastcollate; use the functions of the package instead.";
    fastcollate::bindings::bind_runtime(module);
    fastcollate::bindings::bind_stack(module);
    fastcollate::bindings::bind_cast(module);
}
