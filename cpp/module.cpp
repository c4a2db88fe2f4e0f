// The core for Python; with module_posing.cpp the only file that knows nanobind. The interpreter's lock is released
// around every kernel.
#include "bindings.hpp"

#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

#include "affine.hpp"
#include "bound.hpp"
#include "deltas.hpp"
#include "displacement.hpp"
#include "displacement_plan.hpp"
#include "gram.hpp"
#include "instruction_sets.hpp"
#include "minimax.hpp"
#include "repeatable/weights.hpp"
#include "skin.hpp"
#include "skin_normals.hpp"
#include "skinning_plan.hpp"
#include "sparse.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using skinproof::bindings::In;
using skinproof::bindings::Out;
using skinproof::bindings::span_of;
using Joints = In<std::uint16_t, 2>;

template <class Real>
skinproof::Influences<Real> influences_of(const Joints& joints, const In<Real, 2>& weights) {
    return {span_of(joints), span_of(weights), joints.shape(0), joints.shape(1)};
}

template <class Real>
skinproof::Palettes<Real> palettes_of(const In<Real, 4>& palettes) {
    return {span_of(palettes), palettes.shape(0), palettes.shape(1)};
}

template <class Real>
bool are_affine(const In<Real, 3>& matrices) {
    return skinproof::are_affine<Real>(span_of(matrices));
}

template <class Real>
void skin_positions(const In<Real, 2>& positions, const Joints& joints, const In<Real, 2>& weights,
                    const In<Real, 4>& palettes, const Out<Real, 3>& out) {
    nb::gil_scoped_release unlocked;
    skinproof::skin_positions<Real>(span_of(positions), influences_of(joints, weights), palettes_of(palettes),
                                    span_of(out));
}

template <class Real>
void skin_normals(const In<Real, 2>& normals, const Joints& joints, const In<Real, 2>& weights,
                  const In<Real, 4>& palettes, const Out<Real, 3>& out) {
    nb::gil_scoped_release unlocked;
    skinproof::skin_normals<Real>(span_of(normals), influences_of(joints, weights), palettes_of(palettes),
                                  span_of(out));
}

void delta_influences(const Joints& joints_before, const In<double, 2>& weights_before, const Joints& joints_after,
                      const In<double, 2>& weights_after, const Out<std::uint16_t, 2>& joints,
                      const Out<double, 2>& weights) {
    nb::gil_scoped_release unlocked;
    skinproof::delta_influences(influences_of(joints_before, weights_before),
                                influences_of(joints_after, weights_after), span_of(joints), span_of(weights));
}

void accumulate_displacement(const In<double, 2>& positions, const Joints& joints, const In<double, 2>& weights,
                             const In<double, 4>& palettes, std::int64_t first_pose,
                             const Out<double, 1>& max_squared, const Out<std::int64_t, 1>& max_pose,
                             const Out<double, 1>& sum_squared) {
    nb::gil_scoped_release unlocked;
    skinproof::accumulate_displacement(span_of(positions), influences_of(joints, weights), palettes_of(palettes),
                                       first_pose,
                                       {span_of(max_squared), span_of(max_pose), span_of(sum_squared)});
}

void accumulate_bound(const In<double, 2>& positions, const Joints& joints, const In<double, 2>& weights,
                      const In<double, 4>& palettes, const Out<double, 1>& max_bound) {
    nb::gil_scoped_release unlocked;
    std::vector<double> images(joints.shape(1) * 3);
    skinproof::accumulate_bound(span_of(positions), influences_of(joints, weights), palettes_of(palettes), images,
                                span_of(max_bound));
}

std::vector<std::string_view> instruction_sets() {
    std::vector<std::string_view> names;
    for (const skinproof::Kernels* kernels : skinproof::runnable_kernels()) names.emplace_back(kernels->name);
    return names;
}

const skinproof::Kernels& kernels_named(std::string_view name) {
    const skinproof::Kernels* kernels = skinproof::kernels_named(name);
    if (kernels == nullptr) throw nb::value_error("instruction_set: this processor does not run it");
    return *kernels;
}

void construct_displacement(skinproof::DisplacementPlan* self, const In<double, 2>& positions, const Joints& joints,
                            const In<double, 2>& weights, bool bounded, std::size_t threads,
                            std::string_view instruction_set, bool repeatable) {
    const skinproof::Kernels& kernels = kernels_named(instruction_set);
    nb::gil_scoped_release unlocked;
    new (self) skinproof::DisplacementPlan(span_of(positions), influences_of(joints, weights), bounded, threads,
                                           kernels, repeatable);
}

