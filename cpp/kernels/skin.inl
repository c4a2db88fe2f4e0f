// Linear blend skinning in float32: vertices of one joint set side by side, and single vertices. Some poses at a time, so
// that what belongs to a vertex is read once for all of them.

namespace skinproof::SKINPROOF_SET {
namespace {

// Where there are 32 registers, two blocks share every entry of a matrix that is loaded.
constexpr std::size_t blocks_at_once = SKINPROOF_VECTOR_BYTES >= 64 ? 2 : 1;
// Poses that share the weights of a single vertex: their matrices take 8 registers.
constexpr std::size_t poses_at_once = SKINPROOF_VECTOR_BYTES == 0 ? 1 : lane_count<float> / 2;

// The matrices are blended first, entry by entry, with the same entry of a joint for all vertices of the blocks.
template <std::size_t Blocks>
void skin_some_blocks(const SkinBlocks& blocks, std::size_t first, const SkinPoses& poses) noexcept {
    constexpr std::size_t lanes = lane_count<float> < block_vertices ? lane_count<float> : block_vertices;
    static_assert(block_vertices % lanes == 0);
    const float* positions = blocks.positions + first * 3 * block_vertices;
    const float* weights = blocks.weights + first * blocks.slots * block_vertices;
    const std::uint32_t* places = blocks.places + first * block_vertices;
    bool together[Blocks];
    for (std::size_t b = 0; b < Blocks; ++b) together[b] = are_together(places + b * block_vertices);
    for (std::size_t pose = 0; pose < poses.count; ++pose) {
        const float* palette = poses.rows + pose * poses.stride;
        float* out = poses.out + pose * poses.out_stride;
        for (std::size_t part = 0; part < block_vertices; part += lanes) {
            Lanes<float> blended[Blocks][12] = {};
            for (std::size_t slot = 0; slot < blocks.slots; ++slot) {
                const float* matrix = palette + blocks.joints[slot] * std::size_t{16};
                Lanes<float> weight[Blocks];
                SKINPROOF_UNROLL
                for (std::size_t b = 0; b < Blocks; ++b) {
                    weight[b] = load(weights + (b * blocks.slots + slot) * block_vertices + part);
                }
                SKINPROOF_UNROLL
                for (std::size_t entry = 0; entry < 12; ++entry) {
                    const Lanes<float> common = matrix[entry] - Lanes<float>{};
                    SKINPROOF_UNROLL
                    for (std::size_t b = 0; b < Blocks; ++b) blended[b][entry] += weight[b] * common;
                }
            }
            SKINPROOF_UNROLL
            for (std::size_t b = 0; b < Blocks; ++b) {
                const float* p = positions + b * 3 * block_vertices + part;
                const Lanes<float> x = load(p), y = load(p + block_vertices), z = load(p + 2 * block_vertices);
                Lanes<float> q[3];
                SKINPROOF_UNROLL
                for (std::size_t row = 0; row < 3; ++row) {
                    const Lanes<float>* m = blended[b] + row * 4;
                    q[row] = m[0] * x + (m[1] * y + (m[2] * z + m[3]));
                }
                const std::uint32_t* place = places + b * block_vertices + part;
                if (together[b]) {
                    store_interleaved(out + std::size_t{place[0]} * 3, q[0], q[1], q[2]);
                    continue;
                }
                alignas(64) float points[3 * lanes];
                store_interleaved(points, q[0], q[1], q[2]);
                SKINPROOF_UNROLL
                for (std::size_t i = 0; i < lanes; ++i) copy_point(out + std::size_t{place[i]} * 3, points + i * 3);
            }
        }
    }
}

void skin_blocks(const SkinBlocks& blocks, const SkinPoses& poses) noexcept {
    std::size_t done = 0;
    for (; done + blocks_at_once <= blocks.count; done += blocks_at_once) {
        skin_some_blocks<blocks_at_once>(blocks, done, poses);
    }
    if constexpr (blocks_at_once > 1) {
        if (done < blocks.count) skin_some_blocks<1>(blocks, done, poses);
    }
}

// A matrix is one row of 16 numbers, column after column: one multiply-add per influence where vectors are that wide. With
// x x x x y y y y z z z z 1 1 1 1 beside it, the four columns that come out add up to the point.
template <std::size_t Poses>
SKINPROOF_INLINE void skin_one(const std::uint16_t* joints, const float* weights, std::size_t slots,
                               const Lanes<float>* position, const float* columns, float* to,
                               std::size_t stride) noexcept {
    constexpr std::size_t lanes = lane_count<float>, vectors = 16 / lanes;
    Lanes<float> blended[Poses][vectors] = {};
    for (std::size_t slot = 0; slot < slots; ++slot) {
        const float* matrix = columns + joints[slot] * (skin_poses * 16);
        const Lanes<float> weight = weights[slot] - Lanes<float>{};
        SKINPROOF_UNROLL
        for (std::size_t i = 0; i < Poses; ++i) {
            SKINPROOF_UNROLL
            for (std::size_t part = 0; part < vectors; ++part) {
                blended[i][part] += weight * load(matrix + i * 16 + part * lanes);
            }
        }
    }
    SKINPROOF_UNROLL
    for (std::size_t i = 0; i < Poses; ++i, to += stride) store_applied(to, blended[i], position);
}

void skin_single(const SingleVertices& singles, const SkinPoses& poses) noexcept {
    const std::uint16_t* joint = singles.joints;
    const float* weight = singles.weights;
    const std::size_t count = poses.count, stride = poses.out_stride;
    for (std::size_t i = 0; i < singles.vertices; ++i) {
        Lanes<float> position[16 / lane_count<float>];
        spread_position(singles.positions + i * 4, position);
        const std::size_t slots = singles.counts[i];
        float* to = poses.out + std::size_t{singles.places[i]} * 3;
        const float* columns = poses.columns;
        std::size_t pose = 0;
        for (; pose + poses_at_once <= count; pose += poses_at_once) {
            skin_one<poses_at_once>(joint, weight, slots, position, columns + pose * 16, to + pose * stride, stride);
        }
        for (; pose < count; ++pose) {
            skin_one<1>(joint, weight, slots, position, columns + pose * 16, to + pose * stride, stride);
        }
        joint += slots;
        weight += slots;
    }
}

}  // namespace
}  // namespace skinproof::SKINPROOF_SET
