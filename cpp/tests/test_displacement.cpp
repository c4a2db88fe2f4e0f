#include "displacement.hpp"

#include <limits>

#include "check.hpp"
#include "deltas.hpp"
#include "scene.hpp"

namespace {

using scene::OwnedInfluences;
using scene::OwnedPalettes;

struct Totals {
    std::vector<double> max_squared, sum_squared;
    std::vector<std::int64_t> max_pose;

    explicit Totals(std::size_t vertices) : max_squared(vertices), sum_squared(vertices), max_pose(vertices, -1) {}

    void add(const std::vector<double>& positions, const OwnedInfluences<double>& deltas,
             const OwnedPalettes<double>& palettes, std::int64_t first_pose = 0) {
        skinproof::accumulate_displacement(positions, deltas.view(), palettes.view(), first_pose,
                                           {max_squared, max_pose, sum_squared});
    }
};

OwnedInfluences<double> deltas_to(const OwnedInfluences<double>& after) {
    const std::size_t slots = 4 + after.slots;
    OwnedInfluences<double> out{std::vector<std::uint16_t>(slots), std::vector<double>(slots), slots};
    skinproof::delta_influences(scene::contract_full.view(), after.view(), out.joints, out.weights);
    return out;
}

void weight_contract_numbers() {
    Totals normalized(1), cut(1);
    normalized.add(scene::contract_position, deltas_to(scene::contract_normalized), scene::contract_palettes());
    cut.add(scene::contract_position, deltas_to(scene::contract_cut), scene::contract_palettes());
    CHECK_NEAR(std::sqrt(normalized.max_squared[0]), 22 - 16.285714285714285, 1e-14);
    CHECK_NEAR(std::sqrt(cut.max_squared[0]), 22 - 11.4, 1e-14);
}

void a_common_move_cancels_only_if_sums_agree() {
    const auto moved = scene::contract_palettes(2);
    Totals normalized(1), cut(1);
    normalized.add(scene::contract_position, deltas_to(scene::contract_normalized), moved);
    cut.add(scene::contract_position, deltas_to(scene::contract_cut), moved);
    CHECK_NEAR(std::sqrt(normalized.max_squared[0]), 22 - 16.285714285714285, 1e-14);
    CHECK_NEAR(std::sqrt(cut.max_squared[0]), 122 - 81.4, 1e-14);
    CHECK(cut.max_pose[0] == 1);
    CHECK_NEAR(cut.sum_squared[0], 10.6 * 10.6 + 40.6 * 40.6, 1e-14);
}

void blocks_add_up() {
    const OwnedInfluences<double> deltas{{0, 1, 1, 2}, {1, -1, 0.5, -0.5}, 2};
    const std::vector<double> positions{1, 2, 3, 4, 5, 6};
    std::vector<scene::Matrix<double>> all;
    for (int k = 0; k < 15; ++k) all.push_back(scene::translation(k * 7 % 5 * 1.0, k * 3 % 4 * 1.0, k % 6 * 1.0));
    Totals whole(2), parts(2);
    whole.add(positions, deltas, {all, 3}, 100);
    for (int pose = 0; pose < 5; ++pose) {
        parts.add(positions, deltas, {{all.begin() + pose * 3, all.begin() + pose * 3 + 3}, 3}, 100 + pose);
    }
    CHECK(whole.max_squared == parts.max_squared && whole.max_squared[0] > 0);
    CHECK(whole.sum_squared == parts.sum_squared);
    CHECK(whole.max_pose == parts.max_pose && whole.max_pose[0] >= 100);
}

void the_first_of_equal_poses_is_named() {
    Totals totals(1);
    totals.add(scene::contract_position, {{0, 1}, {1, -1}, 2}, scene::contract_palettes(3, 0), 5);
    CHECK(totals.max_pose[0] == 5);
    CHECK(totals.max_squared[0] == 100 && totals.sum_squared[0] == 300);
}

void nothing_moves_without_deltas() {
    Totals totals(1);
    totals.add(scene::contract_position, {{9999}, {0}, 1}, scene::contract_palettes());
    CHECK(totals.max_squared[0] == 0 && totals.sum_squared[0] == 0 && totals.max_pose[0] == -1);
}

void not_a_number_stays() {
    Totals totals(1);
    const auto good = scene::contract_palettes();
    auto bad = good;
    bad.matrices[3] = std::numeric_limits<double>::quiet_NaN();
    const OwnedInfluences<double> deltas{{0, 1}, {1, -1}, 2};
    totals.add(scene::contract_position, deltas, bad, 7);
    totals.add(scene::contract_position, deltas, good, 8);
    totals.add(scene::contract_position, deltas, bad, 9);
    CHECK(std::isnan(totals.max_squared[0]) && std::isnan(totals.sum_squared[0]));
    CHECK(totals.max_pose[0] == 7);
}

void not_a_number_is_further_than_any_number() {
    Totals totals(1);
    const auto good = scene::contract_palettes();
    auto bad = good;
    bad.matrices[3] = std::numeric_limits<double>::quiet_NaN();
    const OwnedInfluences<double> deltas{{0, 1}, {1, -1}, 2};
    totals.add(scene::contract_position, deltas, good, 7);
    CHECK(totals.max_pose[0] == 7 && totals.max_squared[0] == 100);
    totals.add(scene::contract_position, deltas, bad, 8);
    CHECK(std::isnan(totals.max_squared[0]) && totals.max_pose[0] == 8);
}

}  // namespace

int main() {
    weight_contract_numbers();
    a_common_move_cancels_only_if_sums_agree();
    blocks_add_up();
    the_first_of_equal_poses_is_named();
    nothing_moves_without_deltas();
    not_a_number_stays();
    not_a_number_is_further_than_any_number();
    return check::result();
}
