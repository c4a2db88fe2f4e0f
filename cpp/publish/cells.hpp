// Which cells of a process's own row are in use: a lock-free free list of at most 64, private to that process.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>

namespace skinproof::publish {

class Cells {
   public:
    explicit Cells(std::uint32_t count) noexcept : free_(count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1) {}

    static constexpr std::uint32_t kNone = 0xffffffffu;

    // A free cell, or kNone.
    std::uint32_t claim() noexcept {
        std::uint64_t free = free_.load(std::memory_order_relaxed);
        while (free != 0) {
            if (free_.compare_exchange_weak(free, free & (free - 1), std::memory_order_acquire,
                                            std::memory_order_relaxed))
                return static_cast<std::uint32_t>(std::countr_zero(free));
        }
        return kNone;
    }

    // Release and acquire here carry the order of one thread's use of a cell over to the next thread's.
    void give_back(std::uint32_t cell) noexcept {
        free_.fetch_or(std::uint64_t{1} << cell, std::memory_order_release);
    }

    std::uint32_t free_count() const noexcept {
        return static_cast<std::uint32_t>(std::popcount(free_.load(std::memory_order_relaxed)));
    }

   private:
    alignas(64) std::atomic<std::uint64_t> free_;
};

}  // namespace skinproof::publish
