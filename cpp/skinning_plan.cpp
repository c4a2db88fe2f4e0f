#include "skinning_plan.hpp"

#include <algorithm>
#include <cfloat>
#include <cmath>

#include "joint_sets.hpp"
#include "skin_normals.hpp"
#include "threads.hpp"

namespace skinproof {
namespace {

// As many vertices of one joint set, or left over of it, make a block of their own worth it.
constexpr std::size_t least_in_block = 6;
// Below so many slots of work a second thread costs more than it does.
constexpr std::size_t slots_per_thread = 1 << 16;

// Denormal weights are taken as zero: they slow some processors several times, and move nothing (10^-38 of a way).
std::vector<float> without_denormals(std::span<const float> weights) {
    std::vector<float> out(weights.begin(), weights.end());
    for (float& weight : out) {
        if (std::abs(weight) < FLT_MIN) weight = 0;
    }
    return out;
}

std::size_t block_count(const JointSet& set) noexcept {
    return set.vertices / block_vertices + (set.vertices % block_vertices >= least_in_block ? 1 : 0);
}

// Which vertex of its set is at a place of its blocks. What is left over for the last block is filled up with the vertices
// before it, so that they follow each other, or with the last one where there are none.
std::size_t vertex_in_block(const JointSet& set, std::size_t place) noexcept {
    const std::size_t first = place / block_vertices * block_vertices;
    if (first + block_vertices <= set.vertices) return place;
    if (set.vertices < block_vertices) return std::min(place, set.vertices - 1);
    return place - first + set.vertices - block_vertices;
}

}  // namespace

SkinningPlan::SkinningPlan(std::span<const float> positions, const Influences<float>& influences, std::size_t threads,
                           const Kernels& kernels)
    : kernels_(kernels), vertices_(influences.vertices) {
    const std::vector<float> weights = without_denormals(influences.weights);
    plan_blocks({influences.joints, weights, influences.vertices, influences.slots});
    set_positions(positions);

    // A thread gets successive sets and successive single vertices, as many as have its share of the slots.
    threads = std::max<std::size_t>(threads, 1);
    std::vector<std::size_t> set_ends{0}, single_ends{0};
    std::size_t slots = 0, all = 0;
    for (const SkinBlocks& set : sets_) all += set.count * set.slots;
    for (std::size_t i = 0; i < sets_.size(); ++i) {
        slots += sets_[i].count * sets_[i].slots;
        if (slots * threads >= all * set_ends.size()) set_ends.push_back(i + 1);
    }
    set_ends.resize(threads + 1, sets_.size());
    for (std::size_t i = 1; i <= threads; ++i) single_ends.push_back(single_places_.size() * i / threads);
    for (std::size_t i = 0; i < threads; ++i) {
        shares_.push_back({set_ends[i], set_ends[i + 1], single_ends[i], single_ends[i + 1]});
    }
    columns_ = Aligned<float>(skin_poses * column_joints_ * 16);
}

void SkinningPlan::plan_blocks(const Influences<float>& influences) {
    JointSets grouped = group_by_joints(influences);
    joints_ = std::move(grouped.joints);
    std::vector<bool> is_bound(vertices_);
    std::size_t places = 0, lanes = 0;
    for (const JointSet& set : grouped.sets) {
        places += block_count(set) * block_vertices;
        lanes += block_count(set) * block_vertices * set.slots;
    }
    block_places_.reserve(places);
    block_positions_ = Aligned<float>(places * 3);
    block_weights_ = Aligned<float>(lanes);
    const std::uint32_t* slots = grouped.slots.data();
    float* weights = block_weights_.data();
    for (const JointSet& set : grouped.sets) {
        const std::uint32_t* vertices = grouped.vertices.data() + set.first_vertex;
        const auto weight = [&](std::size_t vertex, std::size_t k) {
            return influences.weights[vertices[vertex] * influences.slots + slots[vertex * set.slots + k]];
        };
        const std::size_t count = block_count(set);
        if (count > 0) {
            sets_.push_back({joints_.data() + set.first_joint, set.slots,
                             block_positions_.data() + block_places_.size() * 3, weights,
                             block_places_.data() + block_places_.size(), count});
        }
        for (std::size_t i = 0; i < count * block_vertices; ++i) {
            const std::size_t vertex = vertex_in_block(set, i);
            block_places_.push_back(vertices[vertex]);
            for (std::size_t k = 0; k < set.slots; ++k) {
                weights[k * block_vertices + i % block_vertices] = weight(vertex, k);
            }
            if (i % block_vertices == block_vertices - 1) weights += set.slots * block_vertices;
        }
        for (std::size_t i = 0; i < set.vertices; ++i) {
            is_bound[vertices[i]] = true;
            if (i < count * block_vertices) continue;
            single_places_.push_back(vertices[i]);
            single_counts_.push_back(static_cast<std::uint32_t>(set.slots));
            single_first_.push_back(single_joints_.size());
            for (std::size_t k = 0; k < set.slots; ++k) {
                const std::uint16_t joint = joints_[set.first_joint + k];
                single_joints_.push_back(joint);
                single_weights_.push_back(weight(i, k));
                column_joints_ = std::max<std::size_t>(column_joints_, joint + std::size_t{1});
            }
        }
        slots += set.vertices * set.slots;
    }
    for (std::uint32_t vertex = 0; vertex < vertices_; ++vertex) {
        if (!is_bound[vertex]) unbound_.push_back(vertex);
    }
}

void SkinningPlan::set_positions(std::span<const float> positions) noexcept {
    gather(positions, block_positions_.data(), single_positions_);
}

void SkinningPlan::set_normals(std::span<const float> normals) {
    block_normals_ = Aligned<float>(block_places_.size() * 3);
    gather(normals, block_normals_.data(), single_normals_);
}

// Blocks axis after axis, single vertices as x y z 1.
void SkinningPlan::gather(std::span<const float> from, float* blocks, std::vector<float>& singles) const {
    for (std::size_t i = 0; i < block_places_.size(); ++i) {
        const float* p = from.data() + block_places_[i] * std::size_t{3};
        float* block = blocks + i / block_vertices * block_vertices * 3 + i % block_vertices;
        for (std::size_t axis = 0; axis < 3; ++axis) block[axis * block_vertices] = p[axis];
    }
    singles.resize(single_places_.size() * 4, 1);
    for (std::size_t i = 0; i < single_places_.size(); ++i) {
        std::copy_n(from.data() + single_places_[i] * std::size_t{3}, 3, singles.data() + i * 4);
    }
}

void SkinningPlan::skin(const Palettes<float>& palettes, std::span<float> out) noexcept {
    for_rounds(palettes, out, [this](std::size_t thread, const SkinPoses& poses) { run(thread, poses); });
}

void SkinningPlan::skin_normals(const Palettes<float>& palettes, std::span<float> out) noexcept {
    for_rounds(palettes, out, [this](std::size_t thread, const SkinPoses& poses) { run_normals(thread, poses); });
}

template <class Run>
void SkinningPlan::for_rounds(const Palettes<float>& palettes, std::span<float> out, const Run& run) noexcept {
    const std::size_t work = vertices_ * std::max<std::size_t>(palettes.poses, 1) * 4;
    const bool alone = work < slots_per_thread * 2;
    for (std::size_t done = 0; done < palettes.poses; done += skin_poses) {
        const std::size_t poses = std::min(skin_poses, palettes.poses - done);
        for (std::size_t pose = 0; pose < poses; ++pose) {
            const float* matrix = palettes.pose(done + pose);
            float* column = columns_.data() + pose * 16;
            for (std::size_t joint = 0; joint < column_joints_; ++joint, matrix += 16, column += skin_poses * 16) {
                for (std::size_t entry = 0; entry < 16; ++entry) column[entry] = matrix[entry % 4 * 4 + entry / 4];
            }
        }
        const auto share = [&](std::size_t thread) {
            run(thread, SkinPoses{palettes.pose(done), palettes.joints * 16, columns_.data(), poses,
                                  out.data() + done * vertices_ * 3, vertices_ * 3});
        };
        if (alone) {
            for (std::size_t thread = 0; thread < shares_.size(); ++thread) share(thread);
        } else {
            in_parallel(shares_.size(), share);
        }
    }
    for (std::size_t pose = 0; pose < palettes.poses; ++pose) {
        for (const std::uint32_t vertex : unbound_) std::fill_n(out.data() + (pose * vertices_ + vertex) * 3, 3, 0.0f);
    }
}

void SkinningPlan::run(std::size_t thread, const SkinPoses& poses) const noexcept {
    const Share& share = shares_[thread];
    for (std::size_t i = share.first_set; i < share.last_set; ++i) kernels_.skin_blocks(sets_[i], poses);
    const std::size_t first = share.first_single, size = share.last_single - first;
    if (size == 0) return;
    kernels_.skin_single({single_counts_.data() + first, single_joints_.data() + single_first_[first],
                          single_weights_.data() + single_first_[first], single_positions_.data() + first * 4,
                          single_places_.data() + first, size},
                         poses);
}

void SkinningPlan::run_normals(std::size_t thread, const SkinPoses& poses) const noexcept {
    const Share& share = shares_[thread];
    for (std::size_t i = share.first_set; i < share.last_set; ++i) {
        SkinBlocks blocks = sets_[i];
        blocks.positions = block_normals_.data() + (blocks.positions - block_positions_.data());
        (*kernels_.skin_normal_blocks)(blocks, poses);
    }
    for (std::size_t i = share.first_single; i < share.last_single; ++i) {
        for (std::size_t pose = 0; pose < poses.count; ++pose) {
            skin_normal(single_normals_.data() + i * 4, single_joints_.data() + single_first_[i],
                        single_weights_.data() + single_first_[i], single_counts_[i],
                        poses.rows + pose * poses.stride,
                        poses.out + pose * poses.out_stride + single_places_[i] * std::size_t{3});
        }
    }
}

}  // namespace skinproof
