// Skinning as one writes it with Eigen, if that is installed: a vertex at a time, the matrices blended and then applied.

#if __has_include(<Eigen/Core>)

// A name of its own in every translation unit: the linker keeps one copy of what they share, maybe the one of an instruction
// set that this processor does not run.
#define SKINPROOF_JOINED(a, b) a##b
#define SKINPROOF_OWN(a, b) SKINPROOF_JOINED(a, b)
#define Eigen SKINPROOF_OWN(Eigen_, SKINPROOF_SET)
#include <Eigen/Core>

namespace skinproof::SKINPROOF_SET {
namespace {

void skin_with_eigen(const float* positions, const std::uint16_t* joints, const float* weights, std::size_t slots,
                     const float* columns, std::size_t poses, std::size_t joint_count, std::size_t vertices,
                     float* out) noexcept {
    for (std::size_t pose = 0; pose < poses; ++pose, columns += joint_count * 16) {
        for (std::size_t v = 0; v < vertices; ++v, out += 3) {
            Eigen::Matrix4f blended = Eigen::Matrix4f::Zero();
            for (std::size_t i = v * slots; i < (v + 1) * slots; ++i) {
                blended += weights[i] * Eigen::Map<const Eigen::Matrix4f>(columns + joints[i] * 16);
            }
            const Eigen::Vector4f p(positions[v * 3], positions[v * 3 + 1], positions[v * 3 + 2], 1);
            Eigen::Map<Eigen::Vector3f>{out} = (blended * p).head<3>();
        }
    }
}

constexpr auto eigen_skin = &skin_with_eigen;

}  // namespace
}  // namespace skinproof::SKINPROOF_SET

#undef Eigen

#else

namespace skinproof::SKINPROOF_SET {
namespace {

constexpr decltype(Bench::reference_skin) eigen_skin = nullptr;

}  // namespace
}  // namespace skinproof::SKINPROOF_SET

#endif
