// The kernels that are compiled once per instruction set, as tables of functions. instruction_sets.hpp chooses one.
// Arguments are plain pointers: see lanes.hpp for why the standard library stays out of these translation units.
#pragma once

#include <cstddef>
#include <cstdint>

namespace skinproof {

struct FitKernels;
struct WeightKernels;

// Poses are taken in slabs of so many, side by side: every entry of a joint's matrix is a row of so many numbers.
// 8 joints of a slab are 24 KB, which the nearest cache holds while the vertices of a joint set stream past.
inline constexpr std::size_t slab_poses = 32;
inline constexpr std::size_t slab_joint = 12 * slab_poses;  // [row][column][pose], the bottom row left out

// Vertices whose delta influences are on the same joints.
struct DeltaTile {
    const std::uint32_t* joints;  // [slots], places in the slab
    std::size_t slots;
    const double* weights;    // [vertices * slots]
    const double* positions;  // [vertices * 3]
    std::size_t vertices;
};

// Distances of one vertex's images in the poses of one slab.
struct Spread {
    double diameter_squared[slab_poses];  // largest between two images
    double length_squared[slab_poses];    // largest from the origin
    double sum_squared;                   // of all images in all poses; finite only if every image is
};

// Vertices are skinned in blocks of so many, side by side.
inline constexpr std::size_t block_vertices = 16;

// Vertices whose influences are on the same joints, in full blocks: a vertex may be in two of them, or twice in one.
struct SkinBlocks {
    const std::uint16_t* joints;  // [slots]
    std::size_t slots;
    const float* positions;       // [count][axis][block_vertices]
    const float* weights;         // [count][slot][block_vertices]
    const std::uint32_t* places;  // [count][block_vertices], which vertex of the output each is, ascending in a block
    std::size_t count;
};

// Vertices whose joint sets are too rare for blocks are skinned in groups of so many.
inline constexpr std::size_t group_vertices = 4;

// Such vertices. Those of a group have as many slots as the one with most, the others with weights of zero. The last group
// is filled up with its last vertex.
struct SingleVertices {
    const std::uint32_t* slots;   // [groups]
    const std::uint16_t* joints;  // group after group, [slot][group_vertices]
    const float* weights;         // like joints
    const float* positions;       // [groups][axis][group_vertices], and read up to a vector beyond
    const std::uint32_t* places;  // [groups][group_vertices], which vertex of the output each is
    std::size_t groups;
};

// Up to so many poses are skinned in one call.
inline constexpr std::size_t skin_poses = 8;

// Some poses, and where the vertices go in each of them.
struct SkinPoses {
    const float* rows;       // for blocks: [count][stride], matrices row after row
    std::size_t stride;
    const float* columns;    // for single vertices: [joint][skin_poses][16], column after column, at a cache line
    std::size_t count;       // of poses
    float* out;              // [count][out_stride], the vertices of the mesh
    std::size_t out_stride;
};

struct Kernels {
    const char* name;
    const WeightKernels* weights;  // repeatable/weights.hpp
    const FitKernels* fit;         // repeatable/fit.hpp

    // Adds the displacement of a tile's vertices in one slab to their running results (displacement.hpp).
    //   slab     [joints * slab_joint]
    //   scratch  [tile.slots * 16]
    //   max_squared, max_pose, sum_squared  [tile.vertices]
    void (*displace)(const DeltaTile& tile, const double* slab, std::int64_t first_pose, double* scratch,
                     double* max_squared, std::int64_t* max_pose, double* sum_squared) noexcept;

    // Where the joints of a tile put each of its vertices, each joint alone, and how far these images lie apart.
    //   images  [tile.slots * 6 * slab_poses], room to work in
    //   out     [tile.vertices]
    void (*spread)(const DeltaTile& tile, const double* slab, double* images, Spread* out) noexcept;

    // The same for normals (repeatable/normals.hpp): `positions` are the normals. One indirection more than the others, as
    // it stands in another translation unit.
    void (*const* skin_normal_blocks)(const SkinBlocks& blocks, const SkinPoses& poses) noexcept;

    // Linear blend skinning. Writes the vertices that `places` names.
    void (*skin_blocks)(const SkinBlocks& blocks, const SkinPoses& poses) noexcept;
    void (*skin_single)(const SingleVertices& singles, const SkinPoses& poses) noexcept;
};

}  // namespace skinproof
