// The kernels for weights that are compiled once per instruction set and give the same bits on each of them: no fused
// operations, true division where a rounding hangs on it, one order of every sum.
#pragma once

#include <cstddef>
#include <cstdint>

namespace skinproof {

// Influences in rows of `slots` slots, vertex after vertex. A slot of weight zero (-0.0 too) is empty.
template <class Weight>
struct WeightRows {
    const std::uint16_t* joints;
    const Weight* weights;
    std::size_t vertices;
    std::size_t slots;  // from 1 to most_row_slots
    std::uint32_t joint_count;
};

inline constexpr std::size_t most_row_slots = 16;

// Every function returns whether it can vouch for its result. If not, one of the vertices breaks the weight contract, or
// has weights so far from 1 (a factor above 2^500) that scaling them would round: what was written is then worthless.
template <class Weight>
struct WeightKernelsOf {
    bool (*is_sound)(const WeightRows<Weight>& rows) noexcept;

    // The `kept` largest of each vertex by rank, normalized in float64 and rounded to Weight: out [vertices * kept].
    bool (*keep_largest)(const WeightRows<Weight>& rows, std::size_t kept, std::uint16_t* joints,
                         Weight* weights) noexcept;

    // Largest remainder: integers that sum to 255 or 65535, or float32 in steps of 2^-24. out [vertices * slots]
    bool (*pack_unorm8)(const WeightRows<Weight>& rows, std::uint16_t* joints, std::uint8_t* stored) noexcept;
    bool (*pack_unorm16)(const WeightRows<Weight>& rows, std::uint16_t* joints, std::uint16_t* stored) noexcept;
    bool (*pack_float32)(const WeightRows<Weight>& rows, std::uint16_t* joints, float* stored) noexcept;
};

struct WeightKernels {
    WeightKernelsOf<float> single;
    WeightKernelsOf<double> twofold;
};

}  // namespace skinproof
