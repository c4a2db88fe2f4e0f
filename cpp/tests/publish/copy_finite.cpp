// Every instruction set that this processor runs, every entry, against std::isfinite.
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "check.hpp"
#include "publish/copy_finite.hpp"

using namespace skinproof::publish;

int main() {
    constexpr int kMost = 83;
    alignas(64) static float from[kMost * 16], to[(kMost + 1) * 16];
    for (int i = 0; i < kMost * 16; ++i) from[i] = static_cast<float>(i) - 100.25f;
    const float values[] = {NAN, -NAN, INFINITY, -INFINITY, std::numeric_limits<float>::max(),
                            std::numeric_limits<float>::lowest(), std::numeric_limits<float>::denorm_min(), -0.0f};
    int levels = 0;
    for (const Vectors vectors : {Vectors::kBaseline, Vectors::kAvx2, Vectors::kAvx512}) {
        if (vectors > best_vectors()) continue;
        ++levels;
        const CopyFinite copy = copy_finite(vectors);
        for (const std::size_t matrices : {0u, 1u, 2u, 3u, 4u, 5u, 7u, 8u, 19u, 64u, 65u, 83u}) {
            std::memset(to, 0x5a, sizeof to);
            CHECK(copy(to, from, matrices));
            CHECK(std::memcmp(to, from, matrices * 64) == 0);
            CHECK(reinterpret_cast<unsigned char*>(to)[matrices * 64] == 0x5a);  // not one byte more
            for (std::size_t entry = 0; entry < matrices * 16; ++entry) {
                for (const float value : values) {
                    const float kept = from[entry];
                    from[entry] = value;
                    CHECK(copy(to, from, matrices) == std::isfinite(value));
                    CHECK(all_finite(from, matrices) == std::isfinite(value));
                    CHECK(std::memcmp(to, from, matrices * 64) == 0);
                    from[entry] = kept;
                }
            }
        }
    }
    // Finite entries whose sums are not.
    for (int i = 0; i < kMost * 16; ++i) from[i] = i % 3 == 0 ? values[5] : values[4];
    for (const Vectors vectors : {Vectors::kBaseline, Vectors::kAvx2, Vectors::kAvx512}) {
        if (vectors > best_vectors()) continue;
        for (const std::size_t matrices : {1u, 4u, 19u, 83u}) {
            CHECK(copy_finite(vectors)(to, from, matrices));
            const float kept = std::exchange(from[matrices * 16 - 16], NAN);
            CHECK(!copy_finite(vectors)(to, from, matrices));
            from[matrices * 16 - 16] = kept;
        }
    }
    std::printf("%d instruction sets\n", levels);
    return report();
}
