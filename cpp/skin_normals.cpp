#include "skin_normals.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace skinproof {
namespace {

template <class Real>
using Vector = std::array<Real, 3>;
template <class Real>
using Linear = std::array<Vector<Real>, 3>;  // [row][column]

template <class Real>
Linear<Real> blend_linear(const std::uint16_t* joints, const Real* weights, std::size_t slots, std::size_t step,
                          const Real* palette) noexcept {
    Linear<Real> sum{};
    for (std::size_t slot = 0; slot < slots; ++slot) {
        const Real weight = weights[slot * step];
        if (weight == Real(0)) continue;
        const Real* m = palette + joints[slot * step] * std::size_t{16};
        for (std::size_t row = 0; row < 3; ++row) {
            for (std::size_t column = 0; column < 3; ++column) sum[row][column] += weight * m[row * 4 + column];
        }
    }
    return sum;
}

template <class Real>
Real largest(const Vector<Real>& v) noexcept {
    return std::max({std::abs(v[0]), std::abs(v[1]), std::abs(v[2])});
}

template <class Real>
Vector<Real> cross(const Vector<Real>& a, const Vector<Real>& b) noexcept {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

template <class Real>
Real dot(const Vector<Real>& a, const Vector<Real>& b) noexcept {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Divides by the largest entry, so that products of entries neither overflow nor vanish. False if there is none.
template <class Real>
bool scale_down(Linear<Real>& m) noexcept {
    const Real scale = std::max({largest(m[0]), largest(m[1]), largest(m[2])});
    if (!(scale > 0)) return false;
    for (Vector<Real>& row : m) {
        for (Real& entry : row) entry /= scale;
    }
    return true;
}

// The cofactor matrix is the inverse transpose times the determinant: the direction needs no division by a
// determinant near zero, only its sign, which turns the normal of a mirrored surface outward again.
template <class Real>
Vector<Real> turn(const Linear<Real>& m, const Vector<Real>& normal) noexcept {
    const Linear<Real> cofactors{cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1])};
    const Real sign = dot(m[0], cofactors[0]) < 0 ? Real(-1) : Real(1);
    return {sign * dot(cofactors[0], normal), sign * dot(cofactors[1], normal), sign * dot(cofactors[2], normal)};
}

template <class Real>
void normalize(Vector<Real>& v) noexcept {
    const Real scale = largest(v);
    if (scale == 0) return;
    for (Real& entry : v) entry /= scale;
    const Real length = std::sqrt(dot(v, v));
    for (Real& entry : v) entry /= length;
}

}  // namespace

template <class Real>
void skin_normal(const Real* normal, const std::uint16_t* joints, const Real* weights, std::size_t slots,
                 std::size_t step, const Real* palette, Real* out) noexcept {
    Linear<Real> blended = blend_linear(joints, weights, slots, step, palette);
    Vector<Real> turned{};
    if (scale_down(blended)) {
        turned = turn(blended, {normal[0], normal[step], normal[2 * step]});
        normalize(turned);
    }
    std::copy(turned.begin(), turned.end(), out);
}

template <class Real>
void skin_normals(std::span<const Real> normals, const Influences<Real>& influences, const Palettes<Real>& palettes,
                  std::span<Real> out) noexcept {
    const std::size_t slots = influences.slots;
    Real* q = out.data();
    for (std::size_t pose = 0; pose < palettes.poses; ++pose) {
        for (std::size_t vertex = 0; vertex < influences.vertices; ++vertex, q += 3) {
            skin_normal(normals.data() + vertex * 3, influences.joints.data() + vertex * slots,
                        influences.weights.data() + vertex * slots, slots, 1, palettes.pose(pose), q);
        }
    }
}

template void skin_normal<float>(const float*, const std::uint16_t*, const float*, std::size_t, std::size_t,
                                 const float*, float*) noexcept;
template void skin_normals<float>(std::span<const float>, const Influences<float>&, const Palettes<float>&,
                                  std::span<float>) noexcept;
template void skin_normals<double>(std::span<const double>, const Influences<double>&, const Palettes<double>&,
                                   std::span<double>) noexcept;

}  // namespace skinproof
