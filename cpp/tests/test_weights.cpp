// The weight kernels over every instruction set that this processor runs: fixed numbers, and the same bits everywhere.
#include "repeatable/weights.hpp"

#include <array>

#include "check.hpp"
#include "instruction_sets.hpp"
#include "random.hpp"

namespace {

using skinproof::WeightRows;

struct Rows {
    std::vector<std::uint16_t> joints;
    std::vector<double> weights;
    std::size_t vertices, slots;

    Rows(std::size_t count, std::size_t width, double step) : vertices(count), slots(width) {
        scene::Random random(7);
        for (std::size_t vertex = 0; vertex < vertices; ++vertex) {
            const std::size_t first = random.below(60), used = 1 + random.below(slots);
            for (std::size_t slot = 0; slot < slots; ++slot) {
                joints.push_back(static_cast<std::uint16_t>((first + slot * 7) % 113));
                // In steps, so that some are equal.
                weights.push_back(slot < used ? static_cast<double>(1 + random.below(1000)) * step : 0);
            }
        }
    }

    WeightRows<double> view() const { return {joints.data(), weights.data(), vertices, slots, 113}; }
};

struct Results {
    std::vector<std::uint16_t> joints;
    std::vector<double> kept;
    std::vector<std::uint8_t> stored;
    bool operator==(const Results&) const = default;
};

Results results(const Rows& rows, std::size_t kept, const skinproof::Kernels& kernels) {
    const auto& of = kernels.weights->twofold;
    Results out{std::vector<std::uint16_t>(rows.vertices * kept), std::vector<double>(rows.vertices * kept), {}};
    CHECK(of.is_sound(rows.view()));
    CHECK(of.keep_largest(rows.view(), kept, out.joints.data(), out.kept.data()));
    std::vector<std::uint16_t> joints(rows.joints.size());
    out.stored.resize(rows.joints.size());
    CHECK(of.pack_unorm8(rows.view(), joints.data(), out.stored.data()));
    out.joints.insert(out.joints.end(), joints.begin(), joints.end());
    return out;
}

void same_on_every_set() {
    for (const std::size_t slots : {1, 3, 4, 6, 8, 12, 16}) {
        for (const double step : {1.0, 0.1, 0.125}) {
            const Rows rows(203, slots, step);
            const Results scalar = results(rows, 4, *skinproof::runnable_kernels().front());
            for (std::size_t vertex = 0; vertex < rows.vertices; ++vertex) {
                int units = 0;
                for (std::size_t slot = 0; slot < slots; ++slot) units += scalar.stored[vertex * slots + slot];
                CHECK(units == 255);
            }
            for (const auto* kernels : skinproof::runnable_kernels()) CHECK(results(rows, 4, *kernels) == scalar);
        }
    }
}

void fixed_numbers(const skinproof::Kernels& kernels) {
    // 0.4, 0.3, 0.2, 0.1, as the weight contract has them, in another order.
    const std::array<std::uint16_t, 4> joints{3, 0, 2, 1};
    const std::array<float, 4> weights{0.1f, 0.4f, 0.2f, 0.3f};
    const WeightRows<float> rows{joints.data(), weights.data(), 1, 4, 4};
    std::array<std::uint16_t, 4> out_joints{};
    std::array<float, 2> kept{};
    CHECK(kernels.weights->single.keep_largest(rows, 2, out_joints.data(), kept.data()));
    CHECK(out_joints[0] == 0 && out_joints[1] == 1);
    CHECK_NEAR(static_cast<double>(kept[0]), 4.0 / 7, 6e-8);
    CHECK_NEAR(static_cast<double>(kept[1]), 3.0 / 7, 6e-8);
    std::array<std::uint16_t, 4> stored{};
    CHECK(kernels.weights->single.pack_unorm16(rows, out_joints.data(), stored.data()));
    CHECK(stored[0] == 26214 && stored[1] == 19661 && stored[2] == 13107 && stored[3] == 6553);
    std::array<float, 4> floats{};
    CHECK(kernels.weights->single.pack_float32(rows, out_joints.data(), floats.data()));
    CHECK(floats[0] + floats[1] + floats[2] + floats[3] == 1);
    CHECK(out_joints[3] == 3);
}

void flaws_are_seen(const skinproof::Kernels& kernels) {
    const std::array<std::uint16_t, 4> joints{3, 0, 2, 1}, twice{3, 0, 3, 1};
    const std::array<double, 4> sound{0.1, 0.4, 0.2, 0.3}, negative{0.1, -0.4, 0.2, 0.3}, nothing{};
    const auto& of = kernels.weights->twofold;
    CHECK(of.is_sound({joints.data(), sound.data(), 1, 4, 4}));
    CHECK(!of.is_sound({joints.data(), sound.data(), 1, 4, 3}));
    CHECK(!of.is_sound({twice.data(), sound.data(), 1, 4, 4}));
    CHECK(!of.is_sound({joints.data(), negative.data(), 1, 4, 4}));
    CHECK(!of.is_sound({joints.data(), nothing.data(), 1, 4, 4}));
    CHECK(of.is_sound({joints.data(), sound.data(), 0, 4, 4}));
}

}  // namespace

int main() {
    same_on_every_set();
    for (const skinproof::Kernels* kernels : skinproof::runnable_kernels()) {
        std::printf("%s\n", kernels->name);
        fixed_numbers(*kernels);
        flaws_are_seen(*kernels);
    }
    return check::result();
}
