#include "joint_sets.hpp"

#include "check.hpp"
#include "scene.hpp"

namespace {

using Vertices = std::vector<std::uint32_t>;

skinproof::JointSets grouped(const scene::OwnedInfluences<double>& influences) {
    return skinproof::group_by_joints(influences.view());
}

void the_order_of_slots_does_not_matter() {
    const auto found = grouped({{7, 3, 3, 7, 7, 3}, {0.1, 0.9, 0.2, 0.8, 0.3, 0.7}, 2});
    CHECK(found.sets.size() == 1 && found.sets[0].slots == 2 && found.sets[0].vertices == 3);
    CHECK(found.joints == (std::vector<std::uint16_t>{3, 7}));
    CHECK(found.vertices == (Vertices{0, 1, 2}));
    CHECK(found.slots == (Vertices{1, 0, 0, 1, 1, 0}));
}

void sets_stand_in_the_order_in_which_they_come_up() {
    const auto found = grouped({{5, 1, 5, 9, 1}, {1, 1, 1, 1, 1}, 1});
    CHECK(found.joints == (std::vector<std::uint16_t>{5, 1, 9}));
    CHECK(found.vertices == (Vertices{0, 2, 1, 4, 3}));
    CHECK(found.sets[1].first_vertex == 2 && found.sets[2].first_vertex == 4);
}

void empty_slots_name_no_joint() {
    const auto found = grouped({{65535, 2, 2, 65535, 8, 8}, {0, 1, 1, -0.0, 0, 0}, 2});
    CHECK(found.sets.size() == 1 && found.sets[0].slots == 1);
    CHECK(found.vertices == (Vertices{0, 1}));
    CHECK(found.slots == (Vertices{1, 0}));
}

void a_joint_named_twice_keeps_both_slots() {
    const auto found = grouped({{4, 2, 4}, {0.5, 0.25, 0.25}, 3});
    CHECK(found.joints == (std::vector<std::uint16_t>{2, 4, 4}));
    CHECK(found.slots == (Vertices{1, 0, 2}));
}

void a_part_of_a_set_is_another_set() {
    const auto found = grouped({{1, 2, 1, 0}, {0.5, 0.5, 1, 0}, 2});
    CHECK(found.sets.size() == 2 && found.sets[1].slots == 1);
}

void no_vertices_have_no_sets() {
    CHECK(grouped({{}, {}, 4}).sets.empty());
    CHECK(grouped({{1, 1}, {0, 0}, 1}).sets.empty());
}

}  // namespace

int main() {
    the_order_of_slots_does_not_matter();
    sets_stand_in_the_order_in_which_they_come_up();
    empty_slots_name_no_joint();
    a_joint_named_twice_keeps_both_slots();
    a_part_of_a_set_is_another_set();
    no_vertices_have_no_sets();
    return check::result();
}
