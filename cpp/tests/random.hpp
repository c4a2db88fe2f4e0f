// Numbers that are the same everywhere: the standard fixes the generators, not the distributions.
#pragma once

#include <cstdint>
#include <random>

#include "scene.hpp"

namespace scene {

class Random {
public:
    explicit Random(std::uint32_t seed) : generator_(seed) {}

    // From -1 to 1.
    double number() { return static_cast<double>(generator_()) / 2147483647.5 - 1; }
    std::size_t below(std::size_t count) { return generator_() % count; }

private:
    std::mt19937 generator_;
};

inline OwnedPalettes<double> random_palettes(std::size_t poses, std::size_t joints, std::uint32_t seed) {
    Random random(seed);
    std::vector<Matrix<double>> all(poses * joints);
    for (Matrix<double>& matrix : all) {
        for (std::size_t entry = 0; entry < 12; ++entry) matrix[entry] = random.number();
        matrix[12] = matrix[13] = matrix[14] = 0;
        matrix[15] = 1;
    }
    return {all, joints};
}

inline std::vector<double> random_numbers(std::size_t size, std::uint32_t seed) {
    Random random(seed);
    std::vector<double> out(size);
    for (double& number : out) number = random.number();
    return out;
}

// Up to `slots` delta influences per vertex. `sets` vertices in a row have joints of their own, then they repeat; every
// seventh vertex has none.
inline OwnedInfluences<double> random_deltas(std::size_t vertices, std::size_t slots, std::size_t joints,
                                             std::size_t sets, std::uint32_t seed) {
    Random random(seed);
    OwnedInfluences<double> out{std::vector<std::uint16_t>(vertices * slots), std::vector<double>(vertices * slots),
                                slots};
    for (std::size_t vertex = 0; vertex < vertices; ++vertex) {
        for (std::size_t slot = 0; slot < slots; ++slot) {
            const std::size_t joint = (vertex % sets * 5 + slot * 3) % joints;
            out.joints[vertex * slots + slot] = static_cast<std::uint16_t>(joint);
            const bool is_empty = vertex % 7 == 6 || slot > vertex % sets;
            out.weights[vertex * slots + slot] = is_empty ? 0 : random.number();
        }
    }
    return out;
}

}  // namespace scene
