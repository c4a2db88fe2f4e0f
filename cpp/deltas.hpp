// Delta influences: what one set of influences does more than another, w - w' per joint. Skinned like any influences
// they give the displacement e = sum_j (w_j - w'_j) M_j p in one blend. That is the full form, right for sums that
// differ, and it loses no digits to the difference of two nearly equal positions.
#pragma once

#include "influences.hpp"

namespace skinproof {

// Writes, per vertex, every joint whose weights differ, by joint index ascending, then empty slots (joint 0, weight 0).
// A joint that stands in several slots of one side counts with the sum of its weights.
//   before, after    the same vertices; slots may differ
//   joints, weights  [vertices * (before.slots + after.slots)]
void delta_influences(const Influences<double>& before, const Influences<double>& after,
                      std::span<std::uint16_t> joints, std::span<double> weights) noexcept;

}  // namespace skinproof
