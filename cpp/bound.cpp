#include "bound.hpp"

#include <algorithm>
#include <cmath>

#include "skin.hpp"

namespace skinproof {
namespace {

double squared_distance(const double* a, const double* b) noexcept {
    const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return x * x + y * y + z * z;
}

double largest_squared_distance(std::span<const double> images) noexcept {
    double largest = 0;
    for (std::size_t a = 0; a < images.size(); a += 3) {
        for (std::size_t b = a + 3; b < images.size(); b += 3) {
            largest = max_or_nan(largest, squared_distance(&images[a], &images[b]));
        }
    }
    return largest;
}

double largest_squared_length(std::span<const double> images) noexcept {
    constexpr double origin[3] = {0, 0, 0};
    double largest = 0;
    for (std::size_t a = 0; a < images.size(); a += 3) {
        largest = max_or_nan(largest, squared_distance(&images[a], origin));
    }
    return largest;
}

}  // namespace

MovedWeight moved_weight(std::span<const double> deltas) noexcept {
    double more = 0, less = 0;
    for (const double delta : deltas) (delta > 0 ? more : less) += std::abs(delta);
    return {std::min(more, less), std::abs(more - less)};
}

double max_or_nan(double a, double b) noexcept { return a > b || std::isnan(a) ? a : b; }

double bound_of(const MovedWeight& moved, std::span<const double> images) noexcept {
    return moved.between * std::sqrt(largest_squared_distance(images)) +
           moved.in_or_out * std::sqrt(largest_squared_length(images));
}

void accumulate_bound(std::span<const double> positions, const Influences<double>& deltas,
                      const Palettes<double>& palettes, std::span<double> images,
                      std::span<double> max_bound) noexcept {
    for (std::size_t vertex = 0; vertex < deltas.vertices; ++vertex) {
        const auto joints = deltas.joints.subspan(vertex * deltas.slots, deltas.slots);
        const auto weights = deltas.weights.subspan(vertex * deltas.slots, deltas.slots);
        const MovedWeight moved = moved_weight(weights);
        for (std::size_t pose = 0; pose < palettes.poses; ++pose) {
            std::size_t size = 0;
            for (std::size_t slot = 0; slot < deltas.slots; ++slot) {
                if (weights[slot] == 0) continue;
                constexpr double one = 1;
                const Vector3<double> y =
                    blend(positions.data() + vertex * 3, &joints[slot], &one, 1, palettes.pose(pose));
                images[size++] = y.x;
                images[size++] = y.y;
                images[size++] = y.z;
            }
            max_bound[vertex] = max_or_nan(max_bound[vertex], bound_of(moved, images.first(size)));
        }
    }
}

}  // namespace skinproof
