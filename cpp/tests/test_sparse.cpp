#include "sparse.hpp"

#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>

#include "check.hpp"
#include "random.hpp"

namespace {

struct Solution {
    std::vector<double> weights, least, bounds;
    std::vector<std::uint8_t> endings;
};

Solution solve(const std::vector<double>& costs, std::size_t n, std::size_t most, std::size_t max_faces = 1000,
               const skinproof::Kernels& kernels = *skinproof::runnable_kernels().back()) {
    const std::size_t count = costs.size() / (n * n);
    const std::vector<double> sizes(count);
    const skinproof::SparseProblems problems{costs, sizes, count, n};
    const skinproof::SparseOptions options{most, max_faces, 1000};
    skinproof::SparseScratch scratch(problems, options, kernels);
    Solution out{std::vector<double>(count * n), std::vector<double>(count), std::vector<double>(count),
                 std::vector<std::uint8_t>(count)};
    skinproof::solve_sparse(problems, options, scratch, {out.weights, out.least, out.bounds, out.endings});
    return out;
}

// Ten times the same problem, so that some go side by side and two alone; the seventh has nothing to decide.
void every_lane_and_the_rest_are_the_same() {
    constexpr std::size_t n = 3;
    const std::vector<double> one{4, -2, 1, -2, 2, 0, 1, 0, 9};
    std::vector<double> costs;
    for (int k = 0; k < 10; ++k) costs.insert(costs.end(), one.begin(), one.end());
    costs[6 * 9 + 1] = costs[6 * 9 + 3] = std::numeric_limits<double>::quiet_NaN();
    const Solution faces = solve(costs, n, 2), branching = solve(costs, n, 2, 0);
    for (std::size_t k = 0; k < 10; ++k) {
        const double* w = &faces.weights[k * n];
        if (k == 6) {
            CHECK(w[0] == 1 && w[1] == 0 && w[2] == 0);
            CHECK(faces.endings[k] == 2);
            continue;
        }
        // Of the faces {0,1}: t = (2 + 2) / (4 + 2 + 4).
        CHECK_NEAR(w[0], 0.4, 1e-11);
        CHECK_NEAR(w[1], 0.6, 1e-11);
        CHECK_NEAR(faces.least[k], 0.4, 1e-11);
        CHECK_NEAR(faces.bounds[k], 0.4, 1e-10);
        CHECK(faces.endings[k] == 0);
    }
    CHECK(faces.weights == branching.weights);
    CHECK(branching.endings == faces.endings);
}

// H of images on a line, relative to the source's place 0: any two on either side of it cost nothing.
std::vector<double> on_a_line(const std::vector<double>& places) {
    std::vector<double> costs;
    for (const double a : places) {
        for (const double b : places) costs.push_back(a * b);
    }
    return costs;
}

std::vector<std::size_t> slots_in_use(const Solution& solution) {
    std::vector<std::size_t> slots;
    for (std::size_t slot = 0; slot < solution.weights.size(); ++slot) {
        if (solution.weights[slot] > 0) slots.push_back(slot);
    }
    return slots;
}

// Of the ties {0,1}, {1,2}, {1,3} the first slots win.
void ties_go_to_few_slots_and_then_to_the_first() {
    using Slots = std::vector<std::size_t>;
    for (const std::size_t max_faces : {std::size_t{1000}, std::size_t{0}}) {
        CHECK(slots_in_use(solve(on_a_line({3, -2, 5, 1.5}), 4, 1, max_faces)) == Slots{3});
        CHECK(slots_in_use(solve(on_a_line({3, -2, 5, 1.5}), 4, 2, max_faces)) == (Slots{0, 1}));
        CHECK(slots_in_use(solve(on_a_line({3, -2, 5, 1.5}), 4, 4, max_faces)) == (Slots{0, 1}));
        CHECK(slots_in_use(solve(on_a_line({3, 5, 1.5, -2}), 4, 3, max_faces)) == (Slots{0, 3}));
        CHECK(slots_in_use(solve(on_a_line({0, -2, 5, 1.5}), 4, 3, max_faces)) == Slots{0});
    }
}

// Some of many dimensions, some of three, one or none; every count up to a few vectors; every set the same as scalar.
void every_set_gives_the_same_bits() {
    for (std::size_t n = 1; n <= 12; ++n) {
        for (std::size_t most = 1; most <= n && most <= 8; ++most) {
            const std::size_t count = 17 + n, dimensions = 9;
            const std::vector<double> numbers = scene::random_numbers(count * n * dimensions, 3);
            std::vector<double> costs(count * n * n);
            for (std::size_t k = 0; k < count; ++k) {
                const std::size_t used = k % 5 == 1 ? 3 : k % 5 == 2 ? 1 : k % 5 == 3 ? 0 : dimensions;
                for (std::size_t a = 0; a < n; ++a) {
                    for (std::size_t b = 0; b < n; ++b) {
                        for (std::size_t i = 0; i < used; ++i) {
                            costs[(k * n + a) * n + b] +=
                                numbers[(k * n + a) * dimensions + i] * numbers[(k * n + b) * dimensions + i];
                        }
                    }
                }
            }
            const Solution scalar = solve(costs, n, most, 10'000, *skinproof::runnable_kernels().front());
            for (const skinproof::Kernels* kernels : skinproof::runnable_kernels()) {
                const Solution found = solve(costs, n, most, 10'000, *kernels);
                CHECK(found.weights == scalar.weights && found.least == scalar.least);
                CHECK(found.bounds == scalar.bounds && found.endings == scalar.endings);
            }
            if (n > 6) continue;
            const Solution branching = solve(costs, n, most, 0);
            CHECK(branching.weights == scalar.weights && branching.least == scalar.least);
            CHECK(branching.endings == scalar.endings);
        }
    }
}

// What this processor finds is what every other one finds: the bits of all results in one number.
std::uint64_t number_of(const std::vector<double>& results, std::uint64_t number) {
    for (const double result : results) number = (number ^ std::bit_cast<std::uint64_t>(result)) * 0x100000001b3;
    return number;
}

void every_machine_gives_the_same_bits() {
    constexpr std::size_t n = 8, count = 50, dimensions = 12;
    std::vector<double> numbers = scene::random_numbers(count * n * dimensions, 5);
    // Of 20 bits, so that sums of products are exact: compilers may fuse what this file does.
    for (double& number : numbers) number = std::round(number * 0x1p20) * 0x1p-20;
    std::vector<double> costs(count * n * n);
    for (std::size_t k = 0; k < count; ++k) {
        for (std::size_t a = 0; a < n; ++a) {
            for (std::size_t b = 0; b < n; ++b) {
                for (std::size_t i = 0; i < dimensions; ++i) {
                    costs[(k * n + a) * n + b] +=
                        numbers[(k * n + a) * dimensions + i] * numbers[(k * n + b) * dimensions + i];
                }
            }
        }
    }
    std::uint64_t number = 0xcbf29ce484222325;
    for (const std::size_t most : {1, 2, 3, 4, 6}) {
        const Solution found = solve(costs, n, most);
        number = number_of(found.bounds, number_of(found.least, number_of(found.weights, number)));
    }
    std::printf("the bits of all results: %#llx\n", static_cast<unsigned long long>(number));
    CHECK(number == 0x4041f5223724ff84);
}

void listed_faces_rise_in_cost() {
    const std::vector<double> costs{1, 0, 0, 0, 2, 0, 0, 0, 3};
    const std::vector<double> sizes(1);
    const skinproof::SparseProblems problems{costs, sizes, 1, 3};
    for (const std::size_t max_faces : {std::size_t{1000}, std::size_t{0}}) {
        const skinproof::SparseOptions options{1, max_faces, 1000};
        skinproof::SparseScratch scratch(problems, options);
        std::vector<double> listed(4 * 3, -1.0);
        skinproof::list_sparse(problems, options, 4, scratch, listed);
        CHECK(listed == (std::vector<double>{1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}));
    }
}

}  // namespace

int main() {
    every_lane_and_the_rest_are_the_same();
    ties_go_to_few_slots_and_then_to_the_first();
    every_set_gives_the_same_bits();
    every_machine_gives_the_same_bits();
    listed_faces_rise_in_cost();
    return check::result();
}
