#include "faces.hpp"

#include <algorithm>
#include <bit>

#include "lanes.hpp"

namespace skinproof {
namespace {

// Doubles per lane of one level of the tree, for n slots and faces of at most k.
std::size_t level_size(std::size_t n, std::size_t k) noexcept { return n * n + n * k + n + k + 2; }

// Visits every face once, as a tree: a node adds a later slot to the face of its parent, so the elimination of the
// parent is shared by all below it. For a face T every level keeps, for L problems side by side:
//   schur[r][t]    H_rt - H_rT H_TT^-1 H_Tt of the slots r <= t that may still come
//   column[r][i]   (H_TT^-1 H_Tr)_i
//   rest[r]        1 - H_rT x
//   x[i]           x = H_TT^-1 1
//   sum            sum of x
//   sound          1 if no pivot was rounding, else 0
// and the step to T + q is t = rest_q / schur_qq, x_i - column_qi t for the old entries, t for the new one.
template <std::size_t L, class Visit>
class Tree {
public:
    Tree(std::size_t slots, std::size_t most, const double* floor, double* scratch, Visit& visit) noexcept
        : n_(slots), k_(most), floor_(floor), scratch_(scratch), visit_(visit) {}

    void run(const double* costs) noexcept {
        double* root = level(0);
        for (std::size_t r = 0; r < n_; ++r) {
            for (std::size_t t = r; t < n_; ++t) {
                for (std::size_t l = 0; l < L; ++l) schur(root, r, t)[l] = costs[(l * n_ + r) * n_ + t];
            }
            for (std::size_t l = 0; l < L; ++l) rest(root, r)[l] = 1.0;
        }
        for (std::size_t l = 0; l < L; ++l) {
            sum(root)[l] = 0.0;
            sound(root)[l] = 1.0;
        }
        extend(0, 0, 0);
    }

private:
    double* level(std::size_t size) noexcept { return scratch_ + size * level_size(n_, k_) * L; }
    double* schur(double* at, std::size_t r, std::size_t t) noexcept { return at + (r * n_ + t) * L; }
    double* column(double* at, std::size_t r) noexcept { return at + (n_ * n_ + r * k_) * L; }
    double* rest(double* at, std::size_t r) noexcept { return at + (n_ * n_ + n_ * k_ + r) * L; }
    double* x(double* at) noexcept { return at + (n_ * n_ + n_ * k_ + n_) * L; }
    double* sum(double* at) noexcept { return x(at) + k_ * L; }
    double* sound(double* at) noexcept { return x(at) + (k_ + 1) * L; }

    using Value = Lanes<L>;

    // Visits every face that adds slots from `first` on to the face `mask` of `size` slots.
    void extend(std::size_t size, std::size_t first, FaceMask mask) noexcept {
        double* at = level(size);
        double* next = level(size + 1);
        for (std::size_t q = first; q < n_; ++q) {
            const FaceMask face = mask | FaceMask{1} << q;
            const Value step = pivot(at, q, size, next, face);
            if (size + 1 == k_ || q + 1 == n_) continue;
            descend(at, q, size, step, next);
            extend(size + 1, q + 1, face);
        }
    }

    // Visits the face with q. Leaves its x, sum and sound in the next level.
    Value pivot(double* at, std::size_t q, std::size_t size, double* next, FaceMask face) noexcept {
        const Value zero = Value::all(0.0), one = Value::all(1.0);
        const Value diagonal = Value::load(schur(at, q, q)), b = Value::load(rest(at, q));
        const Value step = b / diagonal;
        const Value is_sound = where_above(diagonal, Value::load(floor_), Value::load(sound(at)), zero);
        const Value total = Value::load(sum(at)) + b * step;
        const double* c = column(at, q);
        const double* from = x(at);
        double* to = x(next);
        Value lowest = step;
        for (std::size_t i = 0; i < size; ++i) {
            const Value value = Value::load(from + i * L) - Value::load(c + i * L) * step;
            lowest = least(value, lowest);
            value.store(to + i * L);
        }
        step.store(to + size * L);
        is_sound.store(sound(next));
        total.store(sum(next));
        visit_(size + 1, face, total, where_above(is_sound, zero, lowest, zero - one));
        return step;
    }

    // What the slots after q need once q belongs to the face. Faces of full size need no more than the diagonal.
    void descend(double* at, std::size_t q, std::size_t size, const Value& step, double* next) noexcept {
        const bool diagonal_only = size + 2 == k_;
        const Value pivot = Value::load(schur(at, q, q));
        const double* old = column(at, q);
        for (std::size_t r = q + 1; r < n_; ++r) {
            const Value across = Value::load(schur(at, q, r));
            const Value m = across / pivot;
            (Value::load(rest(at, r)) - across * step).store(rest(next, r));
            const double* from = column(at, r);
            double* to = column(next, r);
            for (std::size_t i = 0; i < size; ++i) {
                (Value::load(from + i * L) - Value::load(old + i * L) * m).store(to + i * L);
            }
            m.store(to + size * L);
            const std::size_t end = diagonal_only ? r + 1 : n_;
            for (std::size_t t = r; t < end; ++t) {
                (Value::load(schur(at, r, t)) - m * Value::load(schur(at, q, t))).store(schur(next, r, t));
            }
        }
    }

    std::size_t n_, k_;
    const double* floor_;
    double* scratch_;
    Visit& visit_;
};

// The largest sum of x (the least cost) among the faces of each size, the second largest, and who has the largest: its
// number among the faces of that size in the order of the visits, which a double holds exactly.
template <std::size_t L>
struct Best {
    Lanes<L> first[max_face_slots + 1] = {};
    Lanes<L> second[max_face_slots + 1] = {};
    Lanes<L> number[max_face_slots + 1] = {};
    double visited[max_face_slots + 1] = {};

