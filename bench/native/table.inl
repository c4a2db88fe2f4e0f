// The measures of one translation unit: what its instruction set can do at best, and the reference kernels that stand for
// how skinning is commonly written, compiled with the same flags as the kernels they are compared with.
#include "bench.hpp"
#include "kernels/lanes.hpp"

#include "eigen.inl"
#include "peak.inl"
#include "reference.inl"

namespace skinproof::SKINPROOF_SET {

extern const Bench bench;
const Bench bench{SKINPROOF_SET_NAME, multiply_adds<float>, multiply_adds<double>, reference_skin,
                  reference_displacement, reference_cut, eigen_skin};

}  // namespace skinproof::SKINPROOF_SET
