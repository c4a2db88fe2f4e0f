#include "displacement_plan.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "joint_sets.hpp"
#include "repeatable/fit.hpp"
#include "threads.hpp"

namespace skinproof {
namespace {

constexpr std::size_t slabs_at_once = 2;
// Matrices that are copied into a slab together. Those of one joint lie a palette apart, often by a power of two: more
// of them would push each other out of the nearest cache.
constexpr std::size_t poses_per_copy = 8;
// The matrices of a joint set stay in the nearest cache for so many vertices; threads are given whole parts.
constexpr std::size_t vertices_per_part = 128;
// Below so many slots (of all vertices together) a second thread costs more than it does: about 0.1 ms of work.
constexpr std::size_t slots_per_thread = 4096;

// The joints in use, ascending, and for each joint its place among them.
struct UsedJoints {
    std::vector<std::uint16_t> joints;
    std::vector<std::uint32_t> places;

    explicit UsedJoints(const std::vector<std::uint16_t>& all) : joints(all) {
        std::sort(joints.begin(), joints.end());
        joints.erase(std::unique(joints.begin(), joints.end()), joints.end());
        places.resize(joints.empty() ? 0 : joints.back() + std::size_t{1});
        for (std::uint32_t place = 0; place < joints.size(); ++place) places[joints[place]] = place;
    }
};

// The vertices whose images are measured before they are looked at: few, so that the results stay in the cache.
constexpr std::size_t vertices_per_look = 8;

// The bound of one vertex in one slab, pose by pose, such that a NaN is kept. images [tile.slots * 3], to work in.
double careful_bound(const MovedWeight& moved, const DeltaTile& tile, std::size_t vertex, const double* slab,
                     double* images) noexcept {
    const double* p = tile.positions + vertex * 3;
    double bound = 0;
    for (std::size_t pose = 0; pose < slab_poses; ++pose) {
        double* image = images;
        for (std::size_t slot = 0; slot < tile.slots; ++slot) {
            const double* matrix = slab + tile.joints[slot] * slab_joint + pose;
            for (std::size_t row = 0; row < 3; ++row, matrix += 4 * slab_poses) {
                *image++ = matrix[0] * p[0] + matrix[slab_poses] * p[1] + matrix[2 * slab_poses] * p[2] +
                           matrix[3 * slab_poses];
            }
        }
        bound = max_or_nan(bound, bound_of(moved, {images, tile.slots * 3}));
    }
    return bound;
}

// The largest bound of one vertex in one slab, if that is above `least`.
double largest_bound(const MovedWeight& moved, const Spread& spread, double least) noexcept {
    double diameter = 0, length = 0, bound = 0;
    for (std::size_t pose = 0; pose < slab_poses; ++pose) {
        diameter = std::max(diameter, spread.diameter_squared[pose]);
        length = std::max(length, spread.length_squared[pose]);
    }
    // Most slabs cannot raise it: then no pose needs its two roots.
    if (moved.between * std::sqrt(diameter) + moved.in_or_out * std::sqrt(length) <= least) return least;
    for (std::size_t pose = 0; pose < slab_poses; ++pose) {
        bound = std::max(bound, moved.between * std::sqrt(spread.diameter_squared[pose]) +
                                    moved.in_or_out * std::sqrt(spread.length_squared[pose]));
    }
    return bound;
}

}  // namespace

DisplacementPlan::DisplacementPlan(std::span<const double> positions, const Influences<double>& deltas, bool bounded,
                                   std::size_t threads, const Kernels& kernels, bool repeatable)
    : kernels_(kernels), displace_(repeatable ? kernels.fit->displace : kernels.displace), vertices_(deltas.vertices) {
    JointSets grouped = group_by_joints(deltas);
    UsedJoints used(grouped.joints);
    order_ = std::move(grouped.vertices);
    used_ = std::move(used.joints);
    const std::size_t moving = order_.size();
    for (const std::uint16_t joint : grouped.joints) joints_.push_back(used.places[joint]);
    weights_.reserve(grouped.slots.size());
    positions_.reserve(moving * 3);
    const std::uint32_t* slot = grouped.slots.data();
    std::size_t most_slots = 0;
    for (const JointSet& set : grouped.sets) {
        most_slots = std::max(most_slots, set.slots);
        for (std::size_t i = set.first_vertex; i < set.first_vertex + set.vertices; ++i) {
            const std::size_t vertex = order_[i];
            positions_.insert(positions_.end(), positions.data() + vertex * 3, positions.data() + vertex * 3 + 3);
            for (std::size_t k = 0; k < set.slots; ++k) {
                weights_.push_back(deltas.weights[vertex * deltas.slots + *slot++]);
            }
        }
    }
    const double* weight = weights_.data();
    for (const JointSet& set : grouped.sets) {
        for (std::size_t done = 0; done < set.vertices; done += vertices_per_part) {
            const std::size_t first = set.first_vertex + done;
            const std::size_t size = std::min(vertices_per_part, set.vertices - done);
            const DeltaTile tile{joints_.data() + set.first_joint, set.slots, weight, positions_.data() + first * 3,
                                 size};
            parts_.push_back({tile, first});
            weight += size * set.slots;
        }
    }

    // A thread gets successive parts, as many as have its share of the slots.
    threads = std::clamp<std::size_t>(weights_.size() / slots_per_thread, 1, std::max<std::size_t>(threads, 1));
    shares_.push_back(0);
    std::size_t slots = 0;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        slots += parts_[i].tile.vertices * parts_[i].tile.slots;
        if (slots * threads >= weights_.size() * shares_.size()) shares_.push_back(i + 1);
    }
    scratch_.assign(shares_.size() - 1, Aligned<double>(most_slots * 6 * slab_poses));
    slabs_ = Aligned<double>(slabs_at_once * used_.size() * slab_joint);

