// Linear blend skinning: q = sum_i w_i M_i p (glTF 2.0, section 3.7.3.3, "Skinned Mesh Attributes").
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace skinproof {

// Influences of `vertices` vertices in `slots` slots each, vertex after vertex.
// A slot of weight zero is empty: its joint is never looked up.
template <class Weight>
struct Influences {
    std::span<const std::uint16_t> joints;  // [vertices * slots], every joint of a non-empty slot < joint_count
    std::span<const Weight> weights;        // [vertices * slots]
    std::size_t vertices;
    std::size_t slots;
};

// `poses` palettes of `joints` skinning matrices, row-major 4x4, pose after pose; the bottom row is taken as 0 0 0 1.
template <class Real>
struct Palettes {
    std::span<const Real> matrices;  // [poses * joints * 16]
    std::size_t poses;
    std::size_t joints;
};

// Skins every vertex in every pose: out[pose][vertex] = sum of weight * (matrix * position), summed in slot order.
// Weights are used as they are: they are not normalized.
//   positions  [vertices * 3]
//   out        [poses * vertices * 3], must not overlap the inputs
template <class Real>
void skin_positions(std::span<const Real> positions, const Influences<Real>& influences,
                    const Palettes<Real>& palettes, std::span<Real> out) noexcept;

}  // namespace skinproof
