// Linear blend skinning of normals: the inverse transpose of the blended linear part, normalized. A normal is
// perpendicular to a surface, and stays so only under the inverse transpose (glTF 2.0, section 3.7.2.1, points to it
// for node transforms; the blended matrix is one more transform).
#pragma once

#include "influences.hpp"

namespace skinproof {

// Skins every normal in every pose to unit length, mirrors and non-uniform scale included.
// Where the blended matrix leaves no direction (it flattens the surface to a line or a point) or the normal is zero,
// the result is 0 0 0.
//   normals  [vertices * 3], any length
//   out      [poses * vertices * 3], must not overlap the inputs
template <class Real>
void skin_normals(std::span<const Real> normals, const Influences<Real>& influences, const Palettes<Real>& palettes,
                  std::span<Real> out) noexcept;

// The same for one normal in one pose: three numbers each. The numbers of the normal, and the slots, stand `step` apart.
template <class Real>
void skin_normal(const Real* normal, const std::uint16_t* joints, const Real* weights, std::size_t slots,
                 std::size_t step, const Real* palette, Real* out) noexcept;

}  // namespace skinproof
