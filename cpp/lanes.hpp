// A few numbers side by side, one per problem, so that compilers can put them into one register. Every operation is done
// on each number by itself: the result of a problem does not depend on how many are beside it.
#pragma once

#include <cstddef>
#include <cstring>

namespace skinproof {

#if defined(__GNUC__)
// GCC and Clang: vectors that they split to whatever the processor has.
template <std::size_t L>
struct Register {
    typedef double Type __attribute__((vector_size(L * sizeof(double))));
};

template <std::size_t L>
struct Lanes {
    typename Register<L>::Type v;

    static Lanes load(const double* from) noexcept {
        Lanes out;
        std::memcpy(&out.v, from, sizeof out.v);
        return out;
    }
    static Lanes all(double value) noexcept { return {value - typename Register<L>::Type{}}; }
    void store(double* to) const noexcept { std::memcpy(to, &v, sizeof v); }

    friend Lanes operator+(const Lanes& a, const Lanes& b) noexcept { return {a.v + b.v}; }
    friend Lanes operator-(const Lanes& a, const Lanes& b) noexcept { return {a.v - b.v}; }
    friend Lanes operator*(const Lanes& a, const Lanes& b) noexcept { return {a.v * b.v}; }
    friend Lanes operator/(const Lanes& a, const Lanes& b) noexcept { return {a.v / b.v}; }

    // Where a > b this, elsewhere that.
    friend Lanes where_above(const Lanes& a, const Lanes& b, const Lanes& here, const Lanes& there) noexcept {
        return {a.v > b.v ? here.v : there.v};
    }
};
#else
template <std::size_t L>
struct Lanes {
    double v[L];

    static Lanes load(const double* from) noexcept {
        return each([&](std::size_t l) { return from[l]; });
    }
    static Lanes all(double value) noexcept {
        return each([&](std::size_t) { return value; });
    }
    void store(double* to) const noexcept { std::memcpy(to, v, sizeof v); }

    friend Lanes operator+(const Lanes& a, const Lanes& b) noexcept {
        return each([&](std::size_t l) { return a.v[l] + b.v[l]; });
    }
    friend Lanes operator-(const Lanes& a, const Lanes& b) noexcept {
        return each([&](std::size_t l) { return a.v[l] - b.v[l]; });
    }
    friend Lanes operator*(const Lanes& a, const Lanes& b) noexcept {
        return each([&](std::size_t l) { return a.v[l] * b.v[l]; });
    }
    friend Lanes operator/(const Lanes& a, const Lanes& b) noexcept {
        return each([&](std::size_t l) { return a.v[l] / b.v[l]; });
    }
    friend Lanes where_above(const Lanes& a, const Lanes& b, const Lanes& here, const Lanes& there) noexcept {
        return each([&](std::size_t l) { return a.v[l] > b.v[l] ? here.v[l] : there.v[l]; });
    }

private:
    template <class Make>
    static Lanes each(Make make) noexcept {
        Lanes out;
        for (std::size_t l = 0; l < L; ++l) out.v[l] = make(l);
        return out;
    }
};
#endif

// The smaller of two; b where a is not a number.
template <std::size_t L>
inline Lanes<L> least(const Lanes<L>& a, const Lanes<L>& b) noexcept {
    return where_above(b, a, a, b);
}

}  // namespace skinproof
