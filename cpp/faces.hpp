// The cheapest faces of one sparse standard quadratic program: minimize w' H w, w >= 0, sum w = 1, at most K of n entries
// not zero. repeatable/faces.inl, which finds the best face of many vertices, says what a face is and how all of them are
// visited; this is the same for one vertex at a time, with a list of those that come near.
#pragma once

#include <cstddef>
#include <span>

#include "repeatable/fit.hpp"

namespace skinproof {

// Doubles of scratch that cheapest_faces needs.
std::size_t list_scratch(std::size_t slots, std::size_t most) noexcept;

// The faces of least cost, cheapest first; of equal ones those with fewest slots, then those whose slots come first.
// Returns how many.
//   costs         [slots * slots], H, the ridge on its diagonal included
//   ridge         what was added to the diagonal: a pivot below a quarter of it is rounding, and its face is skipped
//   scratch       [list_scratch(slots, most)]
//   faces, least  [count]
std::size_t cheapest_faces(std::span<const double> costs, std::size_t slots, std::size_t most, double ridge,
                           double* scratch, std::span<FaceMask> faces, std::span<double> least) noexcept;

}  // namespace skinproof
