// Which cells of a process's own row are in use: at most 64 flags, private to that process.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace skinproof::publish {

class Cells {
   public:
    explicit Cells(std::uint32_t count) noexcept : count_(count < kMost ? count : kMost) {}

    static constexpr std::uint32_t kNone = 0xffffffffu;

    // A free cell, or kNone. Flags instead of one word of bits: to give a cell back is then a plain store, and one atomic
    // exchange fewer is a quarter of the time of a whole acquire and release.
    std::uint32_t claim() noexcept {
        for (std::uint32_t cell = 0; cell < count_; ++cell) {
            if (!used_[cell].load(std::memory_order_relaxed) && !used_[cell].exchange(true, std::memory_order_acquire))
                return cell;
        }
        return kNone;
    }

    // Release and acquire here carry the order of one thread's use of a cell over to the next thread's.
    void give_back(std::uint32_t cell) noexcept { used_[cell].store(false, std::memory_order_release); }

    std::uint32_t free_count() const noexcept {
        std::uint32_t free = 0;
        for (std::uint32_t cell = 0; cell < count_; ++cell) free += !used_[cell].load(std::memory_order_relaxed);
        return free;
    }

   private:
    static constexpr std::uint32_t kMost = 64;
    alignas(64) std::array<std::atomic<bool>, kMost> used_{};
    std::uint32_t count_;
};

}  // namespace skinproof::publish
