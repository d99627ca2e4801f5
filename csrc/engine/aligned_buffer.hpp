// Memory for fresh results: 64-byte aligned, so that TensorFlow, JAX and PyTorch adopt it without a copy. Large ones
// ask for huge pages, because faulting in 4 KiB pages costs several times the copy itself. Knows no Python.
#pragma once

#include <cstddef>
#include <memory>

namespace fastcollate::engine {

/// The alignment that every framework accepts for adoption, in bytes.
inline constexpr std::size_t kAlignment = 64;

struct FreeAligned {
    void operator()(std::byte* memory) const noexcept;
};

using AlignedBuffer = std::unique_ptr<std::byte[], FreeAligned>;

/// `bytes` of uninitialised memory (at least one byte, so that the address is never null); empty when memory is short.
AlignedBuffer allocate_aligned(std::size_t bytes) noexcept;

}  // namespace fastcollate::engine
