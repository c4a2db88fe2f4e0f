#include "simplex.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "check.hpp"

namespace {

skinproof::LeastCost solve(const std::vector<double>& costs, const std::vector<std::uint8_t>& allowed,
                           std::vector<double>& weights) {
    const std::size_t n = weights.size();
    std::vector<double> scratch(skinproof::simplex_scratch(n));
    std::vector<std::uint32_t> face(n);
    return skinproof::least_cost(costs, allowed, scratch, face, weights);
}

void the_unit_matrix_shares_evenly() {
    const std::vector<double> unit{1, 0, 0, 0, 1, 0, 0, 0, 1};
    std::vector<double> weights{1, 0, 0};
    const auto all = solve(unit, {1, 1, 1}, weights);
    CHECK_NEAR(all.cost, 1.0 / 3, 1e-15);
    CHECK_NEAR(all.bound, 1.0 / 3, 1e-15);
    for (const double weight : weights) CHECK_NEAR(weight, 1.0 / 3, 1e-15);
    weights = {0.5, 0.5, 0};
    CHECK_NEAR(solve(unit, {1, 1, 0}, weights).cost, 0.5, 1e-15);
    CHECK(weights[2] == 0);
}

// The second image is right behind the first: the best place between them is the first itself.
void a_slot_that_helps_nothing_is_left_out() {
    const std::vector<double> costs{1, 2, 2, 5};
    std::vector<double> weights{0.5, 0.5};
    const auto found = solve(costs, {1, 1}, weights);
    CHECK(found.cost == 1 && found.bound == 1);
    CHECK(weights[0] == 1 && weights[1] == 0);
}

void the_minimum_on_a_face_may_lie_outside_of_it() {
    const std::vector<double> costs{1, 2, 2, 5};
    const std::array<std::uint32_t, 2> face{0, 1};
    std::array<double, 6> scratch{};
    std::array<double, 2> weights{};
    CHECK_NEAR(skinproof::affine_minimum(costs, 2, face, scratch, weights), 0.5, 1e-15);
    CHECK_NEAR(weights[0], 1.5, 1e-15);
    const std::vector<double> singular{1, 1, 1, 1};
    CHECK(skinproof::affine_minimum(singular, 2, face, scratch, weights) == std::numeric_limits<double>::infinity());
}

}  // namespace

int main() {
    the_unit_matrix_shares_evenly();
    a_slot_that_helps_nothing_is_left_out();
    the_minimum_on_a_face_may_lie_outside_of_it();
    return check::result();
}
