// The real core under load: every palette is a function of its revision, and every reader checks all of it.
//
//   stress threads SECONDS READS JOINTS SLOTS   threads of one process, requests racing with commits; ends at the first
//                                               fault
//   stress races SECONDS READS JOINTS SLOTS     the same to the end, for a sanitizer to see what it can
//   stress kill SECONDS KILLS                   processes, one of which is killed every 0.2 … 3.2 ms
//
// Each ends with so many reads or kills, or after SECONDS at the latest; 0 reads or kills: after SECONDS.
// Prints one line of figures `name=value …`; exit 1 if anything was torn, went back, was stale, or stalled.
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "make.hpp"
#include "publish/files.hpp"
#include "publish/owner.hpp"
#include "publish/protocol.hpp"

using namespace skinproof::publish;
using Clock = std::chrono::steady_clock;

namespace {

// In memory that processes share.
struct Figures {
    alignas(64) std::atomic<std::uint64_t> reads;
    alignas(64) std::atomic<std::uint64_t> torn;
    std::atomic<std::uint64_t> backwards;
    std::atomic<std::uint64_t> stale;
    std::atomic<std::uint64_t> errors;
    alignas(64) std::atomic<std::uint64_t> commits;
    alignas(64) std::atomic<bool> stop;
};

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// Entry `i` of the palette of revision `tick`: the bits of a finite float.
std::uint32_t entry(std::uint64_t tick, std::uint32_t i) {
    return (static_cast<std::uint32_t>(tick) * 0x9e3779b1u + i * 0x85ebca77u) & 0x3fffffffu;
}

void fill(float* matrices, std::uint64_t tick, std::uint32_t joints) {
    for (std::uint32_t i = 0; i < joints * 16; ++i) {
        const std::uint32_t bits = entry(tick, i);
        std::memcpy(matrices + i, &bits, 4);
    }
}

bool is_whole(const Segment& segment, const Pinned& hold) {
    const Slot& slot = segment.slot(hold.slot);
    const float* palette = segment.palette(hold.slot);
    std::uint32_t wrong = slot.generation != hold.generation;
    const std::uint64_t tick = slot.tick;
    for (std::uint32_t i = 0; i < slot.joint_count * 16; ++i) {
        std::uint32_t bits;
        std::memcpy(&bits, palette + i, 4);
        wrong |= bits ^ entry(tick, i);
    }
    return wrong == 0;
}

void read(const Segment& segment, std::uint32_t row, std::uint32_t cell_index, Figures& figures, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<std::uint64_t> far(1 << 20);  // stores that miss the cache hold the next ones back in the store buffer
    Line& cell = segment.cell(row, cell_index);
    std::uint64_t last = 0, reads = 0;
    while (!figures.stop.load(std::memory_order_relaxed)) {
        const unsigned dice = random();
        for (unsigned i = 0; i < 4; ++i) *const_cast<volatile std::uint64_t*>(&far[(dice * (i + 1)) & 0xfffff]) = dice;
        // Straight from the protocol: the free list of cells would empty the store buffer just before the pin.
        const Pinned hold = pin(segment, cell);
        if (hold.status != Pin::kPinned) {
            ++figures.errors;
            continue;
        }
        bool whole = is_whole(segment, hold);
        for (unsigned i = 0; i < (dice >> 20 & 7); ++i) whole &= is_whole(segment, hold);  // for a whole, longer draw
        if (!whole) ++figures.torn;
        if (hold.generation < last) ++figures.backwards;
        last = hold.generation;
        unpin(cell);
        if ((++reads & 255) == 0) figures.reads.fetch_add(256, std::memory_order_relaxed);
    }
}

void commit(Owner& owner, Figures& figures, std::uint32_t joints) {
    Candidate candidate(joints);
    while (!figures.stop.load(std::memory_order_relaxed)) {
        const Revision revision = owner.requested();
        owner.begin(candidate, revision);
        fill(candidate.matrices(), revision.tick, joints);
        candidate.receive(0, joints);
        if (owner.commit(candidate).result == Commit::kCommitted) figures.commits.fetch_add(1, std::memory_order_relaxed);
    }
}

// The only one who requests: once its request is in, nothing older may come in again.
void request(Owner& owner, Figures& figures) {
    const Segment& segment = owner.backing().segment();
    for (std::uint64_t tick = 1; !figures.stop.load(std::memory_order_relaxed); ++tick) {
        owner.request({tick, 0});
        const std::uint64_t mine = atomic(segment.control().sequence).load() & kSequenceMask;
        for (int i = 0; i < 200; ++i) {
            if (SKINPROOF_ACT_SEQUENCE(atomic(segment.act()).load()) != mine) ++figures.stale;
        }
    }
}

void print(const Figures& figures) {
    std::printf("reads=%lu commits=%lu torn=%lu backwards=%lu stale=%lu errors=%lu", figures.reads.load(),
                figures.commits.load(), figures.torn.load(), figures.backwards.load(), figures.stale.load(),
                figures.errors.load());
}

bool clean(const Figures& figures) {
    return figures.torn == 0 && figures.backwards == 0 && figures.stale == 0 && figures.errors == 0 && figures.reads > 0;
}

int threads(double seconds, std::uint64_t reads, std::uint32_t joints, std::uint32_t slots, bool to_the_end) {
    Figures figures{};
    const auto backing = make_memory_backing({slots, 1, 4, joints, make::name_bytes(joints)});
    std::vector<float> first(joints * std::size_t{16});
    fill(first.data(), 0, joints);
    Owner owner(backing, make::topology(joints), first, {0, 0});
    std::vector<std::thread> parties;
    for (unsigned i = 0; i < 2; ++i) parties.emplace_back([&, i] { read(backing->segment(), 0, i, figures, i); });
    parties.emplace_back([&] { commit(owner, figures, joints); });
    parties.emplace_back([&] { request(owner, figures); });
    const auto start = Clock::now();
    // A fault shows itself by the first thing that goes wrong; no need to go on.
    while (seconds_since(start) < seconds && (reads == 0 || figures.reads < reads) &&
           (to_the_end || (figures.torn == 0 && figures.stale == 0 && figures.backwards == 0)))
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    figures.stop = true;
    for (std::thread& party : parties) party.join();
    print(figures);
    std::printf(" seconds=%.1f\n", seconds_since(start));
    return clean(figures) ? 0 : 1;
}

constexpr std::uint32_t kJoints = 64;

[[noreturn]] void owner_process(const std::string& name, Figures& figures) {
    for (;;) {
        try {
            std::unique_ptr<Owner> owner;
            try {
                owner = std::make_unique<Owner>(recover_segment(name));
            } catch (const SegmentFailure&) {
                const auto backing = create_segment(name, {3, 8, 2, kJoints, make::name_bytes(kJoints)}, kNoGroup);
                std::vector<float> first(kJoints * 16);
                fill(first.data(), 0, kJoints);
                owner = std::make_unique<Owner>(backing, make::topology(kJoints), first, Revision{0, 0});
            }
            Candidate candidate(kJoints);
            for (std::uint64_t tick = owner->requested().tick + 1;; ++tick) {
                owner->request({tick, 0});
                owner->begin(candidate, {tick, 0});
                fill(candidate.matrices(), tick, kJoints);
                candidate.receive(0, kJoints);
                if (owner->commit(candidate).result == Commit::kCommitted) ++figures.commits;
            }
        } catch (const SegmentFailure&) {
            usleep(100);
        } catch (const std::runtime_error& corrupt) {
            std::printf("owner: %s\n", corrupt.what());
            ++figures.errors;
            _exit(1);
        }
    }
}

[[noreturn]] void reader_process(const std::string& name, Figures& figures, unsigned seed) {
    for (;;) {
        try {
            const Attached attached = attach_segment(name);
            read(attached.backing->segment(), attached.row, seed % 2, figures, seed);
        } catch (const SegmentFailure&) {
            usleep(100);
        }
    }
}

int kill_processes(double seconds, std::uint64_t most_kills) {
    void* shared = mmap(nullptr, sizeof(Figures), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    Figures& figures = *new (shared) Figures{};
    const std::string name = "stress-" + std::to_string(getpid());
    std::uint64_t kills = 0, stalls = 0;
    pid_t processes[3];
    const auto start_process = [&](int which) {
        const pid_t child = fork();
        if (child == 0) {
            if (which == 0) owner_process(name, figures);
            reader_process(name, figures, static_cast<unsigned>(which) + static_cast<unsigned>(kills));
        }
        processes[which] = child;
    };
    const auto kill_process = [&](int which) {
        kill(processes[which], SIGKILL);
        waitpid(processes[which], nullptr, 0);
    };
    for (int which = 0; which < 3; ++which) start_process(which);
    const auto start = Clock::now();
    while (figures.commits == 0 && seconds_since(start) < 10) usleep(1000);
    std::mt19937 random(7);
    while (seconds_since(start) < seconds && (most_kills == 0 || kills < most_kills) && figures.torn == 0) {
        usleep(200 + random() % 3000);
        const int which = static_cast<int>(random() % 3);
        kill_process(which);
        start_process(which);
        if (++kills % 200 == 0) {  // life goes on: commits and reads, within 5 s
            const std::uint64_t commits = figures.commits, reads = figures.reads;
            const auto since = Clock::now();
            while ((figures.commits == commits || figures.reads == reads) && seconds_since(since) < 5) usleep(1000);
            stalls += figures.commits == commits || figures.reads == reads;
        }
    }
    for (int which = 0; which < 3; ++which) kill_process(which);
    const SegmentStatistics all = segment_statistics(name);
    print(figures);
    std::printf(" kills=%lu stalls=%lu rows_reaped=%lu pins_cleared=%lu slots_recovered=%lu seconds=%.1f\n", kills, stalls,
                all.counters[SKINPROOF_ROWS_REAPED], all.counters[SKINPROOF_PINS_CLEARED],
                all.counters[SKINPROOF_SLOTS_RECOVERED], seconds_since(start));
    remove_segment(name);
    return clean(figures) && stalls == 0 && kills > 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
    const std::string mode = count > 3 ? arguments[1] : "";
    const double seconds = count > 3 ? std::atof(arguments[2]) : 0;
    const std::uint64_t least = count > 3 ? std::strtoull(arguments[3], nullptr, 10) : 0;
    if (count == 6 && (mode == "threads" || mode == "races")) {
        const auto number = [&](int at) { return static_cast<std::uint32_t>(std::atoi(arguments[at])); };
        return threads(seconds, least, number(4), number(5), mode == "races");
    }
    if (count == 4 && mode == "kill") return kill_processes(seconds, least);
    std::printf("usage: stress threads|races SECONDS READS JOINTS SLOTS | stress kill SECONDS KILLS\n");
    return 2;
}
