#include "instruction_sets.hpp"

#include <array>

namespace skinproof {

namespace scalar { extern const Kernels table; }
namespace x86_64_v2 { extern const Kernels table; }
namespace x86_64_v3 { extern const Kernels table; }
namespace x86_64_v4 { extern const Kernels table; }
namespace neon { extern const Kernels table; }

namespace {

struct Runnable {
    std::array<const Kernels*, 4> tables{};
    std::size_t count = 0;

    void add(const Kernels& kernels) noexcept { tables[count++] = &kernels; }
};

// Each level asks for the features in which its kernels differ. The rest of the level (movbe, lzcnt, f16c ...) came
// with them in every processor so far; that the system saves the wide registers is part of the compiler's answer.
Runnable find_runnable() noexcept {
    Runnable found;
    found.add(scalar::table);
#if defined(SKINPROOF_HAS_X86_64)
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("sse4.2") || !__builtin_cpu_supports("popcnt")) return found;
    found.add(x86_64_v2::table);
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !__builtin_cpu_supports("bmi2")) {
        return found;
    }
    found.add(x86_64_v3::table);
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
        !__builtin_cpu_supports("avx512cd") || !__builtin_cpu_supports("avx512dq") ||
        !__builtin_cpu_supports("avx512vl")) {
        return found;
    }
    found.add(x86_64_v4::table);
#elif defined(SKINPROOF_HAS_NEON)
    found.add(neon::table);
#endif
    return found;
}

}  // namespace

std::span<const Kernels* const> runnable_kernels() noexcept {
    static const Runnable runnable = find_runnable();
    return {runnable.tables.data(), runnable.count};
}

const Kernels* kernels_named(std::string_view name) noexcept {
    for (const Kernels* kernels : runnable_kernels()) {
        if (name == kernels->name) return kernels;
    }
    return nullptr;
}

}  // namespace skinproof
