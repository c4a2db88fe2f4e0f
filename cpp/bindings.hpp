// What the files that know nanobind share. Every array is taken as it is (.noconvert()): the Python door has checked
// it, the types here say it again.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <span>

namespace skinproof::bindings {

template <class T, int Axes>
using In = nanobind::ndarray<nanobind::numpy, const T, nanobind::ndim<Axes>, nanobind::c_contig, nanobind::device::cpu>;
template <class T, int Axes>
using Out = nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<Axes>, nanobind::c_contig, nanobind::device::cpu>;

template <class Array>
auto span_of(const Array& array) {
    return std::span(array.data(), array.size());
}

// What each file adds to the module.
void bind_posing(nanobind::module_& m);

}  // namespace skinproof::bindings
