// Displacement of vertices in one slab of poses, in lanes over poses.
//
// Some vertices at a time, so that each number loaded from the slab is used by all of them; some poses at a time, so
// that all running sums stay in registers. The weight goes into the position first: e = sum_j M_j (delta_j p).

namespace skinproof::SKINPROOF_SET {
namespace {

// Sums in registers: 3 axes x vertices x vectors, 24 of 32 registers, or 12 of 16.
constexpr std::size_t vertices_at_once = SKINPROOF_VECTOR_BYTES >= 64 ? 4 : 2;
constexpr std::size_t vectors_at_once = 2;

// delta * (x, y, z, 1), [slot][column][vertex]
template <std::size_t Vertices>
void weigh_positions(const DeltaTile& tile, std::size_t first, double* weighed) noexcept {
    const double* position = tile.positions + first * 3;
    const double* weight = tile.weights + first * tile.slots;
    for (std::size_t slot = 0; slot < tile.slots; ++slot, weighed += 4 * Vertices) {
        SKINPROOF_UNROLL
        for (std::size_t v = 0; v < Vertices; ++v) {
            const double delta = weight[v * tile.slots + slot];
            weighed[v] = delta * position[v * 3];
            weighed[Vertices + v] = delta * position[v * 3 + 1];
            weighed[2 * Vertices + v] = delta * position[v * 3 + 2];
            weighed[3 * Vertices + v] = delta;
        }
    }
}

// |e|^2 of some vertices in some poses of the slab, squares[vertex][pose].
template <std::size_t Vertices, std::size_t Vectors>
void square(const DeltaTile& tile, const double* weighed, const double* slab, double* squares) noexcept {
    constexpr std::size_t lanes = lane_count<double>;
    Lanes<double> sum[3][Vertices][Vectors] = {};
    for (std::size_t slot = 0; slot < tile.slots; ++slot, weighed += 4 * Vertices) {
        const double* matrix = slab + tile.joints[slot] * slab_joint;
        SKINPROOF_UNROLL
        for (std::size_t column = 0; column < 4; ++column) {
            SKINPROOF_UNROLL
            for (std::size_t row = 0; row < 3; ++row) {
                Lanes<double> entry[Vectors];
                SKINPROOF_UNROLL
                for (std::size_t i = 0; i < Vectors; ++i) {
                    entry[i] = load(matrix + (row * 4 + column) * slab_poses + i * lanes);
                }
                SKINPROOF_UNROLL
                for (std::size_t v = 0; v < Vertices; ++v) {
                    SKINPROOF_UNROLL
                    for (std::size_t i = 0; i < Vectors; ++i) {
                        sum[row][v][i] += weighed[column * Vertices + v] * entry[i];
                    }
                }
            }
        }
    }
    SKINPROOF_UNROLL
    for (std::size_t v = 0; v < Vertices; ++v) {
        SKINPROOF_UNROLL
        for (std::size_t i = 0; i < Vectors; ++i) {
            const Lanes<double> x = sum[0][v][i], y = sum[1][v][i], z = sum[2][v][i];
            store(squares + v * slab_poses + i * lanes, x * x + y * y + z * z);
        }
    }
}

template <std::size_t Vertices>
std::size_t displace_some(const DeltaTile& tile, std::size_t first, const double* slab, std::int64_t first_pose,
                          double* scratch, double* max_squared, std::int64_t* max_pose, double* sum_squared) noexcept {
    constexpr std::size_t vectors = Vertices == 1 ? 2 * vectors_at_once : vectors_at_once;
    constexpr std::size_t poses = vectors * lane_count<double>;
    static_assert(slab_poses % poses == 0);
    for (; first + Vertices <= tile.vertices; first += Vertices) {
        alignas(64) double squares[Vertices * slab_poses];
        weigh_positions<Vertices>(tile, first, scratch);
        for (std::size_t pose = 0; pose < slab_poses; pose += poses) {
            square<Vertices, vectors>(tile, scratch, slab + pose, squares + pose);
        }
        for (std::size_t v = 0; v < Vertices; ++v) {
            const double* own = squares + v * slab_poses;
            const double sum = folded_sum<slab_poses>(own);
            sum_squared[first + v] += sum;
            // Not a number is further than any number, and the first of them stays: nothing compares with it.
            if (sum != sum && max_squared[first + v] == max_squared[first + v]) {
                std::int64_t pose = 0;
                while (own[pose] == own[pose]) ++pose;
                max_squared[first + v] = own[pose];
                max_pose[first + v] = first_pose + pose;
                continue;
            }
            const double most = folded_max<slab_poses>(own);
            if (most > max_squared[first + v]) {
                max_squared[first + v] = most;
                max_pose[first + v] = first_pose + first_place<slab_poses>(own, most);
            }
        }
    }
    return first;
}

void displace(const DeltaTile& tile, const double* slab, std::int64_t first_pose, double* scratch,
              double* max_squared, std::int64_t* max_pose, double* sum_squared) noexcept {
    std::size_t done = 0;
    done = displace_some<vertices_at_once>(tile, done, slab, first_pose, scratch, max_squared, max_pose, sum_squared);
    if constexpr (vertices_at_once > 2) {
        done = displace_some<2>(tile, done, slab, first_pose, scratch, max_squared, max_pose, sum_squared);
    }
    displace_some<1>(tile, done, slab, first_pose, scratch, max_squared, max_pose, sum_squared);
}

}  // namespace
}  // namespace skinproof::SKINPROOF_SET
