// The repeatable kernels of one translation unit, as compiled for its instruction set: without fused operations.
// The unit defines SKINPROOF_SET and SKINPROOF_VECTOR_BYTES before it includes this file.
#include "kernels/lanes.hpp"
#include "repeatable/fit.hpp"
#include "repeatable/normals.hpp"
#include "repeatable/weights.hpp"

#include "kernels/displace.inl"

#include "blocks.inl"
#include "faces.inl"
#include "normals.inl"
#include "weights.inl"

namespace skinproof::SKINPROOF_SET {

extern const WeightKernels weight_table;
const WeightKernels weight_table{
    {is_sound<float>, keep_largest<float>, pack<float, std::uint8_t>, pack<float, std::uint16_t>, pack<float, float>},
    {is_sound<double>, keep_largest<double>, pack<double, std::uint8_t>, pack<double, std::uint16_t>,
     pack<double, float>}};

extern const FitKernels fit_table;
const FitKernels fit_table{solve_faces, displace};

extern const SkinNormalBlocks normal_blocks;
const SkinNormalBlocks normal_blocks = skin_normal_blocks;

}  // namespace skinproof::SKINPROOF_SET
