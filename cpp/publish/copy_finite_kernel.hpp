// The body of copy_finite, compiled once per instruction set. Everything is in an unnamed namespace: a function shared
// between translation units could be linked from the one with the widest instructions, and crash elsewhere.
#pragma once

#include <cstddef>

namespace {

template <int kBytes>
struct Vector {
    using type [[gnu::vector_size(kBytes), gnu::may_alias, gnu::aligned(kBytes)]] = unsigned;
};

// A float is finite if its exponent bits are not all ones, so if its bits without the sign are below infinity's. The
// greatest of them decides; as integers, so that denormals cost nothing and NaN needs no care.
template <int kBytes>
bool copy_finite_kernel(float* to, const float* from, std::size_t matrices) noexcept {
    using Bits = typename Vector<kBytes>::type;
    constexpr std::size_t kPerMatrix = 64 / kBytes;
    constexpr unsigned kInfinity = 0x7f800000u;
    const Bits* source = reinterpret_cast<const Bits*>(from);
    Bits* target = reinterpret_cast<Bits*>(to);
    Bits greatest[4] = {};
    const std::size_t vectors = matrices * kPerMatrix;
    std::size_t i = 0;
    for (; i + 4 <= vectors; i += 4) {
        for (std::size_t lane = 0; lane < 4; ++lane) {
            const Bits bits = source[i + lane];
            target[i + lane] = bits;
            const Bits magnitude = bits & 0x7fffffffu;
            greatest[lane] = magnitude > greatest[lane] ? magnitude : greatest[lane];
        }
    }
    for (; i < vectors; ++i) {
        const Bits bits = source[i];
        target[i] = bits;
        const Bits magnitude = bits & 0x7fffffffu;
        greatest[0] = magnitude > greatest[0] ? magnitude : greatest[0];
    }
    unsigned worst = 0;
    for (const Bits& each : greatest) {
        for (std::size_t lane = 0; lane < kBytes / 4; ++lane) worst = each[lane] > worst ? each[lane] : worst;
    }
    return worst < kInfinity;
}

}  // namespace
