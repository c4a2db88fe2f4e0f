// The kernels that fit influences to poses, compiled once per instruction set and the same bits on each of them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/kernels.hpp"

namespace skinproof {

// A face as a set of slots: bit k stands for slot k.
using FaceMask = std::uint64_t;
inline constexpr std::size_t max_face_slots = 64;

// How the problem of a vertex ended.
enum class Solved : std::uint8_t {
    proven = 0,     // nothing costs less than `bounds` says
    unproven = 1,   // the search was cut short: `bounds` may lie well below `least`
    undecided = 2,  // the costs are all noise, or not finite: the first slot stands for any
};

// Shares of the mean diagonal of H, and of what H is right to 1e-15 of (sparse.hpp).
inline constexpr double ridge_share = 1e-12, ridge_noise = 1e-15, tie_share = 1e-10, tie_noise = 1e-14;

struct FaceProblems {
    const double* costs;  // [vertices * slots * slots], H, symmetric: only what stands at or above the diagonal is read
    const double* sizes;  // [vertices]
    std::size_t vertices;
    std::size_t slots;  // n, from 1 to max_face_slots
    std::size_t most;   // K, from 1 to n
};

struct FaceSolutions {
    double* weights;        // [vertices * slots]
    double* least;          // [vertices]
    double* bounds;         // [vertices]
    std::uint8_t* endings;  // [vertices], Solved
};

// Doubles of scratch, which begins at a cache line: for each size of face but the largest what its extensions need, for
// the faces that won, and for the elimination of the best one; of at most eight vertices side by side.
constexpr std::size_t face_scratch(std::size_t slots, std::size_t most) noexcept {
    return 8 * (most * slots * ((slots < 8 ? 8 : slots) + most + 2) + 3 * (most + 1) + most * (most + 2));
}

struct FitKernels {
    // As solve_sparse does (sparse.hpp), by looking at all faces of every vertex.
    void (*solve_faces)(const FaceProblems& problems, double* scratch, const FaceSolutions& out) noexcept;

    // The kernel of the same name (kernels.hpp) without fused operations.
    void (*displace)(const DeltaTile& tile, const double* slab, std::int64_t first_pose, double* scratch,
                     double* max_squared, std::int64_t* max_pose, double* sum_squared) noexcept;
};

}  // namespace skinproof
