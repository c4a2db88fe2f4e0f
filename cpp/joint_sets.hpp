// Vertices grouped by the joints that move them. What belongs to a joint set is then looked up once for all of its
// vertices, and they can share what was loaded.
#pragma once

#include <vector>

#include "influences.hpp"

namespace skinproof {

struct JointSet {
    std::size_t first_joint;   // in JointSets::joints
    std::size_t slots;         // how many joints, at least 1
    std::size_t first_vertex;  // in JointSets::vertices
    std::size_t vertices;      // how many vertices, at least 1
};

struct JointSets {
    std::vector<JointSet> sets;            // in the order in which the vertices bring them up
    std::vector<std::uint16_t> joints;     // of each set, ascending; twice where a vertex names a joint twice
    std::vector<std::uint32_t> vertices;   // set after set, ascending in each; those without weights are left out
    std::vector<std::uint32_t> slots;      // for each of `vertices` and each joint of its set: the slot it stands in
};

// Equal sets count as one in whatever order the slots name their joints. Allocates: for plans, not for loops.
template <class Weight>
JointSets group_by_joints(const Influences<Weight>& influences);

}  // namespace skinproof
