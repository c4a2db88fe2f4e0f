// The plan against the plain kernels, over every instruction set that this processor runs.
#include "displacement_plan.hpp"

#include <limits>

#include "check.hpp"
#include "instruction_sets.hpp"
#include "random.hpp"

namespace {

using scene::OwnedInfluences;
using scene::OwnedPalettes;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

struct Results {
    std::vector<double> max_squared, sum_squared, bound;
    std::vector<std::int64_t> max_pose;

    explicit Results(std::size_t vertices)
        : max_squared(vertices), sum_squared(vertices), bound(vertices), max_pose(vertices, -1) {}

    skinproof::DisplacementTotals totals() { return {max_squared, max_pose, sum_squared}; }
};

struct Scene {
    std::vector<double> positions;
    OwnedInfluences<double> deltas;
    OwnedPalettes<double> palettes;

    Scene(std::size_t vertices, std::size_t slots, std::size_t sets, std::size_t poses)
        : positions(scene::random_numbers(vertices * 3, 1)),
          deltas(scene::random_deltas(vertices, slots, 12, sets, 2)),
          palettes(scene::random_palettes(poses, 12, 3)) {}

    std::size_t vertices() const { return positions.size() / 3; }

    Results plain(std::int64_t first_pose) const {
        Results out(vertices());
        std::vector<double> images(deltas.slots * 3);
        skinproof::accumulate_displacement(positions, deltas.view(), palettes.view(), first_pose, out.totals());
        skinproof::accumulate_bound(positions, deltas.view(), palettes.view(), images, out.bound);
        return out;
    }

