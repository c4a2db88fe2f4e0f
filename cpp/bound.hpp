// An upper bound of the displacement that looks only at how much weight changed and how far apart the joints'
// images of the vertex lie: t * D, for influences whose sums agree.
#pragma once

#include "influences.hpp"

namespace skinproof {

// What two sets of influences of one vertex differ by.
struct MovedWeight {
    double between;    // t, from one joint to another
    double in_or_out;  // |s|, that appears or vanishes
};

MovedWeight moved_weight(std::span<const double> deltas) noexcept;

// t * D + |s| * max_j |y_j| of one vertex in one pose; images [size * 3]. Not a number where an image is not.
double bound_of(const MovedWeight& moved, std::span<const double> images) noexcept;

// max(a, b), except that a NaN on either side stays: std::max would lose one of them.
double max_or_nan(double a, double b) noexcept;

// Raises max_bound[vertex] to the largest bound over one block of poses. In each pose, with y_j = M_j p:
//
//     |sum_j delta_j y_j|  <=  t * D + |s| * max_j |y_j|
//
//   D  the largest distance between two images y_j of joints with delta_j != 0
//   t  the weight that moves from one joint to another: the smaller of the sums of the positive and of the negative
//      deltas (both are sum |w - w'| / 2 where the sums of the weights agree)
//   s  the weight that appears or vanishes: the difference of the two sums
// Why: pair off t of the positive with t of the negative weight; every pair moves the vertex by at most D per weight.
// The rest, |s| of one sign, moves it by at most the largest |y_j| per weight.
//   positions  [vertices * 3]
//   deltas     as delta_influences makes them (deltas.hpp)
//   images     [deltas.slots * 3], room to work in
//   max_bound  [vertices], metres; start with 0. Not a number where a matrix or weight is not.
void accumulate_bound(std::span<const double> positions, const Influences<double>& deltas,
                      const Palettes<double>& palettes, std::span<double> images,
                      std::span<double> max_bound) noexcept;

}  // namespace skinproof
