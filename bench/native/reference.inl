// Skinning as engines commonly have it: a vertex at a time, a matrix as four columns of four floats, which are blended and
// then applied. It stands for them in the benchmark.

namespace skinproof::SKINPROOF_SET {
namespace {

#if defined(__GNUC__)
typedef float Column __attribute__((vector_size(16)));
typedef float StoredColumn __attribute__((vector_size(16), aligned(4), may_alias));
inline Column column(const float* from) noexcept { return *reinterpret_cast<const StoredColumn*>(from); }
#else
struct Column {
    float numbers[4];
    float operator[](std::size_t i) const noexcept { return numbers[i]; }
};
inline Column column(const float* from) noexcept { return {from[0], from[1], from[2], from[3]}; }
inline Column operator+(Column a, Column b) noexcept { return {a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]}; }
inline Column operator*(float s, Column a) noexcept { return {s * a[0], s * a[1], s * a[2], s * a[3]}; }
#endif

template <std::size_t Fixed>
void skin(const float* positions, const std::uint16_t* joints, const float* weights, std::size_t any_slots,
          const float* columns, std::size_t vertices, float* out) noexcept {
    const std::size_t slots = Fixed > 0 ? Fixed : any_slots;
    for (std::size_t v = 0; v < vertices; ++v, positions += 3, joints += slots, weights += slots, out += 3) {
        const float* matrix = columns + joints[0] * 16;
        Column x = weights[0] * column(matrix), y = weights[0] * column(matrix + 4);
        Column z = weights[0] * column(matrix + 8), shift = weights[0] * column(matrix + 12);
        for (std::size_t slot = 1; slot < slots; ++slot) {
            matrix = columns + joints[slot] * 16;
            x = x + weights[slot] * column(matrix);
            y = y + weights[slot] * column(matrix + 4);
            z = z + weights[slot] * column(matrix + 8);
            shift = shift + weights[slot] * column(matrix + 12);
        }
        const Column q = positions[0] * x + (positions[1] * y + (positions[2] * z + shift));
        out[0] = q[0];
        out[1] = q[1];
        out[2] = q[2];
    }
}

void reference_skin(const float* positions, const std::uint16_t* joints, const float* weights, std::size_t slots,
                    const float* columns, std::size_t poses, std::size_t joint_count, std::size_t vertices,
                    float* out) noexcept {
    const auto known = slots == 4 ? skin<4> : slots == 8 ? skin<8> : skin<0>;
    for (std::size_t pose = 0; pose < poses; ++pose) {
        known(positions, joints, weights, slots, columns + pose * joint_count * 16, vertices,
              out + pose * vertices * 3);
    }
}

void reference_displacement(const float* positions, const std::uint16_t* joints, const float* weights,
                            std::size_t slots, const std::uint16_t* joints_after, const float* weights_after,
                            std::size_t slots_after, const float* columns, std::size_t poses, std::size_t joint_count,
                            std::size_t vertices, float* work, float* max_squared, double* sum_squared,
                            std::int32_t* max_pose) noexcept {
    float* after = work + vertices * 3;
    for (std::size_t pose = 0; pose < poses; ++pose, columns += joint_count * 16) {
        reference_skin(positions, joints, weights, slots, columns, 1, joint_count, vertices, work);
        reference_skin(positions, joints_after, weights_after, slots_after, columns, 1, joint_count, vertices, after);
        for (std::size_t v = 0; v < vertices; ++v) {
            const float x = work[v * 3] - after[v * 3], y = work[v * 3 + 1] - after[v * 3 + 1];
            const float z = work[v * 3 + 2] - after[v * 3 + 2];
            const float squared = x * x + y * y + z * z;
            sum_squared[v] += static_cast<double>(squared);
            if (squared > max_squared[v]) {
                max_squared[v] = squared;
                max_pose[v] = static_cast<std::int32_t>(pose);
            }
        }
    }
}

}  // namespace
}  // namespace skinproof::SKINPROOF_SET
