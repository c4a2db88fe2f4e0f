// Normals of vertices of one joint set side by side: the inverse transpose of the blended linear part, normalized. See
// skin_normals.cpp for the method; this is the same, lane by lane.

namespace skinproof::SKINPROOF_SET {
namespace {

using Singles = Lanes<float>;

SKINPROOF_INLINE Singles magnitude(const Singles& value) noexcept { return value < Singles{} ? -value : value; }
SKINPROOF_INLINE Singles larger_of(const Singles& a, const Singles& b) noexcept { return a > b ? a : b; }
SKINPROOF_INLINE Singles dot(const Singles* a, const Singles* b) noexcept {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
SKINPROOF_INLINE void cross(const Singles* a, const Singles* b, Singles* out) noexcept {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

SKINPROOF_INLINE Singles root(const Singles& value) noexcept {
    constexpr std::size_t count = lane_count<float>;
    float numbers[count];
    store(numbers, value);
    for (std::size_t i = 0; i < count; ++i) numbers[i] = __builtin_sqrtf(numbers[i]);
    return load(numbers);
}

// The largest of Count numbers, at least the smallest normal one: a smaller one's reciprocal is infinite.
template <std::size_t Count>
SKINPROOF_INLINE Singles largest(const Singles* numbers) noexcept {
    Singles most = Singles{} + 0x1p-126f;
    SKINPROOF_UNROLL
    for (std::size_t i = 0; i < Count; ++i) most = larger_of(most, magnitude(numbers[i]));
    return most;
}

void skin_normal_blocks(const SkinBlocks& blocks, const SkinPoses& poses) noexcept {
    constexpr std::size_t count = lane_count<float>;
    for (std::size_t block = 0; block < blocks.count; ++block) {
        const std::uint32_t* places = blocks.places + block * block_vertices;
        const bool together = are_together<block_vertices>(places);
        for (std::size_t part = 0; part < block_vertices; part += count) {
            const float* weights = blocks.weights + block * blocks.slots * block_vertices + part;
            const float* normals = blocks.positions + block * 3 * block_vertices + part;
            for (std::size_t pose = 0; pose < poses.count; ++pose) {
                Singles m[9] = {};
                for (std::size_t slot = 0; slot < blocks.slots; ++slot) {
                    const float* matrix = poses.rows + pose * poses.stride + blocks.joints[slot] * std::size_t{16};
                    const Singles weight = load(weights + slot * block_vertices);
                    SKINPROOF_UNROLL
                    for (std::size_t i = 0; i < 9; ++i) m[i] += weight * matrix[i / 3 * 4 + i % 3];
                }
                // So that products neither overflow nor vanish. Truly divided: rows that are multiples of each other, which
                // must leave no normal, stay so more often.
                const Singles most = largest<9>(m);
                SKINPROOF_UNROLL
                for (std::size_t i = 0; i < 9; ++i) m[i] = m[i] / most;
                Singles cofactors[9];
                cross(m + 3, m + 6, cofactors);
                cross(m + 6, m, cofactors + 3);
                cross(m, m + 3, cofactors + 6);
                const Singles normal[3] = {load(normals), load(normals + block_vertices),
                                           load(normals + 2 * block_vertices)};
                Singles turned[3] = {dot(cofactors, normal), dot(cofactors + 3, normal), dot(cofactors + 6, normal)};
                const Singles shrink = 1.0f / largest<3>(turned);
                SKINPROOF_UNROLL
                for (std::size_t axis = 0; axis < 3; ++axis) turned[axis] = turned[axis] * shrink;
                const Singles squared = dot(turned, turned), one = Singles{} + 1.0f;
                const Singles length = root(squared > Singles{} ? squared : one);
                const Singles scale = 1.0f / (dot(m, cofactors) < Singles{} ? -length : length);
                SKINPROOF_UNROLL
                for (std::size_t axis = 0; axis < 3; ++axis) turned[axis] = turned[axis] * scale;
                float* out = poses.out + pose * poses.out_stride;
                if (together) {
                    store_interleaved(out + std::size_t{places[part]} * 3, turned[0], turned[1], turned[2]);
                    continue;
                }
                alignas(64) float points[3 * count];
                store_interleaved(points, turned[0], turned[1], turned[2]);
                for (std::size_t i = 0; i < count; ++i) {
                    copy_point(out + std::size_t{places[part + i]} * 3, points + i * 3);
                }
            }
        }
    }
}

}  // namespace
}  // namespace skinproof::SKINPROOF_SET
