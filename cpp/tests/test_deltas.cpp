#include "deltas.hpp"

#include "check.hpp"
#include "scene.hpp"

namespace {

using scene::OwnedInfluences;

OwnedInfluences<double> difference(const OwnedInfluences<double>& before, const OwnedInfluences<double>& after) {
    const std::size_t size = before.joints.size() + after.joints.size();
    OwnedInfluences<double> out{std::vector<std::uint16_t>(size, 7), std::vector<double>(size, 7),
                                before.slots + after.slots};
    skinproof::delta_influences(before.view(), after.view(), out.joints, out.weights);
    return out;
}

void check_equal(const OwnedInfluences<double>& found, const std::vector<std::uint16_t>& joints,
                 const std::vector<double>& weights) {
    CHECK(found.joints == joints);
    CHECK(found.weights == weights);
}

void joints_ascend_and_zeros_go() {
    check_equal(difference({{9, 2, 5}, {0.5, 0.25, 0.25}, 3}, {{5, 9}, {0.25, 0.75}, 2}), {2, 9, 0, 0, 0},
                {0.25, -0.25, 0, 0, 0});
}

void order_of_slots_does_not_matter() {
    const auto one = difference({{3, 1, 2}, {0.1, 0.2, 0.7}, 3}, {{1, 4}, {0.3, 0.7}, 2});
    const auto other = difference({{2, 3, 1}, {0.7, 0.1, 0.2}, 3}, {{4, 1}, {0.7, 0.3}, 2});
    CHECK(one.joints == other.joints && one.weights == other.weights);
    CHECK(one.joints == (std::vector<std::uint16_t>{1, 2, 3, 4, 0}));
}

void equal_influences_leave_nothing() {
    check_equal(difference({{3, 8}, {0.1, 0.9}, 2}, {{8, 3, 6}, {0.9, 0.1, 0.0}, 3}), {0, 0, 0, 0, 0},
                {0, 0, 0, 0, 0});
}

void empty_slots_name_no_joint() {
    check_equal(difference({{65535, 1}, {-0.0, 1}, 2}, {{65535}, {0.0}, 1}), {1, 0, 0}, {1, 0, 0});
}

void a_joint_twice_counts_with_its_sum() {
    check_equal(difference({{5, 5, 2}, {0.25, 0.5, 0.25}, 3}, {{5}, {1}, 1}), {2, 5, 0, 0}, {0.25, -0.25, 0, 0});
}

void vertices_keep_apart() {
    check_equal(difference({{1, 2}, {1, 1}, 1}, {{1, 3}, {0.5, 1}, 1}), {1, 0, 2, 3}, {0.5, 0, 1, -1});
}

}  // namespace

int main() {
    joints_ascend_and_zeros_go();
    order_of_slots_does_not_matter();
    equal_influences_leave_nothing();
    empty_slots_name_no_joint();
    a_joint_twice_counts_with_its_sum();
    vertices_keep_apart();
    return check::result();
}
