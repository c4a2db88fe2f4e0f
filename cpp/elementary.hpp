// Sines, cosines and arc tangents with the same bits on every machine: the mathematical libraries of two systems, or of
// one system on two processors, differ in the last bit. Additions, products, quotients and square roots do not.
// Results are within three units in the last place.
#pragma once

#include <cmath>

namespace skinproof {

struct SineCosine {
    double sine;
    double cosine;
};

namespace elementary {

// Taylor's series, for at most an eighth of a turn: what is left out is below 1e-19 of the result.
inline double sine_near_zero(double x) noexcept {
    const double square = x * x;
    double sum = 1.0 / 355687428096000.0;
    sum = sum * square - 1.0 / 1307674368000.0;
    sum = sum * square + 1.0 / 6227020800.0;
    sum = sum * square - 1.0 / 39916800.0;
    sum = sum * square + 1.0 / 362880.0;
    sum = sum * square - 1.0 / 5040.0;
    sum = sum * square + 1.0 / 120.0;
    sum = sum * square - 1.0 / 6.0;
    return x + x * square * sum;
}

inline double cosine_near_zero(double x) noexcept {
    const double square = x * x;
    double sum = -1.0 / 6402373705728000.0;
    sum = sum * square + 1.0 / 20922789888000.0;
    sum = sum * square - 1.0 / 87178291200.0;
    sum = sum * square + 1.0 / 479001600.0;
    sum = sum * square - 1.0 / 3628800.0;
    sum = sum * square + 1.0 / 40320.0;
    sum = sum * square - 1.0 / 720.0;
    sum = sum * square + 1.0 / 24.0;
    return 1.0 - (0.5 * square - square * square * sum);
}

}  // namespace elementary

// Of an angle in radians, of at most a million turns either way.
inline SineCosine sine_cosine(double angle) noexcept {
    // A quarter turn in three parts, the first two of 33 bits: their products with the number of quarters are exact.
    constexpr double first = 0x1.921fb544p+0, second = 0x1.0b4611a6p-34, third = 0x1.3198a2e037073p-69;
    const double quarters = std::floor(angle * 0x1.45f306dc9c883p-1 + 0.5);
    const double rest = ((angle - quarters * first) - quarters * second) - quarters * third;
    const double sine = elementary::sine_near_zero(rest), cosine = elementary::cosine_near_zero(rest);
    switch (static_cast<long long>(quarters) & 3) {
        case 0: return {sine, cosine};
        case 1: return {cosine, -sine};
        case 2: return {-sine, -cosine};
        default: return {-cosine, sine};
    }
}

// Of a number from 0 to 1, in radians.
inline double arc_tangent(double x) noexcept {
    // Half the angle twice: tan(a / 2) = tan(a) / (1 + 1 / cos(a)). Then Taylor's series, at most at 0.2.
    x /= 1.0 + std::sqrt(1.0 + x * x);
    x /= 1.0 + std::sqrt(1.0 + x * x);
    const double square = x * x;
    double sum = 0.0;
    for (int odd = 25; odd >= 3; odd -= 2) sum = 1.0 / odd - square * sum;
    return 4.0 * (x - x * square * sum);
}

}  // namespace skinproof
