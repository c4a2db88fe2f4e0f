// The owner of a segment: requests, the three gates, publication. Contract: complete, finite, current, in this order;
// the active palette is untouched until all three have passed, then it is replaced as one.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "publish/backing.hpp"
#include "publish/candidate.hpp"
#include "publish/copy_finite.hpp"
#include "publish/topology.hpp"

namespace skinproof::publish {

enum class Commit : std::uint8_t { kCommitted, kIncomplete, kInvalidMatrix, kStaleRevision, kNoFreeSlot, kOver, kForked };

struct Report {
    Commit result = Commit::kCommitted;
    Revision requested;                        // the one that was wanted when the candidate was judged
    std::vector<std::uint32_t> missing;        // INCOMPLETE: which joints
    std::vector<std::uint32_t> written_twice;  // in any result; no gate
    std::vector<std::uint32_t> not_finite;     // INVALID_MATRIX: which joints
};

// One owner per segment. Any thread may request, begin and commit; commits run one after the other, and a request never
// waits for a commit.
class Owner {
   public:
    // A fresh segment: publishes `palette` [joint_count * 16], finite, as `revision`. What is given is copied. The
    // topology must fit the segment. `vectors`, which this processor must run, copies later ones. Throws std::bad_alloc.
    Owner(std::shared_ptr<Backing> backing, Topology topology, std::span<const float> palette, Revision revision,
          Vectors vectors = best_vectors());

    // A segment whose owner has died: half-written slots are void, the palette that was active stays so, and its revision
    // is the requested one, under a new request. Throws std::runtime_error if the segment is corrupt.
    explicit Owner(std::shared_ptr<Backing> backing, Vectors vectors = best_vectors());

    // The animation system wants `revision`. The current one again changes nothing; false then.
    bool request(Revision revision);
    // The same with another skeleton, which is always a new request. The version is set here. The topology must fit.
    void request(Revision revision, Topology topology);
    Revision requested() const;
    std::shared_ptr<const Topology> topology() const;

    // Starts `candidate` (with room for the segment's capacity) under the current request, if that is for `revision`;
    // else it can be filled, and ends at best as stale.
    void begin(Candidate& candidate, Revision revision) const;

    // The same for a whole palette of `joint_count` joints, which the commit copies; false if the requested topology has
    // another number of joints.
    bool borrow(Candidate& candidate, Revision revision, const float* palette, std::uint32_t joint_count) const;

    Report commit(Candidate& candidate);

    // Ends the segment, between two commits; one that comes later finds the candidate over. In a forked child: nothing.
    void close() noexcept;

    const Backing& backing() const noexcept { return *backing_; }
    const std::shared_ptr<Backing>& shared_backing() const noexcept { return backing_; }

   private:
    std::uint32_t take_slot() noexcept;
    void fill(std::uint32_t slot, const Candidate& candidate, std::uint64_t generation) noexcept;
    void fill_topology(std::uint32_t slot, const Topology& topology) noexcept;
    Report finish(Commit result, Candidate& candidate);
    void count(skinproof_counter which) noexcept;

    std::shared_ptr<Backing> backing_;
    CopyFinite copy_finite_;

    mutable std::mutex request_;  // guards what the current request is
    Revision requested_;
    std::shared_ptr<const Topology> topology_;
    std::uint64_t sequence_ = 0;
    std::uint64_t last_topology_version_ = 0;

    std::mutex commit_;  // one commit at a time
    bool closed_ = false;
    std::uint64_t last_generation_ = 0;
    std::vector<std::uint64_t> slot_topology_;  // which topology's joints a slot holds; 0: unknown
};

}  // namespace skinproof::publish
