// Small scenes that several tests share.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "influences.hpp"

namespace scene {

template <class Real>
using Matrix = std::array<Real, 16>;

template <class Real>
Matrix<Real> translation(Real x, Real y, Real z) {
    return {1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z, 0, 0, 0, 1};
}

// Palettes that own their matrices.
template <class Real>
struct OwnedPalettes {
    std::vector<Real> matrices;
    std::size_t joints;

    // `all`: pose after pose, `joint_count` matrices each.
    OwnedPalettes(const std::vector<Matrix<Real>>& all, std::size_t joint_count) : joints(joint_count) {
        for (const Matrix<Real>& matrix : all) matrices.insert(matrices.end(), matrix.begin(), matrix.end());
    }

    skinproof::Palettes<Real> view() const { return {matrices, matrices.size() / 16 / joints, joints}; }
};

// Influences that own their arrays; rows of `slots` slots.
template <class Real>
struct OwnedInfluences {
    std::vector<std::uint16_t> joints;
    std::vector<Real> weights;
    std::size_t slots;

    skinproof::Influences<Real> view() const { return {joints, weights, joints.size() / slots, slots}; }
};

// The contract's one-axis example: p = 2, four joints translated by 10, 20, 30, 40 along x, weights 0.4 ... 0.1.
inline const std::vector<double> contract_position{2, 0, 0};
inline const OwnedInfluences<double> contract_full{{0, 1, 2, 3}, {0.4, 0.3, 0.2, 0.1}, 4};
inline const OwnedInfluences<double> contract_cut{{0, 1}, {0.4, 0.3}, 2};
inline const OwnedInfluences<double> contract_normalized{{0, 1}, {4.0 / 7, 3.0 / 7}, 2};

// `poses` poses of the contract's joints; in pose k all of them are moved by k * step more.
inline OwnedPalettes<double> contract_palettes(int poses = 1, double step = 100) {
    std::vector<Matrix<double>> all;
    for (int pose = 0; pose < poses; ++pose) {
        for (int joint = 0; joint < 4; ++joint) all.push_back(translation(10.0 * (joint + 1) + step * pose, 0.0, 0.0));
    }
    return {all, 4};
}

}  // namespace scene
