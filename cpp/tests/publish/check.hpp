// The least that a test program needs: checks that name their place, and a count of them that may not be zero.
#pragma once

#include <cstdio>

inline int checks_made = 0;
inline int checks_failed = 0;

#define CHECK(condition)                                                            \
    do {                                                                            \
        ++checks_made;                                                              \
        if (!(condition)) {                                                         \
            ++checks_failed;                                                        \
            std::printf("%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);     \
        }                                                                           \
    } while (false)

inline int report() {
    std::printf("%d checks, %d failed\n", checks_made, checks_failed);
    return checks_made == 0 || checks_failed != 0 ? 1 : 0;
}
