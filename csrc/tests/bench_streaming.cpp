// Where writing past the caches begins to pay: plain and streamed stores side by side, over sizes of the batch, into
// memory that is reused. Not a test; build/core/csrc/tests/bench_streaming set the threshold in engine/write_batch.hpp.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "engine/buffer_pool.hpp"
#include "engine/cast_plan.hpp"
#include "engine/stack_plan.hpp"

namespace {

using fastcollate::engine::CastPlan;
using fastcollate::engine::StackPlan;

constexpr std::size_t kRowItems = 96 * 96 * 3;
constexpr int kRounds = 31;

double median(std::vector<double>& times) {
    std::nth_element(times.begin(), times.begin() + kRounds / 2, times.end());
    return times[kRounds / 2];
}

/// Alternates plain and streamed runs of a fresh plan each round, and prints the medians.
template <typename MakePlan>
void compare(const char* name, std::size_t bytes, MakePlan make_plan) {
    const auto batch = fastcollate::engine::acquire_buffer(bytes);
    std::vector<double> times[2];
    for (int round = 0; round < kRounds; ++round) {
        for (const bool stream : {false, true}) {
            const auto plan = make_plan();
            const auto start = std::chrono::steady_clock::now();
            plan.run(batch.get(), 0, bytes, stream);
            const std::chrono::duration<double, std::micro> elapsed = std::chrono::steady_clock::now() - start;
            times[stream ? 1 : 0].push_back(elapsed.count());
        }
    }
    const double plain = median(times[0]);
    const double streamed = median(times[1]);
    std::printf("%s %8.2f MiB: plain %9.1f us, streamed %9.1f us, ratio %.2f\n", name,
                static_cast<double>(bytes) / (1 << 20), plain, streamed, streamed / plain);
}

}  // namespace

int main() {
    constexpr std::size_t kRows = 8000;
    std::vector<std::uint8_t> data(kRows * kRowItems, 77);
    const std::ptrdiff_t shape[] = {static_cast<std::ptrdiff_t>(kRowItems)};
    const std::ptrdiff_t stride[] = {1};
    std::uint32_t state = 1;
    for (const std::size_t rows : {8, 16, 32, 64, 128, 256, 1024}) {
        compare("cast ", rows * kRowItems * sizeof(float), [&] {
            CastPlan plan({data.data(), kRows, static_cast<std::ptrdiff_t>(kRowItems), shape, stride, 1}, 1 / 255.0, 0);
            std::vector<std::int64_t> indices(rows);
            for (std::int64_t& index : indices) {
                state = state * 1664525U + 1013904223U;  // Numerical Recipes' generator: any spread will do
                index = static_cast<std::int64_t>((state >> 8) % kRows);
            }
            plan.select(indices.data(), indices.size());
            return plan;
        });
    }
    for (const std::size_t arrays : {8, 32, 64, 128, 256, 1024}) {
        std::vector<const std::byte*> sources;
        for (std::size_t i = 0; i < arrays; ++i) {
            sources.push_back(reinterpret_cast<const std::byte*>(data.data()) + i * 6 * kRowItems);
        }
        const std::ptrdiff_t bytes[] = {static_cast<std::ptrdiff_t>(kRowItems * 6)};
        compare("stack", arrays * kRowItems * 6, [&] { return StackPlan(bytes, 1, 0, 1, sources); });
    }
    return 0;
}
