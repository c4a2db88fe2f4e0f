#include "faces.hpp"

#include <array>
#include <vector>

#include "check.hpp"

namespace {

using skinproof::FaceMask;

constexpr double ridge = 1e-12;

void the_cheapest_come_in_order() {
    std::vector<double> scratch(skinproof::list_scratch(3, 2));
    std::array<FaceMask, 8> faces{};
    std::array<double, 8> least{};
    const std::vector<double> unit{1, 0, 0, 0, 1, 0, 0, 0, 1};
    const std::size_t count = skinproof::cheapest_faces(unit, 3, 2, ridge, scratch.data(), faces, least);
    const std::array<FaceMask, 8> expected{0b011, 0b101, 0b110, 0b001, 0b010, 0b100, 0, 0};
    CHECK(count == 6);
    CHECK(faces == expected);
    CHECK(least[0] == 0.5 && least[3] == 1.0);
}

// Two slots at one image: the face of both is singular but for the ridge, and costs as much as each of them.
void what_is_rounding_does_not_count() {
    std::vector<double> scratch(skinproof::list_scratch(2, 2));
    std::array<FaceMask, 2> faces{};
    std::array<double, 2> least{};
    const std::vector<double> twice{1, 1, 1, 1};
    CHECK(skinproof::cheapest_faces(twice, 2, 2, ridge, scratch.data(), faces, least) == 2);
    CHECK(faces[0] == 0b01 && faces[1] == 0b10);
    CHECK(least[0] == 1.0 && least[1] == 1.0);
}

}  // namespace

int main() {
    the_cheapest_come_in_order();
    what_is_rounding_does_not_count();
    return check::result();
}
