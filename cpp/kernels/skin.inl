// Linear blend skinning in float32: vertices of one joint set side by side, and single vertices. Some poses at a time, so
// that what belongs to a vertex is read once for all of them.

namespace skinproof::SKINPROOF_SET {
namespace {

// Where there are 32 registers, two blocks share every entry of a matrix that is loaded.
constexpr std::size_t blocks_at_once = SKINPROOF_VECTOR_BYTES >= 64 ? 2 : 1;
// Poses that share the weights of a group of single vertices: each takes four registers.
constexpr std::size_t poses_at_once = SKINPROOF_VECTOR_BYTES >= 64 ? 4 : 2;

// The matrices are blended first, entry by entry, with the same entry of a joint for all vertices of the blocks. Slots is the
// number of joints if the compiler is to know it, else 0.
template <std::size_t Blocks, std::size_t Slots>
void skin_some_blocks(const SkinBlocks& blocks, std::size_t first, const SkinPoses& poses) noexcept {
    constexpr std::size_t lanes = lane_count<float> < block_vertices ? lane_count<float> : block_vertices;
    static_assert(block_vertices % lanes == 0);
    const std::size_t slots = Slots > 0 ? Slots : blocks.slots;
    const float* positions = blocks.positions + first * 3 * block_vertices;
    const float* weights = blocks.weights + first * slots * block_vertices;
    const std::uint32_t* places = blocks.places + first * block_vertices;
    bool together[Blocks];
    for (std::size_t b = 0; b < Blocks; ++b) together[b] = are_together<block_vertices>(places + b * block_vertices);
    for (std::size_t pose = 0; pose < poses.count; ++pose) {
        const float* palette = poses.rows + pose * poses.stride;
        float* out = poses.out + pose * poses.out_stride;
        for (std::size_t part = 0; part < block_vertices; part += lanes) {
            Lanes<float> blended[Blocks][12] = {};
            for (std::size_t slot = 0; slot < slots; ++slot) {
                const float* matrix = palette + blocks.joints[slot] * std::size_t{16};
                Lanes<float> weight[Blocks];
                SKINPROOF_UNROLL
                for (std::size_t b = 0; b < Blocks; ++b) {
                    weight[b] = load(weights + (b * slots + slot) * block_vertices + part);
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

template <std::size_t Slots>
void skin_all_blocks(const SkinBlocks& blocks, const SkinPoses& poses) noexcept {
    std::size_t done = 0;
    for (; done + blocks_at_once <= blocks.count; done += blocks_at_once) {
        skin_some_blocks<blocks_at_once, Slots>(blocks, done, poses);
    }
    if constexpr (blocks_at_once > 1) {
        if (done < blocks.count) skin_some_blocks<1, Slots>(blocks, done, poses);
    }
}

void skin_blocks(const SkinBlocks& blocks, const SkinPoses& poses) noexcept {
    // Four, as in most files, is worth a loop of its own.
    blocks.slots == 4 ? skin_all_blocks<4>(blocks, poses) : skin_all_blocks<0>(blocks, poses);
}

#if SKINPROOF_VECTOR_BYTES > 0

// A matrix is 16 numbers, column after column, in one vector or some; as many vertices are skinned together as fill four
// vectors. Their blended columns are exchanged, so that the same column of all stands in one vector.
constexpr std::size_t vertices_together = lane_count<float> / 4;

// first: which vertices of the group
template <std::size_t Poses>
SKINPROOF_INLINE void skin_some_single(const std::uint16_t* joints, const float* weights, std::size_t slots,
                                       const float* positions, const std::uint32_t* places, std::size_t first,
                                       const float* columns, float* out, std::size_t out_stride) noexcept {
    constexpr std::size_t lanes = lane_count<float>, parts = 16 / lanes;
    constexpr std::make_index_sequence<lanes> all;
    Lanes<float> blended[Poses][4] = {};
    for (std::size_t slot = 0; slot < slots; ++slot) {
        SKINPROOF_UNROLL
        for (std::size_t v = 0; v < vertices_together; ++v) {
            const std::size_t place = slot * group_vertices + first + v;
            const float* matrix = columns + joints[place] * (skin_poses * 16);
            const Lanes<float> weight = weights[place] - Lanes<float>{};
            SKINPROOF_UNROLL
            for (std::size_t i = 0; i < Poses; ++i) {
                SKINPROOF_UNROLL
                for (std::size_t part = 0; part < parts; ++part) {
                    blended[i][v * parts + part] += weight * load(matrix + i * 16 + part * lanes);
                }
            }
        }
    }
    const Lanes<float> x = in_fours(positions + first, all), y = in_fours(positions + group_vertices + first, all);
    const Lanes<float> z = in_fours(positions + 2 * group_vertices + first, all);
    const bool together = are_together<group_vertices>(places);
    SKINPROOF_UNROLL
    for (std::size_t i = 0; i < Poses; ++i, out += out_stride) {
        Lanes<float>* m = blended[i];
        gather_columns(m, all);
        const Lanes<float> points = m[0] * x + (m[1] * y + (m[2] * z + m[3]));
        if (together) {
            store_points(out + std::size_t{places[first]} * 3, points, all);
            continue;
        }
        alignas(64) float some[lanes];
        store(some, points);
        SKINPROOF_UNROLL
        for (std::size_t v = 0; v < vertices_together; ++v) {
            copy_point(out + std::size_t{places[first + v]} * 3, some + v * 4);
        }
    }
}

#else

constexpr std::size_t vertices_together = 1;

template <std::size_t Poses>
void skin_some_single(const std::uint16_t* joints, const float* weights, std::size_t slots, const float* positions,
                      const std::uint32_t* places, std::size_t vertex, const float* columns, float* out,
                      std::size_t out_stride) noexcept {
    for (std::size_t i = 0; i < Poses; ++i, out += out_stride, columns += 16) {
        float blended[16] = {};
        for (std::size_t slot = 0; slot < slots; ++slot) {
            const std::size_t place = slot * group_vertices + vertex;
            const float* matrix = columns + joints[place] * (skin_poses * 16);
            for (std::size_t entry = 0; entry < 16; ++entry) blended[entry] += weights[place] * matrix[entry];
        }
        const float x = positions[vertex], y = positions[group_vertices + vertex];
        const float z = positions[2 * group_vertices + vertex];
        for (std::size_t row = 0; row < 3; ++row) {
            out[std::size_t{places[vertex]} * 3 + row] =
                blended[row] * x + (blended[4 + row] * y + (blended[8 + row] * z + blended[12 + row]));
        }
    }
}

#endif

void skin_single(const SingleVertices& singles, const SkinPoses& poses) noexcept {
    const std::uint16_t* joints = singles.joints;
    const float* weights = singles.weights;
    const float* positions = singles.positions;
    const std::uint32_t* places = singles.places;
    const std::size_t stride = poses.out_stride;
    for (std::size_t group = 0; group < singles.groups; ++group) {
        const std::size_t slots = singles.slots[group];
        for (std::size_t first = 0; first < group_vertices; first += vertices_together) {
            std::size_t pose = 0;
            for (; pose + poses_at_once <= poses.count; pose += poses_at_once) {
                skin_some_single<poses_at_once>(joints, weights, slots, positions, places, first,
                                                poses.columns + pose * 16, poses.out + pose * stride, stride);
            }
            for (; pose < poses.count; ++pose) {
                skin_some_single<1>(joints, weights, slots, positions, places, first, poses.columns + pose * 16,
                                    poses.out + pose * stride, stride);
            }
        }
        joints += slots * group_vertices;
        weights += slots * group_vertices;
        positions += 3 * group_vertices;
        places += group_vertices;
    }
}

}  // namespace
}  // namespace skinproof::SKINPROOF_SET
