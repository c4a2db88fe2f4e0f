// The only file that knows nanobind. Every array is taken as it is (.noconvert()): the Python door has checked it,
// the types here say it again. The interpreter's lock is released around every kernel.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>

#include "skin.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

template <class T>
using In1 = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using In2 = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using In4 = nb::ndarray<const T, nb::ndim<4>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out3 = nb::ndarray<T, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

template <class Real>
void skin_positions(In2<Real> positions, In2<std::uint16_t> joints, In2<Real> weights, In4<Real> palettes,
                    Out3<Real> out) {
    nb::gil_scoped_release unlocked;
    skinproof::skin_positions<Real>(
        {positions.data(), positions.size()},
        {{joints.data(), joints.size()}, {weights.data(), weights.size()}, joints.shape(0), joints.shape(1)},
        {{palettes.data(), palettes.size()}, palettes.shape(0), palettes.shape(1)}, {out.data(), out.size()});
}

}  // namespace

NB_MODULE(_core, m) {
    m.doc() = "The compiled core of skinproof. Import it through skinproof._native only.";
    m.def("skin_positions", &skin_positions<float>, "positions"_a.noconvert(), "joints"_a.noconvert(),
          "weights"_a.noconvert(), "palettes"_a.noconvert(), "out"_a.noconvert());
    m.def("skin_positions", &skin_positions<double>, "positions"_a.noconvert(), "joints"_a.noconvert(),
          "weights"_a.noconvert(), "palettes"_a.noconvert(), "out"_a.noconvert());
}
