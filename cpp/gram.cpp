#include "gram.hpp"

#include <algorithm>

namespace skinproof {
namespace {

constexpr std::size_t rows = 3;
constexpr std::size_t entries = 12;  // of a 3 x 4 matrix

bool occurs(const JointPairs& pairs, std::size_t joint) noexcept {
    // A joint that occurs is at least its own partner.
    return pairs.starts[joint + 1] > pairs.starts[joint];
}

// Writes M_j - C for every joint that occurs, with the translation taken at the centre.
void centred(const double* palette, const JointPairs& pairs, std::span<const double> centre,
             std::span<double> out) noexcept {
    double mean[entries] = {};
    double count = 0;
    for (std::size_t joint = 0; joint < pairs.joints(); ++joint) {
        if (!occurs(pairs, joint)) continue;
        for (std::size_t i = 0; i < entries; ++i) mean[i] += palette[joint * 16 + i];
        count += 1;
    }
    for (double& entry : mean) entry /= count;
    for (std::size_t joint = 0; joint < pairs.joints(); ++joint) {
        if (!occurs(pairs, joint)) continue;
        double* a = out.data() + joint * entries;
        for (std::size_t i = 0; i < entries; ++i) a[i] = palette[joint * 16 + i] - mean[i];
        for (std::size_t row = 0; row < rows; ++row) {
            double* r = a + row * 4;
            r[3] += r[0] * centre[0] + r[1] * centre[1] + r[2] * centre[2];
        }
    }
}

void add_product(const double* a, const double* b, double share, double* form) noexcept {
    double sum[form_size] = {};
    for (std::size_t row = 0; row < rows; ++row, a += 4, b += 4) {
        for (std::size_t i = 0; i < 3; ++i) {
            sum[i] += a[i] * b[i];
            sum[6 + i] += a[i] * b[3] + a[3] * b[i];
        }
        sum[3] += a[0] * b[1] + a[1] * b[0];
        sum[4] += a[0] * b[2] + a[2] * b[0];
        sum[5] += a[1] * b[2] + a[2] * b[1];
        sum[9] += a[3] * b[3];
    }
    for (std::size_t i = 0; i < form_size; ++i) form[i] += share * sum[i];
}

}  // namespace

std::size_t JointPairs::find(std::uint16_t a, std::uint16_t b) const noexcept {
    const auto [first, second] = std::minmax(a, b);
    const auto begin = partners.begin() + starts[first], end = partners.begin() + starts[first + std::size_t{1}];
    return static_cast<std::size_t>(std::lower_bound(begin, end, second) - partners.begin());
}

PairTable::PairTable(const JointPairs& pairs, std::size_t wanted) : pairs_(pairs) {
    const std::size_t joints = pairs.joints();
    if (joints > 2048 || joints * joints > 4 * wanted) return;
    places_.resize(joints * joints);
    for (std::size_t first = 0; first < joints; ++first) {
        for (std::uint32_t pair = pairs.starts[first]; pair < pairs.starts[first + 1]; ++pair) {
            places_[first * joints + pairs.partners[pair]] = places_[pairs.partners[pair] * joints + first] = pair;
        }
    }
}

void accumulate_gram(const Palettes<double>& palettes, std::span<const double> shares, const JointPairs& pairs,
                     std::span<const double> centre, std::span<double> scratch, std::span<double> forms) noexcept {
    for (std::size_t pose = 0; pose < palettes.poses; ++pose) {
        centred(palettes.pose(pose), pairs, centre, scratch);
        for (std::size_t joint = 0; joint < pairs.joints(); ++joint) {
            for (std::size_t pair = pairs.starts[joint]; pair < pairs.starts[joint + 1]; ++pair) {
                add_product(&scratch[joint * entries], &scratch[pairs.partners[pair] * entries], shares[pose],
                            &forms[pair * form_size]);
            }
        }
    }
}

void vertex_costs(std::span<const double> positions, const Influences<double>& influences, const PairTable& pairs,
                  std::span<const double> forms, std::span<const double> centre, const CostScratch& scratch,
                  std::span<double> costs, std::span<double> sizes) noexcept {
    const std::size_t n = influences.slots;
    std::span<const std::uint16_t> known;  // the joints whose pairs stand in the scratch
    for (std::size_t vertex = 0; vertex < influences.vertices; ++vertex) {
        const auto joints = influences.joints.subspan(vertex * n, n);
        const auto weights = influences.weights.subspan(vertex * n, n);
        const double* p = positions.data() + vertex * 3;
        const double x = p[0] - centre[0], y = p[1] - centre[1], z = p[2] - centre[2];
        const double monomials[form_size] = {x * x, y * y, z * z, x * y, x * z, y * z, x, y, z, 1.0};
        // Neighbouring vertices mostly have the same joints.
        if (!std::equal(joints.begin(), joints.end(), known.begin(), known.end())) {
            for (std::size_t a = 0, pair = 0; a < n; ++a) {
                for (std::size_t b = a; b < n; ++b, ++pair) scratch.pairs[pair] = pairs.find(joints[a], joints[b]);
            }
            known = joints;
        }
        const std::size_t* pair = scratch.pairs.data();
        double* h = costs.data() + vertex * n * n;
        double size = 0;
        for (std::size_t a = 0; a < n; ++a) {
            for (std::size_t b = a; b < n; ++b) {
                const double* form = &forms[*pair++ * form_size];
                double sum = 0;
                for (std::size_t i = 0; i < form_size; ++i) sum += form[i] * monomials[i];
                h[a * n + b] = h[b * n + a] = sum;
            }
            size = std::max(size, h[a * n + a]);
        }
        sizes[vertex] = size;
        // H = G - g 1' - 1 g' + (w0' g) 1 1', where g = G w0.
        double mean = 0;
        for (std::size_t a = 0; a < n; ++a) {
            double g = 0;
            for (std::size_t b = 0; b < n; ++b) g += h[a * n + b] * weights[b];
            scratch.means[a] = g;
            mean += g * weights[a];
        }
        for (std::size_t a = 0; a < n; ++a) {
            for (std::size_t b = a; b < n; ++b) {
                h[a * n + b] = h[b * n + a] = h[a * n + b] - scratch.means[a] - scratch.means[b] + mean;
            }
        }
    }
}

}  // namespace skinproof