    void operator()(std::size_t size, FaceMask, const Lanes<L>& sum, const Lanes<L>& lowest) noexcept {
        const Lanes<L> zero = Lanes<L>::all(0.0);
        const Lanes<L> value = where_above(lowest, zero, sum, zero), old = first[size];
        const Lanes<L> loser = where_above(value, old, old, value);
        second[size] = where_above(loser, second[size], loser, second[size]);
        number[size] = where_above(value, old, Lanes<L>::all(visited[size]), number[size]);
        first[size] = where_above(value, old, value, old);
        visited[size] += 1.0;
    }
};

// The face of a given size and number: the tree visits faces of one size in lexicographic order of their slots.
FaceMask numbered_face(std::size_t n, std::size_t size, double number) noexcept {
    FaceMask face = 0;
    for (std::size_t slot = 0; slot < n && size > 0; ++slot) {
        // Faces that have this slot: the ways to choose the others from the slots after it.
        double with = 1.0;
        for (std::size_t i = 1; i < size; ++i) {
            with = with * static_cast<double>(n - slot - size + i) / static_cast<double>(i);
        }
        if (number < with) {
            face |= FaceMask{1} << slot;
            --size;
        } else {
            number -= with;
        }
    }
    return face;
}

// The first face of a given size whose sum reaches a threshold; the tree visits faces of one size in the tie order.
template <std::size_t L>
struct FirstReaching {
    std::size_t size[L] = {};
    double threshold[L] = {};
    FaceMask face[L] = {};

    void operator()(std::size_t visited, FaceMask mask, const Lanes<L>& sum, const Lanes<L>& lowest) noexcept {
        for (std::size_t l = 0; l < L; ++l) {
            if (visited == size[l] && face[l] == 0 && lowest.v[l] > 0.0 && sum.v[l] >= threshold[l]) face[l] = mask;
        }
    }
};

template <std::size_t L>
void best_of(const double* costs, std::size_t n, std::size_t k, const double* ridge, const double* tie,
             double* scratch, FaceMask* best, double* least) noexcept {
    double floor[L];
    for (std::size_t l = 0; l < L; ++l) floor[l] = 0.25 * ridge[l];
    Best<L> found;
    Tree<L, Best<L>>(n, k, floor, scratch, found).run(costs);
    FirstReaching<L> first;
    bool tied = false;
    for (std::size_t l = 0; l < L; ++l) {
        double most = 0;
        for (std::size_t size = 1; size <= k; ++size) most = std::max(most, found.first[size].v[l]);
        least[l] = 1.0 / most;
        const double threshold = 1.0 / (least[l] + tie[l]);
        std::size_t size = 1;
        while (size < k && !(found.first[size].v[l] >= threshold)) ++size;
        best[l] = numbered_face(n, size, found.number[size].v[l]);
        // Only where another face of that size reaches the threshold, order must decide.
        if (found.second[size].v[l] >= threshold) {
            first.size[l] = size;
            first.threshold[l] = threshold;
            tied = true;
        }
    }
    if (!tied) return;
    Tree<L, FirstReaching<L>>(n, k, floor, scratch, first).run(costs);
    for (std::size_t l = 0; l < L; ++l) {
        if (first.face[l] != 0) best[l] = first.face[l];
    }
}

// The cheapest faces seen so far, cheapest first.
struct Cheapest {
    std::span<FaceMask> faces;
    std::span<double> costs;
    std::size_t size = 0;

    static bool before(double cost_a, FaceMask a, double cost_b, FaceMask b) noexcept {
        if (cost_a != cost_b) return cost_a < cost_b;
        const int more = std::popcount(a) - std::popcount(b);
        // Of two different sets of one size the one with the lowest slot that the other lacks comes first.
        return more != 0 ? more < 0 : std::countr_zero(a & ~b) < std::countr_zero(b & ~a);
    }

    void operator()(std::size_t, FaceMask mask, const Lanes<1>& sum, const Lanes<1>& lowest) noexcept {
        if (!(lowest.v[0] > 0.0)) return;
        const double cost = 1.0 / sum.v[0];
        if (size == faces.size() && !before(cost, mask, costs[size - 1], faces[size - 1])) return;
        std::size_t at = size < faces.size() ? size++ : size - 1;
        for (; at > 0 && before(cost, mask, costs[at - 1], faces[at - 1]); --at) {
            faces[at] = faces[at - 1];
            costs[at] = costs[at - 1];
        }
        faces[at] = mask;
        costs[at] = cost;
    }
};

}  // namespace

std::size_t face_scratch(std::size_t slots, std::size_t most) noexcept {
    return (most + 1) * level_size(slots, most) * face_lanes;
}

void best_faces(std::span<const double> costs, std::size_t lanes, std::size_t slots, std::size_t most,
                std::span<const double> ridge, std::span<const double> tie, std::span<double> scratch,
                std::span<FaceMask> best, std::span<double> least) noexcept {
    if (lanes == face_lanes) {
        best_of<face_lanes>(costs.data(), slots, most, ridge.data(), tie.data(), scratch.data(), best.data(),
                            least.data());
    } else {
        best_of<1>(costs.data(), slots, most, ridge.data(), tie.data(), scratch.data(), best.data(), least.data());
    }
}

std::size_t cheapest_faces(std::span<const double> costs, std::size_t slots, std::size_t most, double ridge,
                           std::span<double> scratch, std::span<FaceMask> faces, std::span<double> least) noexcept {
    const double floor = 0.25 * ridge;
    Cheapest found{faces, least};
    Tree<1, Cheapest>(slots, most, &floor, scratch.data(), found).run(costs.data());
    return found.size;
}

}  // namespace skinproof
