// The table of one translation unit: every kernel as compiled for its instruction set.
// The unit defines SKINPROOF_SET, SKINPROOF_VECTOR_BYTES and SKINPROOF_SET_NAME before it includes this file.
#include "kernels.hpp"
#include "lanes.hpp"

#include "displace.inl"
#include "skin.inl"
#include "spread.inl"

namespace skinproof::SKINPROOF_SET {

extern const WeightKernels weight_table;
extern const FitKernels fit_table;
extern void (*const normal_blocks)(const SkinBlocks& blocks, const SkinPoses& poses) noexcept;
extern const Kernels table;
const Kernels table{SKINPROOF_SET_NAME, &weight_table, &fit_table,  displace,
                    spread,             &normal_blocks, skin_blocks, skin_single};

}  // namespace skinproof::SKINPROOF_SET
