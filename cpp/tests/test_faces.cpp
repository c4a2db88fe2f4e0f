#include "faces.hpp"

#include <array>
#include <vector>

#include "check.hpp"

namespace {

using skinproof::FaceMask;

// H of images on a line, relative to the source's place 0.
std::vector<double> on_a_line(const std::vector<double>& places, double ridge) {
    const std::size_t n = places.size();
    std::vector<double> costs(n * n);
    for (std::size_t a = 0; a < n; ++a) {
        for (std::size_t b = 0; b < n; ++b) costs[a * n + b] = places[a] * places[b] + (a == b ? ridge : 0.0);
    }
    return costs;
}

struct Found {
    FaceMask face;
    double least;
};

Found best(const std::vector<double>& costs, std::size_t n, std::size_t most, double ridge, double tie) {
    std::vector<double> scratch(skinproof::face_scratch(n, most));
    std::array<FaceMask, 1> face{};
    std::array<double, 1> least{};
    skinproof::best_faces(costs, 1, n, most, std::array{ridge}, std::array{tie}, scratch, face, least);
    return {face[0], least[0]};
}

constexpr double ridge = 1e-12, tie = 1e-10;

void one_slot_is_the_nearest() {
    const Found found = best(on_a_line({3, -2, 5, 1.5}, ridge), 4, 1, ridge, tie);
    CHECK(found.face == 0b1000);
    CHECK_NEAR(found.least, 2.25, 1e-9);
}

// Any two images on either side of 0 cost nothing: of the ties {0,1}, {1,2}, {1,3} the first slots win.
void ties_go_to_few_slots_and_then_to_the_first() {
    CHECK(best(on_a_line({3, -2, 5, 1.5}, ridge), 4, 2, ridge, tie).face == 0b0011);
    CHECK(best(on_a_line({3, -2, 5, 1.5}, ridge), 4, 4, ridge, tie).face == 0b0011);
    CHECK(best(on_a_line({3, 5, 1.5, -2}, ridge), 4, 3, ridge, tie).face == 0b1001);
    CHECK(best(on_a_line({0, -2, 5, 1.5}, ridge), 4, 3, ridge, tie).face == 0b0001);
}

// The unit matrix: all faces of k slots cost 1/k, whole ties of them.
void many_lanes_find_what_one_finds() {
    constexpr std::size_t n = 5;
    std::vector<double> costs;
    std::vector<FaceMask> expected;
    for (std::size_t lane = 0; lane < skinproof::face_lanes; ++lane) {
        std::vector<double> places;
        for (std::size_t j = 0; j < n; ++j) places.push_back(static_cast<double>((lane * 7 + j * 5) % 11) - 4.0);
        std::vector<double> one = on_a_line(places, ridge);
        for (std::size_t j = 0; j < n && lane % 2 == 0; ++j) one[j * n + j] += 1.0;
        expected.push_back(best(one, n, 3, ridge, tie).face);
        costs.insert(costs.end(), one.begin(), one.end());
    }
    std::vector<double> scratch(skinproof::face_scratch(n, 3)), least(skinproof::face_lanes);
    std::vector<FaceMask> faces(skinproof::face_lanes);
    const std::vector<double> ridges(skinproof::face_lanes, ridge), ties(skinproof::face_lanes, tie);
    skinproof::best_faces(costs, skinproof::face_lanes, n, 3, ridges, ties, scratch, faces, least);
    CHECK(faces == expected);
}

void the_cheapest_come_in_order() {
    std::vector<double> scratch(skinproof::face_scratch(3, 2));
    std::array<FaceMask, 8> faces{};
    std::array<double, 8> least{};
    const std::vector<double> unit{1, 0, 0, 0, 1, 0, 0, 0, 1};
    const std::size_t count = skinproof::cheapest_faces(unit, 3, 2, ridge, scratch, faces, least);
    const std::array<FaceMask, 8> expected{0b011, 0b101, 0b110, 0b001, 0b010, 0b100, 0, 0};
    CHECK(count == 6);
    CHECK(faces == expected);
    CHECK(least[0] == 0.5 && least[3] == 1.0);
}

}  // namespace

int main() {
    one_slot_is_the_nearest();
    ties_go_to_few_slots_and_then_to_the_first();
    many_lanes_find_what_one_finds();
    the_cheapest_come_in_order();
    return check::result();
}
