// Sparse standard quadratic programs by looking at every face: minimize w' H w, w >= 0, sum w = 1, at most K of n
// entries not zero. On the face of a set T of slots the minimum is w_T = x / sum x with H_TT x = 1, at cost 1 / sum x,
// and it lies inside the face only if x > 0. The best of all such faces with |T| <= K is the global optimum.
// Cf. I. M. Bomze, B. Peng, Y. Qiu, E. A. Yildirim, "Tractable relaxations of sparse standard quadratic optimization".
//
// One vertex per lane. All faces are visited once, as a tree: a node adds a later slot to the face of its parent, so the
// elimination of the parent is shared by all below it. For a face T of the tree a row in memory has, of every slot r that
// may still come,
//   rest     1 - H_rT x
//   inverse  1 / schur_rr
//   column   H_TT^-1 H_Tr
//   schur    H_rt - H_rT H_TT^-1 H_Tt of the slots t from r on
// and the step to T + q is t = rest_q / schur_qq, x - column_q t for the old entries of x, t for the new one. The inverse
// is there before it is needed, as all rows of a face are made at once: a division takes long, but others may follow it.

namespace skinproof::SKINPROOF_SET {
namespace {

SKINPROOF_INLINE Real smaller(const Real& a, const Real& b) noexcept { return a < b ? a : b; }
SKINPROOF_INLINE Real greater(const Real& a, const Real& b) noexcept { return a > b ? a : b; }  // b if a is not a number

// What speaks against a face is collected in the sign bit of each lane.
SKINPROOF_INLINE Real zero_if_signed(const Bits& signs, const Real& value) noexcept {
    return __builtin_bit_cast(Lanes<std::int64_t>, signs) < 0 ? Real{} : value;
}

// The number of slots of a face: known when compiled up to a few, so that loops over them unroll; else as it comes.
inline constexpr std::size_t few = 8;
template <std::size_t N>
struct Fixed {
    static constexpr std::size_t room = N + 1;
    SKINPROOF_INLINE constexpr operator std::size_t() const noexcept { return N; }
};
struct Running {
    static constexpr std::size_t room = max_face_slots + 1;
    std::size_t size;
    SKINPROOF_INLINE constexpr operator std::size_t() const noexcept { return size; }
};
template <std::size_t N>
SKINPROOF_INLINE constexpr auto one_more(Fixed<N>) noexcept {
    if constexpr (N + 1 < few) {
        return Fixed<N + 1>{};
    } else {
        return Running{N + 1};
    }
}
SKINPROOF_INLINE constexpr Running one_more(Running size) noexcept { return {size.size + 1}; }

// Of the faces of one size: the largest sum of x (the least cost), the second largest, and the face that has the largest.
// When ties are looked for, `first` is the sum that counts as tied, and `face` the first that reaches it.
struct Winner {
    Real first, second;
    Bits face;
};

// Where the parts of a row stand.
inline constexpr std::size_t rest_at = 0, inverse_at = 1, column_at = 2;
SKINPROOF_INLINE constexpr std::size_t schur_at(std::size_t most) noexcept { return column_at + most; }
SKINPROOF_INLINE constexpr std::size_t row_size(std::size_t slots, std::size_t most) noexcept {
    return schur_at(most) + slots;
}

// Most is K, or 0 for any; Slots what a row has room for, or 0 for any.
template <bool Ties, std::size_t Most, std::size_t Slots>
class FaceSearch {
public:
    // `floor`: pivots below it are rounding; their faces do not count.
    //   rows     [most][slots][row_size], those at the root of the tree filled in
    //   winners  [most + 1], by size
    FaceSearch(std::size_t slots, std::size_t most, const Real& floor, Real* rows, Winner* winners) noexcept
        : n_(slots), k_(most), floor_(floor), rows_(rows), winners_(winners) {}

    void run() noexcept { extend(Fixed<0>{}, 0, 0, nullptr, Real{}, Bits{}); }

private:
    SKINPROOF_INLINE std::size_t k() const noexcept { return Most != 0 ? Most : k_; }
    SKINPROOF_INLINE std::size_t pitch() const noexcept { return row_size(Slots != 0 ? Slots : n_, k()); }
    SKINPROOF_INLINE Real* level(std::size_t size) const noexcept { return rows_ + size * n_ * pitch(); }

    // What decides on a face: the sum of x, if no sign speaks against it.
    SKINPROOF_INLINE static void visit(Winner& winner, FaceMask face, const Real& sum, const Bits& signs) noexcept {
        const Real value = zero_if_signed(signs, sum);
        const Bits here = Bits{} + face;
        if constexpr (Ties) {
            winner.face = (value >= winner.first) & (winner.face == Bits{}) ? here : winner.face;
        } else {
            winner.second = greater(smaller(value, winner.first), winner.second);
            winner.face = value > winner.first ? here : winner.face;
            winner.first = greater(value, winner.first);
        }
    }

