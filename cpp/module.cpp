// The only file that knows nanobind. Every array is taken as it is (.noconvert()): the Python door has checked it,
// the types here say it again. The interpreter's lock is released around every kernel.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "bound.hpp"
#include "deltas.hpp"
#include "displacement.hpp"
#include "displacement_plan.hpp"
#include "instruction_sets.hpp"
#include "skin.hpp"
#include "skin_normals.hpp"
#include "skinning_plan.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

template <class T, int Axes>
using In = nb::ndarray<nb::numpy, const T, nb::ndim<Axes>, nb::c_contig, nb::device::cpu>;
template <class T, int Axes>
using Out = nb::ndarray<nb::numpy, T, nb::ndim<Axes>, nb::c_contig, nb::device::cpu>;
using Joints = In<std::uint16_t, 2>;

template <class Array>
auto span_of(const Array& array) {
    return std::span(array.data(), array.size());
}

template <class Real>
skinproof::Influences<Real> influences_of(const Joints& joints, const In<Real, 2>& weights) {
    return {span_of(joints), span_of(weights), joints.shape(0), joints.shape(1)};
}

template <class Real>
skinproof::Palettes<Real> palettes_of(const In<Real, 4>& palettes) {
    return {span_of(palettes), palettes.shape(0), palettes.shape(1)};
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
                            std::string_view instruction_set) {
    const skinproof::Kernels& kernels = kernels_named(instruction_set);
    nb::gil_scoped_release unlocked;
    new (self) skinproof::DisplacementPlan(span_of(positions), influences_of(joints, weights), bounded, threads,
                                           kernels);
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

template <class Real>
void bind_skinning(nb::module_& m) {
    m.def("skin_positions", &skin_positions<Real>, "positions"_a.noconvert(), "joints"_a.noconvert(),
          "weights"_a.noconvert(), "palettes"_a.noconvert(), "out"_a.noconvert());
    m.def("skin_normals", &skin_normals<Real>, "normals"_a.noconvert(), "joints"_a.noconvert(),
          "weights"_a.noconvert(), "palettes"_a.noconvert(), "out"_a.noconvert());
}

}  // namespace

NB_MODULE(_core, m) {
    m.doc() = "The compiled core of skinproof. Import it through skinproof._native only.";
    bind_skinning<float>(m);
    bind_skinning<double>(m);
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
             "weights"_a.noconvert(), "bounded"_a, "threads"_a, "instruction_set"_a)
        .def("add", &add, "palettes"_a.noconvert(), "first_pose"_a)
        .def("take", &take, "max_squared"_a.noconvert(), "max_pose"_a.noconvert(), "sum_squared"_a.noconvert())
        .def("write_bound", &write_bound, "out"_a.noconvert());
    nb::class_<skinproof::SkinningPlan>(m, "SkinningPlan")
        .def("__init__", &construct_skinning, "positions"_a.noconvert(), "joints"_a.noconvert(),
             "weights"_a.noconvert(), "threads"_a, "instruction_set"_a)
        .def("set_positions", &set_positions, "positions"_a.noconvert())
        .def("skin", &skin, "palettes"_a.noconvert(), "out"_a.noconvert());
}
