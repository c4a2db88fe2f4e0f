// Sparse standard quadratic programs by looking at every face: minimize w' H w, w >= 0, sum w = 1, at most K of n
// entries not zero. On the face of a set T of joints the minimum is w_T = x / sum x with H_TT x = 1, at cost 1 / sum x,
// and it lies inside the face only if x > 0. The best of all such faces with |T| <= K is the global optimum.
// Cf. I. M. Bomze, B. Peng, Y. Qiu, E. A. Yildirim, "Tractable relaxations of sparse standard quadratic optimization".
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace skinproof {

// A face as a set of slots: bit k stands for slot k.
using FaceMask = std::uint64_t;
inline constexpr std::size_t max_face_slots = 64;

// Vertices whose faces are looked at side by side. Four: what eight need no longer fits the nearest cache (8 slots, K = 4,
// with 256-bit registers: 507 ns per vertex against 1,000; with 128-bit ones 940 against 1,000).
inline constexpr std::size_t face_lanes = 4;

// Doubles of scratch that the functions below need.
std::size_t face_scratch(std::size_t slots, std::size_t most) noexcept;

// The best face of each of `lanes` problems, ties by the rule: of all faces whose cost is within `tie` of the least,
// those with fewest slots, and of these the one that comes first when slots are compared one by one.
//   lanes   1 or face_lanes
//   costs   [lanes * slots * slots], H of each problem, the ridge on its diagonal included
//   ridge   [lanes], what was added to the diagonal: a pivot below a quarter of it is rounding, and its face is skipped
//   tie     [lanes]
//   best    [lanes]
//   least   [lanes], the least cost of all faces
void best_faces(std::span<const double> costs, std::size_t lanes, std::size_t slots, std::size_t most,
                std::span<const double> ridge, std::span<const double> tie, std::span<double> scratch,
                std::span<FaceMask> best, std::span<double> least) noexcept;

// The faces of least cost of one problem, cheapest first, equal costs in the order of best_faces. Returns how many.
//   faces, least  [count]
std::size_t cheapest_faces(std::span<const double> costs, std::size_t slots, std::size_t most, double ridge,
                           std::span<double> scratch, std::span<FaceMask> faces, std::span<double> least) noexcept;

}  // namespace skinproof
