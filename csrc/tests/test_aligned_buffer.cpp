// Fresh memory is aligned at every size, writable to its end, and a size that can't be had is refused, not wrapped.
#include <cstdint>
#include <cstring>

#include "engine/aligned_buffer.hpp"
#include "tests/check.hpp"

int main() {
    using fastcollate::engine::allocate_aligned;
    const std::size_t sizes[] = {0, 1, 63, 64, 65, 4095, 1 << 20, (4 << 20) - 1, 4 << 20, (9 << 20) + 3};
    for (const std::size_t bytes : sizes) {
        const auto memory = allocate_aligned(bytes);
        CHECK(memory != nullptr);
        CHECK(reinterpret_cast<std::uintptr_t>(memory.get()) % fastcollate::engine::kAlignment == 0);
        std::memset(memory.get(), 1, bytes);
    }
    CHECK(allocate_aligned(static_cast<std::size_t>(-1)) == nullptr);
    CHECK(allocate_aligned(static_cast<std::size_t>(-1) / 2) == nullptr);
    return fastcollate::tests::report("aligned_buffer");
}
