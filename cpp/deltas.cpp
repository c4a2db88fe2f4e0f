#include "deltas.hpp"

#include <algorithm>

namespace skinproof {
namespace {

// The joints of one vertex seen so far, ascending, each with the sum of its signed weights.
struct SortedRow {
    std::uint16_t* joints;
    double* weights;
    std::size_t size = 0;

    void add(std::uint16_t joint, double weight) noexcept {
        const std::size_t at = static_cast<std::size_t>(std::lower_bound(joints, joints + size, joint) - joints);
        if (at < size && joints[at] == joint) {
            weights[at] += weight;
            return;
        }
        std::copy_backward(joints + at, joints + size, joints + size + 1);
        std::copy_backward(weights + at, weights + size, weights + size + 1);
        joints[at] = joint;
        weights[at] = weight;
        ++size;
    }

    void add_slots(const Influences<double>& influences, std::size_t vertex, double sign) noexcept {
        for (std::size_t slot = vertex * influences.slots; slot < (vertex + 1) * influences.slots; ++slot) {
            const double weight = influences.weights[slot];
            if (weight != 0) add(influences.joints[slot], sign * weight);
        }
    }

    void drop_zeros() noexcept {
        std::size_t kept = 0;
        for (std::size_t at = 0; at < size; ++at) {
            if (weights[at] == 0) continue;
            joints[kept] = joints[at];
            weights[kept] = weights[at];
            ++kept;
        }
        size = kept;
    }
};

}  // namespace

void delta_influences(const Influences<double>& before, const Influences<double>& after,
                      std::span<std::uint16_t> joints, std::span<double> weights) noexcept {
    const std::size_t slots = before.slots + after.slots;
    for (std::size_t vertex = 0; vertex < before.vertices; ++vertex) {
        SortedRow row{joints.data() + vertex * slots, weights.data() + vertex * slots};
        row.add_slots(before, vertex, 1.0);
        row.add_slots(after, vertex, -1.0);
        row.drop_zeros();
        std::fill(row.joints + row.size, row.joints + slots, std::uint16_t{0});
        std::fill(row.weights + row.size, row.weights + slots, 0.0);
    }
}

}  // namespace skinproof
