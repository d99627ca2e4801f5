// Facts about the engine that users may ask for. They pass through here so that the bindings need to know nothing of
// the kernels.
#pragma once

#include <vector>

namespace fastcollate::engine {

/// The SIMD targets this CPU can run, lowest first.
std::vector<const char*> simd_targets();

/// The SIMD target in use; nullptr when FASTCOLLATE_SIMD names none of simd_targets().
const char* simd_target() noexcept;

}  // namespace fastcollate::engine
