#include "publish/owner.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

#include "publish/bounds.hpp"
#include "publish/protocol.hpp"

namespace skinproof::publish {

namespace {

// Reads the topology back from a whole slot, distrusting every number in it.
Topology read_topology(const Segment& segment, std::uint32_t index) {
    const Slot& slot = segment.slot(index);
    const std::uint32_t joints = slot.joint_count, bytes = slot.name_bytes;
    if (joints == 0 || joints > segment.shape.joint_capacity || bytes > segment.shape.name_capacity)
        throw std::runtime_error("the active slot's joint count or names exceed the segment");
    Topology topology;
    topology.version = slot.topology_version;
    topology.joint_count = joints;
    topology.inverse_binds.assign(segment.inverse_binds(index), segment.inverse_binds(index) + joints * std::size_t{16});
    if (slot.has_joint_boxes != 0) {
        topology.joint_boxes.resize(joints);
        std::memcpy(topology.joint_boxes.data(), segment.joint_boxes(index), joints * sizeof(JointBox));
    }
    topology.names.assign(segment.names(index), bytes);
    topology.name_ends.assign(segment.name_ends(index), segment.name_ends(index) + joints);
    std::uint32_t end = 0;
    for (const std::uint32_t next : topology.name_ends) {
        if (next < end || next > bytes) throw std::runtime_error("the active slot's joint names are out of order");
        end = next;
    }
    return topology;
}

}  // namespace

Owner::Owner(std::shared_ptr<Backing> backing, Topology topology, std::span<const float> palette, Revision revision,
             Vectors vectors)
    : backing_(std::move(backing)),
      copy_finite_(publish::copy_finite(vectors)),
      requested_(revision),
      sequence_(1),
      last_topology_version_(1),
      last_generation_(1),
      slot_topology_(backing_->segment().shape.slots, 0) {
    topology.version = 1;
    topology_ = std::make_shared<const Topology>(std::move(topology));
    const Segment& segment = backing_->segment();
    Candidate first(topology_->joint_count);
    first.begin(sequence_, revision, topology_);
    std::memcpy(segment.palette(0), palette.data(), palette.size_bytes());
    fill(0, first, last_generation_);
    seal(segment, 0, last_generation_);
    atomic(segment.control().sequence).store(sequence_, std::memory_order_relaxed);
    atomic(segment.act()).store(pack(sequence_, last_generation_, 0), order::seal);
    atomic(segment.control().state).store(SKINPROOF_STATE_READY, order::seal);
}

Owner::Owner(std::shared_ptr<Backing> backing, Vectors vectors)
    : backing_(std::move(backing)),
      copy_finite_(publish::copy_finite(vectors)),
      slot_topology_(backing_->segment().shape.slots, 0) {
    const Segment& segment = backing_->segment();
    const std::uint64_t act = atomic(segment.act()).load(order::look);
    const std::uint32_t active = SKINPROOF_ACT_SLOT(act);
    if (active >= segment.shape.slots) throw std::runtime_error("the commit word names a slot that does not exist");
    const std::uint64_t generation = atomic(segment.generation(active)).load(order::look);
    if ((generation & SKINPROOF_WRITING) != 0 ||
        static_cast<std::uint32_t>(generation) != SKINPROOF_ACT_GENERATION(act))
        throw std::runtime_error("the commit word and the active slot disagree");
    topology_ = std::make_shared<const Topology>(read_topology(segment, active));
    // Above everything seen, published or not, so that no number ever means two poses.
    for (std::uint32_t slot = 0; slot < segment.shape.slots; ++slot) {
        const std::uint64_t seen = atomic(segment.generation(slot)).load(order::look);
        last_generation_ = std::max(last_generation_, seen & ~SKINPROOF_WRITING);
        if ((seen & SKINPROOF_WRITING) == 0) {
            last_topology_version_ = std::max(last_topology_version_, segment.slot(slot).topology_version);
        } else if (seen != SKINPROOF_WRITING) {
            discard(segment, slot);
            count(SKINPROOF_SLOTS_RECOVERED);
        }
    }
    for (std::uint32_t cell = 0; cell < segment.shape.cells; ++cell) unpin(segment.cell(0, cell));
    requested_ = {segment.slot(active).tick, segment.slot(active).graph_version};
    sequence_ = atomic(segment.control().sequence).load(std::memory_order_acquire) + 1;
    publish::request(segment, sequence_);
    atomic(segment.control().state).store(SKINPROOF_STATE_READY, order::seal);
}

bool Owner::request(Revision revision) {
    const std::lock_guard lock(request_);
    if (revision == requested_) return false;
    requested_ = revision;
    publish::request(backing_->segment(), ++sequence_);
    return true;
}

void Owner::request(Revision revision, Topology topology) {
    const std::lock_guard lock(request_);
    topology.version = last_topology_version_ + 1;
    topology_ = std::make_shared<const Topology>(std::move(topology));
    ++last_topology_version_;
    requested_ = revision;
    publish::request(backing_->segment(), ++sequence_);
}

Revision Owner::requested() const {
    const std::lock_guard lock(request_);
    return requested_;
}

std::shared_ptr<const Topology> Owner::topology() const {
    const std::lock_guard lock(request_);
    return topology_;
}

void Owner::begin(Candidate& candidate, Revision revision) const {
    const std::lock_guard lock(request_);
    candidate.begin(revision == requested_ ? sequence_ : 0, revision, topology_);
}

bool Owner::borrow(Candidate& candidate, Revision revision, const float* palette, std::uint32_t joint_count) const {
    const std::lock_guard lock(request_);
    if (topology_->joint_count != joint_count) return false;
    candidate.borrow(revision == requested_ ? sequence_ : 0, revision, topology_, palette);
    return true;
}

Report Owner::commit(Candidate& candidate) {
    if (!backing_->alive()) return {Commit::kForked, {}, {}, {}, {}};
    const std::lock_guard lock(commit_);
    if (closed_ || !candidate.is_open()) return {Commit::kOver, candidate.revision(), {}, {}, {}};

    // Gate 1: exactly the joints 0 … n−1.
    if (!candidate.is_complete()) return finish(Commit::kIncomplete, candidate);

    // Gate 2: finite, checked while copying. Without a slot the candidate is judged all the same.
    const Segment& segment = backing_->segment();
    const std::uint32_t slot = take_slot();
    const std::uint32_t joints = candidate.joint_count();
    const bool finite = slot == kNoSlot ? all_finite(std::as_const(candidate).matrices(), joints)
                                        : copy_finite_(segment.palette(slot), std::as_const(candidate).matrices(), joints);
    if (!finite) {
        Report report = finish(Commit::kInvalidMatrix, candidate);
        report.not_finite = not_finite(slot == kNoSlot ? std::as_const(candidate).matrices() : segment.palette(slot), joints);
        if (slot != kNoSlot) discard(segment, slot);
        return report;
    }

    // Gate 3: current, after everything that takes time, in the exchange that publishes.
    if (slot == kNoSlot) {
        const bool current = atomic(segment.control().sequence).load(std::memory_order_acquire) == candidate.sequence();
        return finish(current ? Commit::kNoFreeSlot : Commit::kStaleRevision, candidate);
    }
    const std::uint64_t generation = last_generation_ + 1;
    fill(slot, candidate, generation);
    seal(segment, slot, generation);
    if (!exchange(segment, slot, generation, candidate.sequence())) {
        discard(segment, slot);
        return finish(Commit::kStaleRevision, candidate);
    }
    last_generation_ = generation;
    return finish(Commit::kCommitted, candidate);
}

void Owner::close() noexcept {
    if (!backing_->alive()) return;
    const std::lock_guard lock(commit_);  // a commit may be reaping, with the files that this closes
    closed_ = true;
    backing_->close();
}

std::uint32_t Owner::take_slot() noexcept {
    const Segment& segment = backing_->segment();
    const std::uint32_t slot = take_any(segment);
    if (slot != kNoSlot || backing_->reap() == 0) return slot;
    return take_any(segment);
}

// Everything of a slot but its palette. The slot is taken: no reader sees any of it yet.
void Owner::fill(std::uint32_t index, const Candidate& candidate, std::uint64_t generation) noexcept {
    const Segment& segment = backing_->segment();
    const Topology& topology = candidate.topology();
    if (slot_topology_[index] != topology.version) fill_topology(index, topology);
    Slot& slot = segment.slot(index);
    slot.generation = generation;
    slot.sequence = candidate.sequence();
    slot.tick = candidate.revision().tick;
    slot.graph_version = candidate.revision().graph_version;
    slot.has_bounds = palette_bounds({segment.palette(index), topology.joint_boxes.size() * 16}, topology.joint_boxes,
                                     slot.bounds);
}

void Owner::fill_topology(std::uint32_t index, const Topology& topology) noexcept {
    const Segment& segment = backing_->segment();
    Slot& slot = segment.slot(index);
    slot.topology_version = topology.version;
    slot.joint_count = topology.joint_count;
    slot.name_bytes = static_cast<std::uint32_t>(topology.names.size());
    std::ranges::copy(topology.inverse_binds, segment.inverse_binds(index));
    slot.has_joint_boxes = !topology.joint_boxes.empty();
    float* box = segment.joint_boxes(index);
    for (const JointBox& from : topology.joint_boxes) box = std::ranges::copy(from, box).out;
    std::ranges::copy(topology.name_ends, segment.name_ends(index));
    std::ranges::copy(topology.names, segment.names(index));
    slot_topology_[index] = topology.version;
}

// The detail of a result. Only COMMITTED, INVALID_MATRIX and STALE_REVISION are final: an incomplete candidate can still
// get its joints, and one without a slot can be committed again.
Report Owner::finish(Commit result, Candidate& candidate) {
    count(static_cast<skinproof_counter>(result));
    Report report{result, candidate.revision(), {}, {}, {}};
    if (result != Commit::kCommitted) report.requested = requested();
    if (result == Commit::kIncomplete) report.missing = candidate.missing();
    if (candidate.has_twice()) report.written_twice = candidate.written_twice();
    if (result != Commit::kIncomplete && result != Commit::kNoFreeSlot) candidate.end();
    return report;
}

void Owner::count(skinproof_counter which) noexcept {
    // Only the owner writes counters, under its lock: a plain increment in two steps is whole.
    const auto counter = atomic(backing_->segment().counter(which));
    counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

}  // namespace skinproof::publish
