// The plan against the plain kernel in float64, over every instruction set that this processor runs.
#include "skinning_plan.hpp"

#include <limits>

#include "check.hpp"
#include "instruction_sets.hpp"
#include "random.hpp"
#include "skin.hpp"
#include "skin_normals.hpp"

namespace {

std::vector<float> rounded(const std::vector<double>& numbers) { return {numbers.begin(), numbers.end()}; }

struct Scene {
    std::vector<float> positions;
    scene::OwnedInfluences<float> influences;
    scene::OwnedPalettes<float> palettes;

    Scene(std::size_t vertices, std::size_t slots, std::size_t sets, std::size_t poses)
        : positions(rounded(scene::random_numbers(vertices * 3, 1))), palettes({}, 12) {
        const auto exact = scene::random_deltas(vertices, slots, 12, sets, 2);
        influences = {exact.joints, rounded(exact.weights), slots};
        palettes.matrices = rounded(scene::random_palettes(poses, 12, 3).matrices);
    }

    std::vector<double> exact() const {
        const std::vector<double> p(positions.begin(), positions.end());
        const scene::OwnedInfluences<double> i{
            influences.joints, {influences.weights.begin(), influences.weights.end()}, influences.slots};
        scene::OwnedPalettes<double> m({}, 12);
        m.matrices.assign(palettes.matrices.begin(), palettes.matrices.end());
        std::vector<double> out(positions.size() * palettes.view().poses);
        skinproof::skin_positions<double>(p, i.view(), m.view(), out);
        return out;
    }

    std::vector<float> planned(const skinproof::Kernels& kernels, std::size_t threads = 1) const {
        skinproof::SkinningPlan plan(positions, influences.view(), threads, kernels);
        std::vector<float> out(positions.size() * palettes.view().poses, 99);
        plan.skin(palettes.view(), out);
        return out;
    }
};

void check_close(const std::vector<float>& found, const std::vector<double>& expected) {
    CHECK(found.size() == expected.size());
    // A dozen roundings of numbers up to 4 per slot, at most 16 slots.
    for (std::size_t i = 0; i < found.size(); ++i) CHECK_NEAR(static_cast<double>(found[i]), expected[i], 2e-5);
}

void as_the_plain_kernel(const skinproof::Kernels& kernels) {
    for (const std::size_t slots : {1, 2, 3, 4, 5, 8, 12}) {
        for (const std::size_t vertices : {0, 1, 7, 16, 17, 100, 333}) {
            const Scene scene(vertices, slots, slots, 2);
            check_close(scene.planned(kernels), scene.exact());
        }
    }
    const Scene many_poses(50, 4, 1, 37);
    check_close(many_poses.planned(kernels), many_poses.exact());
}

void threads_change_no_bit(const skinproof::Kernels& kernels) {
    const Scene scene(4000, 8, 700, 20);
    const auto alone = scene.planned(kernels);
    for (const std::size_t threads : {2, 3, 50}) CHECK(scene.planned(kernels, threads) == alone);
}

void other_positions_take_effect(const skinproof::Kernels& kernels) {
    Scene scene(100, 4, 9, 1);
    const auto morphed = rounded(scene::random_numbers(300, 8));
    skinproof::SkinningPlan plan(scene.positions, scene.influences.view(), 1, kernels);
    std::vector<float> out(300);
    plan.set_positions(morphed);
    plan.skin(scene.palettes.view(), out);
    scene.positions = morphed;
    check_close(out, scene.exact());
}

void denormal_weights_count_as_zero(const skinproof::Kernels& kernels) {
    Scene scene(64, 2, 1, 1);
    for (std::size_t vertex = 0; vertex < 64; ++vertex) {
        scene.influences.joints[vertex * 2 + 1] = 65535;  // would be looked up beyond the palette
        scene.influences.weights[vertex * 2 + 1] = std::numeric_limits<float>::denorm_min();
    }
    const auto found = scene.planned(kernels);
    for (std::size_t vertex = 0; vertex < 64; ++vertex) scene.influences.weights[vertex * 2 + 1] = 0;
    check_close(found, scene.exact());
}

void normals_as_the_plain_kernel(const skinproof::Kernels& kernels) {
    for (const std::size_t vertices : {0, 1, 17, 333}) {
        for (const std::size_t slots : {1, 4, 7}) {
            const Scene scene(vertices, slots, slots, 11);
            const auto normals = rounded(scene::random_numbers(vertices * 3, 5));
            std::vector<float> plain(normals.size() * 11), found(plain.size(), 99), threaded(plain.size());
            skinproof::skin_normals<float>(normals, scene.influences.view(), scene.palettes.view(), plain);
            for (const std::size_t threads : {1, 3}) {
                skinproof::SkinningPlan plan(scene.positions, scene.influences.view(), threads, kernels);
                plan.set_normals(normals);
                plan.skin_normals(scene.palettes.view(), threads == 1 ? found : threaded);
            }
            CHECK(found == threaded);
            // The blend is rounded in another order, and a matrix that nearly flattens makes more of it.
            std::size_t apart = 0;
            for (std::size_t i = 0; i < plain.size(); ++i) apart += std::abs(found[i] - plain[i]) > 1e-4f ? 1 : 0;
            CHECK(apart * 500 <= plain.size());
        }
    }
}

// Where a matrix flattens space to a line, what the plain kernel finds to be no normal is none here: with fused products it
// would be what rounding left of them.
void flat_matrices_leave_no_normal(const skinproof::Kernels& kernels) {
    const Scene like(40, 1, 1, 1);
    scene::OwnedPalettes<float> flat({}, 12);
    flat.matrices.assign(12 * 16, 0);
    for (std::size_t joint = 0; joint < 12; ++joint) {
        for (std::size_t row = 0; row < 3; ++row) {
            for (std::size_t column = 0; column < 3; ++column) {
                flat.matrices[joint * 16 + row * 4 + column] = 0.1f * static_cast<float>((row + 1) * (column + 2));
            }
        }
    }
    skinproof::SkinningPlan plan(like.positions, like.influences.view(), 1, kernels);
    plan.set_normals(like.positions);
    std::vector<float> found(120, 99), plain(120);
    plan.skin_normals(flat.view(), found);
    skinproof::skin_normals<float>(like.positions, like.influences.view(), flat.view(), plain);
    std::size_t none = 0;
    for (std::size_t i = 0; i < plain.size(); ++i) {
        CHECK((found[i] == 0) == (plain[i] == 0));
        none += plain[i] == 0 ? 1 : 0;
    }
    CHECK(none > 0);
}

}  // namespace

int main() {
    for (const skinproof::Kernels* kernels : skinproof::runnable_kernels()) {
        std::printf("%s\n", kernels->name);
        as_the_plain_kernel(*kernels);
        threads_change_no_bit(*kernels);
        other_positions_take_effect(*kernels);
        denormal_weights_count_as_zero(*kernels);
        normals_as_the_plain_kernel(*kernels);
        flat_matrices_leave_no_normal(*kernels);
    }
    return check::result();
}
