// Completeness by joint, over the edges of the bitmap's words, and from many threads.
#include <random>
#include <thread>
#include <vector>

#include "check.hpp"
#include "make.hpp"

using namespace skinproof::publish;

namespace {

std::shared_ptr<const Topology> joints(std::uint32_t count) {
    return std::make_shared<const Topology>(make::topology(count));
}

void ranges_against_a_list() {
    std::mt19937 random(7);
    for (const std::uint32_t count : {1u, 2u, 63u, 64u, 65u, 127u, 128u, 129u, 300u}) {
        Candidate candidate(300);
        for (int round = 0; round < 20; ++round) {
            candidate.begin(1, {}, joints(count));
            std::vector<int> times(count, 0);
            for (int write = 0; write < 12; ++write) {
                const std::uint32_t first = random() % count;
                const std::uint32_t length = random() % (count - first) + 1;
                CHECK(candidate.receive(first, length));
                for (std::uint32_t joint = first; joint < first + length; ++joint) ++times[joint];
            }
            std::vector<std::uint32_t> missing, twice;
            for (std::uint32_t joint = 0; joint < count; ++joint) {
                if (times[joint] == 0) missing.push_back(joint);
                if (times[joint] > 1) twice.push_back(joint);
            }
            CHECK(candidate.missing() == missing && candidate.is_complete() == missing.empty());
            CHECK(candidate.written_twice() == twice && candidate.has_twice() == !twice.empty());
        }
    }
}

void every_single_missing_joint_is_seen() {
    Candidate candidate(130);
    for (std::uint32_t hole = 0; hole < 130; ++hole) {
        candidate.begin(1, {}, joints(130));
        if (hole > 0) candidate.receive(0, hole);
        if (hole < 129) candidate.receive(hole + 1, 129 - hole);
        if (hole > 0) candidate.receive(hole - 1, 1);  // as many writes as joints
        CHECK(!candidate.is_complete() && candidate.missing() == std::vector<std::uint32_t>{hole});
    }
}

void threads_fill_it_together() {
    for (int round = 0; round < 50; ++round) {
        Candidate candidate(256);
        candidate.begin(1, {}, joints(256));
        std::vector<std::thread> jobs;
        for (std::uint32_t job = 0; job < 4; ++job) {
            jobs.emplace_back([&, job] {
                for (std::uint32_t joint = job; joint < 256; joint += 4) {
                    make::translation(candidate.matrices() + 16 * joint, static_cast<float>(joint));
                    candidate.receive(joint, 1);
                }
            });
        }
        while (!candidate.is_complete()) std::this_thread::yield();
        // Seen without a join: the bitmap carries the order.
        bool right = true;
        for (std::uint32_t joint = 0; joint < 256; ++joint)
            right &= candidate.matrices()[16 * joint + 3] == static_cast<float>(joint);
        CHECK(right);
        CHECK(!candidate.has_twice());
        for (std::thread& job : jobs) job.join();
    }
}

}  // namespace

int main() {
    ranges_against_a_list();
    every_single_missing_joint_is_seen();
    threads_fill_it_together();
    return report();
}
