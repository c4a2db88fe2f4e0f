// The best K influences of a vertex where the largest displacement counts: minimize max_p |sum_j w_j d_jp|^2 over weights
// w >= 0, sum w = 1, at most K of them not zero; d_jp is where joint j takes the vertex in pose p, relative to its place.
//
// On one set of K slots the problem is convex, and any weights l_p >= 0 of the poses with sum one prove a bound: the least
// sum_p l_p |e_p|^2 on these slots. C. L. Lawson's iteration (J. R. Rice, K. H. Usow, "The Lawson algorithm and
// extensions", 1968) raises it: l_p is multiplied by a power of |e_p|. Few poses matter in the end, so it runs on those
// found to be the worst so far, as in an exchange algorithm. A bound for every set of K slots is held up by all weights of
// poses that were tried; the set of the lowest bound is solved next, until none is below what has been reached.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace skinproof {

struct MinimaxProblems {
    std::span<const double> offsets;  // [vertices * slots * poses * 3], d, finite
    std::size_t vertices;
    std::size_t slots;  // n >= 1
    std::size_t poses;  // >= 1
};

struct MinimaxOptions {
    std::size_t most;        // K >= 1
    std::size_t max_sets;    // up to this many sets each keep a bound; beyond, one bound for all by the sparse solver
    std::size_t max_solved;  // sets of a vertex that are solved at most
    double tolerance;        // (reached - bound) / reached at which the search ends
};

struct MinimaxSolutions {
    std::span<double> weights;  // [vertices * slots], sum one, at most K not zero
    std::span<double> reached;  // [vertices], the largest |e|^2 of these weights
    std::span<double> bounds;   // [vertices], no weights on K slots have a smaller one
};

// Sums have one order and nothing is fused: the same bits everywhere.
void solve_minimax(const MinimaxProblems& problems, const MinimaxOptions& options, const MinimaxSolutions& out);

}  // namespace skinproof
