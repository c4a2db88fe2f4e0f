#include "../posing.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "../elementary.hpp"
#include "check.hpp"
#include "random.hpp"

namespace {

// Of posed() below.
constexpr std::uint64_t known_digest = 13393487115608470625U;

// Three units in the last place.
constexpr double close = 3 * 2.3e-16;

// FNV-1a over the bits of numbers: it differs if one bit does.
std::uint64_t digest(const std::vector<double>& numbers) {
    std::uint64_t hash = 14695981039346656037U;
    for (const double number : numbers) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, &number, sizeof bits);
        for (int byte = 0; byte < 8; ++byte, bits >>= 8) hash = (hash ^ (bits & 255)) * 1099511628211U;
    }
    return hash;
}

void trigonometry_is_that_of_the_library() {
    scene::Random random(1);
    for (int i = 0; i < 20000; ++i) {
        const double angle = random.number() * (i % 3 == 0 ? 0.8 : i % 3 == 1 ? 7.0 : 1e5);
        const skinproof::SineCosine found = skinproof::sine_cosine(angle);
        CHECK_NEAR(found.sine, std::sin(angle), close);
        CHECK_NEAR(found.cosine, std::cos(angle), close);
        const double tangent = std::abs(random.number());
        CHECK_NEAR(skinproof::arc_tangent(tangent), std::atan(tangent), close);
    }
    // Relative, near zero: small turns keep their digits.
    for (double tiny = 1e-300; tiny < 1e-3; tiny *= 7) {
        CHECK_NEAR(skinproof::sine_cosine(tiny).sine / tiny, std::sin(tiny) / tiny, close);
        CHECK_NEAR(skinproof::arc_tangent(tiny) / tiny, std::atan(tiny) / tiny, close);
    }
    CHECK(skinproof::sine_cosine(0).sine == 0 && skinproof::sine_cosine(0).cosine == 1);
    CHECK(skinproof::arc_tangent(0) == 0);
}

// A chain of nodes that turn, slide and stretch, in 50 poses.
std::vector<double> posed() {
    constexpr std::size_t nodes = 9, poses = 50;
    scene::Random random(2);
    const auto numbers = [&](std::size_t count) {
        std::vector<double> made(count);
        for (double& number : made) number = random.number();
        return made;
    };
    std::vector<std::int32_t> parents(nodes), order(nodes);
    std::vector<double> rotations(nodes * 4, 0.0), matrices(nodes * 16, 0.0);
    for (std::size_t node = 0; node < nodes; ++node) {
        parents[node] = static_cast<std::int32_t>(node) - 1;
        order[node] = static_cast<std::int32_t>(node);
        rotations[node * 4 + 3] = 1;
        for (std::size_t i = 0; i < 4; ++i) matrices[node * 16 + i * 5] = 1;
    }
    const std::vector<double> translations = numbers(nodes * 3), scales(nodes * 3, 1.0);
    const std::vector<double> times{0.0, 0.25, 0.75, 1.0};
    std::vector<std::vector<double>> values;
    std::vector<skinproof::Channel> channels;
    using skinproof::AnimatedPath;
    using skinproof::Interpolation;
    for (const Interpolation kind : {Interpolation::linear, Interpolation::cubic_spline, Interpolation::step}) {
        for (const AnimatedPath path : {AnimatedPath::rotation, AnimatedPath::translation, AnimatedPath::scale}) {
            const std::size_t width = path == AnimatedPath::rotation ? 4 : 3;
            values.push_back(numbers(times.size() * width * (kind == Interpolation::cubic_spline ? 3 : 1)));
            channels.push_back({channels.size(), path, kind, times, {}});
        }
    }
    for (std::size_t i = 0; i < channels.size(); ++i) channels[i].values = values[i];
    std::vector<double> at(poses), out(poses * nodes * 16);
    for (std::size_t i = 0; i < poses; ++i) at[i] = (static_cast<double>(i) - 3) / 43;
    const skinproof::NodeTree tree{parents, order, translations, rotations, scales, matrices};
    CHECK(skinproof::clip_worlds(tree, channels, at, out) == channels.size());
    return out;
}

// What x86-64 and 64-bit ARM both gave.
void poses_have_the_same_bits_everywhere() {
    const std::vector<double> found = posed();
    CHECK(digest(found) == known_digest);
    if (digest(found) != known_digest) std::fprintf(stderr, "%lluU\n", static_cast<unsigned long long>(digest(found)));
}

void what_has_no_direction_is_named() {
    const std::int32_t parents[]{-1}, order[]{0};
    const double none[4]{}, unit[4]{0, 0, 0, 1}, one[3]{1, 1, 1}, rest[16]{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    const double start[]{0};
    double out[16];
    const skinproof::NodeTree tree{parents, order, {none, 3}, unit, one, rest};
    const skinproof::Channel sound{0, skinproof::AnimatedPath::scale, skinproof::Interpolation::linear, start, one};
    const skinproof::Channel faulty{0, skinproof::AnimatedPath::rotation, skinproof::Interpolation::step, start, none};
    const skinproof::Channel both[]{sound, faulty};
    CHECK(skinproof::clip_worlds(tree, both, start, out) == 1);
    CHECK(!skinproof::slerp(none, none, 0.5, out));
    CHECK(skinproof::slerp(unit, unit, 0.5, out) && out[3] == 1);
}

}  // namespace

int main() {
    trigonometry_is_that_of_the_library();
    poses_have_the_same_bits_everywhere();
    what_has_no_direction_is_named();
    return check::result();
}
