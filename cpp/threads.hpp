// Work that is split into parts, one thread each. The caller splits it so that no result depends on how many.
#pragma once

#include <cstddef>
#include <system_error>
#include <thread>
#include <vector>

namespace skinproof {

// Calls work(0) ... work(parts - 1), the last of them on this thread, and returns when all are done. Where the system
// gives no more threads, this one does their share.
template <class Work>
void in_parallel(std::size_t parts, const Work& work) noexcept {
    std::vector<std::thread> threads;
    std::size_t started = 0;
    try {
        threads.reserve(parts);
        for (; started + 1 < parts; ++started) threads.emplace_back(work, started);
    } catch (const std::exception&) {
        // started says how far it came
    }
    for (std::size_t part = started; part < parts; ++part) work(part);
    for (std::thread& thread : threads) thread.join();
}

}  // namespace skinproof
