// Linear blend skinning in float32: vertices of one joint set side by side, and single vertices.

namespace skinproof::SKINPROOF_SET {
namespace {

// The matrices are blended first, entry by entry, with the same entry of a joint for all vertices of the block.
void skin_blocks(const SkinBlocks& blocks, const float* palette, float* out) noexcept {
    constexpr std::size_t lanes = lane_count<float> < block_vertices ? lane_count<float> : block_vertices;
    static_assert(block_vertices % lanes == 0);
    const float* positions = blocks.positions;
    const float* weights = blocks.weights;
    for (std::size_t block = 0; block < blocks.count; ++block) {
        const std::uint32_t* places = blocks.places + block * block_vertices;
        const bool last = block + 1 == blocks.count;
        const std::size_t size = last ? blocks.vertices - block * block_vertices : block_vertices;
        const bool together = size == block_vertices && places[block_vertices - 1] - places[0] == block_vertices - 1;
        for (std::size_t first = 0; first < size; first += lanes) {
            Lanes<float> blended[12] = {};
            for (std::size_t slot = 0; slot < blocks.slots; ++slot) {
                const float* matrix = palette + blocks.joints[slot] * std::size_t{16};
                const Lanes<float> weight = load(weights + slot * block_vertices + first);
                SKINPROOF_UNROLL
                for (std::size_t entry = 0; entry < 12; ++entry) blended[entry] += weight * matrix[entry];
            }
            const Lanes<float> x = load(positions + first), y = load(positions + block_vertices + first);
            const Lanes<float> z = load(positions + 2 * block_vertices + first);
            Lanes<float> q[3];
            SKINPROOF_UNROLL
            for (std::size_t row = 0; row < 3; ++row) {
                q[row] = blended[row * 4] * x +
                         (blended[row * 4 + 1] * y + (blended[row * 4 + 2] * z + blended[row * 4 + 3]));
            }
            if (together) {  // the places follow each other: one piece of the output
                store_interleaved(out + (places[0] + first) * 3, q[0], q[1], q[2]);
                continue;
            }
            alignas(64) float points[3 * lanes];
            store_interleaved(points, q[0], q[1], q[2]);
            const std::size_t end = size - first < lanes ? size - first : lanes;
            for (std::size_t i = 0; i < end; ++i) {
                float* to = out + std::size_t{places[first + i]} * 3;
                to[0] = points[i * 3];
                to[1] = points[i * 3 + 1];
                to[2] = points[i * 3 + 2];
            }
        }
        positions += 3 * block_vertices;
        weights += blocks.slots * block_vertices;
    }
}

// The first three numbers are m p; m is column after column.
#if SKINPROOF_VECTOR_BYTES > 0
SKINPROOF_INLINE Quad applied(const float* m, const float* p) noexcept {
    const auto* columns = reinterpret_cast<const UnalignedQuad*>(m);
    return columns[0] * p[0] + (columns[1] * p[1] + (columns[2] * p[2] + columns[3]));
}
#else
struct Point {
    float axes[3];
    float operator[](std::size_t axis) const noexcept { return axes[axis]; }
};
SKINPROOF_INLINE Point applied(const float* m, const float* p) noexcept {
    Point q;
    for (std::size_t row = 0; row < 3; ++row) {
        q.axes[row] = m[row] * p[0] + (m[4 + row] * p[1] + (m[8 + row] * p[2] + m[12 + row]));
    }
    return q;
}
#endif

// A matrix is one row of 16 numbers, column after column: one multiply-add per influence where vectors are that wide.
void skin_single(const SingleVertices& singles, const float* columns, float* out) noexcept {
    constexpr std::size_t lanes = lane_count<float>, vectors = 16 / lanes;
    const std::uint16_t* joint = singles.joints;
    const float* weight = singles.weights;
    for (std::size_t i = 0; i < singles.vertices; ++i) {
        Lanes<float> blended[vectors] = {};
        for (std::size_t slot = 0; slot < singles.counts[i]; ++slot) {
            const float* matrix = columns + joint[slot] * std::size_t{16};
            SKINPROOF_UNROLL
            for (std::size_t part = 0; part < vectors; ++part) {
                blended[part] += weight[slot] * load(matrix + part * lanes);
            }
        }
        joint += singles.counts[i];
        weight += singles.counts[i];
        alignas(64) float m[16];
        SKINPROOF_UNROLL
        for (std::size_t part = 0; part < vectors; ++part) store(m + part * lanes, blended[part]);
        const float* p = singles.positions + i * 3;
        const auto q = applied(m, p);
        float* to = out + std::size_t{singles.places[i]} * 3;
        to[0] = q[0];
        to[1] = q[1];
        to[2] = q[2];
    }
}

}  // namespace
}  // namespace skinproof::SKINPROOF_SET
