// The posing of joints, for Python.
#include "bindings.hpp"

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <tuple>
#include <vector>

#include "elementary.hpp"
#include "posing.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace skinproof::bindings {
namespace {

// Node, path, interpolation, times [T], values [T, width], or [T, 3 * width] for cubic splines.
using ChannelParts = std::tuple<std::size_t, std::uint8_t, std::uint8_t, In<double, 1>, In<double, 2>>;

Channel channel_of(const ChannelParts& parts) {
    const auto& [node, path, interpolation, times, values] = parts;
    return {node, static_cast<AnimatedPath>(path), static_cast<Interpolation>(interpolation), span_of(times),
            span_of(values)};
}

bool sample(const ChannelParts& channel, const In<double, 1>& times, const Out<double, 2>& out) {
    nb::gil_scoped_release unlocked;
    return sample_channel(channel_of(channel), span_of(times), span_of(out));
}

std::size_t worlds_of(const In<std::int32_t, 1>& parents, const In<std::int32_t, 1>& order,
                      const In<double, 2>& translations, const In<double, 2>& rotations, const In<double, 2>& scales,
                      const In<double, 3>& matrices, const std::vector<ChannelParts>& channels,
                      const In<double, 1>& times, const Out<double, 4>& out) {
    std::vector<Channel> parts;
    parts.reserve(channels.size());
    for (const ChannelParts& channel : channels) parts.push_back(channel_of(channel));
    const NodeTree tree{span_of(parents), span_of(order),    span_of(translations),
                        span_of(rotations), span_of(scales), span_of(matrices)};
    nb::gil_scoped_release unlocked;
    return clip_worlds(tree, parts, span_of(times), span_of(out));
}

void down(const In<std::int32_t, 1>& parents, const In<std::int32_t, 1>& order, const Out<double, 4>& matrices) {
    nb::gil_scoped_release unlocked;
    multiply_down(span_of(parents), span_of(order), span_of(matrices));
}

void products(const In<double, 4>& left, const In<std::int32_t, 1>& places, const In<double, 3>& right,
              const Out<double, 4>& out) {
    nb::gil_scoped_release unlocked;
    multiply_picked(span_of(left), left.shape(1), span_of(places), span_of(right), span_of(out));
}

void inverses(const In<double, 3>& matrices, const Out<double, 3>& out) {
    nb::gil_scoped_release unlocked;
    for (std::size_t i = 0; i < matrices.size(); i += 16) invert(matrices.data() + i, out.data() + i);
}

bool slerps(const In<double, 2>& start, const In<double, 2>& end, const In<double, 1>& fraction,
            const Out<double, 2>& out) {
    nb::gil_scoped_release unlocked;
    bool sound = true;
    for (std::size_t i = 0; i < fraction.size(); ++i) {
        sound &= slerp(start.data() + i * 4, end.data() + i * 4, fraction.data()[i], out.data() + i * 4);
    }
    return sound;
}

void sines_cosines(const In<double, 1>& angles, const Out<double, 2>& out) {
    nb::gil_scoped_release unlocked;
    for (std::size_t i = 0; i < angles.size(); ++i) {
        const SineCosine found = sine_cosine(angles.data()[i]);
        out.data()[2 * i] = found.sine;
        out.data()[2 * i + 1] = found.cosine;
    }
}

}  // namespace

void bind_posing(nb::module_& m) {
    m.def("sample_channel", &sample, "channel"_a, "times"_a.noconvert(), "out"_a.noconvert());
    m.def("clip_worlds", &worlds_of, "parents"_a.noconvert(), "order"_a.noconvert(), "translations"_a.noconvert(),
          "rotations"_a.noconvert(), "scales"_a.noconvert(), "matrices"_a.noconvert(), "channels"_a,
          "times"_a.noconvert(), "out"_a.noconvert());
    m.def("multiply_down", &down, "parents"_a.noconvert(), "order"_a.noconvert(), "matrices"_a.noconvert());
    m.def("multiply_picked", &products, "left"_a.noconvert(), "places"_a.noconvert(), "right"_a.noconvert(),
          "out"_a.noconvert());
    m.def("invert", &inverses, "matrices"_a.noconvert(), "out"_a.noconvert());
    m.def("slerp", &slerps, "start"_a.noconvert(), "end"_a.noconvert(), "fraction"_a.noconvert(),
          "out"_a.noconvert());
    m.def("sine_cosine", &sines_cosines, "angles"_a.noconvert(), "out"_a.noconvert());
}

}  // namespace skinproof::bindings
