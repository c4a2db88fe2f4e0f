// Numbers side by side: the vector types and the few operations on them in which the kernels are written.
//
// For the files of cpp/kernels alone. Each of their translation units is compiled for another instruction set, and
// the linker keeps one copy of an inline function that several units share, maybe the one that this processor cannot
// run. So everything here lives in the unit's own namespace, and no kernel calls a function of the standard library.
//
// The unit defines SKINPROOF_SET (its namespace) and SKINPROOF_VECTOR_BYTES (0: plain numbers, for any compiler).
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>  // index_sequence, a type without functions

#include "kernels/kernels.hpp"

#if defined(__GNUC__)
#define SKINPROOF_UNROLL _Pragma("GCC unroll 32")
#define SKINPROOF_INLINE inline __attribute__((always_inline))
#define SKINPROOF_APART __attribute__((noinline))
#else
#define SKINPROOF_UNROLL
#define SKINPROOF_INLINE inline
#define SKINPROOF_APART
#endif

namespace skinproof::SKINPROOF_SET {

#if SKINPROOF_VECTOR_BYTES > 0

template <class Real>
struct LanesOf {
    typedef Real Type __attribute__((vector_size(SKINPROOF_VECTOR_BYTES)));
    typedef Real Unaligned __attribute__((vector_size(SKINPROOF_VECTOR_BYTES), aligned(alignof(Real)), may_alias));
};
template <class Real>
using Lanes = typename LanesOf<Real>::Type;

template <class Real>
SKINPROOF_INLINE Lanes<Real> load(const Real* from) noexcept {
    return *reinterpret_cast<const typename LanesOf<Real>::Unaligned*>(from);
}

template <class Real>
SKINPROOF_INLINE void store(Real* to, const Lanes<Real>& value) noexcept {
    *reinterpret_cast<typename LanesOf<Real>::Unaligned*>(to) = value;
}

#else

template <class Real>
using Lanes = Real;

template <class Real>
SKINPROOF_INLINE Lanes<Real> load(const Real* from) noexcept { return *from; }

template <class Real>
SKINPROOF_INLINE void store(Real* to, const Lanes<Real>& value) noexcept { *to = value; }

#endif

template <class Real>
inline constexpr std::size_t lane_count = sizeof(Lanes<Real>) / sizeof(Real);

SKINPROOF_INLINE void copy_point(float* to, const float* from) noexcept {
    to[0] = from[0];
    to[1] = from[1];
    to[2] = from[2];
}

#if SKINPROOF_VECTOR_BYTES > 0

// Four numbers, whatever the width of the others.
typedef float Quad __attribute__((vector_size(16)));

// Numbers First to First + Count - 1 of a vector to memory.
template <std::size_t First, class Vector, std::size_t... Lane>
SKINPROOF_INLINE void store_some(float* to, const Vector& value, std::index_sequence<Lane...>) noexcept {
    if constexpr (sizeof...(Lane) == 1) {
        to[0] = value[First];
    } else {
        const auto some = __builtin_shufflevector(value, value, static_cast<int>(First + Lane)...);
        __builtin_memcpy(to, &some, sizeof some);
    }
}

// Writes x y z x y z ... of points that stand as x y z * x y z * ...
template <std::size_t... Lane>
SKINPROOF_INLINE void store_points(float* to, const Lanes<float>& points, std::index_sequence<Lane...>) noexcept {
    constexpr std::size_t lanes = sizeof...(Lane), size = lanes / 4 * 3;
    const Lanes<float> close =
        __builtin_shufflevector(points, points, static_cast<int>(Lane < size ? Lane + Lane / 3 : Lane)...);
    store_some<0>(to, close, std::make_index_sequence<lanes / 2>{});
    store_some<lanes / 2>(to + lanes / 2, close, std::make_index_sequence<lanes / 4>{});
}

// a a a a b b b b ... of a, b, ... in memory. Reads a whole vector: put together from a few numbers it would go through
// memory, which waits for what was just written there.
template <std::size_t... Lane>
SKINPROOF_INLINE Lanes<float> in_fours(const float* from, std::index_sequence<Lane...>) noexcept {
    const Lanes<float> some = load(from);
    return __builtin_shufflevector(some, some, static_cast<int>(Lane / 4)...);
}

// Four vectors of fours of numbers (columns of matrices), vertex after vertex: to one vector for each column.
template <std::size_t... Lane>
SKINPROOF_INLINE void gather_columns(Lanes<float>* v, std::index_sequence<Lane...>) noexcept {
    constexpr std::size_t lanes = sizeof...(Lane);
    if constexpr (lanes == 8) {
        const Lanes<float> first = v[0], second = v[1];
        v[0] = __builtin_shufflevector(first, v[2], static_cast<int>(Lane % 4 + Lane / 4 * 8)...);
        v[1] = __builtin_shufflevector(first, v[2], static_cast<int>(Lane % 4 + Lane / 4 * 8 + 4)...);
        v[2] = __builtin_shufflevector(second, v[3], static_cast<int>(Lane % 4 + Lane / 4 * 8)...);
        v[3] = __builtin_shufflevector(second, v[3], static_cast<int>(Lane % 4 + Lane / 4 * 8 + 4)...);
    } else if constexpr (lanes == 16) {
        Lanes<float> half[4];  // columns 0 1 of two vertices, then of the other two; columns 2 3
        half[0] = __builtin_shufflevector(v[0], v[1], static_cast<int>(Lane % 8 + Lane / 8 * 16)...);
        half[1] = __builtin_shufflevector(v[2], v[3], static_cast<int>(Lane % 8 + Lane / 8 * 16)...);
        half[2] = __builtin_shufflevector(v[0], v[1], static_cast<int>(Lane % 8 + Lane / 8 * 16 + 8)...);
        half[3] = __builtin_shufflevector(v[2], v[3], static_cast<int>(Lane % 8 + Lane / 8 * 16 + 8)...);
        SKINPROOF_UNROLL
        for (std::size_t i = 0; i < 4; i += 2) {
            v[i] = __builtin_shufflevector(half[i], half[i + 1], static_cast<int>(Lane % 4 + Lane / 4 * 8)...);
            v[i + 1] = __builtin_shufflevector(half[i], half[i + 1], static_cast<int>(Lane % 4 + Lane / 4 * 8 + 4)...);
        }
    }
}

// The vector at place `Which` of the three that x0 y0 z0 x1 y1 z1 ... fill.
template <std::size_t Which, std::size_t... Lane>
SKINPROOF_INLINE Lanes<float> interleaved(const Lanes<float>& x, const Lanes<float>& y, const Lanes<float>& z,
                                          std::index_sequence<Lane...>) noexcept {
    constexpr std::size_t lanes = sizeof...(Lane), first = Which * lanes;
    const Lanes<float> xy = __builtin_shufflevector(
        x, y, static_cast<int>((first + Lane) / 3 + ((first + Lane) % 3 == 1 ? lanes : 0))...);
    return __builtin_shufflevector(
        xy, z, static_cast<int>((first + Lane) % 3 == 2 ? (first + Lane) / 3 + lanes : Lane)...);
}

// Writes x0 y0 z0 x1 y1 z1 ...
SKINPROOF_INLINE void store_interleaved(float* to, const Lanes<float>& x, const Lanes<float>& y,
                                        const Lanes<float>& z) noexcept {
    constexpr std::size_t lanes = sizeof(Lanes<float>) / sizeof(float);
    constexpr std::make_index_sequence<lanes> all;
    store(to, interleaved<0>(x, y, z, all));
    store(to + lanes, interleaved<1>(x, y, z, all));
    store(to + 2 * lanes, interleaved<2>(x, y, z, all));
}

#else

SKINPROOF_INLINE void store_interleaved(float* to, float x, float y, float z) noexcept {
    to[0] = x;
    to[1] = y;
    to[2] = z;
}

#endif

// The larger of each pair; a NaN in `a` is passed over.
template <class Vector>
SKINPROOF_INLINE Vector larger(const Vector& a, const Vector& b) noexcept { return a > b ? a : b; }

// The sum of `Count` (a power of two) numbers, folded in half again and again: i to i + Count / 2, and so on. The
// order of the additions is the same for every number of lanes.
template <std::size_t Count, class Real>
SKINPROOF_INLINE Real folded_sum(const Real* from) noexcept {
    constexpr std::size_t lanes = lane_count<Real>, vectors = Count / lanes;
    Lanes<Real> part[vectors];
    SKINPROOF_UNROLL
    for (std::size_t i = 0; i < vectors; ++i) part[i] = load(from + i * lanes);
    SKINPROOF_UNROLL
    for (std::size_t half = vectors / 2; half > 0; half /= 2) {
        SKINPROOF_UNROLL
        for (std::size_t i = 0; i < half; ++i) part[i] += part[i + half];
    }
    Real last[lanes];
    store(last, part[0]);
    SKINPROOF_UNROLL
    for (std::size_t half = lanes / 2; half > 0; half /= 2) {
        SKINPROOF_UNROLL
        for (std::size_t i = 0; i < half; ++i) last[i] += last[i + half];
    }
    return last[0];
}

// The largest of `Count` numbers, at least 0; NaNs are passed over.
template <std::size_t Count, class Real>
SKINPROOF_INLINE Real folded_max(const Real* from) noexcept {
    constexpr std::size_t lanes = lane_count<Real>;
    Lanes<Real> most = Lanes<Real>{};
    SKINPROOF_UNROLL
    for (std::size_t i = 0; i < Count; i += lanes) most = larger(load(from + i), most);
    Real last[lanes];
    store(last, most);
    SKINPROOF_UNROLL
    for (std::size_t half = lanes / 2; half > 0; half /= 2) {
        SKINPROOF_UNROLL
        for (std::size_t i = 0; i < half; ++i) last[i] = larger(last[i], last[i + half]);
    }
    return last[0];
}

// The place of the first of `Count` numbers that equals `value`, which is among them.
template <std::size_t Count>
SKINPROOF_INLINE std::int64_t first_place(const double* from, double value) noexcept {
    constexpr std::size_t lanes = lane_count<double>;
    using Places = Lanes<std::int64_t>;
    std::int64_t last[lanes];
    SKINPROOF_UNROLL
    for (std::size_t i = 0; i < lanes; ++i) last[i] = static_cast<std::int64_t>(i);
    Places place = load(last), first = Places{} + static_cast<std::int64_t>(Count);
    SKINPROOF_UNROLL
    for (std::size_t i = 0; i < Count; i += lanes) {
        const Places here = load(from + i) == Lanes<double>{} + value ? place : first;
        first = here < first ? here : first;
        place += static_cast<std::int64_t>(lanes);
    }
    store(last, first);
    SKINPROOF_UNROLL
    for (std::size_t half = lanes / 2; half > 0; half /= 2) {
        SKINPROOF_UNROLL
        for (std::size_t i = 0; i < half; ++i) last[i] = last[i] < last[i + half] ? last[i] : last[i + half];
    }
    return last[0];
}

// Whether some vertices follow each other in the output. One that is there twice is there last.
template <std::size_t Count>
SKINPROOF_INLINE bool are_together(const std::uint32_t* places) noexcept {
    constexpr std::size_t last = Count - 1;
    return places[last] - places[0] == last && places[last] != places[last - 1];
}

}  // namespace skinproof::SKINPROOF_SET
