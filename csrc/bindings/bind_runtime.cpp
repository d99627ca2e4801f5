#include "bindings/pybind.hpp"
#include "engine/buffer_pool.hpp"
#include "engine/runtime.hpp"
#include "engine/thread_pool.hpp"

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

/// Bytes, and counts of requests.
py::dict pool_info() {
    const engine::PoolStats stats = engine::pool_stats();
    py::dict facts;
    facts["bytes_idle"] = stats.bytes_idle;
    facts["bytes_in_use"] = stats.bytes_in_use;
    facts["buffers_idle"] = stats.buffers_idle;
    facts["limit"] = stats.limit;
    facts["hits"] = stats.hits;
    facts["misses"] = stats.misses;
    return facts;
}

}  // namespace

void bind_runtime(py::module_& module) {
    module.def("simd_targets", &simd_targets, "The SIMD targets this CPU can run, lowest first.");
    module.def("simd_target", &simd_target, "The SIMD target in use, or None when the environment asks for another.");

    module.def("get_num_threads", &engine::get_num_threads, "The process default.");
    module.def("set_num_threads", &engine::set_num_threads, py::arg("threads"),
               "Set the process default, 0 for the machine's; return what was set before, 0 for nothing.");
    module.def("environment_threads_valid", &engine::environment_threads_valid,
               "Whether FASTCOLLATE_NUM_THREADS is unset or a number of at least 1.");
    module.def("mark_as_worker", &engine::mark_as_worker, "Let the default be 1: this process is one of many.");
    module.def("worker_count", &engine::worker_count, "The threads that the pool holds at this moment.");

    module.def("pool_info", &pool_info, "The buffer pool's bytes and counts.");
    module.def("set_pool_limit", &engine::set_pool_limit, py::arg("bytes"), "How many bytes the pool may keep idle.");
    module.def("trim_pool", &engine::trim_pool, "Free all idle buffers; return how many bytes that were.");
}

}  // namespace fastcollate::bindings