    Results planned(const skinproof::Kernels& kernels, std::int64_t first_pose, std::size_t block,
                    std::size_t threads = 1, bool repeatable = false) const {
        Results out(vertices());
        skinproof::DisplacementPlan plan(positions, deltas.view(), true, threads, kernels, repeatable);
        const auto all = palettes.view();
        for (std::size_t done = 0; done < all.poses; done += block) {
            const std::size_t poses = std::min(block, all.poses - done);
            plan.add({all.matrices.subspan(done * all.joints * 16, poses * all.joints * 16), poses, all.joints},
                     first_pose + static_cast<std::int64_t>(done));
        }
        plan.take(out.totals());
        plan.write_bound(out.bound);
        return out;
    }
};

bool same_bits(const Results& a, const Results& b) {
    return a.max_squared == b.max_squared && a.sum_squared == b.sum_squared && a.bound == b.bound &&
           a.max_pose == b.max_pose;
}

void check_close(const Results& found, const Results& expected) {
    for (std::size_t v = 0; v < expected.bound.size(); ++v) {
        CHECK_NEAR(found.max_squared[v], expected.max_squared[v], 1e-13);
        CHECK_NEAR(found.sum_squared[v], expected.sum_squared[v], 1e-13);
        CHECK_NEAR(found.bound[v], expected.bound[v], 1e-13);
    }
    CHECK(found.max_pose == expected.max_pose);
}

void as_the_plain_kernels(const skinproof::Kernels& kernels) {
    for (const std::size_t slots : {1, 2, 3, 4, 8, 11}) {
        for (const std::size_t poses : {1, 31, 32, 33, 64, 65, 150}) {
            const Scene scene(61, slots, slots, poses);
            check_close(scene.planned(kernels, 1000, poses), scene.plain(1000));
        }
    }
}

void any_number_of_vertices(const skinproof::Kernels& kernels) {
    for (std::size_t vertices = 0; vertices < 20; ++vertices) {
        const Scene scene(vertices, 3, 1, 5);
        check_close(scene.planned(kernels, 0, 5), scene.plain(0));
    }
    const Scene large(1300, 2, 1, 3);  // several parts of one joint set
    check_close(large.planned(kernels, 0, 3), large.plain(0));
}

void neither_blocks_nor_threads_change_a_bit(const skinproof::Kernels& kernels) {
    const Scene scene(3000, 8, 40, 70);
    const Results whole = scene.planned(kernels, 0, 70);
    for (const std::size_t block : {1, 3, 32, 64}) CHECK(same_bits(scene.planned(kernels, 0, block), whole));
    for (const std::size_t threads : {2, 3, 100}) CHECK(same_bits(scene.planned(kernels, 0, 70, threads), whole));
}

// Without fused operations a plan has the bits of the scalar kernels, whatever the instruction set.
void the_same_bits_on_every_set(const skinproof::Kernels& kernels) {
    for (const std::size_t slots : {1, 4, 11}) {
        const Scene scene(203, slots, 9, 70);
        const Results scalar = scene.planned(*skinproof::runnable_kernels()[0], 0, 70, 1, true);
        const Results found = scene.planned(kernels, 0, 33, 2, true);
        CHECK(found.max_squared == scalar.max_squared && found.sum_squared == scalar.sum_squared);
        CHECK(found.max_pose == scalar.max_pose);
        check_close(found, scene.plain(0));
    }
}

void the_first_of_equal_poses_is_named(const skinproof::Kernels& kernels) {
    Scene scene(5, 2, 2, 1);
    const auto one = scene.palettes.matrices;
    for (int copy = 1; copy < 90; ++copy) {
        scene.palettes.matrices.insert(scene.palettes.matrices.end(), one.begin(), one.end());
    }
    CHECK(scene.planned(kernels, 7, 90).max_pose == std::vector<std::int64_t>(5, 7));
}

void a_run_starts_from_nothing(const skinproof::Kernels& kernels) {
    const Scene scene(9, 4, 3, 40);
    skinproof::DisplacementPlan plan(scene.positions, scene.deltas.view(), false, 1, kernels);
    Results first(9), second(9), none(9);
    plan.add(scene.palettes.view(), 0);
    plan.take(first.totals());
    plan.add(scene.palettes.view(), 0);
    plan.take(second.totals());
    plan.take(none.totals());
    CHECK(same_bits(first, second));
    CHECK(same_bits(none, Results(9)));
}

void positions_may_change_from_pose_to_pose(const skinproof::Kernels& kernels) {
    const Scene scene(40, 4, 5, 40);
    const auto all = scene.palettes.view();
    const std::vector<double> others = scene::random_numbers(40 * 3, 9);
    skinproof::DisplacementPlan plan(scene.positions, scene.deltas.view(), true, 1, kernels);
    Results found(40), plain(40);
    std::vector<double> images(scene.deltas.slots * 3);
    for (const std::size_t done : {0, 20}) {
        const skinproof::Palettes<double> part{all.matrices.subspan(done * 12 * 16, 20 * 12 * 16), 20, 12};
        const std::vector<double>& positions = done == 0 ? others : scene.positions;
        plan.set_positions(positions);
        plan.add(part, static_cast<std::int64_t>(done));
        skinproof::accumulate_displacement(positions, scene.deltas.view(), part, static_cast<std::int64_t>(done),
                                           plain.totals());
        skinproof::accumulate_bound(positions, scene.deltas.view(), part, images, plain.bound);
    }
    plan.take(found.totals());
    plan.write_bound(found.bound);
    check_close(found, plain);
}

void a_gap_in_the_numbers_of_poses_is_kept(const skinproof::Kernels& kernels) {
    const Scene scene(9, 4, 3, 40);
    const auto all = scene.palettes.view();
    skinproof::DisplacementPlan plan(scene.positions, scene.deltas.view(), false, 1, kernels);
    Results found(9);
    plan.add({all.matrices.first(3 * 12 * 16), 3, 12}, 0);
    plan.add({all.matrices.subspan(3 * 12 * 16), 37, 12}, 1003);
    plan.take(found.totals());
    const Results plain = scene.plain(0);
    for (std::size_t v = 0; v < 9; ++v) {
        CHECK(found.max_pose[v] == (plain.max_pose[v] < 3 ? plain.max_pose[v] : plain.max_pose[v] + 1000));
    }
}

void what_is_no_number_stays(const skinproof::Kernels& kernels) {
    for (const double bad : {nan, infinity}) {
        Scene scene(40, 4, 4, 70);
        scene.palettes.matrices[(50 * 12 + 3) * 16 + 5] = bad;  // joint 3 in pose 50
        scene.palettes.matrices[(60 * 12 + 3) * 16 + 5] = bad;
        const Results found = scene.planned(kernels, 0, 70), plain = scene.plain(0);
        for (std::size_t v = 0; v < 40; ++v) {
            CHECK(std::isfinite(found.max_squared[v]) == std::isfinite(plain.max_squared[v]));
            CHECK(found.max_pose[v] == plain.max_pose[v]);
            CHECK(std::isfinite(found.sum_squared[v]) == std::isfinite(plain.sum_squared[v]));
            CHECK(std::isfinite(found.bound[v]) == std::isfinite(plain.bound[v]));
        }
    }
}

void joints_beyond_those_in_use_are_not_looked_up(const skinproof::Kernels& kernels) {
    Scene scene(4, 1, 1, 2);  // joint 0 alone
    scene.deltas.joints[3] = 65535;
    scene.deltas.weights[3] = 0;
    check_close(scene.planned(kernels, 0, 2), scene.plain(0));
}

}  // namespace

int main() {
    CHECK(skinproof::runnable_kernels().size() >= 1);
    CHECK(std::string_view(skinproof::runnable_kernels()[0]->name) == "scalar");
    CHECK(skinproof::kernels_named("scalar") == skinproof::runnable_kernels()[0]);
    CHECK(skinproof::kernels_named("x86-64-v9") == nullptr);
    for (const skinproof::Kernels* kernels : skinproof::runnable_kernels()) {
        std::printf("%s\n", kernels->name);
        as_the_plain_kernels(*kernels);
        any_number_of_vertices(*kernels);
        neither_blocks_nor_threads_change_a_bit(*kernels);
        the_same_bits_on_every_set(*kernels);
        the_first_of_equal_poses_is_named(*kernels);
        a_run_starts_from_nothing(*kernels);
        positions_may_change_from_pose_to_pose(*kernels);
        a_gap_in_the_numbers_of_poses_is_kept(*kernels);
        what_is_no_number_stays(*kernels);
        joints_beyond_those_in_use_are_not_looked_up(*kernels);
    }
    return check::result();
}
