// CastPlan on every target: which rows it takes, any strides within a row, the same bits whichever kernel it picks.
#include <cstdint>
#include <cstring>
#include <vector>

#include "engine/cast_plan.hpp"
#include "kernels/dispatch.hpp"
#include "tests/check.hpp"

namespace {

using fastcollate::engine::ByteRows;
using fastcollate::engine::CastPlan;
using fastcollate::engine::Verdict;
using fastcollate::kernels::KernelTable;

constexpr std::size_t kRows = 5;
constexpr std::ptrdiff_t kShape[] = {4, 6, 3};
constexpr std::size_t kRowItems = 72;

std::vector<std::uint8_t> data_set() {
    std::vector<std::uint8_t> data(kRows * kRowItems);
    for (std::size_t i = 0; i < data.size(); ++i) {
        data[i] = static_cast<std::uint8_t>(i * 31 + 7);
    }
    return data;
}

/// Runs a plan over `rows` and compares each float with the definition.
void check_cast(const ByteRows& rows, double scale, double offset, const KernelTable& table) {
    CastPlan plan(rows, scale, offset, table);
    const std::int64_t indices[] = {3, -1, 0, 3};
    CHECK(plan.select(indices, 4) == Verdict::kServed);
    CHECK(plan.batch_size() == 4);
    std::vector<float> batch(4 * plan.row_items() + 1, -1.0F);
    plan.run(reinterpret_cast<std::byte*>(batch.data()), 0, plan.total_bytes(), false);
    bool right = batch.back() == -1.0F;
    std::size_t at = 0;
    for (const std::ptrdiff_t row : {3, 4, 0, 3}) {
        for (std::ptrdiff_t i = 0; i < rows.shape[0]; ++i) {
            for (std::ptrdiff_t j = 0; j < rows.shape[1]; ++j) {
                for (std::ptrdiff_t k = 0; k < rows.shape[2]; ++k) {
                    const std::uint8_t byte = rows.data[row * rows.row_stride + i * rows.strides[0] +
                                                        j * rows.strides[1] + k * rows.strides[2]];
                    const double product = static_cast<double>(byte) * scale;
                    const auto wanted = static_cast<float>(product + offset);
                    right = right && std::memcmp(&wanted, &batch[at], sizeof wanted) == 0;
                    ++at;
                }
            }
        }
    }
    CHECK(right);
    // The same in two parts, streamed.
    for (std::size_t cut = 0; cut <= plan.total_bytes(); cut += plan.granule_bytes()) {
        std::vector<float> again(batch.size(), -1.0F);
        auto* memory = reinterpret_cast<std::byte*>(again.data());
        plan.run(memory, cut, plan.total_bytes(), true);
        plan.run(memory, 0, cut, true);
        CHECK(std::memcmp(again.data(), batch.data(), batch.size() * sizeof(float)) == 0);
    }
}

/// Rows longer than the block that streaming goes through, and a batch of several blocks.
void test_long_rows(const KernelTable& table) {
    const std::ptrdiff_t shape[] = {5003};
    const std::ptrdiff_t stride[] = {1};
    std::vector<std::uint8_t> data(3 * 5003);
    for (std::size_t i = 0; i < data.size(); ++i) {
        data[i] = static_cast<std::uint8_t>(i * 13);
    }
    CastPlan plan({data.data(), 3, 5003, shape, stride, 1}, 1 / 255.0, 0.0, table);
    plan.select_all();
    std::vector<float> plain(3 * 5003 + 1, -1.0F);
    std::vector<float> streamed(plain);
    plan.run(reinterpret_cast<std::byte*>(plain.data()), 0, plan.total_bytes(), false);
    plan.run(reinterpret_cast<std::byte*>(streamed.data()), 0, plan.total_bytes(), true);
    CHECK(plain == streamed);
    CHECK(plain[5003] == static_cast<float>(data[5003] / 255.0));
    CHECK(plain.back() == -1.0F);
}

void test_strides(const KernelTable& table) {
    const std::vector<std::uint8_t> data = data_set();
    const std::uint8_t* begin = data.data();
    const std::ptrdiff_t dense[] = {18, 3, 1};
    const std::ptrdiff_t planar_shape[] = {6, 4, 3};  // as if the file held (C, W, H) planes
    const std::ptrdiff_t planar[] = {1, 6, 24};
    const std::ptrdiff_t mirrored[] = {18, -3, 1};
    const std::ptrdiff_t broadcast[] = {18, 0, 0};
    const double scales[] = {1 / 255.0, 1.0, 0.0078125, 0.1, -1 / 3.0};
    for (const double scale : scales) {
        for (const double offset : {0.0, -0.0, -1.0, 0.3}) {
            check_cast({begin, kRows, 72, kShape, dense, 3}, scale, offset, table);
            check_cast({begin, kRows, 72, planar_shape, planar, 3}, scale, offset, table);
            check_cast({begin + 15, kRows, 72, kShape, mirrored, 3}, scale, offset, table);
            check_cast({begin, kRows, 72, kShape, broadcast, 3}, scale, offset, table);
            check_cast({begin + 4 * 72, kRows, -72, kShape, dense, 3}, scale, offset, table);
        }
    }
}

void test_refusals(const KernelTable& table) {
    const std::vector<std::uint8_t> data = data_set();
    const std::ptrdiff_t dense[] = {18, 3, 1};
    const ByteRows rows{data.data(), kRows, 72, kShape, dense, 3};
    for (const std::int64_t bad : {std::int64_t{5}, std::int64_t{-6}, INT64_MAX, INT64_MIN}) {
        CastPlan plan(rows, 1.0, 0.0, table);
        const std::int64_t indices[] = {0, bad};
        CHECK(plan.select(indices, 2) == Verdict::kIndexOutOfRange);
    }
    CastPlan plan(rows, 1.0, 0.0, table);
    plan.select_all();
    CHECK(plan.batch_size() == kRows);
    CHECK(plan.overlaps(data.data(), 1));
    CHECK(plan.overlaps(data.data() + data.size() - 1, 1));
    CHECK(!plan.overlaps(data.data() + data.size(), 64));
}

}  // namespace

int main() {
    const auto targets = fastcollate::kernels::available_targets();
    for (std::size_t i = 0; i < targets.count; ++i) {
        test_strides(*targets.tables[i]);
        test_long_rows(*targets.tables[i]);
        test_refusals(*targets.tables[i]);
    }
    return fastcollate::tests::report("cast_plan");
}
