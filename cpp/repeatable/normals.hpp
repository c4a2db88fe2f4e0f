// The kernel for normals that is compiled once per instruction set and gives the same bits on each of them. Fused operations
// would also leave a remainder of products that cancel: a matrix that flattens the surface would seem to leave a normal.
#pragma once

#include "kernels/kernels.hpp"

namespace skinproof {

// Skins the normals of blocks to unit length, as skin_normals.hpp defines it; `positions` of the blocks are the normals.
using SkinNormalBlocks = void (*)(const SkinBlocks& blocks, const SkinPoses& poses) noexcept;

}  // namespace skinproof
