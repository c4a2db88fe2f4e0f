// Small palettes, topologies and owners for the tests, the stress and the benchmark. A palette's matrices are translations along x.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "publish/attachment.hpp"
#include "publish/owner.hpp"

namespace skinproof::publish::make {

inline void translation(float* matrix, float x) {
    for (int i = 0; i < 16; ++i) matrix[i] = i % 5 == 0 ? 1.0f : 0.0f;
    matrix[3] = x;
}

inline std::vector<float> palette(std::initializer_list<float> xs) {
    std::vector<float> matrices(xs.size() * 16);
    std::size_t joint = 0;
    for (const float x : xs) translation(&matrices[16 * joint++], x);
    return matrices;
}

inline Topology topology(std::uint32_t joints, const std::string& prefix = "joint") {
    Topology result;
    result.joint_count = joints;
    for (std::uint32_t joint = 0; joint < joints; ++joint) {
        result.names += prefix + std::to_string(joint);
        result.name_ends.push_back(static_cast<std::uint32_t>(result.names.size()));
        std::vector<float> bind(16);
        translation(bind.data(), -static_cast<float>(joint));
        result.inverse_binds.insert(result.inverse_binds.end(), bind.begin(), bind.end());
    }
    return result;
}

// Room for the names of such a topology.
inline std::uint32_t name_bytes(std::uint32_t joints) { return joints * 16; }

// An owner in memory with four joints at the identity, at revision 0, and its process's attachment.
struct Stage {
    explicit Stage(std::uint32_t slots = 4, std::uint32_t cells = 2, std::uint32_t capacity = 8)
        : backing(make_memory_backing({slots, 1, cells, capacity, 1024})),
          owner(backing, topology(4), palette({0, 0, 0, 0}), Revision{0, 0}),
          attachment(backing, 0),
          capacity(capacity) {}

    std::unique_ptr<Candidate> begin(std::uint64_t tick) {
        auto candidate = std::make_unique<Candidate>(capacity);
        owner.begin(*candidate, Revision{tick, 0});
        return candidate;
    }
    std::unique_ptr<Candidate> filled(std::uint64_t tick, std::initializer_list<float> xs) {
        auto candidate = begin(tick);
        std::uint32_t joint = 0;
        for (const float x : xs) write(*candidate, joint++, x);
        return candidate;
    }
    static bool write(Candidate& candidate, std::uint32_t joint, float x) {
        translation(candidate.matrices() + 16 * joint, x);
        return candidate.receive(joint, 1);
    }
    std::vector<float> xs(const Hold& hold) const {
        std::vector<float> result;
        for (std::uint32_t joint = 0; joint < backing->segment().slot(hold.slot).joint_count; ++joint)
            result.push_back(backing->segment().palette(hold.slot)[16 * joint + 3]);
        return result;
    }
    // What a draw that begins now sees: the active revision's tick, then the x of every joint.
    std::vector<float> seen() {
        Hold hold;
        if (attachment.acquire(hold) != Acquired::kHeld) return {};
        std::vector<float> result{static_cast<float>(backing->segment().slot(hold.slot).tick)};
        for (const float x : xs(hold)) result.push_back(x);
        attachment.release(hold);
        return result;
    }
    std::uint64_t counter(skinproof_counter which) const {
        return atomic(backing->segment().counter(which)).load(std::memory_order_relaxed);
    }

    std::shared_ptr<Backing> backing;
    Owner owner;
    Attachment attachment;
    std::uint32_t capacity;
};

}  // namespace skinproof::publish::make
