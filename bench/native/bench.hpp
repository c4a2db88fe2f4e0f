// What the benchmark measures besides the core's own kernels, as one table per instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(_WIN32)
#define SKINPROOF_BENCH_EXPORT extern "C" __declspec(dllexport)
#else
#define SKINPROOF_BENCH_EXPORT extern "C" __attribute__((visibility("default")))
#endif

namespace skinproof {

// The `kept` largest influences of each vertex, normalized as float32, then packed to unorm8 by largest remainder. Plain
// C++ for any processor, the same in every table.
void reference_cut(const std::uint16_t* joints, const float* weights, std::size_t vertices, std::size_t slots,
                   std::size_t kept, std::uint16_t* out_joints, std::uint8_t* out_stored) noexcept;

struct Bench {
    const char* name;

    // Multiply-adds on registers; return something that depends on all of them, and count them.
    float (*multiply_adds_float)(std::size_t rounds, std::size_t* counted) noexcept;
    double (*multiply_adds_double)(std::size_t rounds, std::size_t* counted) noexcept;

    // Linear blend skinning, pose after pose, a vertex at a time.
    //   columns  [poses * joint_count * 16], column-major matrices
    //   out      [poses * vertices * 3]
    void (*reference_skin)(const float* positions, const std::uint16_t* joints, const float* weights,
                           std::size_t slots, const float* columns, std::size_t poses, std::size_t joint_count,
                           std::size_t vertices, float* out) noexcept;

    // The displacement between two sets of influences by skinning twice, pose after pose.
    //   columns  [poses * joints * 16]
    //   work     [vertices * 6]
    //   max_squared, sum_squared, max_pose  [vertices], begin with 0
    void (*reference_displacement)(const float* positions, const std::uint16_t* joints, const float* weights,
                                   std::size_t slots, const std::uint16_t* joints_after, const float* weights_after,
                                   std::size_t slots_after, const float* columns, std::size_t poses,
                                   std::size_t joint_count, std::size_t vertices, float* work, float* max_squared,
                                   double* sum_squared, std::int32_t* max_pose) noexcept;

    decltype(&reference_cut) cut;

    // Like reference_skin, written with Eigen; null where that was not there.
    decltype(reference_skin) eigen_skin;
};

}  // namespace skinproof
