// A candidate: the joints of one revision, collected from any number of jobs. Readers cannot reach any of it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "publish/topology.hpp"

namespace skinproof::publish {

// What the animation system asked for: never made by a job scheduler.
struct Revision {
    std::uint64_t tick = 0;
    std::uint64_t graph_version = 0;
    bool operator==(const Revision&) const = default;
};

class Candidate {
   public:
    // Room for `capacity` joints. Allocates; nothing later does. With no room it can only borrow whole palettes.
    explicit Candidate(std::uint32_t capacity);

    // Starts anew under request `sequence` (0: a revision nobody asked for, which can never be current).
    void begin(std::uint64_t sequence, Revision revision, const std::shared_ptr<const Topology>& topology) noexcept;

    // The same for a palette [joint_count * 16] that is all there already, and stays so until the commit, which copies it.
    void borrow(std::uint64_t sequence, Revision revision, const std::shared_ptr<const Topology>& topology,
                const float* matrices) noexcept;

    std::uint32_t joint_count() const noexcept { return topology_->joint_count; }
    Revision revision() const noexcept { return revision_; }
    std::uint64_t sequence() const noexcept { return sequence_; }
    const Topology& topology() const noexcept { return *topology_; }
    float* matrices() noexcept { return owned_.get(); }
    const float* matrices() const noexcept { return borrowed_ != nullptr ? borrowed_ : owned_.get(); }

    // Any thread: matrices() of joints first … first + count − 1 have been written, entirely. What was written before
    // happens before the commit. False if the candidate is over.
    bool receive(std::uint32_t first, std::uint32_t count) noexcept;

    // A commit that cannot be repeated ends the candidate.
    bool is_open() const noexcept { return open_.load(std::memory_order_acquire); }
    void end() noexcept { open_.store(false, std::memory_order_release); }

    bool is_complete() const noexcept;
    bool has_twice() const noexcept;
    std::vector<std::uint32_t> missing() const;
    std::vector<std::uint32_t> written_twice() const;

   private:
    void start(std::uint64_t sequence, Revision revision, const std::shared_ptr<const Topology>& topology) noexcept;
    struct Free {
        void operator()(float* matrices) const noexcept;
    };
    std::uint32_t words() const noexcept { return (joint_count() + 63) / 64; }
    std::uint64_t whole(std::uint32_t word) const noexcept;

    std::unique_ptr<float, Free> owned_;
    const float* borrowed_ = nullptr;
    std::vector<std::atomic<std::uint64_t>> received_;  // one bit per joint
    std::vector<std::atomic<std::uint64_t>> twice_;
    std::shared_ptr<const Topology> topology_;
    Revision revision_;
    std::uint64_t sequence_ = 0;
    std::atomic<bool> open_{false};
};

// The joints of `matrices` [joint_count * 16] that have an entry that is NaN or infinite.
std::vector<std::uint32_t> not_finite(const float* matrices, std::uint32_t joint_count);

}  // namespace skinproof::publish
