// The images y_j = M_j p of vertices in one slab of poses, and how far they lie apart, in lanes over poses.
//
// Some vertices at a time, as in displace.inl. The images of a few poses are written down, because every pair of them
// is needed.

namespace skinproof::SKINPROOF_SET {
namespace {

// y_j of some vertices in some poses, images[vertex][slot][axis][pose]; the largest |y_j|^2 of each vertex and pose;
// and what is finite only if every image is, added to sum[vertex].
template <std::size_t Vertices, std::size_t Vectors>
void place(const DeltaTile& tile, const double* positions, const double* slab, double* images, Spread* out,
           std::size_t first_pose, Lanes<double>* sum) noexcept {
    constexpr std::size_t lanes = lane_count<double>, poses = Vectors * lanes;
    Lanes<double> longest[Vertices][Vectors] = {};
    for (std::size_t slot = 0; slot < tile.slots; ++slot) {
        const double* matrix = slab + tile.joints[slot] * slab_joint + first_pose;
        Lanes<double> squared[Vertices][Vectors] = {};
        SKINPROOF_UNROLL
        for (std::size_t row = 0; row < 3; ++row) {
            Lanes<double> y[Vertices][Vectors];
            SKINPROOF_UNROLL
            for (std::size_t i = 0; i < Vectors; ++i) {
                const Lanes<double> shift = load(matrix + (row * 4 + 3) * slab_poses + i * lanes);
                SKINPROOF_UNROLL
                for (std::size_t v = 0; v < Vertices; ++v) y[v][i] = shift;
            }
            SKINPROOF_UNROLL
            for (std::size_t column = 0; column < 3; ++column) {
                SKINPROOF_UNROLL
                for (std::size_t i = 0; i < Vectors; ++i) {
                    const Lanes<double> entry = load(matrix + (row * 4 + column) * slab_poses + i * lanes);
                    SKINPROOF_UNROLL
                    for (std::size_t v = 0; v < Vertices; ++v) y[v][i] += positions[v * 3 + column] * entry;
                }
            }
            SKINPROOF_UNROLL
            for (std::size_t v = 0; v < Vertices; ++v) {
                SKINPROOF_UNROLL
                for (std::size_t i = 0; i < Vectors; ++i) {
                    store(images + ((v * tile.slots + slot) * 3 + row) * poses + i * lanes, y[v][i]);
                    squared[v][i] += y[v][i] * y[v][i];
                }
            }
        }
        SKINPROOF_UNROLL
        for (std::size_t v = 0; v < Vertices; ++v) {
            SKINPROOF_UNROLL
            for (std::size_t i = 0; i < Vectors; ++i) {
                longest[v][i] = larger(squared[v][i], longest[v][i]);
                sum[v] += squared[v][i];
            }
        }
    }
    SKINPROOF_UNROLL
    for (std::size_t v = 0; v < Vertices; ++v) {
        SKINPROOF_UNROLL
        for (std::size_t i = 0; i < Vectors; ++i) {
            store(out[v].length_squared + first_pose + i * lanes, longest[v][i]);
        }
    }
}

// The largest |y_a - y_b|^2 of one vertex in some poses; images[slot][axis][pose].
template <std::size_t Vectors>
void measure_apart(std::size_t slots, const double* images, double* diameter) noexcept {
    constexpr std::size_t lanes = lane_count<double>, row = Vectors * lanes, image = 3 * row;
    Lanes<double> most[Vectors] = {};
    for (const double* a = images; a < images + (slots - 1) * image; a += image) {
        Lanes<double> from[3][Vectors];
        SKINPROOF_UNROLL
        for (std::size_t axis = 0; axis < 3; ++axis) {
            SKINPROOF_UNROLL
            for (std::size_t i = 0; i < Vectors; ++i) from[axis][i] = load(a + axis * row + i * lanes);
        }
        for (const double* b = a + image; b < images + slots * image; b += image) {
            SKINPROOF_UNROLL
            for (std::size_t i = 0; i < Vectors; ++i) {
                const Lanes<double> x = load(b + i * lanes) - from[0][i];
                const Lanes<double> y = load(b + row + i * lanes) - from[1][i];
                const Lanes<double> z = load(b + 2 * row + i * lanes) - from[2][i];
                most[i] = larger(x * x + y * y + z * z, most[i]);
            }
        }
    }
    SKINPROOF_UNROLL
    for (std::size_t i = 0; i < Vectors; ++i) store(diameter + i * lanes, most[i]);
}

template <std::size_t Vertices>
std::size_t spread_some(const DeltaTile& tile, std::size_t first, const double* slab, double* images,
                        Spread* out) noexcept {
    constexpr std::size_t lanes = lane_count<double>, vectors = vectors_at_once, poses = vectors * lanes;
    for (; first + Vertices <= tile.vertices; first += Vertices) {
        Lanes<double> sum[Vertices] = {};
        for (std::size_t pose = 0; pose < slab_poses; pose += poses) {
            place<Vertices, vectors>(tile, tile.positions + first * 3, slab, images, out + first, pose, sum);
            for (std::size_t v = 0; v < Vertices; ++v) {
                measure_apart<vectors>(tile.slots, images + v * tile.slots * 3 * poses,
                                       out[first + v].diameter_squared + pose);
            }
        }
        for (std::size_t v = 0; v < Vertices; ++v) {
            double parts[lanes];
            store(parts, sum[v]);
            out[first + v].sum_squared = folded_sum<lanes>(parts);
        }
    }
    return first;
}

void spread(const DeltaTile& tile, const double* slab, double* images, Spread* out) noexcept {
    const std::size_t done = spread_some<vertices_at_once>(tile, 0, slab, images, out);
    spread_some<1>(tile, done, slab, images, out);
}

}  // namespace
}  // namespace skinproof::SKINPROOF_SET
