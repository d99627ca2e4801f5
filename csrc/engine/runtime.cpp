#include "engine/runtime.hpp"

#include "kernels/dispatch.hpp"

namespace fastcollate::engine {

std::vector<const char*> simd_targets() {
    const kernels::TargetList available = kernels::available_targets();
    std::vector<const char*> names;
    names.reserve(available.count);
    for (std::size_t i = 0; i < available.count; ++i) {
        names.push_back(available.tables[i]->name);
    }
    return names;
}

const char* simd_target() noexcept {
    const kernels::KernelTable* active = kernels::active();
    return active == nullptr ? nullptr : active->name;
}

}  // namespace fastcollate::engine
