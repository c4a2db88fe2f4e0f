// The smallest test harness that cannot pass by accident: it counts its checks, and none at all is a failure.
#pragma once

#include <cmath>
#include <cstdio>

namespace check {

inline int made = 0;
inline int failed = 0;

inline void that(bool holds, const char* text, const char* file, int line) {
    ++made;
    if (holds) return;
    ++failed;
    std::fprintf(stderr, "%s:%d: not true: %s\n", file, line, text);
}

// |found - expected| <= tolerance * max(1, |expected|): absolute for small numbers, relative for large ones.
inline void near(double found, double expected, double tolerance, const char* text, const char* file, int line) {
    ++made;
    if (std::abs(found - expected) <= tolerance * std::fmax(1.0, std::abs(expected))) return;
    ++failed;
    std::fprintf(stderr, "%s:%d: %s is %.17g, expected %.17g within %g\n", file, line, text, found, expected,
                 tolerance);
}

// What main returns.
inline int result() {
    std::printf("%d checks, %d failed\n", made, failed);
    return made > 0 && failed == 0 ? 0 : 1;
}

}  // namespace check

#define CHECK(condition) check::that((condition), #condition, __FILE__, __LINE__)
#define CHECK_NEAR(found, expected, tolerance) \
    check::near((found), (expected), (tolerance), #found, __FILE__, __LINE__)