    // Visits every face that adds slots from `from` on to the face `mask`, whose x and sum are given; `flaws`: a sign if
    // one of its pivots was rounding.
    template <class Size>
    SKINPROOF_APART void extend(Size size, std::size_t from, FaceMask mask, const Real* x, Real sum,
                                Bits flaws) noexcept {
        const std::size_t diagonal = schur_at(k());
        Real* row = level(size) + from * pitch();
        Winner winner = winners_[size + 1];
        for (std::size_t q = from; q < n_; ++q, row += pitch()) {
            const Real b = row[rest_at], step = b * row[inverse_at];
            const Bits pivots = flaws | bits_of(row[diagonal + q] - floor_);
            Bits signs = pivots | bits_of(step);
            Real next[Size::room];
            for (std::size_t i = 0; i < size; ++i) {
                next[i] = x[i] - row[column_at + i] * step;
                signs |= bits_of(next[i]);
            }
            next[size] = step;
            const Real total = sum + b * step;
            const FaceMask face = mask | FaceMask{1} << q;
            visit(winner, face, total, signs);
            if (size + 1 == k()) continue;
            if (size + 2 == k()) {
                finish(one_more(size), row, q, face, next, step, total, pivots);
            } else if constexpr (Most == 0 || Size::room + 1 < Most) {
                descend(size, row, q, step);
                extend(one_more(size), q + 1, face, next, total, pivots);
            }
        }
        winners_[size + 1] = winner;
    }

    // What the slots after q need once q, whose row is given, belongs to the face.
    template <class Size>
    void descend(Size size, const Real* chosen, std::size_t q, const Real& step) noexcept {
        const std::size_t before = schur_at(k());
        const Real* from = chosen + pitch();
        Real* to = level(size + 1) + (q + 1) * pitch();
        const Real by = chosen[inverse_at];
        for (std::size_t r = q + 1; r < n_; ++r, from += pitch(), to += pitch()) {
            const Real across = chosen[before + r], m = across * by;
            const Real pivot = from[before + r] - m * across;
            to[rest_at] = from[rest_at] - across * step;
            to[inverse_at] = 1.0 / pivot;
            for (std::size_t i = 0; i < size; ++i) to[column_at + i] = from[column_at + i] - chosen[column_at + i] * m;
            to[column_at + size] = m;
            to[before + r] = pivot;
            for (std::size_t t = r + 1; t < n_; ++t) to[before + t] = from[before + t] - m * chosen[before + t];
        }
    }

    // Visits the faces of full size that add one slot after q to a face of `size` slots, q the last of them: descend and
    // the step in one, as nothing comes after.
    template <class Size>
    SKINPROOF_INLINE void finish(Size size, const Real* chosen, std::size_t q, FaceMask mask, const Real* x,
                                 const Real& step, const Real& sum, const Bits& flaws) noexcept {
        const std::size_t before = schur_at(k());
        const Real* row = chosen + pitch();
        const Real by = chosen[inverse_at];
        Winner winner = winners_[k()];
        for (std::size_t r = q + 1; r < n_; ++r, row += pitch()) {
            const Real across = chosen[before + r], m = across * by;
            const Real b = row[rest_at] - across * step, pivot = row[before + r] - across * m, t = b / pivot;
            Bits signs = flaws | bits_of(pivot - floor_) | bits_of(t);
            for (std::size_t i = 0; i + 1 < size; ++i) {
                signs |= bits_of(x[i] - (row[column_at + i] - chosen[column_at + i] * m) * t);
            }
            signs |= bits_of(x[size - 1] - m * t);
            visit(winner, mask | FaceMask{1} << r, sum + b * t, signs);
        }
        winners_[k()] = winner;
    }

