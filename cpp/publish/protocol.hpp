// The protocol: N slots and reader pins. One owner publishes, any number of readers hold snapshots, nobody waits.
//
// After Maged Michael's hazard pointers (IEEE TPDS 15(6), 2004), with a fixed set of slots instead of reclamation.
//   - The commit word `act` always names a whole slot.
//   - A slot that a reader has pinned is not written; a slot that is written cannot be pinned.
//   - The generations that one reader sees never go back.
//   - A reader starts again only when its very slot is being recycled; the owner never waits for a reader.
//   - Any party may die between any two steps: at most one slot, or one reader's pins, are lost until recovered.
#pragma once

#include "publish/orders.hpp"
#include "publish/segment.hpp"

namespace skinproof::publish {

// ---- reader

enum class Pin : std::uint8_t {
    kPinned,
    kCorrupt,  // the segment names a slot that does not exist, or never settles: somebody wrote over it
};

struct Pinned {
    Pin status;
    std::uint32_t slot;
    std::uint32_t retries;
    std::uint64_t generation;  // the full one, of the pose that is pinned
};

// No real schedule retries this often: each retry needs a commit to land between two of the reader's steps.
constexpr std::uint32_t kMostRetries = 1u << 20;

// Pins the active slot with `cell`, which must be the caller's own and hold no pin.
inline Pinned pin(const Segment& segment, Line& cell) noexcept {
    for (std::uint32_t retries = 0; retries < kMostRetries; ++retries) {
        const std::uint64_t act = atomic(segment.act()).load(order::look);
        const std::uint32_t slot = SKINPROOF_ACT_SLOT(act);
        if (slot >= segment.shape.slots) break;
        atomic(cell).store(slot + 1, order::pin);
        // The slot's own generation, not `act`: a newer palette is no reason to let go of this one. WRITING must be
        // part of the comparison: a slot that is being written still has its old number.
        const std::uint64_t generation = atomic(segment.generation(slot)).load(order::recheck);
        if ((generation & SKINPROOF_WRITING) == 0 &&
            static_cast<std::uint32_t>(generation) == SKINPROOF_ACT_GENERATION(act))
            return {Pin::kPinned, slot, retries, generation};
        atomic(cell).store(0, order::unpin);
    }
    return {Pin::kCorrupt, 0, kMostRetries, 0};
}

// Lets the slot go. A pin never moves to another cell: a scan could miss it on the way.
inline void unpin(Line& cell) noexcept { atomic(cell).store(0, order::unpin); }

// ---- owner (one process, one thread at a time)

inline bool is_pinned(const Segment& segment, std::uint32_t slot) noexcept {
    for (std::uint32_t row = 0; row < segment.shape.rows; ++row) {
        for (std::uint32_t cell = 0; cell < segment.shape.cells; ++cell) {
            if (atomic(segment.cell(row, cell)).load(order::scan) == slot + 1) return true;
        }
    }
    return false;
}

// Marks `slot` as being written. True: it is the owner's until `seal` or `discard`; nobody reads it, nobody can
// pin it. False: a reader holds it; it is as it was.
inline bool take(const Segment& segment, std::uint32_t slot) noexcept {
    const auto generation = atomic(segment.generation(slot));
    const std::uint64_t old = generation.load(std::memory_order_relaxed);  // only the owner writes it
    generation.store(SKINPROOF_WRITING | old, order::mark);
    if (!is_pinned(segment, slot)) return true;
    generation.store(old, order::unmark);
    return false;
}

constexpr std::uint32_t kNoSlot = 0xffffffffu;

// Takes a slot that is neither active nor pinned, the one with the oldest content first; else kNoSlot.
inline std::uint32_t take_any(const Segment& segment) noexcept {
    const std::uint32_t active = SKINPROOF_ACT_SLOT(atomic(segment.act()).load(std::memory_order_relaxed));
    std::uint64_t tried_up_to = 0;
    std::uint32_t tried_slot = kNoSlot;
    for (std::uint32_t attempt = 1; attempt < segment.shape.slots; ++attempt) {
        std::uint32_t best = kNoSlot;
        std::uint64_t best_age = 0;
        for (std::uint32_t slot = 0; slot < segment.shape.slots; ++slot) {
            if (slot == active) continue;
            const std::uint64_t age =
                atomic(segment.generation(slot)).load(std::memory_order_relaxed) & ~SKINPROOF_WRITING;
            const bool later = tried_slot == kNoSlot || age > tried_up_to || (age == tried_up_to && slot > tried_slot);
            if (later && (best == kNoSlot || age < best_age)) {
                best = slot;
                best_age = age;
            }
        }
        if (best == kNoSlot) break;
        if (take(segment, best)) return best;
        tried_up_to = best_age;
        tried_slot = best;
    }
    return kNoSlot;
}

// Declares a taken slot whole, as `generation`, which must be above every one used before. Nobody can find it yet.
inline void seal(const Segment& segment, std::uint32_t slot, std::uint64_t generation) noexcept {
    atomic(segment.generation(slot)).store(generation, order::seal);
}

// Gives up a taken or sealed slot that was not published: its content is void, and it is the first to be taken again.
inline void discard(const Segment& segment, std::uint32_t slot) noexcept {
    atomic(segment.generation(slot)).store(SKINPROOF_WRITING, order::unmark);
}

// Publishes a sealed slot if request `sequence` is still the current one: compared and published in one exchange.
// The full sequence is compared too: 24 bits alone wrap within seconds of fast requests.
// False: stale. Strong: a spurious failure would call a current candidate stale.
inline bool exchange(const Segment& segment, std::uint32_t slot, std::uint64_t generation,
                     std::uint64_t sequence) noexcept {
    std::uint64_t act = atomic(segment.act()).load(order::look);
    if (atomic(segment.control().sequence).load(std::memory_order_acquire) != sequence) return false;
    if (SKINPROOF_ACT_SEQUENCE(act) != (sequence & kSequenceMask)) return false;
    return atomic(segment.act())
        .compare_exchange_strong(act, pack(sequence, generation, slot), order::exchange, order::exchange_failed);
}

// Makes `sequence` the current request. From then on no candidate of an earlier one can be published. Requests come one
// at a time; a commit may run meanwhile.
inline void request(const Segment& segment, std::uint64_t sequence) noexcept {
    atomic(segment.control().sequence).store(sequence, std::memory_order_release);
    std::uint64_t act = atomic(segment.act()).load(order::look);
    while (!atomic(segment.act())
                .compare_exchange_weak(act, pack(sequence, SKINPROOF_ACT_GENERATION(act), SKINPROOF_ACT_SLOT(act)),
                                       order::exchange, order::exchange_failed)) {
    }
}

}  // namespace skinproof::publish
