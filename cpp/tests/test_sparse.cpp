#include "sparse.hpp"

#include <limits>

#include "check.hpp"

namespace {

struct Solution {
    std::vector<double> weights, least, bounds;
    std::vector<std::uint8_t> endings;
};

Solution solve(const std::vector<double>& costs, std::size_t n, std::size_t most, std::size_t max_faces = 1000) {
    const std::size_t count = costs.size() / (n * n);
    const std::vector<double> sizes(count);
    const skinproof::SparseProblems problems{costs, sizes, count, n};
    const skinproof::SparseOptions options{most, max_faces, 1000};
    skinproof::SparseScratch scratch(problems, options);
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
    listed_faces_rise_in_cost();
    return check::result();
}
