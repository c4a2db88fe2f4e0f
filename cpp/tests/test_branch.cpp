#include "branch.hpp"

#include <vector>

#include "check.hpp"

namespace {

struct Found {
    skinproof::Branched branched;
    std::vector<std::uint8_t> face;
};

Found search(const std::vector<double>& costs, std::size_t n, std::size_t most, std::size_t max_nodes = 10000) {
    std::vector<double> reals(skinproof::branch_reals(n));
    std::vector<std::uint8_t> states(skinproof::branch_states(n)), best(n);
    std::vector<std::uint32_t> slots(n);
    const std::vector<double> start(n, 1.0 / static_cast<double>(n));
    const auto branched = skinproof::branch_and_bound(costs, most, start, 1e-12, 1e-10, max_nodes,
                                                      {reals, states, slots}, best);
    return {branched, best};
}

// A diagonal: the best k slots are those with the least entries, and they cost 1 / sum of 1 / h.
void the_least_of_a_diagonal() {
    constexpr std::size_t n = 12;
    std::vector<double> costs(n * n);
    for (std::size_t j = 0; j < n; ++j) costs[j * n + j] = 1.0 + static_cast<double>((j * 5) % n);
    const Found found = search(costs, n, 3);
    CHECK(found.branched.proven && found.branched.nodes > 1);
    CHECK_NEAR(found.branched.bound, 1.0 / (1.0 + 0.5 + 1.0 / 3), 1e-11);
    for (std::size_t j = 0; j < n; ++j) CHECK((found.face[j] == 1) == ((j * 5) % n < 3));
}

void of_equal_slots_the_first_are_taken() {
    constexpr std::size_t n = 7;
    std::vector<double> costs(n * n);
    for (std::size_t j = 0; j < n; ++j) costs[j * n + j] = 1.0;
    const Found found = search(costs, n, 3);
    CHECK(found.face == (std::vector<std::uint8_t>{1, 1, 1, 0, 0, 0, 0}));
}

void a_short_search_says_so_and_bounds_all_the_same() {
    constexpr std::size_t n = 10;
    std::vector<double> costs(n * n);
    for (std::size_t j = 0; j < n; ++j) costs[j * n + j] = 1.0 + 0.01 * static_cast<double>(j);
    const Found found = search(costs, n, 4, n);
    CHECK(!found.branched.proven);
    CHECK(found.branched.bound < 1.0 / (1 + 1 / 1.01 + 1 / 1.02 + 1 / 1.03) && found.branched.bound > 0.1);
}

}  // namespace

int main() {
    the_least_of_a_diagonal();
    of_equal_slots_the_first_are_taken();
    a_short_search_says_so_and_bounds_all_the_same();
    return check::result();
}
