#include "skin.hpp"

#include "check.hpp"
#include "scene.hpp"

namespace {

using scene::OwnedInfluences;
using scene::OwnedPalettes;

double skinned_x(const OwnedInfluences<double>& influences, const OwnedPalettes<double>& palettes) {
    std::vector<double> out(3 * palettes.view().poses, -1);
    skinproof::skin_positions<double>(scene::contract_position, influences.view(), palettes.view(), out);
    CHECK(out[out.size() - 2] == 0 && out[out.size() - 1] == 0);
    return out[out.size() - 3];  // of the last pose
}

void weight_contract_numbers() {
    const auto once = scene::contract_palettes(), moved = scene::contract_palettes(2);
    CHECK_NEAR(skinned_x(scene::contract_full, once), 22, 1e-15);
    CHECK_NEAR(skinned_x(scene::contract_cut, once), 11.4, 1e-15);
    CHECK_NEAR(skinned_x(scene::contract_normalized, once), 16.285714285714285, 1e-15);
    CHECK_NEAR(skinned_x(scene::contract_full, moved), 122, 1e-15);
    CHECK_NEAR(skinned_x(scene::contract_cut, moved), 81.4, 1e-15);
    CHECK_NEAR(skinned_x(scene::contract_normalized, moved), 116.285714285714285, 1e-15);
}

void rows_are_rows() {
    // Every entry of the matrix has a part of its own in the result.
    const OwnedPalettes<float> palettes({{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0, 0, 0, 1}}, 1);
    const OwnedInfluences<float> influences{{0}, {1}, 1};
    const std::vector<float> position{1, 10, 100};
    std::vector<float> out(3);
    skinproof::skin_positions<float>(position, influences.view(), palettes.view(), out);
    CHECK(out[0] == 325 && out[1] == 773 && out[2] == 1221);
}

void empty_slots_are_never_looked_up() {
    const auto palettes = scene::contract_palettes();
    CHECK(skinned_x({{65535, 1, 65535}, {0.0, 1.0, -0.0}, 3}, palettes) == 22);
    CHECK(skinned_x({{65535}, {0.0}, 1}, palettes) == 0);
}

void every_vertex_and_pose_has_its_place() {
    const auto palettes = scene::contract_palettes(3, 1000);
    const OwnedInfluences<double> influences{{0, 3}, {1, 1}, 1};
    const std::vector<double> positions{1, 2, 3, 4, 5, 6};
    std::vector<double> out(3 * 2 * 3);
    skinproof::skin_positions<double>(positions, influences.view(), palettes.view(), out);
    for (std::size_t pose = 0; pose < 3; ++pose) {
        CHECK(out[pose * 6] == 11 + 1000.0 * static_cast<double>(pose));
        CHECK(out[pose * 6 + 3] == 44 + 1000.0 * static_cast<double>(pose));
        CHECK(out[pose * 6 + 1] == 2 && out[pose * 6 + 5] == 6);
    }
}

}  // namespace

int main() {
    weight_contract_numbers();
    rows_are_rows();
    empty_slots_are_never_looked_up();
    every_vertex_and_pose_has_its_place();
    return check::result();
}
