// Ranking, cutting, normalizing and packing of influences. What is computed, and why, stands with the operations in
// src/skinproof/influences/ (normalize.py: shares; keep_largest.py; pack.py); the results here have the same bits.
//
// A quotient w / s costs as much as all else together. Mostly w * (1 / s) does: it is off by less than 3 * 2^-53 of the
// quotient. Where that could change a later rounding the block is divided truly. So the result is always that of division.

namespace skinproof::SKINPROOF_SET {
namespace {

constexpr double steps_per_unit = 0x1p20;  // as in pack.py

// Reads the rows of one block into one vector per slot, and looks for what may break the contract: anything that does
// makes `trouble` other than zero. by rank: weights descending, equal ones by joint ascending.
template <std::size_t Slots, class Weight>
SKINPROOF_INLINE void read_ranked(const std::uint16_t* row_joints, const Weight* row_weights, double joint_count,
                                  bool ranked, Real* weights, Real* joints, Real& trouble) noexcept {
    constexpr double least = sizeof(Weight) == 4 ? 0 : 0x1p-500, most = sizeof(Weight) == 4 ? 0x1p128 : 0x1p500;
    const Real one = all(1);
    bool coarse = true;  // no weight uses its last 16 bits
    Bits fine = {};
    SKINPROOF_UNROLL
    for (std::size_t i = 0; i < Slots; ++i) {
        weights[i] = read(row_weights + place_of<Slots>(i));
        joints[i] = read(row_joints + place_of<Slots>(i));
        // Written so that not a number fails too.
        trouble = weights[i] >= Real{} ? trouble : one;
        trouble = weights[i] < all(most) ? trouble : one;
        if constexpr (sizeof(Weight) == 8) {
            trouble = (weights[i] > Real{}) & (weights[i] < all(least)) ? one : trouble;
            fine |= bits_of(weights[i]);
        }
        weights[i] = weights[i] > Real{} ? weights[i] : Real{};  // -0.0 is 0.0
        trouble = (weights[i] > Real{}) & (joints[i] >= all(joint_count)) ? one : trouble;
    }
    if constexpr (sizeof(Weight) == 8) coarse = !any(number_of(fine & low_bits));
    if (ranked && coarse) {
        Real keys[Slots];
        SKINPROOF_UNROLL
        for (std::size_t i = 0; i < Slots; ++i) keys[i] = key_of(weights[i], joints[i]);
        transpose<Slots>(keys);
        sort_keys<Slots>(keys);
        SKINPROOF_UNROLL
        for (std::size_t i = 0; i < Slots; ++i) {
            weights[i] = weight_of(keys[i]);
            joints[i] = joint_of(keys[i]);
        }
    } else {
        transpose<Slots>(weights);
        transpose<Slots>(joints);
        if (ranked) sort_pairs<Slots>(weights, joints);
    }
    // Empty slots get joints that nothing else has.
    Real names[Slots];
    SKINPROOF_UNROLL
    for (std::size_t i = 0; i < Slots; ++i) {
        names[i] = weights[i] > Real{} ? joints[i] : all(-1 - static_cast<double>(i));
    }
    SKINPROOF_UNROLL
    for (std::size_t i = 1; i < Slots; ++i) {
        SKINPROOF_UNROLL
        for (std::size_t j = 0; j < i; ++j) trouble = names[i] == names[j] ? one : trouble;
    }
    Real sum = weights[0];
    SKINPROOF_UNROLL
    for (std::size_t i = 1; i < Slots; ++i) sum += weights[i];
    trouble = sum > Real{} ? trouble : one;
}

template <std::size_t Slots>
SKINPROOF_INLINE Real sum_of(const Real* weights) noexcept {
    Real sum = weights[0];
    SKINPROOF_UNROLL
    for (std::size_t i = 1; i < Slots; ++i) sum += weights[i];
    return sum;
}

// Ranked weights to their shares, as float32 holds them.
template <std::size_t Slots>
SKINPROOF_INLINE void share_singly(Real* weights) noexcept {
    const Real sum = sum_of<Slots>(weights), inverse = 1.0 / sum;
    Real shares[Slots], doubt = {};
    SKINPROOF_UNROLL
    for (std::size_t i = 0; i < Slots; ++i) {
        shares[i] = weights[i] * inverse;
        // Within 8 of the middle between two float32, or where those are denormal.
        const Bits near = (bits_of(shares[i]) + 8) & 0x1FFFFFF0;
        const auto unsure = (near == Bits{} + 0x10000000) | ((shares[i] < all(0x1p-126)) & (shares[i] > Real{}));
        doubt = unsure ? all(1) : doubt;
    }
    if (any(doubt)) {
        SKINPROOF_UNROLL
        for (std::size_t i = 0; i < Slots; ++i) shares[i] = weights[i] / sum;
    }
    SKINPROOF_UNROLL
    for (std::size_t i = 0; i < Slots; ++i) {
        float singles[lanes];
        write(singles, shares[i]);
        weights[i] = read(singles);
    }
}

// Ranked weights to whole units that sum to `scale`.
template <std::size_t Slots>
SKINPROOF_INLINE void share_units(double scale, Real* weights) noexcept {
    const Real sum = sum_of<Slots>(weights);
    const double factor = scale * steps_per_unit;
    Real steps[Slots], doubt = {};
    if (scale <= 65535) {
        // Steps are below `factor`, and off by less than 5.01 * 2^-53 of that.
        const Real inverse = 1.0 / sum, sure = all(0.5 - factor * 0x1p-50);
        SKINPROOF_UNROLL
        for (std::size_t i = 0; i < Slots; ++i) {
            const Real exact = weights[i] * inverse * factor;
            steps[i] = rounded(exact);
            doubt = (exact - steps[i] > sure) | (steps[i] - exact > sure) ? all(1) : doubt;
        }
    } else {
        doubt = all(1);
    }
    if (any(doubt)) {
        SKINPROOF_UNROLL
        for (std::size_t i = 0; i < Slots; ++i) steps[i] = rounded(weights[i] / sum * factor);
    }
    Real left[Slots], missing = all(scale);
    SKINPROOF_UNROLL
    for (std::size_t i = 0; i < Slots; ++i) {
        const Real exact = steps[i] * (1 / steps_per_unit), near = rounded(exact);
        weights[i] = near > exact ? near - 1.0 : near;
        left[i] = exact - weights[i];
        missing -= weights[i];
    }
    // How many have a larger remainder, or the same and a better rank.
    Real better[Slots] = {};
    SKINPROOF_UNROLL
    for (std::size_t i = 1; i < Slots; ++i) {
        SKINPROOF_UNROLL
        for (std::size_t j = 0; j < i; ++j) {
            const auto more = left[i] > left[j];
            better[j] = more ? better[j] + 1.0 : better[j];
            better[i] = more ? better[i] : better[i] + 1.0;
        }
    }
    SKINPROOF_UNROLL
    for (std::size_t i = 0; i < Slots; ++i) weights[i] = better[i] < missing ? weights[i] + 1.0 : weights[i];
}

// Ranks anew, and writes rows; the weights end in 16 zero bits.
template <std::size_t Slots, class Stored>
SKINPROOF_INLINE void write_ranked(const Real* weights, const Real* joints, double unit, std::uint16_t* row_joints,
                                   Stored* row_weights) noexcept {
    Real keys[Slots];
    SKINPROOF_UNROLL
    for (std::size_t i = 0; i < Slots; ++i) keys[i] = key_of(weights[i], joints[i]);
    sort_keys<Slots>(keys);
    transpose<Slots>(keys);
    SKINPROOF_UNROLL
    for (std::size_t i = 0; i < Slots; ++i) {
        write(row_weights + place_of<Slots>(i), weight_of(keys[i]) * unit);
        write(row_joints + place_of<Slots>(i), joint_of(keys[i]));
    }
}

// The first `kept` of the ranked slots, normalized, into rows of Kept slots.
template <std::size_t Kept>
SKINPROOF_INLINE void write_kept(Real* weights, Real* joints, std::uint16_t* row_joints, float* row_weights) noexcept {
    share_singly<Kept>(weights);
    write_ranked<Kept>(weights, joints, 1, row_joints, row_weights);
}
template <std::size_t Kept>
SKINPROOF_INLINE void write_kept(Real* weights, Real* joints, std::uint16_t* row_joints, double* row_weights) noexcept {
    const Real sum = sum_of<Kept>(weights);
    SKINPROOF_UNROLL
    for (std::size_t i = 0; i < Kept; ++i) weights[i] = weights[i] / sum;
    // Rounding can make two weights equal, with the joints the wrong way round.
    Real astray = {};
    SKINPROOF_UNROLL
    for (std::size_t i = 1; i < Kept; ++i) {
        astray = (weights[i] == weights[i - 1]) & (joints[i] < joints[i - 1]) ? all(1) : astray;
    }
    if (any(astray)) sort_pairs<Kept>(weights, joints);
    SKINPROOF_UNROLL
    for (std::size_t i = 0; i < Kept; ++i) joints[i] = weights[i] > Real{} ? joints[i] : Real{};
    transpose<Kept>(weights);
    transpose<Kept>(joints);
    SKINPROOF_UNROLL
    for (std::size_t i = 0; i < Kept; ++i) {
        write(row_weights + place_of<Kept>(i), weights[i]);
        write(row_joints + place_of<Kept>(i), joints[i]);
    }
}

// Calls work(joints, weights, out_joints, out_weights) for block after block, whose rows are Slots and Out slots wide; where
// those of the arrays are not, or a block is not full, with a copy. out_slots may be 0: nothing is written.
template <std::size_t Slots, std::size_t Out, class Weight, class Stored, class Work>
SKINPROOF_INLINE void for_blocks(const WeightRows<Weight>& rows, std::size_t out_slots, std::uint16_t* out_joints,
                                 Stored* out_weights, const Work& work) noexcept {
    const bool fits = rows.slots == Slots && (out_slots == Out || out_slots == 0);
    for (std::size_t first = 0; first < rows.vertices; first += lanes) {
        const std::uint16_t* joints = rows.joints + first * rows.slots;
        const Weight* weights = rows.weights + first * rows.slots;
        if (fits && first + lanes <= rows.vertices) {
            work(joints, weights, out_joints + first * out_slots, out_weights + first * out_slots);
            continue;
        }
        const std::size_t size = rows.vertices - first < lanes ? rows.vertices - first : lanes;
        std::uint16_t some_joints[lanes * Slots] = {}, new_joints[lanes * Out] = {};
        Weight some_weights[lanes * Slots] = {};
        Stored new_weights[lanes * Out] = {};
        for (std::size_t v = 0; v < lanes; ++v) {
            if (v >= size) some_weights[v * Slots] = 1;  // nothing wrong with it
            for (std::size_t i = 0; v < size && i < rows.slots; ++i) {
                some_joints[v * Slots + i] = joints[v * rows.slots + i];
                some_weights[v * Slots + i] = weights[v * rows.slots + i];
            }
        }
        work(some_joints, some_weights, new_joints, new_weights);
        for (std::size_t v = 0; v < size; ++v) {
            for (std::size_t i = 0; i < out_slots; ++i) {
                const std::size_t place = (first + v) * out_slots + i;
                out_joints[place] = i < Out ? new_joints[v * Out + i] : std::uint16_t{0};
                out_weights[place] = i < Out ? new_weights[v * Out + i] : Stored(0);
            }
        }
    }
}

template <std::size_t Slots, class Weight>
bool is_sound_in(const WeightRows<Weight>& rows) noexcept {
    Real trouble = {};
    for_blocks<Slots, Slots>(rows, 0, static_cast<std::uint16_t*>(nullptr), static_cast<Weight*>(nullptr),
                             [&](const std::uint16_t* joints, const Weight* weights, auto*, auto*) noexcept {
                                 Real ranked_weights[Slots], ranked_joints[Slots];
                                 read_ranked<Slots>(joints, weights, rows.joint_count, false, ranked_weights,
                                                    ranked_joints, trouble);
                             });
    return !any(trouble);
}

template <std::size_t Slots, std::size_t Kept, class Weight>
bool keep_largest_in(const WeightRows<Weight>& rows, std::size_t kept, std::uint16_t* out_joints,
                     Weight* out_weights) noexcept {
    Real trouble = {};
    for_blocks<Slots, Kept>(
        rows, kept, out_joints, out_weights,
        [&](const std::uint16_t* joints, const Weight* weights, std::uint16_t* to_joints, Weight* to_weights) noexcept {
            Real ranked_weights[Slots], ranked_joints[Slots];
            read_ranked<Slots>(joints, weights, rows.joint_count, true, ranked_weights, ranked_joints, trouble);
            SKINPROOF_UNROLL
            for (std::size_t i = 1; i < Kept; ++i) {
                if (i >= kept) ranked_weights[i] = Real{};
            }
            write_kept<Kept>(ranked_weights, ranked_joints, to_joints, to_weights);
        });
    return !any(trouble);
}

template <std::size_t Slots, class Weight, class Stored>
bool pack_in(const WeightRows<Weight>& rows, std::uint16_t* out_joints, Stored* out_stored) noexcept {
    constexpr bool whole = static_cast<Stored>(0.5) == 0;
    const double scale = whole ? static_cast<double>(static_cast<Stored>(~std::uint32_t{0})) : 0x1p24;
    Real trouble = {};
    for_blocks<Slots, Slots>(
        rows, rows.slots, out_joints, out_stored,
        [&](const std::uint16_t* joints, const Weight* weights, std::uint16_t* to_joints, Stored* to_stored) noexcept {
            Real ranked_weights[Slots], ranked_joints[Slots];
            read_ranked<Slots>(joints, weights, rows.joint_count, true, ranked_weights, ranked_joints, trouble);
            share_units<Slots>(scale, ranked_weights);
            write_ranked<Slots>(ranked_weights, ranked_joints, whole ? 1.0 : 0x1p-24, to_joints, to_stored);
        });
    return !any(trouble);
}

// The same for any number of slots up to 16.
template <class Weight>
bool is_sound(const WeightRows<Weight>& rows) noexcept {
    return rows.slots <= 4 ? is_sound_in<4>(rows) : rows.slots <= 8 ? is_sound_in<8>(rows) : is_sound_in<16>(rows);
}

template <class Weight>
bool keep_largest(const WeightRows<Weight>& rows, std::size_t kept, std::uint16_t* joints, Weight* weights) noexcept {
    if (rows.slots <= 4) return keep_largest_in<4, 4>(rows, kept, joints, weights);
    if (rows.slots <= 8) {
        return kept <= 4 ? keep_largest_in<8, 4>(rows, kept, joints, weights)
                         : keep_largest_in<8, 8>(rows, kept, joints, weights);
    }
    return kept <= 4   ? keep_largest_in<16, 4>(rows, kept, joints, weights)
           : kept <= 8 ? keep_largest_in<16, 8>(rows, kept, joints, weights)
                       : keep_largest_in<16, 16>(rows, kept, joints, weights);
}

template <class Weight, class Stored>
bool pack(const WeightRows<Weight>& rows, std::uint16_t* joints, Stored* stored) noexcept {
    return rows.slots <= 4   ? pack_in<4>(rows, joints, stored)
           : rows.slots <= 8 ? pack_in<8>(rows, joints, stored)
                             : pack_in<16>(rows, joints, stored);
}

}  // namespace
}  // namespace skinproof::SKINPROOF_SET
