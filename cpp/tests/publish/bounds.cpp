// The box of moved boxes against all eight corners, one by one.
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "check.hpp"
#include "publish/bounds.hpp"

using namespace skinproof::publish;

int main() {
    std::mt19937 random(3);
    std::uniform_real_distribution<float> any(-2, 2);
    for (int round = 0; round < 200; ++round) {
        std::vector<float> palette(5 * 16);
        std::vector<JointBox> boxes(5);
        for (float& x : palette) x = any(random);
        double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
        for (std::size_t joint = 0; joint < 5; ++joint) {
            JointBox& box = boxes[joint];
            for (float& x : box) x = any(random);
            for (std::size_t axis = 0; axis < 3; ++axis)
                if (box[axis] > box[axis + 3]) std::swap(box[axis], box[axis + 3]);
            if (joint == 2) {  // moves no vertex: however far it is, it does not count
                box = {1, 1, 1, -1, -1, -1};
                palette[joint * 16 + 3] = 1e6f;
                continue;
            }
            for (unsigned corner = 0; corner < 8; ++corner) {
                for (std::size_t axis = 0; axis < 3; ++axis) {
                    double x = palette[joint * 16 + axis * 4 + 3];
                    for (unsigned k = 0; k < 3; ++k)
                        x += double(palette[joint * 16 + axis * 4 + k]) * double(box[(corner >> k & 1) ? k + 3 : k]);
                    low[axis] = std::min(low[axis], x);
                    high[axis] = std::max(high[axis], x);
                }
            }
        }
        float bounds[6];
        CHECK(palette_bounds(palette, boxes, bounds));
        // Four float32 roundings of numbers below 16.
        for (int axis = 0; axis < 3; ++axis)
            CHECK(std::abs(bounds[axis] - low[axis]) < 1e-5 && std::abs(bounds[axis + 3] - high[axis]) < 1e-5);
    }
    float bounds[6] = {7, 7, 7, 7, 7, 7};
    const std::vector<JointBox> empty(1, JointBox{1, 1, 1, -1, -1, -1});
    CHECK(!palette_bounds(std::vector<float>(16, 1.0f), empty, bounds) && bounds[0] == 7);
    CHECK(!palette_bounds({}, {}, bounds));
    return report();
}
