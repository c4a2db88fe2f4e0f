// A topology: which joints there are. Immutable and shared; a palette is only meaningful with its own.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace skinproof::publish {

// The box, in mesh space at bind time, of the vertices that a joint moves: min x y z, max x y z. Empty if min > max.
using JointBox = std::array<float, 6>;

struct Topology {
    std::uint64_t version = 0;               // made by the owner, above every earlier one of the segment
    std::uint32_t joint_count = 0;           // 1 … the segment's capacity
    std::vector<float> inverse_binds;        // [joint_count * 16], row-major, joint_from_mesh at bind time, finite
    std::string names;                       // UTF-8, one after the other
    std::vector<std::uint32_t> name_ends;    // [joint_count], the end of each name in `names`
    std::vector<JointBox> joint_boxes;       // [joint_count], or empty: no bounds
};

}  // namespace skinproof::publish
