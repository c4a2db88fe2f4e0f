#include "posing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "elementary.hpp"

namespace skinproof {
namespace {

// Entries of a quaternion, and of translation, rotation and scale side by side.
constexpr std::size_t quaternion = 4, parts = 10;
constexpr std::array<std::size_t, 3> place_of{0, 3, 7};

double dot(const double* a, const double* b) noexcept {
    return ((a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]) + a[3] * b[3];
}

// To unit length; false if there is no direction. Dividing by the largest entry first keeps the squares from
// overflowing or vanishing.
bool normalize(double* q) noexcept {
    double largest = 0;
    for (std::size_t i = 0; i < quaternion; ++i) {
        if (!std::isfinite(q[i])) return false;
        largest = std::max(largest, std::abs(q[i]));
    }
    if (largest == 0) return false;
    for (std::size_t i = 0; i < quaternion; ++i) q[i] /= largest;
    const double length = std::sqrt(dot(q, q));
    for (std::size_t i = 0; i < quaternion; ++i) q[i] /= length;
    return true;
}

bool copy_unit(const double* from, double* out) noexcept {
    std::copy_n(from, quaternion, out);
    return normalize(out);
}

// A Hermite spline; tangents are per second, so the interval scales them.
void spline(const double* start, const double* end, std::size_t width, double interval, double t,
            double* out) noexcept {
    const double t2 = t * t, t3 = t * t * t;
    const double of_start = 2 * t3 - 3 * t2 + 1, of_out = interval * (t3 - 2 * t2 + t);
    const double of_end = -2 * t3 + 3 * t2, of_in = interval * (t3 - t2);
    for (std::size_t i = 0; i < width; ++i) {
        out[i] = ((of_start * start[width + i] + of_out * start[2 * width + i]) + of_end * end[width + i]) +
                 of_in * end[i];
    }
}

// The last key at or before a time within the keys. `last` is where the search before ended: times mostly ascend.
std::size_t key_before(std::span<const double> times, double time, std::size_t last) noexcept {
    const auto holds = [&](std::size_t key) {
        return times[key] <= time && (key + 1 == times.size() || time < times[key + 1]);
    };
    if (holds(last)) return last;
    if (last + 1 < times.size() && holds(last + 1)) return last + 1;
    const auto after = std::upper_bound(times.begin(), times.end(), time);
    return after == times.begin() ? 0 : static_cast<std::size_t>(after - times.begin()) - 1;
}

// The channel at one time. Before the first key the first value holds, after the last key the last.
bool sample(const Channel& channel, double time, std::size_t& last, double* out) noexcept {
    const std::span<const double> times = channel.times;
    const std::size_t width = channel.width();
    const bool cubic = channel.interpolation == Interpolation::cubic_spline;
    const bool turns = channel.path == AnimatedPath::rotation;
    const std::size_t stride = cubic ? 3 * width : width;
    time = std::min(std::max(time, times.front()), times.back());
    const std::size_t key = last = key_before(times, time, last);
    const std::size_t next = std::min(key + 1, times.size() - 1);
    const double* start = channel.values.data() + key * stride;
    const double* end = channel.values.data() + next * stride;
    const double interval = times[next] - times[key];
    // On the last key the interval is empty, and its start is the value wanted.
    const double fraction = interval > 0 ? (time - times[key]) / interval : 0;
    if (channel.interpolation == Interpolation::step) {
        std::copy_n(start, width, out);
    } else if (cubic) {
        spline(start, end, width, interval, fraction, out);
    } else if (turns) {
        double from[quaternion], to[quaternion];
        if (!copy_unit(start, from) || !copy_unit(end, to)) return false;
        if (fraction != 0) return slerp(from, to, fraction, out);
        std::copy_n(from, quaternion, out);
        return true;
    } else {
        for (std::size_t i = 0; i < width; ++i) out[i] = (1 - fraction) * start[i] + fraction * end[i];
    }
    return !turns || normalize(out);
}

// T * R * S of the parts side by side.
void compose(const double* of, double* out) noexcept {
    const double x = of[3], y = of[4], z = of[5], w = of[6];
    const double* scale = of + 7;
    const double turn[9]{1 - 2 * (y * y + z * z), 2 * (x * y - z * w),     2 * (x * z + y * w),
                         2 * (x * y + z * w),     1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
                         2 * (x * z - y * w),     2 * (y * z + x * w),     1 - 2 * (x * x + y * y)};
    for (std::size_t row = 0; row < 3; ++row, out += 4) {
        for (std::size_t column = 0; column < 3; ++column) out[column] = turn[row * 3 + column] * scale[column];
        out[3] = of[row];
    }
    out[0] = out[1] = out[2] = 0;
    out[3] = 1;
}

// For each node the place of its parts among those of the animated ones, or -1; and those nodes.
struct Animated {
    std::vector<std::ptrdiff_t> place;
    std::vector<std::size_t> nodes;

