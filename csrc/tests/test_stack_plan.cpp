// Where StackPlan puts each array's bytes, for every axis, and whether it sees overlaps.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/checked_size.hpp"
#include "engine/stack_plan.hpp"
#include "tests/check.hpp"

namespace {

using fastcollate::engine::StackPlan;

void test_every_axis() {
    const std::ptrdiff_t shape[] = {2, 3, 5};
    constexpr std::size_t kArrays = 4;
    constexpr std::size_t kItems = 30;
    std::vector<std::vector<std::uint16_t>> arrays(kArrays, std::vector<std::uint16_t>(kItems));
    std::vector<const std::byte*> sources;
    for (std::size_t a = 0; a < kArrays; ++a) {
        for (std::size_t i = 0; i < kItems; ++i) {
            arrays[a][i] = static_cast<std::uint16_t>(a * 1000 + i);
        }
        sources.push_back(reinterpret_cast<const std::byte*>(arrays[a].data()));
    }
    for (std::size_t axis = 0; axis <= 3; ++axis) {
        const StackPlan plan(shape, 3, axis, sizeof(std::uint16_t), sources);
        CHECK(plan.total_bytes() == kArrays * kItems * sizeof(std::uint16_t));
        std::vector<std::uint16_t> batch(kArrays * kItems + 1, 0xFFFF);
        plan.run(reinterpret_cast<std::byte*>(batch.data()), 0, plan.total_bytes(), false);
        std::size_t inner = 1;
        for (std::size_t d = axis; d < 3; ++d) {
            inner *= static_cast<std::size_t>(shape[d]);
        }
        bool right = batch.back() == 0xFFFF;
        for (std::size_t a = 0; a < kArrays; ++a) {
            for (std::size_t i = 0; i < kItems; ++i) {
                const std::size_t outer = i / inner;
                right = right && batch[(outer * kArrays + a) * inner + i % inner] == arrays[a][i];
            }
        }
        CHECK(right);
        // The same in parts, cut anywhere, streamed or not.
        for (const std::size_t cut : {std::size_t{0}, std::size_t{1}, std::size_t{64}, std::size_t{129}}) {
            std::vector<std::uint16_t> again(kArrays * kItems + 1, 0xFFFF);
            auto* memory = reinterpret_cast<std::byte*>(again.data());
            plan.run(memory, cut, plan.total_bytes(), true);
            plan.run(memory, 0, cut, true);
            CHECK(again == batch);
        }
    }
}

/// Pieces large enough to be streamed, and cut in their middle.
void test_streamed_pieces() {
    const std::ptrdiff_t shape[] = {2, 5000};
    std::vector<std::vector<std::uint8_t>> arrays(3, std::vector<std::uint8_t>(10000));
    std::vector<const std::byte*> sources;
    for (std::size_t a = 0; a < arrays.size(); ++a) {
        for (std::size_t i = 0; i < arrays[a].size(); ++i) {
            arrays[a][i] = static_cast<std::uint8_t>(a * 91 + i * 7);
        }
        sources.push_back(reinterpret_cast<const std::byte*>(arrays[a].data()));
    }
    const fastcollate::kernels::TargetList targets = fastcollate::kernels::available_targets();
    for (std::size_t t = 0; t < targets.count; ++t) {
        const StackPlan plan(shape, 2, 1, 1, sources, *targets.tables[t]);
        std::vector<std::uint8_t> plain(30000, 1);
        std::vector<std::uint8_t> streamed(30000, 2);
        plan.run(reinterpret_cast<std::byte*>(plain.data()), 0, 30000, false);
        plan.run(reinterpret_cast<std::byte*>(streamed.data()), 12345, 30000, true);
        plan.run(reinterpret_cast<std::byte*>(streamed.data()), 0, 12345, true);
        CHECK(plain == streamed);
        CHECK(plain[15000] == arrays[0][5000]);
    }
}

void test_empty_and_scalar() {
    const std::ptrdiff_t empty[] = {3, 0};
    const std::byte nothing{};
    const StackPlan none(empty, 2, 0, 8, {&nothing, &nothing});
    CHECK(none.total_bytes() == 0);
    CHECK(!none.overlaps(&nothing, 0));
    none.run(nullptr, 0, 0, false);

    const double values[] = {1.5, 2.5};
    double batch[2] = {};
    const StackPlan scalars(
        nullptr, 0, 0, sizeof(double),
        {reinterpret_cast<const std::byte*>(&values[0]), reinterpret_cast<const std::byte*>(&values[1])});
    scalars.run(reinterpret_cast<std::byte*>(batch), 0, sizeof batch, false);
    CHECK(batch[0] == 1.5);
    CHECK(batch[1] == 2.5);
}

void test_overlap() {
    std::byte memory[40] = {};
    const std::ptrdiff_t shape[] = {8};
    const StackPlan plan(shape, 1, 0, 1, {memory + 16, memory + 16});
    CHECK(plan.overlaps(memory + 16, plan.total_bytes()));
    CHECK(plan.overlaps(memory + 1, plan.total_bytes()));   // the batch's last byte is the source's first
    CHECK(plan.overlaps(memory + 23, plan.total_bytes()));  // and the other way round
    CHECK(!plan.overlaps(memory, plan.total_bytes()));
    CHECK(!plan.overlaps(memory + 24, plan.total_bytes()));
}

void test_checked_size() {
    using fastcollate::engine::kMaxBytes;
    using fastcollate::engine::multiply_checked;
    std::size_t product = kMaxBytes / 2;
    CHECK(multiply_checked(product, 2));
    CHECK(!multiply_checked(product, 2));
    CHECK(product == kMaxBytes / 2 * 2);
    CHECK(multiply_checked(product, 0));
    CHECK(product == 0);
}

}  // namespace

int main() {
    test_every_axis();
    test_streamed_pieces();
    test_empty_and_scalar();
    test_overlap();
    test_checked_size();
    return fastcollate::tests::report("stack_plan");
}
