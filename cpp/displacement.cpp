#include "displacement.hpp"

#include <cmath>

#include "skin.hpp"

namespace skinproof {

void accumulate_displacement(std::span<const double> positions, const Influences<double>& deltas,
                             const Palettes<double>& palettes, std::int64_t first_pose,
                             const DisplacementTotals& totals) noexcept {
    const std::size_t slots = deltas.slots;
    // Pose by pose: one palette (8 KB for 64 joints) stays in the nearest cache while the vertices stream past.
    // displacement_plan.hpp is the fast way; this one is plain, and what the plan is held against.
    for (std::size_t pose = 0; pose < palettes.poses; ++pose) {
        const double* palette = palettes.pose(pose);
        for (std::size_t vertex = 0; vertex < deltas.vertices; ++vertex) {
            const Vector3<double> e = blend(positions.data() + vertex * 3, deltas.joints.data() + vertex * slots,
                                            deltas.weights.data() + vertex * slots, slots, palette);
            const double squared = e.x * e.x + e.y * e.y + e.z * e.z;
            totals.sum_squared[vertex] += squared;
            // Not a number is further than any number, and the first of them stays: nothing compares with it.
            const double furthest = totals.max_squared[vertex];
            if (!(squared <= furthest) && !std::isnan(furthest)) {
                totals.max_squared[vertex] = squared;
                totals.max_pose[vertex] = first_pose + static_cast<std::int64_t>(pose);
            }
        }
    }
}

}  // namespace skinproof
