// Displacement of vertices over poses: how far delta influences (deltas.hpp) move each vertex, as running results
// over block after block of palettes.
#pragma once

#include "influences.hpp"

namespace skinproof {

// Running results, one entry per vertex. Start with max_squared 0, max_pose -1, sum_squared 0.
// A vertex whose displacement is not a number in some pose ends with NaN in max_squared and sum_squared, and with the
// first such pose in max_pose.
struct DisplacementTotals {
    std::span<double> max_squared;      // largest |e|^2 so far, square metres
    std::span<std::int64_t> max_pose;   // the first pose that reached it, -1 while none moved the vertex
    std::span<double> sum_squared;      // sum of |e|^2 over the poses so far, square metres
};

// Adds one block of poses to the running results: e = sum_j delta_j M_j p for every vertex and pose, in fixed order.
//   positions   [vertices * 3]
//   first_pose  the number that max_pose gives to the first pose of the block
void accumulate_displacement(std::span<const double> positions, const Influences<double>& deltas,
                             const Palettes<double>& palettes, std::int64_t first_pose,
                             const DisplacementTotals& totals) noexcept;

}  // namespace skinproof
