// The box of a skinned mesh from its joints' boxes.
#pragma once

#include <cstdint>
#include <span>

#include "publish/topology.hpp"

namespace skinproof::publish {

// The union over all joints of box j moved by matrix j: min x y z, max x y z. Linear blend skinning with weights that are
// not negative and sum to one is an average of points in these boxes, so the box holds every skinned vertex (before
// float32 rounding). Arvo's transform of a box: James Arvo, "Transforming Axis-Aligned Bounding Boxes", Graphics Gems, 1990.
// False if every box is empty; then `out` is untouched.
//   palette  [boxes * 16], row-major 4x4, finite
bool palette_bounds(std::span<const float> palette, std::span<const JointBox> boxes, float (&out)[6]) noexcept;

}  // namespace skinproof::publish