    Animated(std::size_t count, std::span<const Channel> channels) : place(count, -1) {
        for (const Channel& channel : channels) {
            if (place[channel.node] >= 0) continue;
            place[channel.node] = static_cast<std::ptrdiff_t>(nodes.size());
            nodes.push_back(channel.node);
        }
    }
};

std::vector<double> rest_parts(const NodeTree& tree, const std::vector<std::size_t>& nodes) {
    std::vector<double> rest(nodes.size() * parts);
    double* out = rest.data();
    for (const std::size_t node : nodes) {
        out = std::copy_n(tree.translations.data() + node * 3, 3, out);
        out = std::copy_n(tree.rotations.data() + node * 4, 4, out);
        out = std::copy_n(tree.scales.data() + node * 3, 3, out);
    }
    return rest;
}

}  // namespace

bool slerp(const double* start, const double* end, double fraction, double* out) noexcept {
    // q and -q are one rotation; the nearer of the two gives the shorter arc.
    const double sign = dot(start, end) < 0 ? -1.0 : 1.0;
    // The angle from both chords keeps its digits where that from the product loses half of them: between nearly equal
    // rotations. The chord of the shorter arc is the smaller one.
    double chord[quaternion], co_chord[quaternion];
    for (std::size_t i = 0; i < quaternion; ++i) {
        chord[i] = start[i] - sign * end[i];
        co_chord[i] = start[i] + sign * end[i];
    }
    const double tangent = std::sqrt(dot(chord, chord)) / std::sqrt(dot(co_chord, co_chord));
    const double angle = 2 * arc_tangent(std::min(tangent, 1.0));
    const double sine = sine_cosine(angle).sine;
    double of_start = 1 - fraction, of_end = fraction;
    if (sine > 0) {  // at most a right angle, so the sine vanishes only between equal rotations
        of_start = sine_cosine((1 - fraction) * angle).sine / sine;
        of_end = sine_cosine(fraction * angle).sine / sine;
    }
    for (std::size_t i = 0; i < quaternion; ++i) out[i] = of_start * start[i] + of_end * (sign * end[i]);
    return normalize(out);
}

bool sample_channel(const Channel& channel, std::span<const double> times, std::span<double> out) noexcept {
    std::size_t last = 0;
    for (std::size_t i = 0; i < times.size(); ++i) {
        if (!sample(channel, times[i], last, out.data() + i * channel.width())) return false;
    }
    return true;
}

std::size_t clip_worlds(const NodeTree& tree, std::span<const Channel> channels, std::span<const double> times,
                        std::span<double> out) {
    const std::size_t size = tree.parents.size() * 16;
    const Animated animated(tree.parents.size(), channels);
    const std::vector<double> rest = rest_parts(tree, animated.nodes);
    std::vector<double> now(rest.size());
    std::vector<std::size_t> last(channels.size(), 0);
    for (std::size_t pose = 0; pose < times.size(); ++pose) {
        double* matrices = out.data() + pose * size;
        std::copy_n(tree.matrices.data(), size, matrices);
        std::copy(rest.begin(), rest.end(), now.begin());
        for (std::size_t i = 0; i < channels.size(); ++i) {
            const Channel& channel = channels[i];
            double* of = now.data() + static_cast<std::size_t>(animated.place[channel.node]) * parts;
            if (!sample(channel, times[pose], last[i], of + place_of[static_cast<std::size_t>(channel.path)])) return i;
        }
        for (std::size_t i = 0; i < animated.nodes.size(); ++i) {
            compose(now.data() + i * parts, matrices + animated.nodes[i] * 16);
        }
    }
    multiply_down(tree.parents, tree.order, out);
    return channels.size();
}

void multiply(const double* left, const double* right, double* out) noexcept {
    for (std::size_t row = 0; row < 3; ++row) {
        const double* a = left + row * 4;
        double* to = out + row * 4;
        for (std::size_t column = 0; column < 4; ++column) {
            to[column] = (a[0] * right[column] + a[1] * right[4 + column]) + a[2] * right[8 + column];
        }
        to[3] += a[3];
    }
    out[12] = out[13] = out[14] = 0;
    out[15] = 1;
}

void multiply_down(std::span<const std::int32_t> parents, std::span<const std::int32_t> order,
                   std::span<double> matrices) noexcept {
    const std::size_t size = parents.size() * 16;
    for (std::size_t start = 0; start < matrices.size(); start += size) {
        double* worlds = matrices.data() + start;
        for (const std::int32_t node : order) {
            const std::int32_t parent = parents[static_cast<std::size_t>(node)];
            if (parent < 0) continue;
            double* own = worlds + node * std::ptrdiff_t{16};
            double from_parent[16];
            std::copy_n(own, 16, from_parent);
            multiply(worlds + parent * std::ptrdiff_t{16}, from_parent, own);
        }
    }
}

void multiply_picked(std::span<const double> left, std::size_t count, std::span<const std::int32_t> places,
                     std::span<const double> right, std::span<double> out) noexcept {
    double* to = out.data();
    for (std::size_t start = 0; start < left.size(); start += count * 16) {
        const double* other = right.data();
        for (const std::int32_t place : places) {
            multiply(left.data() + start + place * std::ptrdiff_t{16}, other, to);
            other += 16;
            to += 16;
        }
    }
}

void invert(const double* matrix, double* out) noexcept {
    double rows[3][7];  // the matrix, then what becomes its inverse and its offset
    for (std::size_t row = 0; row < 3; ++row) {
        for (std::size_t column = 0; column < 3; ++column) {
            rows[row][column] = matrix[row * 4 + column];
            rows[row][3 + column] = row == column ? 1.0 : 0.0;
        }
        rows[row][6] = -matrix[row * 4 + 3];
    }
    for (std::size_t pivot = 0; pivot < 3; ++pivot) {
        std::size_t best = pivot;
        for (std::size_t row = pivot + 1; row < 3; ++row) {
            if (std::abs(rows[row][pivot]) > std::abs(rows[best][pivot])) best = row;
        }
        std::swap(rows[pivot], rows[best]);
        const double divisor = rows[pivot][pivot];
        for (double& entry : rows[pivot]) entry /= divisor;
        for (std::size_t row = 0; row < 3; ++row) {
            if (row == pivot) continue;
            const double times = rows[row][pivot];
            for (std::size_t column = 0; column < 7; ++column) rows[row][column] -= times * rows[pivot][column];
        }
    }
    for (std::size_t row = 0; row < 3; ++row) std::copy_n(rows[row] + 3, 4, out + row * 4);
    out[12] = out[13] = out[14] = 0;
    out[15] = 1;
}

}  // namespace skinproof
