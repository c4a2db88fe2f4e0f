// Linear blend skinning of positions: q = sum_i w_i M_i p (glTF 2.0, section 3.7.3.3, "Skinned Mesh Attributes").
#pragma once

#include "influences.hpp"

namespace skinproof {

template <class Real>
struct Vector3 {
    Real x, y, z;
};

// One vertex in one pose: sum of weight * (matrix * position), summed in slot order. Weights are used as they are:
// they are not normalized, and may be negative.
//   position         [3]
//   joints, weights  [slots]
//   palette          [joint count * 16]
template <class Real>
inline Vector3<Real> blend(const Real* position, const std::uint16_t* joints, const Real* weights, std::size_t slots,
                           const Real* palette) noexcept {
    Vector3<Real> sum{0, 0, 0};
    for (std::size_t slot = 0; slot < slots; ++slot) {
        const Real weight = weights[slot];
        if (weight == Real(0)) continue;
        const Real* m = palette + joints[slot] * std::size_t{16};
        sum.x += weight * (m[0] * position[0] + m[1] * position[1] + m[2] * position[2] + m[3]);
        sum.y += weight * (m[4] * position[0] + m[5] * position[1] + m[6] * position[2] + m[7]);
        sum.z += weight * (m[8] * position[0] + m[9] * position[1] + m[10] * position[2] + m[11]);
    }
    return sum;
}

// Skins every vertex in every pose: out[pose][vertex] = blend of that vertex in that pose.
//   positions  [vertices * 3]
//   out        [poses * vertices * 3], must not overlap the inputs
template <class Real>
void skin_positions(std::span<const Real> positions, const Influences<Real>& influences,
                    const Palettes<Real>& palettes, std::span<Real> out) noexcept;

}  // namespace skinproof