    max_squared_.assign(moving, 0);
    sum_squared_.assign(moving, 0);
    max_pose_.assign(moving, -1);
    if (!bounded) return;
    bound_.assign(moving, 0);
    for (const Part& part : parts_) {
        for (std::size_t v = 0; v < part.tile.vertices; ++v) {
            moved_.push_back(moved_weight({part.tile.weights + v * part.tile.slots, part.tile.slots}));
        }
    }
}

void DisplacementPlan::set_positions(std::span<const double> positions) noexcept {
    flush();
    for (std::size_t i = 0; i < order_.size(); ++i) {
        std::copy_n(positions.data() + order_[i] * std::size_t{3}, 3, positions_.data() + i * 3);
    }
}

void DisplacementPlan::add(const Palettes<double>& palettes, std::int64_t first_pose) noexcept {
    if (order_.empty()) return;
    if (waiting_ > 0 && first_pose != first_waiting_ + static_cast<std::int64_t>(waiting_)) flush();
    const std::size_t stride = palettes.joints * 16;
    for (std::size_t pose = 0; pose < palettes.poses;) {
        if (waiting_ == 0) first_waiting_ = first_pose + static_cast<std::int64_t>(pose);
        const std::size_t place = waiting_ % slab_poses;
        const std::size_t size = std::min({palettes.poses - pose, slab_poses - place, poses_per_copy});
        double* to = slabs_.data() + waiting_ / slab_poses * used_.size() * slab_joint + place;
        for (const std::uint16_t joint : used_) {
            const double* matrix = palettes.pose(pose) + joint * std::size_t{16};
            for (std::size_t entry = 0; entry < 12; ++entry) {
                for (std::size_t i = 0; i < size; ++i) to[entry * slab_poses + i] = matrix[i * stride + entry];
            }
            to += slab_joint;
        }
        pose += size;
        waiting_ += size;
        if (waiting_ == slabs_at_once * slab_poses) flush();
    }
}

void DisplacementPlan::flush() noexcept {
    if (waiting_ == 0) return;
    // Joints that put everything at the origin fill the last slab: nothing is displaced there.
    for (std::size_t pose = waiting_; pose % slab_poses != 0; ++pose) {
        double* to = slabs_.data() + pose / slab_poses * used_.size() * slab_joint + pose % slab_poses;
        for (std::size_t row = 0; row < used_.size() * 12; ++row) to[row * slab_poses] = 0;
    }
    in_parallel(shares_.size() - 1, [this](std::size_t thread) { run(thread); });
    waiting_ = 0;
}

void DisplacementPlan::run(std::size_t thread) noexcept {
    double* scratch = scratch_[thread].data();
    for (std::size_t done = 0; done < waiting_; done += slab_poses) {
        const double* slab = slabs_.data() + done / slab_poses * used_.size() * slab_joint;
        const std::int64_t first_pose = first_waiting_ + static_cast<std::int64_t>(done);
        for (std::size_t i = shares_[thread]; i < shares_[thread + 1]; ++i) {
            const Part& part = parts_[i];
            displace_(part.tile, slab, first_pose, scratch, &max_squared_[part.first], &max_pose_[part.first],
                              &sum_squared_[part.first]);
            if (!moved_.empty()) raise_bound(part, slab, scratch);
        }
    }
}

void DisplacementPlan::raise_bound(const Part& part, const double* slab, double* images) noexcept {
    Spread spreads[vertices_per_look];
    for (std::size_t done = 0; done < part.tile.vertices; done += vertices_per_look) {
        DeltaTile tile = part.tile;
        tile.vertices = std::min(vertices_per_look, tile.vertices - done);
        tile.weights += done * tile.slots;
        tile.positions += done * 3;
        kernels_.spread(tile, slab, images, spreads);
        for (std::size_t v = 0; v < tile.vertices; ++v) {
            const MovedWeight moved = moved_[part.first + done + v];
            double& bound = bound_[part.first + done + v];
            if (std::isfinite(spreads[v].sum_squared)) {
                bound = std::max(bound, largest_bound(moved, spreads[v], bound));
            } else {
                bound = max_or_nan(bound, careful_bound(moved, tile, v, slab, images));
            }
        }
    }
}

void DisplacementPlan::take(const DisplacementTotals& out) noexcept {
    flush();
    std::fill(out.max_squared.begin(), out.max_squared.end(), 0.0);
    std::fill(out.max_pose.begin(), out.max_pose.end(), std::int64_t{-1});
    std::fill(out.sum_squared.begin(), out.sum_squared.end(), 0.0);
    for (std::size_t i = 0; i < order_.size(); ++i) {
        const std::size_t vertex = order_[i];
        out.max_squared[vertex] = max_squared_[i];
        out.max_pose[vertex] = max_pose_[i];
        out.sum_squared[vertex] = sum_squared_[i];
    }
    std::fill(max_squared_.begin(), max_squared_.end(), 0.0);
    std::fill(max_pose_.begin(), max_pose_.end(), std::int64_t{-1});
    std::fill(sum_squared_.begin(), sum_squared_.end(), 0.0);
}

void DisplacementPlan::write_bound(std::span<double> out) const noexcept {
    std::fill(out.begin(), out.end(), 0.0);
    for (std::size_t i = 0; i < bound_.size(); ++i) out[order_[i]] = bound_[i];
}

}  // namespace skinproof
