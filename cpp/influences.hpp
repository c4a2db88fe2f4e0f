// The two inputs that every kernel shares: influences of vertices, and palettes of poses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace skinproof {

// Influences of `vertices` vertices in `slots` slots each, vertex after vertex.
// A slot of weight zero (-0.0 too) is empty: its joint is never looked up.
template <class Weight>
struct Influences {
    std::span<const std::uint16_t> joints;  // [vertices * slots], every joint of a non-empty slot < joint count
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

    const Real* pose(std::size_t index) const noexcept { return matrices.data() + index * joints * 16; }
};

}  // namespace skinproof
