#include "faces.hpp"

#include <algorithm>
#include <bit>

namespace skinproof {
namespace {

// Doubles of one level of the tree, for n slots and faces of at most k.
std::size_t level_size(std::size_t n, std::size_t k) noexcept { return n * n + n * k + n + k + 1; }

// Visits every face once: see repeatable/faces.inl. A level has, of the slots that may still come,
//   schur[r][t]    H_rt - H_rT H_TT^-1 H_Tt, r <= t
//   column[r][i]   (H_TT^-1 H_Tr)_i
//   rest[r]        1 - H_rT x
//   x[i], sum      x = H_TT^-1 1
template <class Visit>
class Tree {
public:
    Tree(std::size_t slots, std::size_t most, double floor, double* scratch, Visit& visit) noexcept
        : n_(slots), k_(most), floor_(floor), scratch_(scratch), visit_(visit) {}

    void run(std::span<const double> costs) noexcept {
        double* root = level(0);
        std::copy(costs.begin(), costs.end(), root);
        std::fill_n(rest(root), n_, 1.0);
        sum(root) = 0.0;
        extend(0, 0, 0);
    }

private:
    double* level(std::size_t size) noexcept { return scratch_ + size * level_size(n_, k_); }
    double* schur(double* at, std::size_t r) noexcept { return at + r * n_; }
    double* column(double* at, std::size_t r) noexcept { return at + n_ * n_ + r * k_; }
    double* rest(double* at) noexcept { return at + n_ * n_ + n_ * k_; }
    double* x(double* at) noexcept { return rest(at) + n_; }
    double& sum(double* at) noexcept { return x(at)[k_]; }

    // Visits every face that adds slots from `first` on to the face `mask` of `size` slots.
    void extend(std::size_t size, std::size_t first, FaceMask mask) noexcept {
        double* at = level(size);
        double* next = level(size + 1);
        for (std::size_t q = first; q < n_; ++q) {
            const double pivot = schur(at, q)[q];
            if (!(pivot > floor_)) continue;  // rounding, as are all faces that extend this one
            const FaceMask face = mask | FaceMask{1} << q;
            const double step = rest(at)[q] / pivot;
            double lowest = step;
            for (std::size_t i = 0; i < size; ++i) {
                x(next)[i] = x(at)[i] - column(at, q)[i] * step;
                lowest = std::min(lowest, x(next)[i]);
            }
            x(next)[size] = step;
            sum(next) = sum(at) + rest(at)[q] * step;
            if (lowest > 0.0) visit_(face, sum(next));
            if (size + 1 == k_ || q + 1 == n_) continue;
            descend(at, q, size, pivot, step, next);
            extend(size + 1, q + 1, face);
        }
    }

    // What the slots after q need once q belongs to the face. Faces of full size need no more than the diagonal.
    void descend(double* at, std::size_t q, std::size_t size, double pivot, double step, double* next) noexcept {
        for (std::size_t r = q + 1; r < n_; ++r) {
            const double across = schur(at, q)[r], m = across / pivot;
            rest(next)[r] = rest(at)[r] - across * step;
            for (std::size_t i = 0; i < size; ++i) column(next, r)[i] = column(at, r)[i] - column(at, q)[i] * m;
            column(next, r)[size] = m;
            const std::size_t end = size + 2 == k_ ? r + 1 : n_;
            for (std::size_t t = r; t < end; ++t) schur(next, r)[t] = schur(at, r)[t] - m * schur(at, q)[t];
        }
    }

    std::size_t n_, k_;
    double floor_;
    double* scratch_;
    Visit& visit_;
};

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

    void operator()(FaceMask mask, double sum) noexcept {
        const double cost = 1.0 / sum;
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

std::size_t list_scratch(std::size_t slots, std::size_t most) noexcept { return (most + 1) * level_size(slots, most); }

std::size_t cheapest_faces(std::span<const double> costs, std::size_t slots, std::size_t most, double ridge,
                           double* scratch, std::span<FaceMask> faces, std::span<double> least) noexcept {
    Cheapest found{faces, least};
    Tree<Cheapest>(slots, most, 0.25 * ridge, scratch, found).run(costs);
    return found.size;
}

}  // namespace skinproof
