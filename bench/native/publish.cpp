// The publisher's steps, many at a time, for bench/publish.py: a single one is shorter than a call from Python.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <vector>

#include "bench.hpp"
#include "publish/attachment.hpp"
#include "publish/owner.hpp"
#include "tests/publish/make.hpp"

using namespace skinproof::publish;

namespace {

enum class Step : std::uint32_t { kMemcpy, kCopyFinite, kCommit, kPin, kAcquire, kExchange };

std::vector<float> some_palette(std::uint32_t joints) {
    std::vector<float> palette(joints * std::size_t{16});
    for (std::size_t entry = 0; entry < palette.size(); ++entry) palette[entry] = 0.25f * static_cast<float>(entry) - 9;
    return palette;
}

struct Stage {
    Stage(const Shape& shape, Vectors vectors)
        : palette(some_palette(shape.joint_capacity)),
          backing(make_memory_backing(shape)),
          owner(backing, make::topology(shape.joint_capacity), std::vector<float>(palette.size()), {0, 0}),
          attachment(backing, 0),
          candidate(shape.joint_capacity),
          copy(copy_finite(vectors)) {
        std::copy(palette.begin(), palette.end(), candidate.matrices());
        // Rows of other processes, which hold nothing: a commit looks at them.
        for (std::uint32_t row = 1; row < shape.rows; ++row) atomic(backing->segment().row(row).token).store(row);
    }
    const Segment& segment() const noexcept { return backing->segment(); }

    std::vector<float> palette;
    std::shared_ptr<Backing> backing;
    Owner owner;
    Attachment attachment;
    Candidate candidate;
    CopyFinite copy;
    std::atomic<std::uint64_t> lone{0};
};

// The compiler must not see that nothing is done with it.
template <class T>
void keep(T& value) {
    asm volatile("" : : "g"(&value) : "memory");
}

bool commit(Stage& stage) {
    stage.owner.begin(stage.candidate, {0, 0});
    stage.candidate.receive(0, stage.candidate.joint_count());
    return stage.owner.commit(stage.candidate).result == Commit::kCommitted;
}

bool pin_once(Stage& stage) {
    Line& cell = stage.segment().cell(0, 0);
    Pinned pinned = pin(stage.segment(), cell);
    keep(pinned);
    unpin(cell);
    return pinned.status == Pin::kPinned;
}

bool acquire(Stage& stage) {
    Hold hold;
    if (stage.attachment.acquire(hold) != Acquired::kHeld) return false;
    keep(hold);
    stage.attachment.release(hold);
    return true;
}

}  // namespace

// An owner in memory, as the package makes one by default: as many slots as `rows` of `cells` cells need, at most 18.
// `instruction_set` chooses the copy.
SKINPROOF_BENCH_EXPORT Stage* skinproof_bench_stage(std::uint32_t joints, std::uint32_t rows, std::uint32_t cells,
                                                    const char* instruction_set) {
    const Shape shape{std::min(rows * cells + 2, 18u), rows, cells, joints, make::name_bytes(joints)};
    const bool avx512 = std::strcmp(instruction_set, "x86-64-v4") == 0;
    const bool avx2 = std::strcmp(instruction_set, "x86-64-v3") == 0;
    return new Stage(shape, avx512 ? Vectors::kAvx512 : avx2 ? Vectors::kAvx2 : Vectors::kBaseline);
}

SKINPROOF_BENCH_EXPORT void skinproof_bench_unstage(Stage* stage) { delete stage; }

// Takes a step `times` times; how many of them did what they should.
SKINPROOF_BENCH_EXPORT std::uint32_t skinproof_bench_step(Stage* stage, Step step, std::uint32_t times) {
    // Both copies go round the slots from the same source, as commits do.
    const Segment& segment = stage->segment();
    const std::uint32_t matrices = segment.shape.joint_capacity, free_slots = segment.shape.slots - 1;
    const float* source = stage->candidate.matrices();
    std::uint32_t done = 0;
    switch (step) {
        case Step::kMemcpy:
            for (std::uint32_t i = 0; i < times; ++i, ++done) {
                std::memcpy(segment.palette(1 + i % free_slots), source, std::size_t{matrices} * 64);
                keep(*segment.palette(1));
            }
            break;
        case Step::kCopyFinite:
            for (std::uint32_t i = 0; i < times; ++i) {
                bool finite = stage->copy(segment.palette(1 + i % free_slots), source, matrices);
                keep(finite);
                done += finite;
            }
            break;
        case Step::kCommit:
            for (std::uint32_t i = 0; i < times; ++i) done += commit(*stage);
            break;
        case Step::kPin:
            for (std::uint32_t i = 0; i < times; ++i) done += pin_once(*stage);
            break;
        case Step::kAcquire:
            for (std::uint32_t i = 0; i < times; ++i) done += acquire(*stage);
            break;
        case Step::kExchange:
            for (std::uint32_t i = 0; i < times; ++i, ++done) stage->lone.exchange(i, std::memory_order_seq_cst);
            break;
    }
    return done;
}

// How many slots hold the whole palette; then wipes them all, so that the next step cannot live on this one's work.
SKINPROOF_BENCH_EXPORT std::uint32_t skinproof_bench_whole_slots(Stage* stage) {
    std::uint32_t whole = 0;
    const std::size_t bytes = stage->palette.size() * sizeof(float);
    for (std::uint32_t slot = 0; slot < stage->segment().shape.slots; ++slot) {
        whole += std::memcmp(stage->segment().palette(slot), stage->palette.data(), bytes) == 0;
        std::memset(stage->segment().palette(slot), 0, bytes);
    }
    return whole;
}
