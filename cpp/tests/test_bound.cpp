#include "bound.hpp"

#include <limits>

#include "check.hpp"
#include "scene.hpp"

namespace {

using scene::OwnedInfluences;
using scene::OwnedPalettes;

double bound(const OwnedInfluences<double>& deltas, const OwnedPalettes<double>& palettes,
             const std::vector<double>& position = scene::contract_position, double start = 0) {
    std::vector<double> images(deltas.slots * 3), max_bound{start};
    skinproof::accumulate_bound(position, deltas.view(), palettes.view(), images, max_bound);
    return max_bound[0];
}

// Full to normalized in the contract's example, by hand.
const OwnedInfluences<double> contract_deltas{
    {0, 1, 2, 3, 0}, {0.4 - 4.0 / 7, 0.3 - 3.0 / 7, 0.2, 0.1, 0}, 5};

void dropped_mass_times_diameter() {
    CHECK_NEAR(bound(contract_deltas, scene::contract_palettes()), 0.3 * 30, 1e-14);
    // Where all joints go together nothing changes, if the sums agree.
    CHECK_NEAR(bound(contract_deltas, scene::contract_palettes(4)), 0.3 * 30, 1e-12);
}

void weight_that_vanishes_counts_with_the_distance_from_the_origin() {
    // Nothing but joint 3 lost 0.5: its image is at 42.
    CHECK_NEAR(bound({{3}, {0.5}, 1}, scene::contract_palettes()), 21, 1e-15);
    CHECK_NEAR(bound({{3}, {-0.5}, 1}, scene::contract_palettes()), 21, 1e-15);
    // 0.2 goes from joint 0 to joint 1 (10 apart), 0.3 more vanishes (22 at most).
    CHECK_NEAR(bound({{0, 1}, {-0.2, 0.5}, 2}, scene::contract_palettes()), 0.2 * 10 + 0.3 * 22, 1e-15);
}

void joints_that_keep_their_weight_do_not_count() {
    CHECK_NEAR(bound({{0, 9999, 1}, {0.5, 0, -0.5}, 3}, scene::contract_palettes()), 0.5 * 10, 1e-15);
}

void the_largest_pose_stays() {
    const OwnedPalettes<double> palettes({scene::translation(0.0, 0.0, 0.0), scene::translation(0.0, 3.0, 4.0),
                                          scene::translation(0.0, 0.0, 0.0), scene::translation(1.0, 0.0, 0.0)},
                                         2);
    CHECK_NEAR(bound({{0, 1}, {1, -1}, 2}, palettes), 5, 1e-15);
    CHECK(bound({{0, 1}, {1, -1}, 2}, palettes, {0, 0, 0}, 8.5) == 8.5);
}

void not_a_number_stays() {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    auto palettes = scene::contract_palettes(2);
    palettes.matrices[3] = nan;
    CHECK(std::isnan(bound({{0, 1}, {1, -1}, 2}, palettes)));
    CHECK(std::isnan(bound({{1, 0}, {1, -1}, 2}, palettes)));
    CHECK(std::isnan(bound({{1, 2}, {nan, -1}, 2}, palettes)));
}

}  // namespace

int main() {
    dropped_mass_times_diameter();
    weight_that_vanishes_counts_with_the_distance_from_the_origin();
    joints_that_keep_their_weight_do_not_count();
    the_largest_pose_stays();
    not_a_number_stays();
    return check::result();
}
