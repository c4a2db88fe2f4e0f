#include "gram.hpp"

#include <array>

#include "check.hpp"
#include "scene.hpp"

namespace {

// The contract's four joints along one axis, all pairs of the first three, and joint 3 alone.
const std::vector<std::uint32_t> starts{0, 3, 5, 6, 7};
const std::vector<std::uint16_t> partners{0, 1, 2, 1, 2, 2, 3};
const skinproof::JointPairs pairs{starts, partners};

std::vector<double> forms_of(const scene::OwnedPalettes<double>& palettes, const std::vector<double>& shares) {
    std::vector<double> scratch(4 * 12), forms(partners.size() * skinproof::form_size);
    skinproof::accumulate_gram(palettes.view(), shares, pairs, std::array{0.5, 0.0, 0.0}, scratch, forms);
    return forms;
}

void pairs_are_found_either_way() {
    CHECK(pairs.find(0, 2) == 2 && pairs.find(2, 0) == 2);
    CHECK(pairs.find(2, 2) == 5 && pairs.find(3, 3) == 6);
    for (const std::size_t wanted : {0, 1000}) {  // by halving, and from a table
        const skinproof::PairTable table(pairs, wanted);
        CHECK(table.find(0, 2) == 2 && table.find(2, 0) == 2);
        CHECK(table.find(2, 2) == 5 && table.find(3, 3) == 6);
    }
}

// Weights 0.5, 0.3, 0.2 on joints that translate by 10, 20, 30: their blend is 17, so d = -7, 3, 13.
void costs_are_products_of_distances() {
    const std::vector<double> forms = forms_of(scene::contract_palettes(), {1.0});
    const std::vector<double> position{2, 0, 0};
    const scene::OwnedInfluences<double> influences{{0, 1, 2}, {0.5, 0.3, 0.2}, 3};
    std::vector<double> means(3), costs(9), sizes(1);
    std::vector<std::size_t> found(6);
    const skinproof::PairTable table(pairs, 1000);
    skinproof::vertex_costs(position, influences.view(), table, forms, std::array{0.5, 0.0, 0.0}, {means, found},
                            costs, sizes);
    const double d[3] = {-7, 3, 13};
    for (int a = 0; a < 3; ++a) {
        for (int b = 0; b < 3; ++b) CHECK_NEAR(costs[static_cast<std::size_t>(a * 3 + b)], d[a] * d[b], 1e-13);
    }
    CHECK_NEAR(sizes[0], 15.0 * 15.0, 1e-13);  // the mean of the four is 25
}

void a_share_is_a_factor_and_a_common_move_is_nothing() {
    const std::vector<double> one = forms_of(scene::contract_palettes(), {1.0});
    const std::vector<double> two = forms_of(scene::contract_palettes(2), {0.25, 0.75});
    for (std::size_t i = 0; i < one.size(); ++i) CHECK_NEAR(two[i], one[i], 1e-12);
}

}  // namespace

int main() {
    pairs_are_found_either_way();
    costs_are_products_of_distances();
    a_share_is_a_factor_and_a_common_move_is_nothing();
    return check::result();
}