void set_displaced_positions(skinproof::DisplacementPlan& plan, const In<double, 2>& positions) {
    nb::gil_scoped_release unlocked;
    plan.set_positions(span_of(positions));
}

void add(skinproof::DisplacementPlan& plan, const In<double, 4>& palettes, std::int64_t first_pose) {
    nb::gil_scoped_release unlocked;
    plan.add(palettes_of(palettes), first_pose);
}

void take(skinproof::DisplacementPlan& plan, const Out<double, 1>& max_squared, const Out<std::int64_t, 1>& max_pose,
          const Out<double, 1>& sum_squared) {
    nb::gil_scoped_release unlocked;
    plan.take({span_of(max_squared), span_of(max_pose), span_of(sum_squared)});
}

void write_bound(const skinproof::DisplacementPlan& plan, const Out<double, 1>& out) {
    nb::gil_scoped_release unlocked;
    plan.write_bound(span_of(out));
}

void construct_skinning(skinproof::SkinningPlan* self, const In<float, 2>& positions, const Joints& joints,
                        const In<float, 2>& weights, std::size_t threads, std::string_view instruction_set) {
    const skinproof::Kernels& kernels = kernels_named(instruction_set);
    nb::gil_scoped_release unlocked;
    new (self) skinproof::SkinningPlan(span_of(positions), influences_of(joints, weights), threads, kernels);
}

void set_positions(skinproof::SkinningPlan& plan, const In<float, 2>& positions) {
    nb::gil_scoped_release unlocked;
    plan.set_positions(span_of(positions));
}

void skin(skinproof::SkinningPlan& plan, const In<float, 4>& palettes, const Out<float, 3>& out) {
    nb::gil_scoped_release unlocked;
    plan.skin(palettes_of(palettes), span_of(out));
}

template <class Weight>
skinproof::WeightRows<Weight> rows_of(const Joints& joints, const In<Weight, 2>& weights, std::uint32_t joint_count) {
    return {joints.data(), weights.data(), joints.shape(0), joints.shape(1), joint_count};
}

template <class Weight>
const skinproof::WeightKernelsOf<Weight>& weight_kernels_named(std::string_view name) {
    const skinproof::WeightKernels& kernels = *kernels_named(name).weights;
    if constexpr (std::is_same_v<Weight, float>) {
        return kernels.single;
    } else {
        return kernels.twofold;
    }
}

template <class Weight>
bool is_sound(const Joints& joints, const In<Weight, 2>& weights, std::uint32_t joint_count,
              std::string_view instruction_set) {
    const auto& kernels = weight_kernels_named<Weight>(instruction_set);
    nb::gil_scoped_release unlocked;
    return kernels.is_sound(rows_of<Weight>(joints, weights, joint_count));
}

template <class Weight>
bool keep_largest(const Joints& joints, const In<Weight, 2>& weights, std::uint32_t joint_count,
                  std::string_view instruction_set, const Out<std::uint16_t, 2>& out_joints,
                  const Out<Weight, 2>& out_weights) {
    const auto& kernels = weight_kernels_named<Weight>(instruction_set);
    nb::gil_scoped_release unlocked;
    return kernels.keep_largest(rows_of<Weight>(joints, weights, joint_count), out_joints.shape(1), out_joints.data(),
                                out_weights.data());
}

template <class Weight, class Stored, auto Pack>
bool pack(const Joints& joints, const In<Weight, 2>& weights, std::uint32_t joint_count,
          std::string_view instruction_set, const Out<std::uint16_t, 2>& out_joints, const Out<Stored, 2>& out_stored) {
    const auto& kernels = weight_kernels_named<Weight>(instruction_set);
    nb::gil_scoped_release unlocked;
    return (kernels.*Pack)(rows_of<Weight>(joints, weights, joint_count), out_joints.data(), out_stored.data());
}

void set_normals(skinproof::SkinningPlan& plan, const In<float, 2>& normals) {
    nb::gil_scoped_release unlocked;
    plan.set_normals(span_of(normals));
}

void skin_planned_normals(skinproof::SkinningPlan& plan, const In<float, 4>& palettes, const Out<float, 3>& out) {
    nb::gil_scoped_release unlocked;
    plan.skin_normals(palettes_of(palettes), span_of(out));
}

skinproof::JointPairs pairs_of(const In<std::uint32_t, 1>& starts, const In<std::uint16_t, 1>& partners) {
    return {span_of(starts), span_of(partners)};
}

