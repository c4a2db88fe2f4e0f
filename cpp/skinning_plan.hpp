// Linear blend skinning in float32, planned once for many poses: vertices of one joint set in blocks side by side, the
// others one by one. It gives what skin.hpp defines, apart from the order of the sums.
#pragma once

#include <vector>

#include "aligned.hpp"
#include "influences.hpp"
#include "kernels/kernels.hpp"

namespace skinproof {

class SkinningPlan {
public:
    // Copies what it needs of the arguments.
    //   positions  [vertices * 3]
    //   threads    at most so many, at least 1
    SkinningPlan(std::span<const float> positions, const Influences<float>& influences, std::size_t threads,
                 const Kernels& kernels);

    // Takes other positions for the same influences, as morph targets make them. [vertices * 3]
    void set_positions(std::span<const float> positions) noexcept;

    // Takes normals of any length, which skin_normals then turns. [vertices * 3]
    void set_normals(std::span<const float> normals);

    // Skins every vertex in every pose: out [poses * vertices * 3], which must not overlap the palettes. The palettes
    // must have every joint of a non-empty slot.
    void skin(const Palettes<float>& palettes, std::span<float> out) noexcept;

    // Turns every normal in every pose, as skin_normals.hpp defines it; set_normals comes before.
    void skin_normals(const Palettes<float>& palettes, std::span<float> out) noexcept;

private:
    struct Share {
        std::size_t first_set, last_set, first_group, last_group;
    };

    struct Single {
        std::uint32_t vertex;
        std::size_t first_joint, slots;  // in joints_, like first_weight in single_weights of plan_singles
        std::size_t first_weight;
    };

    void plan_blocks(const Influences<float>& influences);
    void plan_singles(std::vector<Single>& singles, std::span<const float> weights);
    template <class Run>
    void for_rounds(const Palettes<float>& palettes, std::span<float> out, const Run& run) noexcept;
    void run(std::size_t thread, const SkinPoses& poses) const noexcept;
    void run_normals(std::size_t thread, const SkinPoses& poses) const noexcept;

    const Kernels& kernels_;
    std::size_t vertices_;
    std::vector<std::uint16_t> joints_;            // of all sets
    std::vector<std::uint32_t> block_places_, single_places_, unbound_;
    Aligned<float> block_positions_, block_normals_, block_weights_;
    std::vector<SkinBlocks> sets_;
    std::vector<std::uint32_t> group_slots_;       // of single vertices, as SingleVertices has them
    std::vector<std::size_t> group_first_;         // where the slots of each group begin
    std::vector<std::uint16_t> single_joints_;
    std::vector<float> single_weights_, single_positions_, single_normals_;
    std::vector<Share> shares_;
    Aligned<float> columns_;
    std::size_t column_joints_ = 0;                // joints that single vertices use: 0 to here
};

}  // namespace skinproof
