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
// Numbers that may be read beyond the last one of single vertices.
constexpr std::size_t largest_vector = 16;
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

// The vectors of `places`, Count at a time: [block][axis][Count].
template <std::size_t Count>
void gather(std::span<const float> vectors, std::span<const std::uint32_t> places, float* to) noexcept {
    for (std::size_t i = 0; i < places.size(); ++i) {
        float* block = to + i / Count * Count * 3 + i % Count;
        for (std::size_t axis = 0; axis < 3; ++axis) block[axis * Count] = vectors[places[i] * std::size_t{3} + axis];
    }
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
    single_positions_.resize(single_places_.size() * 3 + largest_vector);
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
    for (std::size_t i = 1; i <= threads; ++i) single_ends.push_back(group_slots_.size() * i / threads);
    for (std::size_t i = 0; i < threads; ++i) {
        shares_.push_back({set_ends[i], set_ends[i + 1], single_ends[i], single_ends[i + 1]});
    }
    columns_ = Aligned<float>(skin_poses * column_joints_ * 16);
}

void SkinningPlan::plan_blocks(const Influences<float>& influences) {
    JointSets grouped = group_by_joints(influences);
    joints_ = std::move(grouped.joints);
    std::vector<bool> is_bound(vertices_);
    std::vector<Single> singles;
    std::vector<float> single_weights;
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
            singles.push_back({vertices[i], set.first_joint, set.slots, single_weights.size()});
            for (std::size_t k = 0; k < set.slots; ++k) single_weights.push_back(weight(i, k));
        }
        slots += set.vertices * set.slots;
    }
    plan_singles(singles, single_weights);
    for (std::uint32_t vertex = 0; vertex < vertices_; ++vertex) {
        if (!is_bound[vertex]) unbound_.push_back(vertex);
    }
}

// In the order of the mesh, so that mostly those of a group follow each other in the output.
void SkinningPlan::plan_singles(std::vector<Single>& singles, std::span<const float> weights) {
    std::ranges::sort(singles, {}, &Single::vertex);
    while (singles.size() % group_vertices > 0) singles.push_back(singles.back());
    for (std::size_t first = 0; first < singles.size(); first += group_vertices) {
        const auto group = std::span(singles).subspan(first, group_vertices);
        const std::size_t slots = std::ranges::max(group, {}, &Single::slots).slots;
        group_slots_.push_back(static_cast<std::uint32_t>(slots));
        group_first_.push_back(single_joints_.size());
        for (std::size_t k = 0; k < slots; ++k) {
            for (const Single& single : group) {
                const std::uint16_t joint = joints_[single.first_joint + (k < single.slots ? k : 0)];
                single_joints_.push_back(joint);
                single_weights_.push_back(k < single.slots ? weights[single.first_weight + k] : 0);
                column_joints_ = std::max<std::size_t>(column_joints_, joint + std::size_t{1});
            }
        }
        for (const Single& single : group) single_places_.push_back(single.vertex);
    }
}

void SkinningPlan::set_positions(std::span<const float> positions) noexcept {
    gather<block_vertices>(positions, block_places_, block_positions_.data());
    gather<group_vertices>(positions, single_places_, single_positions_.data());
}

void SkinningPlan::set_normals(std::span<const float> normals) {
    block_normals_ = Aligned<float>(block_places_.size() * 3);
    single_normals_.resize(single_places_.size() * 3);
    gather<block_vertices>(normals, block_places_, block_normals_.data());
    gather<group_vertices>(normals, single_places_, single_normals_.data());
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
    if (share.first_group == share.last_group) return;
    const std::size_t group = share.first_group, first = group * group_vertices, slot = group_first_[group];
    kernels_.skin_single({group_slots_.data() + group, single_joints_.data() + slot, single_weights_.data() + slot,
                          single_positions_.data() + first * 3, single_places_.data() + first,
                          share.last_group - group},
                         poses);
}

void SkinningPlan::run_normals(std::size_t thread, const SkinPoses& poses) const noexcept {
    const Share& share = shares_[thread];
    for (std::size_t i = share.first_set; i < share.last_set; ++i) {
        SkinBlocks blocks = sets_[i];
        blocks.positions = block_normals_.data() + (blocks.positions - block_positions_.data());
        (*kernels_.skin_normal_blocks)(blocks, poses);
    }
    for (std::size_t i = share.first_group * group_vertices; i < share.last_group * group_vertices; ++i) {
        const std::size_t group = i / group_vertices, v = i % group_vertices;
        for (std::size_t pose = 0; pose < poses.count; ++pose) {
            skin_normal(single_normals_.data() + group * group_vertices * 3 + v,
                        single_joints_.data() + group_first_[group] + v,
                        single_weights_.data() + group_first_[group] + v, group_slots_[group], group_vertices,
                        poses.rows + pose * poses.stride,
                        poses.out + pose * poses.out_stride + single_places_[i] * std::size_t{3});
        }
    }
}

}  // namespace skinproof
