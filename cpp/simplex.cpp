#include "simplex.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace skinproof {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// How much less than the cost a slot's gradient must be to be taken in, as a share of the mean diagonal.
constexpr double gradient_slack = 1e-13;

}  // namespace

double affine_minimum(std::span<const double> costs, std::size_t slots, std::span<const std::uint32_t> face,
                      std::span<double> scratch, std::span<double> weights) noexcept {
    const std::size_t m = face.size();
    double* a = scratch.data();
    double* d = a + m * m;
    // H_TT = L D L', row by row; the unit lower triangle in a, D in d.
    for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            double value = costs[face[i] * slots + face[j]];
            for (std::size_t k = 0; k < j; ++k) value -= a[i * m + k] * a[j * m + k] * d[k];
            if (j < i) {
                a[i * m + j] = value / d[j];
            } else if (value > 0.0) {
                d[i] = value;
            } else {
                return infinity;
            }
        }
    }
    for (std::size_t i = 0; i < m; ++i) {
        double value = 1.0;
        for (std::size_t k = 0; k < i; ++k) value -= a[i * m + k] * weights[k];
        weights[i] = value;
    }
    double sum = 0;
    for (std::size_t i = m; i-- > 0;) {
        double value = weights[i] / d[i];
        for (std::size_t k = i + 1; k < m; ++k) value -= a[k * m + i] * weights[k];
        weights[i] = value;
    }
    for (std::size_t i = 0; i < m; ++i) sum += weights[i];
    if (!(sum > 0.0)) return infinity;
    for (std::size_t i = 0; i < m; ++i) weights[i] /= sum;
    return 1.0 / sum;
}

LeastCost least_cost(std::span<const double> costs, std::span<const std::uint8_t> allowed, std::span<double> scratch,
                     std::span<std::uint32_t> face, std::span<double> weights) noexcept {
    const std::size_t n = weights.size();
    double* target = scratch.data();
    double* gradient = target + n;
    const auto elimination = scratch.subspan(2 * n);
    std::size_t size = 0;
    double slack = 0;
    for (std::size_t j = 0; j < n; ++j) {
        slack += costs[j * n + j];
        if (weights[j] > 0.0) face[size++] = static_cast<std::uint32_t>(j);
    }
    slack *= gradient_slack / static_cast<double>(n);
    LeastCost result{infinity, -infinity};
    // Every round either takes one slot in or ends; a slot that was just dropped may come back, so rounds are bounded.
    for (std::size_t round = 0; round < 8 * n + 8; ++round) {
        // Settle on the face in use: at most size walks, each drops a slot.
        while (size > 0) {
            if (affine_minimum(costs, n, face.first(size), elimination, std::span(target, size)) == infinity) break;
            double walk = 1.0;
            std::size_t blocking = size;
            for (std::size_t i = 0; i < size; ++i) {
                if (target[i] > 0.0) continue;
                const double here = weights[face[i]];
                const double share = here > 0.0 ? here / (here - target[i]) : 0.0;
                if (blocking == size || share < walk) {
                    walk = share;
                    blocking = i;
                }
            }
            for (std::size_t i = 0; i < size; ++i) {
                double& weight = weights[face[i]];
                weight = blocking == size ? target[i] : std::max(0.0, weight + walk * (target[i] - weight));
            }
            if (blocking == size) break;
            weights[face[blocking]] = 0.0;
            std::copy(face.begin() + blocking + 1, face.begin() + size, face.begin() + blocking);
            --size;
        }
        double cost = 0, least = infinity;
        std::size_t candidate = n;
        for (std::size_t j = 0; j < n; ++j) {
            if (allowed[j] == 0) continue;
            double g = 0;
            for (std::size_t i = 0; i < size; ++i) g += costs[j * n + face[i]] * weights[face[i]];
            gradient[j] = g;
            if (g < least) least = g;
        }
        for (std::size_t i = 0; i < size; ++i) cost += gradient[face[i]] * weights[face[i]];
        result = {cost, std::min(cost, 2.0 * least - cost)};
        double promise = cost - slack;
        for (std::size_t j = 0; j < n; ++j) {
            if (allowed[j] == 0 || weights[j] > 0.0 || !(gradient[j] < promise)) continue;
            promise = gradient[j];
            candidate = j;
        }
        if (candidate == n) break;
        // In ascending order, so that a face has one order of elimination whatever way led to it.
        const auto end = face.begin() + size;
        const auto at = std::lower_bound(face.begin(), end, static_cast<std::uint32_t>(candidate));
        std::copy_backward(at, end, end + 1);
        *at = static_cast<std::uint32_t>(candidate);
        ++size;
    }
    return result;
}

}  // namespace skinproof
