// The protocol's steps one at a time, between which another party's steps are put by hand.
#include <thread>
#include <vector>

#include "check.hpp"
#include "make.hpp"

using namespace skinproof::publish;
using make::Stage;

namespace {

void a_slot_being_written_cannot_be_pinned() {
    Stage stage(3, 1);
    const Segment& segment = stage.backing->segment();
    Line& cell = segment.cell(0, 0);
    const std::uint64_t before = atomic(segment.act()).load();
    CHECK(take(segment, 0));  // the active slot: never done by the owner, but what a late reader of `act` meets
    CHECK((atomic(segment.generation(0)).load() & SKINPROOF_WRITING) != 0);
    CHECK(pin(segment, cell).status == Pin::kCorrupt);  // gives up at last; nothing is pinned
    CHECK(atomic(cell).load() == 0 && atomic(segment.act()).load() == before);
    seal(segment, 0, 1);
    const Pinned pinned = pin(segment, cell);
    CHECK(pinned.status == Pin::kPinned && pinned.generation == 1 && pinned.retries == 0 && atomic(cell).load() == 1);
    CHECK(!take(segment, 0));  // pinned: it is as it was
    CHECK(atomic(segment.generation(0)).load() == 1);
    unpin(cell);
    CHECK(take(segment, 0));
}

void the_oldest_slot_is_taken_first() {
    Stage stage(5, 2);
    const Segment& segment = stage.backing->segment();
    for (std::uint32_t slot = 1; slot < 5; ++slot) seal(segment, slot, 10 - slot);
    Line& cell = segment.cell(0, 1);
    CHECK(take_any(segment) == 4);
    seal(segment, 4, 20);
    atomic(cell).store(3 + 1);
    CHECK(take_any(segment) == 2);  // 3 is older, but pinned
    discard(segment, 2);
    CHECK(take_any(segment) == 2);  // void comes first
    seal(segment, 2, 21);
    atomic(cell).store(0);
    CHECK(take_any(segment) == 3);
}

void nothing_to_take() {
    Stage stage(2, 2);
    const Segment& segment = stage.backing->segment();
    atomic(segment.cell(0, 0)).store(1 + 1);
    CHECK(take_any(segment) == kNoSlot);
    CHECK(atomic(segment.generation(1)).load() == 0);
    atomic(segment.cell(0, 0)).store(0);
    CHECK(take_any(segment) == 1);
}

void a_request_between_check_and_exchange() {
    Stage stage(3, 1);
    const Segment& segment = stage.backing->segment();
    const std::uint64_t act = atomic(segment.act()).load();
    CHECK(take(segment, 1));
    seal(segment, 1, 2);
    request(segment, 2);
    CHECK(!exchange(segment, 1, 2, 1));
    CHECK(SKINPROOF_ACT_SLOT(atomic(segment.act()).load()) == SKINPROOF_ACT_SLOT(act));
    CHECK(SKINPROOF_ACT_GENERATION(atomic(segment.act()).load()) == SKINPROOF_ACT_GENERATION(act));
    CHECK(exchange(segment, 1, 2, 2));
    CHECK(atomic(segment.act()).load() == pack(2, 2, 1));
}

void a_wild_commit_word_is_an_error() {
    Stage stage(3, 1);
    const Segment& segment = stage.backing->segment();
    atomic(segment.act()).store(pack(1, 1, 200));
    Hold hold;
    CHECK(stage.attachment.acquire(hold) == Acquired::kCorrupt);
    CHECK(stage.attachment.free_cells() == 1);
}

void recovery() {
    Stage stage(4, 2);
    const Segment& segment = stage.backing->segment();
    stage.owner.request({5, 3});
    auto committed = std::make_unique<Candidate>(8u);
    stage.owner.begin(*committed, {5, 3});
    for (std::uint32_t joint = 0; joint < 4; ++joint) Stage::write(*committed, joint, 5);
    CHECK(stage.owner.commit(*committed).result == Commit::kCommitted);
    stage.owner.request({6, 3});
    // Dies here: one slot half written, one sealed and not published, and the owner's own pin left.
    const std::uint32_t half = take_any(segment);
    segment.palette(half)[0] = 12345;
    atomic(segment.generation(half)).store(SKINPROOF_WRITING | 7);
    const std::uint32_t active = SKINPROOF_ACT_SLOT(atomic(segment.act()).load());
    std::uint32_t sealed = 0;
    while (sealed == half || sealed == active) ++sealed;
    seal(segment, sealed, 9);
    atomic(segment.cell(0, 1)).store(half + 1);

    Owner heir(stage.backing);
    CHECK(heir.topology()->joint_boxes.empty());
    CHECK(stage.seen() == (std::vector<float>{5, 5, 5, 5, 5}));
    CHECK(heir.requested() == (Revision{5, 3}) && heir.topology()->joint_count == 4);
    CHECK(heir.topology()->names == "joint0joint1joint2joint3");
    CHECK(atomic(segment.cell(0, 1)).load() == 0);
    CHECK(atomic(segment.generation(half)).load() == SKINPROOF_WRITING);
    CHECK(stage.counter(SKINPROOF_SLOTS_RECOVERED) == 1);
    auto next = std::make_unique<Candidate>(8u);
    heir.begin(*next, {5, 3});
    for (std::uint32_t joint = 0; joint < 4; ++joint) Stage::write(*next, joint, 6);
    CHECK(heir.commit(*next).result == Commit::kCommitted);
    CHECK(SKINPROOF_ACT_GENERATION(atomic(segment.act()).load()) == 10);  // above every one seen
    CHECK(SKINPROOF_ACT_SEQUENCE(atomic(segment.act()).load()) == 4);     // 1, requests 2 and 3, the heir's own

    Topology boxed = make::topology(2);
    boxed.joint_boxes = {{-1, -2, -3, 1, 2, 3}, {0, 0, 0, 4, 5, 6}};
    heir.request({7, 0}, boxed);
    heir.begin(*next, {7, 0});
    for (std::uint32_t joint = 0; joint < 2; ++joint) Stage::write(*next, joint, 10);
    CHECK(heir.commit(*next).result == Commit::kCommitted);
    Owner second_heir(stage.backing);
    CHECK(second_heir.topology()->joint_boxes == boxed.joint_boxes && second_heir.topology()->version == 2);
    second_heir.begin(*next, {7, 0});
    for (std::uint32_t joint = 0; joint < 2; ++joint) Stage::write(*next, joint, 20);
    CHECK(second_heir.commit(*next).result == Commit::kCommitted);
    const Slot& last = segment.slot(SKINPROOF_ACT_SLOT(atomic(segment.act()).load()));
    CHECK(last.has_bounds != 0 && last.bounds[0] == 19 && last.bounds[3] == 24 && last.bounds[5] == 6);

    const auto refuses = [&] {
        try {
            Owner bad(stage.backing);
        } catch (const std::runtime_error&) {
            return true;
        }
        return false;
    };
    const std::uint64_t act = atomic(segment.act()).load();
    atomic(segment.act()).store(pack(6, 12, 77));
    CHECK(refuses());
    atomic(segment.act()).store(pack(6, 13, SKINPROOF_ACT_SLOT(act)));
    CHECK(refuses());
    atomic(segment.act()).store(act);
    segment.slot(SKINPROOF_ACT_SLOT(act)).joint_count = 9;
    CHECK(refuses());
    segment.slot(SKINPROOF_ACT_SLOT(act)).joint_count = 2;
    segment.name_ends(SKINPROOF_ACT_SLOT(act))[1] = 4000000000u;
    CHECK(refuses());
}

void threads_share_a_row() {
    Stage stage(12, 8);
    std::atomic<int> torn{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t) {
        threads.emplace_back([&] {
            for (int i = 0; i < 20000; ++i) {
                Hold a, b;
                if (stage.attachment.acquire(a) != Acquired::kHeld || stage.attachment.acquire(b) != Acquired::kHeld) {
                    ++torn;
                    return;
                }
                if (b.generation < a.generation || a.cell == b.cell) ++torn;
                const auto xs = stage.xs(a);
                for (const float x : xs) torn += x != xs[0];
                stage.attachment.release(a);
                stage.attachment.release(b);
            }
        });
    }
    auto candidate = std::make_unique<Candidate>(8u);
    for (std::uint64_t tick = 1; tick < 20000; ++tick) {
        stage.owner.request({tick, 0});
        stage.owner.begin(*candidate, {tick, 0});
        for (std::uint32_t joint = 0; joint < 4; ++joint) Stage::write(*candidate, joint, static_cast<float>(tick));
        if (stage.owner.commit(*candidate).result != Commit::kCommitted) ++torn;
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(torn == 0);
    CHECK(stage.attachment.free_cells() == 8);
}

// Commits may be under way in other threads: each is judged before the end, or finds its candidate over.
void a_closed_owner_publishes_nothing() {
    make::Stage stage;
    stage.owner.request({1, 0});
    const auto candidate = stage.filled(1, {1, 2, 3, 4});
    stage.owner.close();
    CHECK(stage.owner.commit(*candidate).result == Commit::kOver);
    CHECK(stage.seen() == (std::vector<float>{0, 0, 0, 0, 0}));
    stage.owner.close();
}

}  // namespace

int main() {
    a_slot_being_written_cannot_be_pinned();
    the_oldest_slot_is_taken_first();
    nothing_to_take();
    a_request_between_check_and_exchange();
    a_wild_commit_word_is_an_error();
    recovery();
    threads_share_a_row();
    a_closed_owner_publishes_nothing();
    return report();
}