    const std::size_t n_, k_;
    const Real floor_;
    Real* const rows_;
    Winner* const winners_;
};

// Visits all faces, with the sizes that are common known when compiled. Rows have room for 8 slots at least.
inline constexpr std::size_t common_slots = 8;
SKINPROOF_INLINE std::size_t pitch_of(std::size_t slots, std::size_t most) noexcept {
    return row_size(slots < common_slots ? common_slots : slots, most);
}
template <bool Ties>
void search_faces(std::size_t n, std::size_t k, const Real& floor, Real* rows, Winner* winners) noexcept {
    if (n > common_slots) {
        if (k == 4) return FaceSearch<Ties, 4, 0>(n, k, floor, rows, winners).run();
        return FaceSearch<Ties, 0, 0>(n, k, floor, rows, winners).run();
    }
    if (k == 1) return FaceSearch<Ties, 1, common_slots>(n, k, floor, rows, winners).run();
    if (k == 2) return FaceSearch<Ties, 2, common_slots>(n, k, floor, rows, winners).run();
    if (k == 3) return FaceSearch<Ties, 3, common_slots>(n, k, floor, rows, winners).run();
    if (k == 4) return FaceSearch<Ties, 4, common_slots>(n, k, floor, rows, winners).run();
    FaceSearch<Ties, 0, common_slots>(n, k, floor, rows, winners).run();
}

// One number of each vertex of a block, from as many places.
SKINPROOF_INLINE Real gather(const double* const* from, std::size_t place) noexcept {
    double numbers[lanes];
    for (std::size_t l = 0; l < lanes; ++l) numbers[l] = from[l][place];
    return load(numbers);
}

struct FaceScale {
    Real ridge, tie;
    Real decided;  // 1 where there is something to decide, else 0
};

// Writes the root of the tree: H with its ridge; of a problem that is undecided the identity, which any face can take.
FaceScale plant(const FaceProblems& problems, const double* const* costs, const Real& size, Real* rows) noexcept {
    const std::size_t n = problems.slots, before = schur_at(problems.most), pitch = pitch_of(n, problems.most);
    Real trace = {}, trouble = {};
    for (std::size_t r = 0; r < n; ++r) {
        Real* row = rows + r * pitch;
        for (std::size_t t = r; t < n; ++t) {
            const Real h = gather(costs, r * n + t);
            trouble += h - h;  // not zero, for it is no number, unless h is finite
            row[before + t] = h;
        }
        trace += row[before + r];
    }
    const Real mean = trace / static_cast<double>(n), noise = tie_noise * size;
    const auto is_decided = (trouble == 0.0) & (trace - trace == 0.0) & (mean > noise) & (mean > 0.0);
    const FaceScale scale{is_decided ? greater(ridge_share * mean, ridge_noise * size) : all(1.0),
                          is_decided ? greater(tie_share * mean, noise) : all(1.0), is_decided ? all(1.0) : Real{}};
    const bool undecided = any(1.0 - scale.decided);
    for (std::size_t r = 0; r < n; ++r) {
        Real* row = rows + r * pitch;
        if (undecided) {
            for (std::size_t t = r; t < n; ++t) row[before + t] = is_decided ? row[before + t] : Real{};
        }
        row[before + r] += scale.ridge;
        row[rest_at] = all(1.0);
        row[inverse_at] = 1.0 / row[before + r];
    }
    return scale;
}

// The best face of each vertex, ties by the rule: of all faces whose cost is within `tie` of the least, those with fewest
// slots, and of these the one that comes first when slots are compared one by one, which is the order of the visits.
Bits best_faces(const FaceProblems& problems, const FaceScale& scale, Real* rows, Winner* winners, Real& least) noexcept {
    const std::size_t n = problems.slots, k = problems.most;
    const Real floor = 0.25 * scale.ridge;
    for (std::size_t size = 1; size <= k; ++size) winners[size] = Winner{};
    search_faces<false>(n, k, floor, rows, winners);
    Real most = winners[1].first;
    for (std::size_t size = 2; size <= k; ++size) most = greater(winners[size].first, most);
    least = 1.0 / most;
    const Real threshold = 1.0 / (least + scale.tie);
    Bits face = {};
    Real others = {};
    for (std::size_t size = k; size > 0; --size) {
        const auto reaches = winners[size].first >= threshold;
        face = reaches ? winners[size].face : face;
        others = reaches ? (winners[size].second >= threshold ? all(1.0) : Real{}) : others;
    }
    // Only where another face of that size reaches the threshold, order must decide.
    if (!any(others)) return face;
    for (std::size_t size = 1; size <= k; ++size) winners[size] = Winner{threshold, Real{}, Bits{}};
    search_faces<true>(n, k, floor, rows, winners);
    for (std::size_t size = k; size > 0; --size) face = winners[size].face != Bits{} ? winners[size].face : face;
    return face;
}

// Solves H_TT x = 1 on one face per vertex, in the order of affine_minimum (simplex.hpp), and writes what comes of it.
// Faces are filled up to the size of the largest one with slots that are in nobody's way.
//   work  [most * (most + 2)]
void write_faces(const FaceProblems& problems, const double* const* costs, std::size_t first, std::size_t count,
                 const FaceScale& scale, const Bits& faces, const Real& least, Real* work,
                 const FaceSolutions& out) noexcept {
    const std::size_t n = problems.slots;
    FaceMask masks[lanes];
    double decided[lanes];
    store(masks, faces);
    store(decided, scale.decided);
    std::size_t slots[max_face_slots][lanes], sizes[lanes], m = 1;
    for (std::size_t l = 0; l < lanes; ++l) {
        if (decided[l] == 0.0) masks[l] = 1;
        sizes[l] = 0;
        for (std::size_t slot = 0; slot < n; ++slot) {
            slots[sizes[l]][l] = slot;
            sizes[l] += masks[l] >> slot & 1;
        }
        m = sizes[l] > m ? sizes[l] : m;
    }
    // The unit lower triangle of H_TT = L D L' below the diagonal, H_TT itself from there on.
    Real *d = work + m * m, *w = d + m, sound = all(1.0), sum = {};
    for (std::size_t i = 0; i < m; ++i) {
        double right[lanes];
        for (std::size_t l = 0; l < lanes; ++l) right[l] = i < sizes[l] ? 1.0 : 0.0;
        w[i] = load(right);
        for (std::size_t j = 0; j <= i; ++j) {
            double numbers[lanes];
            for (std::size_t l = 0; l < lanes; ++l) {
                numbers[l] = i < sizes[l] ? costs[l][slots[j][l] * n + slots[i][l]] : i == j ? 1.0 : 0.0;
            }
            Real value = load(numbers);
            work[j * m + i] = value;
            if (j == i) value += scale.ridge;
            for (std::size_t k = 0; k < j; ++k) value -= work[i * m + k] * work[j * m + k] * d[k];
            if (j < i) {
                work[i * m + j] = value / d[j];
            } else {
                d[i] = value;
                sound = value > 0.0 ? sound : Real{};
            }
        }
    }
    for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t k = 0; k < i; ++k) w[i] -= work[i * m + k] * w[k];
    }
    for (std::size_t i = m; i-- > 0;) {
        w[i] = w[i] / d[i];
        for (std::size_t k = i + 1; k < m; ++k) w[i] -= work[k * m + i] * w[k];
    }
    for (std::size_t i = 0; i < m; ++i) sum += w[i];
    sound = sum > 0.0 ? sound * scale.decided : Real{};
    // An undecided problem has its first slot; a face that was found is sound.
    for (std::size_t i = 0; i < m; ++i) w[i] = sound > 0.0 ? greater(w[i] / sum, Real{}) : i == 0 ? all(1.0) : Real{};
    Real cost = {};
    for (std::size_t a = 0; a < m; ++a) {
        Real g = {};
        for (std::size_t b = 0; b < m; ++b) g += work[a < b ? a * m + b : b * m + a] * w[b];
        cost += g * w[a];
    }
    // The ridge adds at most itself to any cost, so taking it off keeps the bound below all of them.
    const Real bound = greater(least - scale.ridge, Real{});
    double costs_out[lanes], bounds_out[lanes];
    store(costs_out, cost);
    store(bounds_out, bound);
    for (std::size_t l = 0; l < count; ++l) {
        double* row = out.weights + (first + l) * n;
        for (std::size_t slot = 0; slot < n; ++slot) row[slot] = 0.0;
        out.least[first + l] = costs_out[l];
        out.bounds[first + l] = bounds_out[l];
        out.endings[first + l] = static_cast<std::uint8_t>(decided[l] == 0.0 ? Solved::undecided : Solved::proven);
    }
    for (std::size_t i = 0; i < m; ++i) {
        double numbers[lanes];
        store(numbers, w[i]);
        for (std::size_t l = 0; l < count; ++l) {
            if (i < sizes[l]) out.weights[(first + l) * n + slots[i][l]] = numbers[l];
        }
    }
}

void solve_faces(const FaceProblems& problems, double* scratch, const FaceSolutions& out) noexcept {
    const std::size_t n = problems.slots, k = problems.most;
    Real* rows = reinterpret_cast<Real*>(scratch);
    Winner* winners = reinterpret_cast<Winner*>(rows + k * n * pitch_of(n, k));
    Real* work = reinterpret_cast<Real*>(winners + k + 1);
    for (std::size_t first = 0; first < problems.vertices; first += lanes) {
        const std::size_t left = problems.vertices - first, count = left < lanes ? left : lanes;
        const double* costs[lanes];
        double sizes[lanes];
        for (std::size_t l = 0; l < lanes; ++l) {  // the last one again in lanes beyond it
            const std::size_t vertex = first + (l < count ? l : count - 1);
            costs[l] = problems.costs + vertex * n * n;
            sizes[l] = problems.sizes[vertex];
        }
        const FaceScale scale = plant(problems, costs, load(sizes), rows);
        Real least = {};
        const Bits faces = best_faces(problems, scale, rows, winners, least);
        write_faces(problems, costs, first, count, scale, faces, least, work, out);
    }
}

}  // namespace
}  // namespace skinproof::SKINPROOF_SET
