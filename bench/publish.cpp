// How fast the publisher is, as ratios against peers of the same run: memcpy, and one uncontended atomic exchange.
// Thread CPU time; rounds of shuffled slices; the 20th percentile of each. Usage: publish [rounds]. Exit 1 below a floor.
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "publish/attachment.hpp"
#include "publish/owner.hpp"

using namespace skinproof::publish;

namespace {

double thread_seconds() {
    timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

template <class T>
void keep(T& value) {
    asm volatile("" : : "g"(&value) : "memory");
}

struct Bench {
    // `calls` of `work` are one slice of about half a millisecond.
    void add(const std::string& name, std::function<void(int)> work) {
        int calls = 16;
        for (;;) {
            const double start = thread_seconds();
            work(calls);
            if (thread_seconds() - start > 3e-4) break;
            calls *= 2;
        }
        works.push_back({name, std::move(work), calls});
    }
    void run(int rounds) {
        std::mt19937 random(1);
        for (int round = 0; round < rounds; ++round) {
            std::shuffle(works.begin(), works.end(), random);
            for (Work& each : works) {
                const double start = thread_seconds();
                each.work(each.calls);
                times[each.name].push_back((thread_seconds() - start) / each.calls * 1e9);
            }
        }
    }
    double ns(const std::string& name) {
        auto& all = times[name];
        std::sort(all.begin(), all.end());
        return all[all.size() / 5];
    }
    struct Work {
        std::string name;
        std::function<void(int)> work;
        int calls;
    };
    std::vector<Work> works;
    std::map<std::string, std::vector<double>> times;
};

Topology topology(std::uint32_t joints) {
    Topology result;
    result.joint_count = joints;
    result.inverse_binds.assign(joints * std::size_t{16}, 1.0f);
    result.name_ends.assign(joints, 0);
    return result;
}

struct Stage {
    Stage(std::uint32_t joints, Shape shape)
        : palette(joints * std::size_t{16}, 1.5f),
          backing(make_memory_backing(shape)),
          owner(backing, topology(joints), palette, {0, 0}),
          attachment(backing, 0),
          candidate(joints) {}
    std::vector<float> palette;
    std::shared_ptr<Backing> backing;
    Owner owner;
    Attachment attachment;
    Candidate candidate;
};

}  // namespace

int main(int count, char** arguments) {
    const int rounds = count > 1 ? std::atoi(arguments[1]) : 15;
    Bench bench;
    const std::vector<std::uint32_t> sizes{64, 256, 1024};
    std::vector<std::unique_ptr<Stage>> stages;
    const CopyFinite copy = copy_finite(best_vectors());
    for (const std::uint32_t joints : sizes) {
        const std::string at = " " + std::to_string(joints);
        stages.push_back(std::make_unique<Stage>(joints, Shape{6, 1, 4, joints, 0}));
        Stage& stage = *stages.back();
        // Both copy between the same lines, and go round the slots as commits of an owner with its default of 4 cells do.
        const Segment& segment = stage.backing->segment();
        bench.add("memcpy" + at, [&stage, &segment](int calls) {
            for (int i = 0; i < calls; ++i) {
                std::memcpy(segment.palette(1 + i % 5), stage.candidate.matrices(), stage.palette.size() * 4);
                keep(*segment.palette(1));
            }
        });
        bench.add("copy_finite" + at, [&stage, &segment, copy](int calls) {
            for (int i = 0; i < calls; ++i) {
                bool finite = copy(segment.palette(1 + i % 5), stage.candidate.matrices(), stage.palette.size() / 16);
                keep(finite);
            }
        });
        bench.add("begin+commit" + at, [&stage, joints](int calls) {
            for (int i = 0; i < calls; ++i) {
                stage.owner.begin(stage.candidate, {0, 0});
                stage.candidate.receive(0, joints);
                if (stage.owner.commit(stage.candidate).result != Commit::kCommitted) std::abort();
            }
        });
        std::copy(stage.palette.begin(), stage.palette.end(), stage.candidate.matrices());
    }
    for (const std::uint32_t rows : {1u, 16u, 64u}) {
        const std::string at = " rows " + std::to_string(rows);
        stages.push_back(std::make_unique<Stage>(64, Shape{8, rows, 4, 64, 0}));
        Stage& stage = *stages.back();
        for (std::uint32_t row = 1; row < rows; ++row) atomic(stage.backing->segment().row(row).token).store(row);
        std::copy(stage.palette.begin(), stage.palette.end(), stage.candidate.matrices());
        bench.add("begin+commit" + at, [&stage](int calls) {
            for (int i = 0; i < calls; ++i) {
                stage.owner.begin(stage.candidate, {0, 0});
                stage.candidate.receive(0, 64);
                if (stage.owner.commit(stage.candidate).result != Commit::kCommitted) std::abort();
            }
        });
        bench.add("acquire+release" + at, [&stage](int calls) {
            Line& cell = stage.backing->segment().cell(0, 0);
            for (int i = 0; i < calls; ++i) {
                Pinned pinned = pin(stage.backing->segment(), cell);
                keep(pinned);
                unpin(cell);
            }
        });
        bench.add("with free list" + at, [&stage](int calls) {
            for (int i = 0; i < calls; ++i) {
                Hold hold;
                if (stage.attachment.acquire(hold) != Acquired::kHeld) std::abort();
                keep(hold);
                stage.attachment.release(hold);
            }
        });
    }
    std::atomic<std::uint64_t> lone{0};
    bench.add("exchange", [&lone](int calls) {
        for (int i = 0; i < calls; ++i) lone.exchange(static_cast<std::uint64_t>(i), std::memory_order_seq_cst);
    });
    // The first 100,000 commits and the next: nothing may grow with what is past.
    Stage& old = *stages[0];
    const auto commits = [&old](int calls) {
        const double start = thread_seconds();
        for (int i = 0; i < calls; ++i) {
            old.owner.begin(old.candidate, {0, 0});
            old.candidate.receive(0, 64);
            old.owner.commit(old.candidate);
        }
        return (thread_seconds() - start) / calls * 1e9;
    };
    double early = commits(20000);
    for (int i = 0; i < 4; ++i) early = std::min(early, commits(20000));
    commits(1000000);
    double late = commits(20000);
    for (int i = 0; i < 4; ++i) late = std::min(late, commits(20000));

    bench.run(rounds);
    bool held = true;
    const char* vectors[] = {"baseline", "AVX2", "AVX-512"};
    const int level = static_cast<int>(best_vectors());
    const double floor = best_vectors() == Vectors::kAvx512 ? 0.9 : 0.6;
    std::printf("copy + finite check with %s, floor %.1fx memcpy\n", vectors[level], floor);
    for (const std::uint32_t joints : sizes) {
        const std::string at = " " + std::to_string(joints);
        const double ratio = bench.ns("memcpy" + at) / bench.ns("copy_finite" + at);
        held &= ratio >= floor;
        std::printf("%5u joints  memcpy %7.1f ns   copy+finite %7.1f ns (%.2fx)   begin+commit %7.1f ns (copy + %.0f ns)\n",
                    joints, bench.ns("memcpy" + at), bench.ns("copy_finite" + at), ratio, bench.ns("begin+commit" + at),
                    bench.ns("begin+commit" + at) - bench.ns("copy_finite" + at));
    }
    for (const std::uint32_t rows : {1u, 16u, 64u}) {
        const std::string at = " rows " + std::to_string(rows);
        const double ratio = bench.ns("acquire+release" + at) / bench.ns("exchange");
        held &= ratio <= 4;
        std::printf("%5u rows    acquire+release %5.1f ns (%.2fx an exchange of %.1f ns, at most 4)   with free list %5.1f ns   "
                    "begin+commit %7.1f ns\n",
                    rows, bench.ns("acquire+release" + at), ratio, bench.ns("exchange"), bench.ns("with free list" + at),
                    bench.ns("begin+commit" + at));
    }
    held &= late < 1.5 * early;
    std::printf("commit after 0.1 M commits %.0f ns, after 1.1 M %.0f ns (at most 1.5x)\n", early, late);
    return held ? 0 : 1;
}
