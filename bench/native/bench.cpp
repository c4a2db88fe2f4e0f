// The plain C interface through which bench/native.py calls all this.
#include "bench.hpp"

#include <cstring>

namespace skinproof {

namespace scalar { extern const Bench bench; }
#if defined(SKINPROOF_HAS_X86_64)
namespace x86_64_v2 { extern const Bench bench; }
namespace x86_64_v3 { extern const Bench bench; }
namespace x86_64_v4 { extern const Bench bench; }
#elif defined(SKINPROOF_HAS_NEON)
namespace neon { extern const Bench bench; }
#endif

}  // namespace skinproof

// The table of an instruction set, or null.
SKINPROOF_BENCH_EXPORT const skinproof::Bench* skinproof_bench(const char* name) {
    const skinproof::Bench* const tables[] = {
        &skinproof::scalar::bench,
#if defined(SKINPROOF_HAS_X86_64)
        &skinproof::x86_64_v2::bench, &skinproof::x86_64_v3::bench, &skinproof::x86_64_v4::bench,
#elif defined(SKINPROOF_HAS_NEON)
        &skinproof::neon::bench,
#endif
    };
    for (const skinproof::Bench* table : tables) {
        if (std::strcmp(table->name, name) == 0) return table;
    }
    return nullptr;
}
