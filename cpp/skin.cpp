#include "skin.hpp"

namespace skinproof {

template <class Real>
void skin_positions(std::span<const Real> positions, const Influences<Real>& influences,
                    const Palettes<Real>& palettes, std::span<Real> out) noexcept {
    const std::size_t slots = influences.slots;
    for (std::size_t pose = 0; pose < palettes.poses; ++pose) {
        const Real* palette = palettes.matrices.data() + pose * palettes.joints * 16;
        for (std::size_t vertex = 0; vertex < influences.vertices; ++vertex) {
            const Real* p = positions.data() + vertex * 3;
            Real* q = out.data() + (pose * influences.vertices + vertex) * 3;
            Real x = 0, y = 0, z = 0;
            for (std::size_t slot = vertex * slots; slot < (vertex + 1) * slots; ++slot) {
                const Real weight = influences.weights[slot];
                if (weight == Real(0)) continue;
                const Real* m = palette + influences.joints[slot] * 16;
                x += weight * (m[0] * p[0] + m[1] * p[1] + m[2] * p[2] + m[3]);
                y += weight * (m[4] * p[0] + m[5] * p[1] + m[6] * p[2] + m[7]);
                z += weight * (m[8] * p[0] + m[9] * p[1] + m[10] * p[2] + m[11]);
            }
            q[0] = x;
            q[1] = y;
            q[2] = z;
        }
    }
}

template void skin_positions<float>(std::span<const float>, const Influences<float>&, const Palettes<float>&,
                                    std::span<float>) noexcept;
template void skin_positions<double>(std::span<const double>, const Influences<double>&,
                                     const Palettes<double>&, std::span<double>) noexcept;

}  // namespace skinproof
