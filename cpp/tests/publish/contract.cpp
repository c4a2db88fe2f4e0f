// The pose contract, rule by rule. verify/faults.toml seeds a fault for each rule; these checks must catch it.
#include <cmath>
#include <limits>
#include <vector>

#include "check.hpp"
#include "make.hpp"

using namespace skinproof::publish;
using make::Stage;
using Xs = std::vector<float>;
using Joints = std::vector<std::uint32_t>;

namespace {

const Xs kStart{0, 0, 0, 0, 0};

void fixed_numbers() {
    Stage stage;
    CHECK(stage.seen() == kStart);
    CHECK(stage.owner.request({1, 0}));

    auto three = stage.filled(1, {1, 2, 3});
    Report report = stage.owner.commit(*three);
    CHECK(report.result == Commit::kIncomplete && report.missing == Joints{3});
    CHECK(stage.seen() == kStart);

    auto twice = stage.begin(1);
    for (const std::uint32_t joint : {0u, 1u, 1u, 2u}) Stage::write(*twice, joint, 5);
    report = stage.owner.commit(*twice);
    CHECK(report.result == Commit::kIncomplete && report.missing == Joints{3} && report.written_twice == Joints{1});
    CHECK(stage.seen() == kStart);

    auto holed = stage.filled(1, {1, 2, NAN, 4});
    report = stage.owner.commit(*holed);
    CHECK(report.result == Commit::kInvalidMatrix && report.not_finite == Joints{2});
    CHECK(stage.seen() == kStart);

    auto late = stage.filled(1, {1, 2, 3, 4});
    CHECK(stage.owner.request({2, 0}));
    report = stage.owner.commit(*late);
    CHECK(report.result == Commit::kStaleRevision && report.requested == (Revision{2, 0}));
    CHECK(stage.seen() == kStart);

    auto whole = stage.filled(2, {11, 22, 33, 44});
    CHECK(stage.owner.commit(*whole).result == Commit::kCommitted);
    CHECK((stage.seen() == Xs{2, 11, 22, 33, 44}));

    make::translation(whole->matrices(), 999);
    CHECK((stage.seen() == Xs{2, 11, 22, 33, 44}));

    CHECK(stage.counter(SKINPROOF_COMMITTED) == 1 && stage.counter(SKINPROOF_INCOMPLETE) == 2);
    CHECK(stage.counter(SKINPROOF_INVALID_MATRIX) == 1 && stage.counter(SKINPROOF_STALE_REVISION) == 1);
}

void gates_come_in_order() {
    Stage stage;
    stage.owner.request({1, 0});
    // Incomplete, not finite and stale at once: the first gate speaks. Then the second. Then the third.
    auto all = stage.filled(1, {INFINITY, 2, 3});
    auto two = stage.filled(1, {INFINITY, 2, 3, 4});
    stage.owner.request({2, 0});
    CHECK(stage.owner.commit(*all).result == Commit::kIncomplete);
    CHECK(stage.owner.commit(*two).result == Commit::kInvalidMatrix);
    CHECK(stage.seen() == kStart);
}

void every_entry_is_checked() {
    const float bad[] = {NAN, INFINITY, -INFINITY, std::numeric_limits<float>::signaling_NaN()};
    Stage stage(4, 2, 8);
    stage.owner.request({1, 0});
    for (const float value : bad) {
        for (std::uint32_t entry = 0; entry < 64; ++entry) {
            auto candidate = stage.filled(1, {1, 2, 3, 4});
            candidate->matrices()[entry] = value;
            const Report report = stage.owner.commit(*candidate);
            CHECK(report.result == Commit::kInvalidMatrix && report.not_finite == Joints{entry / 16});
        }
    }
    auto edge = stage.filled(1, {std::numeric_limits<float>::max(), std::numeric_limits<float>::denorm_min(), -0.0f, 4});
    CHECK(stage.owner.commit(*edge).result == Commit::kCommitted);
}

void currency_is_judged_at_the_end() {
    Stage stage;
    stage.owner.request({1, 0});
    auto candidate = stage.filled(1, {1, 2, 3, 4});
    CHECK(candidate->is_complete());
    stage.owner.request({2, 0});  // while it was being built
    CHECK(stage.owner.commit(*candidate).result == Commit::kStaleRevision);
}

void a_candidate_belongs_to_its_request() {
    Stage stage;
    stage.owner.request({1, 0});
    auto first = stage.filled(1, {1, 1, 1, 1});
    stage.owner.request({2, 0});
    stage.owner.request({1, 0});  // A, B, A
    CHECK(stage.owner.commit(*first).result == Commit::kStaleRevision);
    CHECK(stage.seen() == kStart);
    auto second = stage.filled(1, {7, 7, 7, 7});
    CHECK(stage.owner.commit(*second).result == Commit::kCommitted);
    // The same revision again is no new request: what was begun under it stays current.
    auto third = stage.filled(1, {8, 8, 8, 8});
    CHECK(!stage.owner.request({1, 0}));
    CHECK(stage.owner.commit(*third).result == Commit::kCommitted);
    // Both halves are the identity.
    CHECK(stage.owner.request({1, 1}));
    // A revision that is not the requested one may be begun, and is never current, even if it is requested later.
    auto early = stage.filled(9, {9, 9, 9, 9});
    stage.owner.request({9, 0});
    CHECK(stage.owner.commit(*early).result == Commit::kStaleRevision);
}

void sequences_do_not_wrap() {
    // 2^24 requests later the commit word's share of the sequence is the same; the full sequence is not.
    Stage stage;
    stage.owner.request({1, 0});
    auto old = stage.filled(1, {1, 2, 3, 4});
    for (std::uint64_t i = 0; i < std::uint64_t{1} << 24; ++i) stage.owner.request({2 + i % 2, 0});
    CHECK(SKINPROOF_ACT_SEQUENCE(atomic(stage.backing->segment().act()).load()) == (old->sequence() & kSequenceMask));
    CHECK(stage.owner.commit(*old).result == Commit::kStaleRevision);
    CHECK(stage.seen() == kStart);
}

void twice_is_reported_and_committed() {
    Stage stage;
    stage.owner.request({1, 0});
    auto candidate = stage.filled(1, {1, 2, 3, 4});
    Stage::write(*candidate, 1, 22);
    const Report report = stage.owner.commit(*candidate);
    CHECK(report.result == Commit::kCommitted && report.written_twice == Joints{1});
    CHECK((stage.seen() == Xs{1, 1, 22, 3, 4}));
}

void what_ends_a_candidate() {
    Stage stage;
    stage.owner.request({1, 0});
    auto candidate = stage.filled(1, {1, 2, 3});
    CHECK(stage.owner.commit(*candidate).result == Commit::kIncomplete);
    CHECK(Stage::write(*candidate, 3, 4));
    CHECK(stage.owner.commit(*candidate).result == Commit::kCommitted);
    CHECK(stage.owner.commit(*candidate).result == Commit::kOver);
    CHECK(!candidate->receive(0, 1));
    auto dead = stage.filled(1, {1, 2, 3, NAN});
    CHECK(stage.owner.commit(*dead).result == Commit::kInvalidMatrix);
    Stage::write(*dead, 3, 4);  // it died as a whole
    CHECK(stage.owner.commit(*dead).result == Commit::kOver);
    CHECK((stage.seen() == Xs{1, 1, 2, 3, 4}));
}

void the_first_palette_is_copied() {
    const auto backing = make_memory_backing({3, 1, 1, 4, 64});
    auto palette = make::palette({1, 2, 3, 4});
    const Owner owner(backing, make::topology(4), palette, Revision{0, 0});
    palette[3] = 999;
    CHECK(backing->segment().palette(0)[3] == 1);
}

void a_snapshot_never_changes() {
    Stage stage(4, 2);
    stage.owner.request({1, 0});
    CHECK(stage.owner.commit(*stage.filled(1, {1, 2, 3, 4})).result == Commit::kCommitted);
    Hold held;
    CHECK(stage.attachment.acquire(held) == Acquired::kHeld);
    for (std::uint64_t tick = 2; tick < 50; ++tick) {
        stage.owner.request({tick, 0});
        const float x = static_cast<float>(tick);
        CHECK(stage.owner.commit(*stage.filled(tick, {x, x, x, x})).result == Commit::kCommitted);
        CHECK((stage.xs(held) == Xs{1, 2, 3, 4}));
        CHECK((stage.seen() == Xs{x, x, x, x, x}));
    }
    stage.attachment.release(held);
}

void no_free_slot_waits_for_nobody() {
    Stage stage(3, 2);  // one cell more than never runs out
    Hold first, second, none;
    CHECK(stage.attachment.acquire(first) == Acquired::kHeld);
    stage.owner.request({1, 0});
    CHECK(stage.owner.commit(*stage.filled(1, {1, 1, 1, 1})).result == Commit::kCommitted);
    CHECK(stage.attachment.acquire(second) == Acquired::kHeld);
    CHECK(stage.attachment.acquire(none) == Acquired::kNoCell);
    stage.owner.request({2, 0});
    CHECK(stage.owner.commit(*stage.filled(2, {2, 2, 2, 2})).result == Commit::kCommitted);
    stage.owner.request({3, 0});
    auto waiting = stage.filled(3, {3, 3, 3, 3});
    CHECK(stage.owner.commit(*waiting).result == Commit::kNoFreeSlot);
    CHECK((stage.xs(first) == Xs{0, 0, 0, 0}) && (stage.xs(second) == Xs{1, 1, 1, 1}));
    // The gates come first: without a slot a candidate is still judged.
    CHECK(stage.owner.commit(*stage.filled(3, {3, 3, NAN, 3})).result == Commit::kInvalidMatrix);
    CHECK(stage.owner.commit(*stage.filled(2, {3, 3, 3, 3})).result == Commit::kStaleRevision);
    stage.attachment.release(first);
    CHECK((stage.seen() == Xs{2, 2, 2, 2, 2}));
    CHECK(stage.owner.commit(*waiting).result == Commit::kCommitted);
    stage.attachment.release(second);
    CHECK((stage.seen() == Xs{3, 3, 3, 3, 3}));
    CHECK(stage.attachment.free_cells() == 2);
}

void enough_slots_never_run_out() {
    Stage stage(5, 3);  // cells + 2
    std::vector<Hold> held(3);
    for (std::uint64_t tick = 1; tick < 200; ++tick) {
        stage.owner.request({tick, 0});
        CHECK(stage.owner.commit(*stage.filled(tick, {1, 1, 1, 1})).result == Commit::kCommitted);
        Hold& hold = held[tick % 3];
        if (tick > 3) stage.attachment.release(hold);
        CHECK(stage.attachment.acquire(hold) == Acquired::kHeld);
    }
    for (const Hold& hold : held) stage.attachment.release(hold);
}

void a_topology_is_one_bundle() {
    Stage stage(4, 2, 8);
    const Segment& segment = stage.backing->segment();
    Hold old;
    CHECK(stage.attachment.acquire(old) == Acquired::kHeld);
    auto of_old = stage.filled(0, {1, 2, 3, 4});
    CHECK(of_old->sequence() != 0);
    stage.owner.request({0, 0}, make::topology(6, "clothed"));  // the same revision: a new request all the same
    CHECK(stage.owner.commit(*of_old).result == Commit::kStaleRevision);
    CHECK(stage.seen() == kStart);
    CHECK(stage.owner.commit(*stage.filled(0, {1, 2, 3, 4})).result == Commit::kIncomplete);
    CHECK(stage.owner.commit(*stage.filled(0, {1, 2, 3, 4, 5, 6})).result == Commit::kCommitted);
    Hold now;
    CHECK(stage.attachment.acquire(now) == Acquired::kHeld);
    const Slot& slot = segment.slot(now.slot);
    CHECK(slot.topology_version == 2 && slot.joint_count == 6 && slot.name_bytes == 6 * 8);
    CHECK(std::string(segment.names(now.slot), 8) == "clothed0" && segment.name_ends(now.slot)[5] == 48);
    CHECK(segment.inverse_binds(now.slot)[16 * 5 + 3] == -5);
    // The reader of the old one keeps the whole old bundle.
    CHECK(segment.slot(old.slot).topology_version == 1 && segment.slot(old.slot).joint_count == 4);
    CHECK(std::string(segment.names(old.slot), 6) == "joint0" && (stage.xs(old) == Xs{0, 0, 0, 0}));
    stage.attachment.release(old);
    stage.attachment.release(now);
    // Every slot comes round with the new joints, whatever it held before.
    for (std::uint64_t tick = 1; tick < 10; ++tick) {
        stage.owner.request({tick, 0});
        CHECK(stage.owner.commit(*stage.filled(tick, {1, 2, 3, 4, 5, 6})).result == Commit::kCommitted);
        CHECK(stage.attachment.acquire(now) == Acquired::kHeld);
        CHECK(segment.slot(now.slot).topology_version == 2 && segment.slot(now.slot).joint_count == 6);
        CHECK(std::string(segment.names(now.slot), 8) == "clothed0");
        CHECK(segment.inverse_binds(now.slot)[16 * 5 + 3] == -5);
        stage.attachment.release(now);
    }
}

}  // namespace

int main() {
    fixed_numbers();
    gates_come_in_order();
    every_entry_is_checked();
    currency_is_judged_at_the_end();
    a_candidate_belongs_to_its_request();
    sequences_do_not_wrap();
    twice_is_reported_and_committed();
    what_ends_a_candidate();
    the_first_palette_is_copied();
    a_snapshot_never_changes();
    no_free_slot_waits_for_nobody();
    enough_slots_never_run_out();
    a_topology_is_one_bundle();
    return report();
}
