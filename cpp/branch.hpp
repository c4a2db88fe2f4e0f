// The sparse standard quadratic program of faces.hpp where there are too many faces to look at: branch and bound.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace skinproof {

struct BranchScratch {
    std::span<double> reals;         // [branch_reals(slots)]
    std::span<std::uint8_t> states;  // [branch_states(slots)]
    std::span<std::uint32_t> slots;  // [slots]
};

constexpr std::size_t branch_reals(std::size_t slots) noexcept {
    return (slots + 2) * slots + slots * slots + 3 * slots;
}
constexpr std::size_t branch_states(std::size_t slots) noexcept { return (slots + 2) * slots; }

struct Branched {
    double bound;       // no face costs less
    std::size_t nodes;  // relaxations that were solved
    bool proven;        // false if `max_nodes` ran out: then `bound` may lie well below the cost of what was found
};

// The best face, by the same tie rule as best_faces.
// A node allows some slots and fixes others; its relaxation, the program without the limit K, is a lower bound. A
// relaxation that uses at most K slots is the best face below its node. Otherwise one of its slots, the one whose weight
// matters least, is forbidden in one branch and fixed in the other. Two passes: the least cost, then the best by the tie
// rule of all faces that come within `tie` of it.
//   costs  [slots * slots], the ridge on the diagonal included
//   start  [slots], the optimum of the program without the limit, or any weights with sum one
//   gap    the first pass may miss the least cost by this much
//   best   [slots], out: 1 for slots of the face
Branched branch_and_bound(std::span<const double> costs, std::size_t most, std::span<const double> start, double gap,
                          double tie, std::size_t max_nodes, const BranchScratch& scratch,
                          std::span<std::uint8_t> best) noexcept;

}  // namespace skinproof
