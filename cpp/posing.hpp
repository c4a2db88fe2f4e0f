// Where joints stand: channels sampled at any time, transforms multiplied down the tree (glTF 2.0, sections 3.5.3 and
// 3.11, appendix C). float64, one order of every sum, own trigonometry: the same bits on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace skinproof {

enum class Interpolation : std::uint8_t { linear, step, cubic_spline };
enum class AnimatedPath : std::uint8_t { translation, rotation, scale, weights };

// One animated property of one node.
struct Channel {
    std::size_t node;
    AnimatedPath path;
    Interpolation interpolation;
    std::span<const double> times;   // [T], at least one, ascending
    std::span<const double> values;  // [T * width], or [T * 3 * width] for cubic splines: in-tangent, value, out-tangent

    std::size_t width() const noexcept {
        return values.size() / times.size() / (interpolation == Interpolation::cubic_spline ? 3 : 1);
    }
};

// N nodes; matrices are row-major and affine.
struct NodeTree {
    std::span<const std::int32_t> parents;  // [N], -1 for a root
    std::span<const std::int32_t> order;    // [N], parents before children
    std::span<const double> translations;   // [N * 3]
    std::span<const double> rotations;      // [N * 4], unit quaternions x, y, z, w
    std::span<const double> scales;         // [N * 3]
    std::span<const double> matrices;       // [N * 16], parent_from_node at rest
};

// The way from one unit quaternion to another along the shorter arc, at unit length; false if it has no direction.
bool slerp(const double* start, const double* end, double fraction, double* out) noexcept;

// The channel at each of the times, out [times.size() * width]; false if a rotation has no direction.
bool sample_channel(const Channel& channel, std::span<const double> times, std::span<double> out) noexcept;

// world_from_node of every node at each of the times, out [times.size() * N * 16]. Returns the channel whose rotation
// has no direction at one of them, or channels.size().
std::size_t clip_worlds(const NodeTree& tree, std::span<const Channel> channels, std::span<const double> times,
                        std::span<double> out);

// Turns the parent_from_node of every node [P * N * 16] into world_from_node, in place.
void multiply_down(std::span<const std::int32_t> parents, std::span<const std::int32_t> order,
                   std::span<double> matrices) noexcept;

// left · right of affine matrices [16].
void multiply(const double* left, const double* right, double* out) noexcept;

// left[places[j]] · right[j] in each of P poses: left [P * N * 16], places [J], right [J * 16], out [P * J * 16]. The
// worlds of joints and their inverse bind matrices make palettes.
void multiply_picked(std::span<const double> left, std::size_t count, std::span<const std::int32_t> places,
                     std::span<const double> right, std::span<double> out) noexcept;

// The inverse of an affine matrix [16], by elimination with the largest pivot; not finite where there is none.
void invert(const double* matrix, double* out) noexcept;

}  // namespace skinproof
