#include "publish/bounds.hpp"

#include <cstddef>

namespace skinproof::publish {

bool palette_bounds(std::span<const float> palette, std::span<const JointBox> boxes, float (&out)[6]) noexcept {
    float low[3] = {}, high[3] = {};
    bool any = false;
    for (std::size_t joint = 0; joint < boxes.size(); ++joint) {
        const JointBox& box = boxes[joint];
        if (!(box[0] <= box[3] && box[1] <= box[4] && box[2] <= box[5])) continue;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const float* row = palette.data() + joint * 16 + axis * 4;
            float least = row[3], most = row[3];
            for (std::size_t k = 0; k < 3; ++k) {
                const float a = row[k] * box[k], b = row[k] * box[k + 3];
                least += a < b ? a : b;
                most += a < b ? b : a;
            }
            low[axis] = any && low[axis] < least ? low[axis] : least;
            high[axis] = any && high[axis] > most ? high[axis] : most;
        }
        any = true;
    }
    if (!any) return false;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        out[axis] = low[axis];
        out[axis + 3] = high[axis];
    }
    return true;
}

}  // namespace skinproof::publish
