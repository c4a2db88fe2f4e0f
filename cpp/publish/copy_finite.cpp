#include "publish/copy_finite.hpp"

#include <bit>
#include <cstdint>

#include "publish/copy_finite_kernel.hpp"

namespace skinproof::publish {

#ifdef SKINPROOF_X86_VECTORS
bool copy_finite_avx2(float* to, const float* from, std::size_t matrices) noexcept;
bool copy_finite_avx512(float* to, const float* from, std::size_t matrices) noexcept;
#endif

namespace {

bool copy_finite_baseline(float* to, const float* from, std::size_t matrices) noexcept {
    return copy_finite_kernel<16>(to, from, matrices);
}

}  // namespace

bool all_finite(const float* matrices, std::size_t count) noexcept {
    std::uint32_t worst = 0;
    for (std::size_t i = 0; i < count * 16; ++i) {
        const std::uint32_t magnitude = std::bit_cast<std::uint32_t>(matrices[i]) & 0x7fffffffu;
        worst = magnitude > worst ? magnitude : worst;
    }
    return worst < 0x7f800000u;
}

Vectors best_vectors() noexcept {
#ifdef SKINPROOF_X86_VECTORS
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq"))
        return Vectors::kAvx512;
    if (__builtin_cpu_supports("avx2")) return Vectors::kAvx2;
#endif
    return Vectors::kBaseline;
}

CopyFinite copy_finite(Vectors vectors) noexcept {
#ifdef SKINPROOF_X86_VECTORS
    if (vectors == Vectors::kAvx512) return copy_finite_avx512;
    if (vectors == Vectors::kAvx2) return copy_finite_avx2;
#else
    static_cast<void>(vectors);
#endif
    return copy_finite_baseline;
}

}  // namespace skinproof::publish
