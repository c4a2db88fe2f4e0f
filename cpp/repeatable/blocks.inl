// A block of vertices, as many as a vector has float64 lanes: rows in memory, one vector per slot in registers.

namespace skinproof::SKINPROOF_SET {
namespace {

using Real = Lanes<double>;
using Bits = Lanes<std::uint64_t>;

inline constexpr std::size_t lanes = lane_count<double>;
inline constexpr std::uint64_t low_bits = 0xFFFF;

SKINPROOF_INLINE Bits bits_of(const Real& value) noexcept { return __builtin_bit_cast(Bits, value); }
SKINPROOF_INLINE Real number_of(const Bits& bits) noexcept { return __builtin_bit_cast(Real, bits); }
SKINPROOF_INLINE Real all(double value) noexcept { return Real{} + value; }

// Whether any lane is not zero.
SKINPROOF_INLINE bool any(const Real& flags) noexcept {
    std::uint64_t parts[lanes], found = 0;
    store(parts, bits_of(flags));
    SKINPROOF_UNROLL
    for (std::size_t i = 0; i < lanes; ++i) found |= parts[i];
    return found != 0;
}

// To the nearest integer, ties to even, for numbers from 0 to 2^51: they lose their fraction beside 2^52.
SKINPROOF_INLINE Real rounded(const Real& value) noexcept { return (value + 0x1p52) - 0x1p52; }

// `lanes` numbers from memory as float64, and back; what is written fits.
#if SKINPROOF_VECTOR_BYTES > 0
template <class Number>
struct Few {
    typedef Number Type __attribute__((vector_size(lanes * sizeof(Number)), aligned(alignof(Number)), may_alias));
};
template <class Number>
SKINPROOF_INLINE Real read(const Number* from) noexcept {
    if constexpr (sizeof(Number) >= 4) {
        return __builtin_convertvector(*reinterpret_cast<const typename Few<Number>::Type*>(from), Real);
    } else {
        typedef std::int32_t Whole __attribute__((vector_size(lanes * 4)));
        const auto stored = *reinterpret_cast<const typename Few<Number>::Type*>(from);
        return __builtin_convertvector(__builtin_convertvector(stored, Whole), Real);
    }
}
template <class Number>
SKINPROOF_INLINE void write(Number* to, const Real& value) noexcept {
    typedef Number Narrow __attribute__((vector_size(lanes * sizeof(Number))));
    auto* stored = reinterpret_cast<typename Few<Number>::Type*>(to);
    if constexpr (sizeof(Number) >= 4) {
        *stored = __builtin_convertvector(value, Narrow);
    } else {
        typedef std::int32_t Whole __attribute__((vector_size(lanes * 4)));
        *stored = __builtin_convertvector(__builtin_convertvector(value, Whole), Narrow);
    }
}
#else
template <class Number>
SKINPROOF_INLINE Real read(const Number* from) noexcept { return static_cast<double>(*from); }
template <class Number>
SKINPROOF_INLINE void write(Number* to, Real value) noexcept { *to = static_cast<Number>(value); }
#endif

// Which vertex of the block lane i holds: for rows of 4 in vectors of 8, two rows share a vector.
constexpr std::size_t vertex_of(std::size_t lane) noexcept {
    return lanes == 8 ? 2 * (lane % 4) + lane / 4 : lane;
}

// Where vector i of a block of rows of Slots begins.
template <std::size_t Slots>
constexpr std::size_t place_of(std::size_t i) noexcept {
    return Slots < lanes ? i * lanes : vertex_of(i % lanes) * Slots + i / lanes * lanes;
}

// Exchanges lane l of a with lane l - Step of b, for all l that have the bit Step.
#if SKINPROOF_VECTOR_BYTES > 0
template <std::size_t Step, std::size_t... Lane>
SKINPROOF_INLINE void exchange(Real& a, Real& b, std::index_sequence<Lane...>) noexcept {
    const Real low = __builtin_shufflevector(a, b, static_cast<int>(Lane & Step ? Lane - Step + lanes : Lane)...);
    b = __builtin_shufflevector(a, b, static_cast<int>(Lane & Step ? Lane + lanes : Lane + Step)...);
    a = low;
}
#endif

// From rows to slots and back again: it undoes itself.
template <std::size_t Slots, std::size_t Step = 1>
SKINPROOF_INLINE void transpose(Real* vectors) noexcept {
#if SKINPROOF_VECTOR_BYTES > 0
    constexpr std::size_t group = Slots < lanes ? Slots : lanes;
    if constexpr (Step < group) {
        SKINPROOF_UNROLL
        for (std::size_t i = 0; i < Slots; ++i) {
            if ((i & Step) == 0) exchange<Step>(vectors[i], vectors[i + Step], std::make_index_sequence<lanes>{});
        }
        transpose<Slots, Step * 2>(vectors);
    }
#else
    (void)vectors;
#endif
}

// Batcher's odd-even merge sort: the comparators that sort Count (a power of two) numbers.
template <std::size_t Count>
struct Network {
    std::size_t first[Count * Count / 2] = {}, second[Count * Count / 2] = {}, size = 0;