void accumulate_gram(const In<double, 4>& palettes, const In<double, 1>& shares, const In<std::uint32_t, 1>& starts,
                     const In<std::uint16_t, 1>& partners, const In<double, 1>& centre, const Out<double, 2>& forms) {
    nb::gil_scoped_release unlocked;
    std::vector<double> scratch(palettes.shape(1) * 12);
    skinproof::accumulate_gram(palettes_of(palettes), span_of(shares), pairs_of(starts, partners), span_of(centre),
                               scratch, span_of(forms));
}

void vertex_costs(const In<double, 2>& positions, const Joints& joints, const In<double, 2>& weights,
                  const In<std::uint32_t, 1>& starts, const In<std::uint16_t, 1>& partners, const In<double, 2>& forms,
                  const In<double, 1>& centre, const Out<double, 3>& costs, const Out<double, 1>& sizes) {
    nb::gil_scoped_release unlocked;
    const std::size_t slots = joints.shape(1);
    std::vector<double> means(slots);
    std::vector<std::size_t> pairs(slots * (slots + 1) / 2);
    const skinproof::PairTable table(pairs_of(starts, partners), joints.shape(0) * pairs.size());
    skinproof::vertex_costs(span_of(positions), influences_of(joints, weights), table, span_of(forms),
                            span_of(centre), {means, pairs}, span_of(costs), span_of(sizes));
}

skinproof::SparseProblems problems_of(const In<double, 3>& costs, const In<double, 1>& sizes) {
    return {span_of(costs), span_of(sizes), costs.shape(0), costs.shape(1)};
}

void solve_sparse(const In<double, 3>& costs, const In<double, 1>& sizes, std::size_t max_influences,
                  std::size_t max_faces, std::size_t max_nodes, std::string_view instruction_set,
                  const Out<double, 2>& weights, const Out<double, 1>& least, const Out<double, 1>& bounds,
                  const Out<std::uint8_t, 1>& endings) {
    const skinproof::Kernels& kernels = kernels_named(instruction_set);
    nb::gil_scoped_release unlocked;
    const skinproof::SparseProblems problems = problems_of(costs, sizes);
    const skinproof::SparseOptions options{max_influences, max_faces, max_nodes};
    skinproof::SparseScratch scratch(problems, options, kernels);
    skinproof::solve_sparse(problems, options, scratch,
                            {span_of(weights), span_of(least), span_of(bounds), span_of(endings)});
}

void list_sparse(const In<double, 3>& costs, const In<double, 1>& sizes, std::size_t max_influences,
                 std::size_t max_faces, std::size_t max_nodes, const Out<double, 3>& weights) {
    nb::gil_scoped_release unlocked;
    const skinproof::SparseProblems problems = problems_of(costs, sizes);
    const skinproof::SparseOptions options{max_influences, max_faces, max_nodes};
    skinproof::SparseScratch scratch(problems, options);
    skinproof::list_sparse(problems, options, weights.shape(1), scratch, span_of(weights));
}

void solve_minimax(const In<double, 4>& offsets, std::size_t max_influences, std::size_t max_sets,
                   std::size_t max_solved, double tolerance, const Out<double, 2>& weights,
                   const Out<double, 1>& reached, const Out<double, 1>& bounds) {
    nb::gil_scoped_release unlocked;
    skinproof::solve_minimax({span_of(offsets), offsets.shape(0), offsets.shape(1), offsets.shape(2)},
                             {max_influences, max_sets, max_solved, tolerance},
                             {span_of(weights), span_of(reached), span_of(bounds)});
}

template <class Weight, class Stored, auto Pack>
void bind_pack(nb::module_& m) {
    m.def("pack", &pack<Weight, Stored, Pack>, "joints"_a.noconvert(), "weights"_a.noconvert(), "joint_count"_a,
          "instruction_set"_a, "out_joints"_a.noconvert(), "out_stored"_a.noconvert());
}

template <class Weight>
void bind_weights(nb::module_& m) {
    using Of = skinproof::WeightKernelsOf<Weight>;
    m.def("is_sound", &is_sound<Weight>, "joints"_a.noconvert(), "weights"_a.noconvert(), "joint_count"_a,
          "instruction_set"_a);
    m.def("keep_largest", &keep_largest<Weight>, "joints"_a.noconvert(), "weights"_a.noconvert(), "joint_count"_a,
          "instruction_set"_a, "out_joints"_a.noconvert(), "out_weights"_a.noconvert());
    bind_pack<Weight, std::uint8_t, &Of::pack_unorm8>(m);
    bind_pack<Weight, std::uint16_t, &Of::pack_unorm16>(m);
    bind_pack<Weight, float, &Of::pack_float32>(m);
}

