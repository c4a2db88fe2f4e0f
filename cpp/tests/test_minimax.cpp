#include "minimax.hpp"

#include <bit>
#include <cmath>
#include <cstdio>
#include <vector>

#include "check.hpp"
#include "random.hpp"

namespace {

struct Solution {
    std::vector<double> weights, reached, bounds;
};

Solution solve(const std::vector<double>& offsets, std::size_t n, std::size_t poses, std::size_t most,
               std::size_t max_sets = 1000) {
    const std::size_t count = offsets.size() / (n * poses * 3);
    Solution out{std::vector<double>(count * n), std::vector<double>(count), std::vector<double>(count)};
    skinproof::solve_minimax({offsets, count, n, poses}, {most, max_sets, 100, 1e-4},
                             {out.weights, out.reached, out.bounds});
    return out;
}

// Two joints, each right in one of two poses and off by 1 and by 3 in the other: 3/4 and 1/4 leave 3/4 in both, though the
// least mean square is at 9/10.
void two_poses_have_a_closed_form() {
    const Solution found = solve({0, 0, 0, 1, 0, 0, /**/ 0, 3, 0, 0, 0, 0}, 2, 2, 2);
    CHECK_NEAR(found.weights[0], 0.75, 1e-3);
    CHECK_NEAR(found.weights[0] + found.weights[1], 1.0, 1e-15);
    CHECK_NEAR(found.reached[0], 9.0 / 16, 1e-4);
    CHECK(found.bounds[0] <= 9.0 / 16 + 1e-12 && found.bounds[0] >= found.reached[0] * (1 - 1e-4));
}

// Of one slot the one with the smaller maximum, though its mean is larger.
void one_slot_is_the_one_with_the_least_maximum() {
    const Solution found = solve({2, 0, 0, 2, 0, 0, 2, 0, 0, /**/ 3, 0, 0, 0, 0, 0, 0, 0, 0}, 2, 3, 1);
    CHECK(found.weights[0] == 1 && found.weights[1] == 0);
    CHECK(found.reached[0] == 4);
    CHECK_NEAR(found.bounds[0], 4, 1e-4);
}

void what_moves_nothing_is_reached() {
    const Solution zero = solve(std::vector<double>(3 * 2 * 3), 3, 2, 2);
    CHECK(zero.reached[0] == 0 && zero.bounds[0] == 0);
    // Opposite offsets cancel.
    const Solution found = solve({1, 0, 0, -1, 2, 0, /**/ -1, 0, 0, 1, -2, 0}, 2, 2, 2);
    CHECK_NEAR(found.reached[0], 0, 1e-20);
}

// Against a grid over every pair of slots: nothing on it is below the bound, and the best of it is hardly better.
void a_grid_finds_nothing_better() {
    constexpr std::size_t count = 12, n = 5, poses = 9, steps = 2000;
    const std::vector<double> offsets = scene::random_numbers(count * n * poses * 3, 7);
    for (const std::size_t max_sets : {std::size_t{1000}, std::size_t{0}}) {
        const Solution found = solve(offsets, n, poses, 2, max_sets);
        for (std::size_t vertex = 0; vertex < count; ++vertex) {
            const double* d = offsets.data() + vertex * n * poses * 3;
            double best = INFINITY;
            for (std::size_t a = 0; a < n; ++a) {
                for (std::size_t b = a + 1; b < n; ++b) {
                    for (std::size_t step = 0; step <= steps; ++step) {
                        const double t = static_cast<double>(step) / steps;
                        double most = 0;
                        for (std::size_t pose = 0; pose < poses; ++pose) {
                            double square = 0;
                            for (std::size_t axis = 0; axis < 3; ++axis) {
                                const std::size_t at = pose * 3 + axis;
                                const double e = (1 - t) * d[a * poses * 3 + at] + t * d[b * poses * 3 + at];
                                square += e * e;
                            }
                            most = std::fmax(most, square);
                        }
                        best = std::fmin(best, most);
                    }
                }
            }
            CHECK(found.bounds[vertex] <= best);
            CHECK(found.bounds[vertex] <= found.reached[vertex]);
            // With one bound for all sets there may be a gap, and a set that was never tried.
            if (max_sets != 0) CHECK(found.reached[vertex] <= best * (1 + 1e-4));
            if (max_sets != 0) CHECK(found.bounds[vertex] >= best * (1 - 1e-2));
            CHECK(found.bounds[vertex] > 0.1 * best);
        }
    }
}

// What this processor finds is what every other one finds: the bits of all results in one number.
void every_machine_gives_the_same_bits() {
    std::uint64_t number = 0xcbf29ce484222325;
    for (const std::size_t max_sets : {std::size_t{1000}, std::size_t{0}}) {
        const Solution found = solve(scene::random_numbers(10 * 7 * 20 * 3, 8), 7, 20, 3, max_sets);
        for (const auto* results : {&found.weights, &found.reached, &found.bounds}) {
            for (const double result : *results) {
                number = (number ^ std::bit_cast<std::uint64_t>(result)) * 0x100000001b3;
            }
        }
    }
    std::printf("the bits of all results: %#llx\n", static_cast<unsigned long long>(number));
    CHECK(number == 0x32f7fb5e6ca642b8);
}

}  // namespace

int main() {
    two_poses_have_a_closed_form();
    one_slot_is_the_one_with_the_least_maximum();
    what_moves_nothing_is_reached();
    a_grid_finds_nothing_better();
    every_machine_gives_the_same_bits();
    return check::result();
}
