// Fresh memory is aligned at every size, writable to its end, and a size that can't be had is refused, not wrapped.
#include <cstdint>
#include <cstring>
#include <initializer_list>

#include "engine/aligned_memory.hpp"
#include "engine/size_class.hpp"
#include "tests/check.hpp"

namespace {

using namespace fastcollate::engine;

void test_alignment() {
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{63}, std::size_t{64}, std::size_t{65},
                                    std::size_t{4095}, kPagesFrom - 1, kPagesFrom, kPagesFrom + 1, std::size_t{1} << 20,
                                    kHugePagesFrom - 1, kHugePagesFrom, (std::size_t{9} << 20) + 3}) {
        const std::size_t wanted = bytes >= kHugePagesFrom ? kHugePage : bytes >= kPagesFrom ? 4096 : kAlignment;
        // Several at once, since one alone can be aligned by luck.
        std::byte* memory[5];
        for (std::byte*& one : memory) {
            one = aligned_allocate(bytes);
            CHECK(one != nullptr);
            CHECK(reinterpret_cast<std::uintptr_t>(one) % wanted == 0);
            std::memset(one, 1, bytes);
        }
        for (std::byte* one : memory) {
            aligned_free(one, bytes);
        }
    }
    aligned_free(nullptr, 0);
    aligned_free(nullptr, kHugePagesFrom);
}

void test_refusals() {
    constexpr auto kMost = static_cast<std::size_t>(-1);
    for (const std::size_t bytes :
         {kMost, kMost - 1, kMost - 63, kMost - kHugePage, kMost / 2, kMost / 2 + 1, kMost / 4}) {
        CHECK(aligned_allocate(bytes) == nullptr);
    }
}

void test_size_classes() {
    std::size_t index = 0;
    std::size_t held = kAlignment;
    bool right = true;
    for (std::size_t bytes = 0; bytes < 1'000'000; ++bytes) {
        const SizeClass size = size_class(bytes);
        right = right && size.bytes >= bytes && size.bytes % kAlignment == 0 &&
                (size.bytes <= bytes + bytes / 4 || size.bytes < bytes + kAlignment || bytes == 0);
        // Classes follow each other without a gap, and a capacity is its own class.
        right = right && (size.index == index ? size.bytes == held : size.index == index + 1 && size.bytes > held);
        right = right && size_class(size.bytes).index == size.index && size_class(size.bytes).bytes == size.bytes;
        index = size.index;
        held = size.bytes;
    }
    CHECK(right);
    const SizeClass last = size_class(static_cast<std::size_t>(-1) / 2);
    CHECK(last.index < kSizeClasses);
    CHECK(last.bytes == static_cast<std::size_t>(-1) / 2 + 1);
}

}  // namespace

int main() {
    test_alignment();
    test_refusals();
    test_size_classes();
    return fastcollate::tests::report("aligned_memory");
}
