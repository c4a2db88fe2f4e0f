#include "skin.hpp"

namespace skinproof {

template <class Real>
void skin_positions(std::span<const Real> positions, const Influences<Real>& influences,
                    const Palettes<Real>& palettes, std::span<Real> out) noexcept {
    const std::size_t slots = influences.slots;
    Real* q = out.data();
    for (std::size_t pose = 0; pose < palettes.poses; ++pose) {
        for (std::size_t vertex = 0; vertex < influences.vertices; ++vertex, q += 3) {
            const Vector3<Real> sum =
                blend(positions.data() + vertex * 3, influences.joints.data() + vertex * slots,
                      influences.weights.data() + vertex * slots, slots, palettes.pose(pose));
            q[0] = sum.x;
            q[1] = sum.y;
            q[2] = sum.z;
        }
    }
}

template void skin_positions<float>(std::span<const float>, const Influences<float>&, const Palettes<float>&,
                                    std::span<float>) noexcept;
template void skin_positions<double>(std::span<const double>, const Influences<double>&,
                                     const Palettes<double>&, std::span<double>) noexcept;

}  // namespace skinproof