template <class Real>
void bind_skinning(nb::module_& m) {
    m.def("are_affine", &are_affine<Real>, "matrices"_a.noconvert());
    m.def("skin_positions", &skin_positions<Real>, "positions"_a.noconvert(), "joints"_a.noconvert(),
          "weights"_a.noconvert(), "palettes"_a.noconvert(), "out"_a.noconvert());
    m.def("skin_normals", &skin_normals<Real>, "normals"_a.noconvert(), "joints"_a.noconvert(),
          "weights"_a.noconvert(), "palettes"_a.noconvert(), "out"_a.noconvert());
}

}  // namespace

NB_MODULE(_core, m) {
    m.doc() = "The compiled core of skinproof. Import it through skinproof._native only.";
    skinproof::bindings::bind_posing(m);
    bind_skinning<float>(m);
    bind_skinning<double>(m);
    bind_weights<float>(m);
    bind_weights<double>(m);
    m.def("delta_influences", &delta_influences, "joints_before"_a.noconvert(), "weights_before"_a.noconvert(),
          "joints_after"_a.noconvert(), "weights_after"_a.noconvert(), "joints"_a.noconvert(),
          "weights"_a.noconvert());
    m.def("accumulate_displacement", &accumulate_displacement, "positions"_a.noconvert(), "joints"_a.noconvert(),
          "weights"_a.noconvert(), "palettes"_a.noconvert(), "first_pose"_a, "max_squared"_a.noconvert(),
          "max_pose"_a.noconvert(), "sum_squared"_a.noconvert());
    m.def("accumulate_bound", &accumulate_bound, "positions"_a.noconvert(), "joints"_a.noconvert(),
          "weights"_a.noconvert(), "palettes"_a.noconvert(), "max_bound"_a.noconvert());
    m.def("instruction_sets", &instruction_sets);
    nb::class_<skinproof::DisplacementPlan>(m, "DisplacementPlan")
        .def("__init__", &construct_displacement, "positions"_a.noconvert(), "joints"_a.noconvert(),
             "weights"_a.noconvert(), "bounded"_a, "threads"_a, "instruction_set"_a, "repeatable"_a)
        .def("set_positions", &set_displaced_positions, "positions"_a.noconvert())
        .def("add", &add, "palettes"_a.noconvert(), "first_pose"_a)
        .def("take", &take, "max_squared"_a.noconvert(), "max_pose"_a.noconvert(), "sum_squared"_a.noconvert())
        .def("write_bound", &write_bound, "out"_a.noconvert());
    nb::class_<skinproof::SkinningPlan>(m, "SkinningPlan")
        .def("__init__", &construct_skinning, "positions"_a.noconvert(), "joints"_a.noconvert(),
             "weights"_a.noconvert(), "threads"_a, "instruction_set"_a)
        .def("set_positions", &set_positions, "positions"_a.noconvert())
        .def("set_normals", &set_normals, "normals"_a.noconvert())
        .def("skin", &skin, "palettes"_a.noconvert(), "out"_a.noconvert())
        .def("skin_normals", &skin_planned_normals, "palettes"_a.noconvert(), "out"_a.noconvert());
    m.def("accumulate_gram", &accumulate_gram, "palettes"_a.noconvert(), "shares"_a.noconvert(),
          "starts"_a.noconvert(), "partners"_a.noconvert(), "centre"_a.noconvert(), "forms"_a.noconvert());
    m.def("vertex_costs", &vertex_costs, "positions"_a.noconvert(), "joints"_a.noconvert(), "weights"_a.noconvert(),
          "starts"_a.noconvert(), "partners"_a.noconvert(), "forms"_a.noconvert(), "centre"_a.noconvert(),
          "costs"_a.noconvert(), "sizes"_a.noconvert());
    m.def("solve_sparse", &solve_sparse, "costs"_a.noconvert(), "sizes"_a.noconvert(), "max_influences"_a,
          "max_faces"_a, "max_nodes"_a, "instruction_set"_a, "weights"_a.noconvert(), "least"_a.noconvert(),
          "bounds"_a.noconvert(), "endings"_a.noconvert());
    m.def("list_sparse", &list_sparse, "costs"_a.noconvert(), "sizes"_a.noconvert(), "max_influences"_a,
          "max_faces"_a, "max_nodes"_a, "weights"_a.noconvert());
    m.def("solve_minimax", &solve_minimax, "offsets"_a.noconvert(), "max_influences"_a, "max_sets"_a, "max_solved"_a,
          "tolerance"_a, "weights"_a.noconvert(), "reached"_a.noconvert(), "bounds"_a.noconvert());
}
