// A standard quadratic program: minimize w' H w, w >= 0, sum w = 1, on the slots that are allowed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace skinproof {

// Doubles of scratch that least_cost needs.
constexpr std::size_t simplex_scratch(std::size_t slots) noexcept { return slots * slots + 3 * slots; }

struct LeastCost {
    double cost;   // of w
    double bound;  // no weights on the allowed slots cost less: the dual bound 2 min_j (H w)_j - w' H w
};

// Active sets, as P. Wolfe, "Finding the nearest point in a polytope", 1976: solve on the face of the slots in use, walk
// towards it until a weight vanishes, drop that slot; when the face is settled, take in the slot that promises most.
//   costs    [slots * slots], positive definite
//   allowed  [slots], 0 for slots that may not be used; at least one may
//   face     [slots], scratch
//   weights  [slots], in: where to start (sum one, zero where not allowed); out: the optimum, exact zeros where unused
LeastCost least_cost(std::span<const double> costs, std::span<const std::uint8_t> allowed, std::span<double> scratch,
                     std::span<std::uint32_t> face, std::span<double> weights) noexcept;

// Solves H_TT x = 1 on a few slots and writes x / sum x: the minimum on the affine hull of the face.
// Returns its cost, 1 / sum x, or infinity if H_TT is not positive definite as far as rounding can tell.
//   face     [size], slots
//   scratch  [size * size + size]
//   weights  [size]
double affine_minimum(std::span<const double> costs, std::size_t slots, std::span<const std::uint32_t> face,
                      std::span<double> scratch, std::span<double> weights) noexcept;

}  // namespace skinproof