    constexpr Network() noexcept {
        for (std::size_t run = 1; run < Count; run *= 2) {
            for (std::size_t step = run; step > 0; step /= 2) {
                for (std::size_t start = step % run; start + step < Count; start += 2 * step) {
                    for (std::size_t i = start; i < start + step && i + step < Count; ++i) {
                        if (i / (2 * run) != (i + step) / (2 * run)) continue;
                        first[size] = i;
                        second[size++] = i + step;
                    }
                }
            }
        }
    }
};
template <std::size_t Count>
inline constexpr Network<Count> network{};

// Largest first.
SKINPROOF_INLINE void order(Real& a, Real& b) noexcept {
    const Real more = a > b ? a : b;
    b = a > b ? b : a;
    a = more;
}
template <std::size_t Count, std::size_t... I>
SKINPROOF_INLINE void sort_keys(Real* keys, std::index_sequence<I...>) noexcept {
    (order(keys[network<Count>.first[I]], keys[network<Count>.second[I]]), ...);
}
template <std::size_t Count>
SKINPROOF_INLINE void sort_keys(Real* keys) noexcept {
    sort_keys<Count>(keys, std::make_index_sequence<network<Count>.size>{});
}

// The same by weight descending, equal weights by joint ascending.
SKINPROOF_INLINE void order_pair(Real& weight, Real& joint, Real& other_weight, Real& other_joint) noexcept {
    const auto swap = (other_weight > weight) | ((other_weight == weight) & (other_joint < joint));
    const Real more = swap ? other_weight : weight, first = swap ? other_joint : joint;
    other_weight = swap ? weight : other_weight;
    other_joint = swap ? joint : other_joint;
    weight = more;
    joint = first;
}
template <std::size_t Count, std::size_t... I>
SKINPROOF_INLINE void sort_pairs(Real* weights, Real* joints, std::index_sequence<I...>) noexcept {
    (order_pair(weights[network<Count>.first[I]], joints[network<Count>.first[I]],
                weights[network<Count>.second[I]], joints[network<Count>.second[I]]),
     ...);
}
template <std::size_t Count>
SKINPROOF_INLINE void sort_pairs(Real* weights, Real* joints) noexcept {
    sort_pairs<Count>(weights, joints, std::make_index_sequence<network<Count>.size>{});
}

// A weight whose last 16 bits are zero and its joint as one number: as numbers they order by weight descending, then
// joint ascending. A weight of zero gives zero.
SKINPROOF_INLINE Real key_of(const Real& weight, const Real& joint) noexcept {
    // 2^52 + n holds n in its last bits
    const Bits inverse = bits_of(65535.0 - joint + 0x1p52) & low_bits;
    return weight > Real{} ? number_of(bits_of(weight) | inverse) : Real{};
}
SKINPROOF_INLINE Real weight_of(const Real& key) noexcept { return number_of(bits_of(key) & ~low_bits); }
SKINPROOF_INLINE Real joint_of(const Real& key) noexcept {
    return key > Real{} ? 65535.0 - (number_of((bits_of(key) & low_bits) | bits_of(all(0x1p52))) - 0x1p52) : Real{};
}

}  // namespace
}  // namespace skinproof::SKINPROOF_SET
