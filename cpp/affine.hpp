// Whether matrices are affine: the door of the Python package looks at every palette before it is used.
#pragma once

#include <cstddef>
#include <span>

namespace skinproof {

// matrices [n * 16], row after row; affine ones have the bottom row 0 0 0 1.
template <class Real>
bool are_affine(std::span<const Real> matrices) noexcept {
    bool affine = true;
    for (std::size_t i = 0; i < matrices.size(); i += 16) {
        const Real* bottom = matrices.data() + i + 12;
        affine &= bottom[0] == 0 && bottom[1] == 0 && bottom[2] == 0 && bottom[3] == 1;
    }
    return affine;
}

}  // namespace skinproof
