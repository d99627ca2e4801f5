// The only header that brings in pybind11, and what every binding shares. A binding has four steps: read the
// arguments, check them, release the GIL and move the bytes, wrap the result. What it can't serve it declines with
// NotImplemented, before anything is written; the face then asks the NumPy twin, which also words every error.
#pragma once

#include <pybind11/pybind11.h>

#include <chrono>
#include <cstddef>
#include <thread>
#if defined(__GLIBCXX__)
#include <cxxabi.h>
#endif

#include "engine/thread_count.hpp"

namespace fastcollate::bindings {

namespace py = pybind11;

inline py::object declined() { return py::reinterpret_borrow<py::object>(Py_NotImplemented); }

/// Takes over a new reference, or throws the Python error that came instead of one.
inline py::object take_reference(PyObject* object) {
    if (object == nullptr) {
        throw py::error_already_set();
    }
    return py::reinterpret_steal<py::object>(object);
}

/// The number of threads that a call named, or the process default for 0.
inline int threads_for(int threads) noexcept { return threads > 0 ? threads : engine::get_num_threads(); }

/// Below this a call is over before another thread could make use of the GIL, and giving it up costs more than that.
inline constexpr std::size_t kBytesWorthTheGil = 4096;

/// Gives the GIL up for as long as it lives, if writing so many bytes is worth it.
/// intentional: not pybind11's guard. When the interpreter is shutting down, taking the GIL back ends the thread,
/// before Python 3.14 by unwinding its stack; that must not run into a destructor, nor into frames that touch Python
/// objects. Such a thread is parked here instead, and goes with the process.
class ReleasedGil {
public:
    explicit ReleasedGil(std::size_t bytes) : state_(bytes < kBytesWorthTheGil ? nullptr : PyEval_SaveThread()) {}
    ReleasedGil(const ReleasedGil&) = delete;
    ReleasedGil& operator=(const ReleasedGil&) = delete;
    ~ReleasedGil() {
        if (state_ == nullptr) {
            return;
        }
#if defined(__GLIBCXX__)
        try {
            PyEval_RestoreThread(state_);
        } catch (abi::__forced_unwind&) {
            for (;;) {
                std::this_thread::sleep_for(std::chrono::hours(1));
            }
        }
#else
        PyEval_RestoreThread(state_);
#endif
    }

private:
    PyThreadState* const state_;
};

void bind_stack(py::module_& module);
void bind_cast(py::module_& module);
void bind_runtime(py::module_& module);

}  // namespace fastcollate::bindings
