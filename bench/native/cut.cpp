// Cutting to the largest influences and packing them, as plain C++ has it: a vertex at a time, sorted by insertion.
#include "bench.hpp"

#include <cmath>

namespace skinproof {
namespace {

struct Ranked {
    double weight;
    std::uint16_t joint;
};

bool comes_before(const Ranked& a, const Ranked& b) noexcept {
    return a.weight > b.weight || (a.weight == b.weight && a.joint < b.joint);
}

void sort(Ranked* from, std::size_t size) noexcept {
    for (std::size_t i = 1; i < size; ++i) {
        const Ranked one = from[i];
        std::size_t at = i;
        for (; at > 0 && comes_before(one, from[at - 1]); --at) from[at] = from[at - 1];
        from[at] = one;
    }
}

}  // namespace

void reference_cut(const std::uint16_t* joints, const float* weights, std::size_t vertices, std::size_t slots,
                   std::size_t kept, std::uint16_t* out_joints, std::uint8_t* out_stored) noexcept {
    constexpr std::size_t most = 16;
    constexpr double scale = 255, parts = 1 << 20;
    for (std::size_t v = 0; v < vertices; ++v) {
        Ranked ranked[most];
        for (std::size_t i = 0; i < slots; ++i) {
            ranked[i] = {static_cast<double>(weights[v * slots + i]), joints[v * slots + i]};
        }
        sort(ranked, slots);
        double sum = 0;
        for (std::size_t i = 0; i < kept; ++i) sum += ranked[i].weight;
        for (std::size_t i = 0; i < kept; ++i) ranked[i].weight = static_cast<float>(ranked[i].weight / sum);
        sort(ranked, kept);
        sum = 0;
        for (std::size_t i = 0; i < kept; ++i) sum += ranked[i].weight;
        double left[most];
        int missing = static_cast<int>(scale);
        for (std::size_t i = 0; i < kept; ++i) {
            const double steps = std::nearbyint(ranked[i].weight / sum * (scale * parts));
            ranked[i].weight = std::floor(steps / parts);
            left[i] = steps - ranked[i].weight * parts;
            missing -= static_cast<int>(ranked[i].weight);
        }
        for (; missing > 0; --missing) {
            std::size_t most_left = 0;
            for (std::size_t i = 1; i < kept; ++i) {
                if (left[i] > left[most_left]) most_left = i;
            }
            ranked[most_left].weight += 1;
            left[most_left] = -1;
        }
        sort(ranked, kept);
        for (std::size_t i = 0; i < kept; ++i) {
            out_stored[v * kept + i] = static_cast<std::uint8_t>(ranked[i].weight);
            out_joints[v * kept + i] = ranked[i].weight > 0 ? ranked[i].joint : std::uint16_t{0};
        }
    }
}

}  // namespace skinproof
