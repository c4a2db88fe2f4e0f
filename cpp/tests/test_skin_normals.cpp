#include "skin_normals.hpp"

#include <limits>

#include "check.hpp"
#include "scene.hpp"

namespace {

using scene::Matrix;
using scene::OwnedInfluences;
using scene::OwnedPalettes;

template <class Real>
std::vector<Real> skinned(const std::vector<Real>& normal, const Matrix<Real>& matrix) {
    const OwnedPalettes<Real> palettes({matrix}, 1);
    const OwnedInfluences<Real> influences{{0}, {1}, 1};
    std::vector<Real> out(3, -9);
    skinproof::skin_normals<Real>(normal, influences.view(), palettes.view(), out);
    return out;
}

template <class Real>
Matrix<Real> scaling(Real x, Real y, Real z) {
    return {x, 0, 0, 7, 0, y, 0, 8, 0, 0, z, 9, 0, 0, 0, 1};
}

template <class Real>
void check_direction(const std::vector<Real>& found, double x, double y, double z) {
    const double length = std::sqrt(x * x + y * y + z * z);
    const double tolerance = 4 * static_cast<double>(std::numeric_limits<Real>::epsilon());
    CHECK_NEAR(static_cast<double>(found[0]), x / length, tolerance);
    CHECK_NEAR(static_cast<double>(found[1]), y / length, tolerance);
    CHECK_NEAR(static_cast<double>(found[2]), z / length, tolerance);
}

template <class Real>
void directions() {
    // The plane x + y + z = 0 stretched by 2 along x becomes x/2 + y + z = 0.
    check_direction(skinned<Real>({1, 1, 1}, scaling<Real>(2, 1, 1)), 0.5, 1, 1);
    check_direction(skinned<Real>({1, 1, 1}, scaling<Real>(2, 4, 8)), 4, 2, 1);
    // Mirrored in x: an outward normal stays outward.
    check_direction(skinned<Real>({1, 1, 1}, scaling<Real>(-1, 1, 1)), -1, 1, 1);
    check_direction(skinned<Real>({0, 0, 1}, scaling<Real>(-2, 1, 1)), 0, 0, 1);
    // A quarter turn about z.
    check_direction(skinned<Real>({1, 2, 3}, {0, -1, 0, 5, 1, 0, 0, 5, 0, 0, 1, 5, 0, 0, 0, 1}), -2, 1, 3);
    // A shear, not symmetric: its transpose would give something else.
    check_direction(skinned<Real>({0, 1, 0}, {1, 0, 0, 0, 2, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}), -2, 1, 0);
    // Flat in z: the surface in that plane has one normal left.
    check_direction(skinned<Real>({0, 0, 5}, scaling<Real>(1, 1, 0)), 0, 0, 1);
    // Neither huge nor tiny matrices and normals overflow or vanish.
    const Real huge = std::numeric_limits<Real>::max() / 4, tiny = std::numeric_limits<Real>::min() * 4;
    check_direction(skinned<Real>({1, 1, 1}, scaling<Real>(huge, huge / 2, huge / 2)), 1, 2, 2);
    check_direction(skinned<Real>({1, 1, 1}, scaling<Real>(tiny, tiny / 2, tiny / 2)), 1, 2, 2);
    check_direction(skinned<Real>({tiny, 0, tiny}, scaling<Real>(1, 1, 1)), 1, 0, 1);
}

void no_direction_is_zero() {
    const std::vector<double> zero{0, 0, 0};
    CHECK(skinned<double>({0, 1, 0}, scaling<double>(1, 0, 0)) == zero);
    CHECK(skinned<double>({0, 1, 0}, scaling<double>(0, 0, 0)) == zero);
    CHECK(skinned<double>({0, 0, 0}, scaling<double>(1, 1, 1)) == zero);
}

void matrices_are_blended() {
    // Half no turn, half a quarter turn about z: the blend is an eighth of a turn, shrunk.
    const OwnedPalettes<double> palettes({scaling<double>(1, 1, 1), {0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}},
                                         2);
    const OwnedInfluences<double> influences{{1, 999, 0}, {0.5, 0, 0.5}, 3};
    const std::vector<double> normal{1, 0, 0};
    std::vector<double> out(3);
    skinproof::skin_normals<double>(normal, influences.view(), palettes.view(), out);
    check_direction(out, 1, 1, 0);
}

}  // namespace

int main() {
    directions<float>();
    directions<double>();
    no_direction_is_zero();
    matrices_are_blended();
    return check::result();
}
