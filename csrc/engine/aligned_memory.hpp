// Memory for fresh results: aligned so that TensorFlow, JAX and PyTorch adopt it without a copy, and straight from the
// system in whole pages when large, so that giving it back really gives it back. Knows no pool and no Python.
#pragma once

#include <cstddef>

namespace fastcollate::engine {

/// The alignment that every framework accepts for adoption, in bytes.
inline constexpr std::size_t kAlignment = 64;
/// From here on memory is aligned to pages.
inline constexpr std::size_t kPagesFrom = std::size_t{64} << 10;
/// From here on it is aligned to huge pages and asks for them, because faulting in small pages costs several times the
/// copy itself; below, rounding to 2 MiB would waste more than the faults cost (NumPy's own limit).
inline constexpr std::size_t kHugePagesFrom = std::size_t{4} << 20;
inline constexpr std::size_t kHugePage = std::size_t{2} << 20;

/// `bytes` of memory with undefined content (at least one byte, so that the address is never null); nullptr when
/// memory is short or `bytes` can't be an object's size.
std::byte* aligned_allocate(std::size_t bytes) noexcept;

/// Takes back what aligned_allocate returned for the same `bytes`; nothing for nullptr.
void aligned_free(std::byte* memory, std::size_t bytes) noexcept;

}  // namespace fastcollate::engine
