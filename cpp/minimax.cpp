#include "minimax.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "simplex.hpp"
#include "sparse.hpp"

namespace skinproof {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t axes = 3;
constexpr double ridge_share = 1e-12;  // of the mean diagonal, as in sparse.hpp

// A vertex that no weights move by more than this share of its largest offset (squared) does not move.
constexpr double noise_share = 1e-28;

// A pose that joins those at work takes this share of the weight; one below the other leaves when another joins.
constexpr double joining_share = 0.2, leaving_share = 1e-9;

constexpr std::size_t max_steps = 2000, max_exchanges = 200, max_nodes = 2000, max_faces = 100'000;

// Steps multiply the weight of a pose by |e|^(2 power): 1/2 is Lawson's own. Larger ones are tried while the bound rises.
constexpr double least_power = 0.5, most_power = 32;

// The number of ways to choose k of n, or more than `limit`.
std::size_t set_count(std::size_t n, std::size_t k, std::size_t limit) noexcept {
    double ways = 1;
    for (std::size_t i = 1; i <= k && ways <= static_cast<double>(limit); ++i) {
        ways = ways * static_cast<double>(n - k + i) / static_cast<double>(i);
    }
    return ways <= static_cast<double>(limit) ? static_cast<std::size_t>(ways) : limit + 1;
}

class Search {
public:
    Search(const MinimaxProblems& problems, const MinimaxOptions& options)
        : n_(problems.slots), poses_(problems.poses), k_(std::min(options.most, n_)), options_(options),
          sparse_({{}, {}, 1, n_}, {k_, max_faces, max_nodes}) {
        sets_ = set_count(n_, k_, options.max_sets);
        if (sets_ > options.max_sets) sets_ = 0;
        for (auto* reals : {&weights_, &best_, &found_}) reals->resize(n_);
        for (auto* reals : {&costs_, &part_}) reals->resize(n_ * n_);
        simplex_.resize(simplex_scratch(n_));
        errors_.resize(poses_ * axes);
        face_.resize(n_);
        allowed_.resize(n_);
        slots_.reserve(k_);
        list_sets();
    }

    void solve(const double* offsets, std::span<double> out, double& reached, double& bound) {
        offsets_ = offsets;
        reached_ = infinity;
        bound_ = 0;
        tried_.clear();
        std::fill(set_bounds_.begin(), set_bounds_.end(), 0.0);
        put_all_to_work();
        raise_bounds();
        begin_with_worst();
        for (std::size_t solved = 0; solved < options_.max_solved && bound_ < enough(); ++solved) {
            if (was_tried()) break;
            solve_set();
            if (reached_ <= noise()) break;
            raise_bounds();
        }
        std::copy(best_.begin(), best_.end(), out.begin());
        reached = reached_;
        bound = std::max(0.0, std::min(bound_, reached_));
    }

private:
    // What a bound must reach for its set to be of no further interest.
    double enough() const noexcept { return reached_ * (1.0 - options_.tolerance); }

    double noise() const noexcept { return noise_share * largest_; }

    const double* offsets_of(std::size_t slot) const noexcept { return offsets_ + slot * poses_ * axes; }

    // All sets of K slots, in lexicographic order.
    void list_sets() {
        members_.reserve(sets_ * k_);
        set_bounds_.resize(sets_);
        std::vector<std::uint32_t> set(k_);
        for (std::size_t i = 0; i < k_; ++i) set[i] = static_cast<std::uint32_t>(i);
        for (std::size_t index = 0; index < sets_; ++index) {
            members_.insert(members_.end(), set.begin(), set.end());
            std::size_t i = k_;
            while (i > 0 && set[i - 1] == n_ - k_ + i - 1) --i;
            if (i == 0) break;
            ++set[i - 1];
            for (; i < k_; ++i) set[i] = set[i - 1] + 1;
        }
    }

    void put_all_to_work() {
        largest_ = 0;
        for (std::size_t i = 0; i < n_ * poses_; ++i) {
            const double* d = offsets_ + i * axes;
            largest_ = std::max(largest_, d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        }
        working_.resize(poses_);
        for (std::size_t pose = 0; pose < poses_; ++pose) working_[pose] = static_cast<std::uint32_t>(pose);
        shares_.assign(poses_, 1.0 / static_cast<double>(poses_));
        gather();
    }

    // Leaves to work only the pose that is worst at the least mean square of the chosen set.
    void begin_with_worst() {
        const std::size_t m = slots_.size();
        weigh(slots_, shares_, part_);
        start_anywhere();
        least_cost(std::span(part_).first(m * m), std::span(allowed_).first(m), simplex_, face_,
                   std::span(weights_).first(m));
        double most = 0;
        const std::size_t worst = look_at_all(most);
        working_.clear();
        shares_.clear();
        take_in(worst);
    }

    void start_anywhere() noexcept {
        std::fill(allowed_.begin(), allowed_.end(), std::uint8_t{0});
        std::fill_n(allowed_.begin(), slots_.size(), std::uint8_t{1});
        std::fill(weights_.begin(), weights_.end(), 0.0);
        weights_[0] = 1.0;
    }

    // Lays the offsets of the poses at work side by side: [pose][axis][slot].
    void gather() noexcept {
        near_.resize(working_.size() * axes * n_);
        for (std::size_t slot = 0; slot < n_; ++slot) {
            const double* from = offsets_of(slot);
            for (std::size_t i = 0; i < working_.size(); ++i) {
                for (std::size_t axis = 0; axis < axes; ++axis) {
                    near_[(i * axes + axis) * n_ + slot] = from[working_[i] * axes + axis];
                }
            }
        }
    }

    // The cost matrix of some slots when the poses at work have these shares, with a ridge, which is returned.
    double weigh(std::span<const std::uint32_t> slots, std::span<const double> shares, std::span<double> costs) noexcept {
        const std::size_t m = slots.size();
        std::fill_n(costs.begin(), m * m, 0.0);
        for (std::size_t i = 0; i < working_.size(); ++i) {
            for (std::size_t axis = 0; axis < axes; ++axis) {
                const double* row = &near_[(i * axes + axis) * n_];
                for (std::size_t a = 0; a < m; ++a) {
                    const double weighted = shares[i] * row[slots[a]];
                    for (std::size_t b = a; b < m; ++b) costs[a * m + b] += weighted * row[slots[b]];
                }
            }
        }
        double trace = 0;
        for (std::size_t a = 0; a < m; ++a) trace += costs[a * m + a];
        const double ridge = std::max(ridge_share * trace / static_cast<double>(m), std::numeric_limits<double>::min());
        for (std::size_t a = 0; a < m; ++a) {
            costs[a * m + a] += ridge;
            for (std::size_t b = 0; b < a; ++b) costs[a * m + b] = costs[b * m + a];
        }
        return ridge;
    }

    // Raises the bounds of all sets by the shares of the poses at work; chooses the set with the lowest one.
    void raise_bounds() noexcept {
        for (std::size_t slot = 0; slot < n_; ++slot) face_[slot] = static_cast<std::uint32_t>(slot);
        every_.assign(face_.begin(), face_.end());
        const double ridge = weigh(every_, shares_, costs_);
        if (sets_ == 0) return raise_bound(ridge);
        std::size_t lowest = 0;
        for (std::size_t set = 0; set < sets_; ++set) {
            double& held = set_bounds_[set];
            if (held < enough()) {
                std::fill(allowed_.begin(), allowed_.end(), std::uint8_t{0});
                std::fill(found_.begin(), found_.end(), 0.0);
                for (std::size_t i = 0; i < k_; ++i) allowed_[members_[set * k_ + i]] = 1;
                found_[members_[set * k_]] = 1.0;
                held = std::max(held, least_cost(costs_, allowed_, simplex_, face_, found_).bound - ridge);
            }
            if (held < set_bounds_[lowest]) lowest = set;
        }
        bound_ = set_bounds_[lowest];
        chosen_ = lowest;
        slots_.assign(members_.begin() + static_cast<std::ptrdiff_t>(lowest * k_),
                      members_.begin() + static_cast<std::ptrdiff_t>((lowest + 1) * k_));
    }

    // The same where there are too many sets: one bound for all of them. The next set is the one that costs least.
    void raise_bound(double ridge) noexcept {
        const double size = 0.0;
        double least = 0, found_bound = 0;
        std::uint8_t ending = 0;
        const SparseProblems problems{costs_, {&size, 1}, 1, n_};
        solve_sparse(problems, {k_, max_faces, max_nodes}, sparse_, {found_, {&least, 1}, {&found_bound, 1}, {&ending, 1}});
        bound_ = std::max(bound_, found_bound - ridge);
        slots_.clear();
        for (std::size_t slot = 0; slot < n_; ++slot) {
            if (found_[slot] > 0.0) slots_.push_back(static_cast<std::uint32_t>(slot));
        }
    }

    // Whether the chosen slots have been solved before; remembers them.
    bool was_tried() noexcept {
        const std::size_t before = tried_.size();
        for (std::size_t start = 0; start < before; start += k_) {
            bool same = true;
            for (std::size_t i = 0; i < k_; ++i) {
                same = same && tried_[start + i] == (i < slots_.size() ? slots_[i] : static_cast<std::uint32_t>(n_));
            }
            if (same) return true;
        }
        for (std::size_t i = 0; i < k_; ++i) {
            tried_.push_back(i < slots_.size() ? slots_[i] : static_cast<std::uint32_t>(n_));
        }
        return false;
    }

    // Solves the chosen set, or finds that it cannot be better than what has been reached. Leaves the shares of poses
    // that prove the most.
    void solve_set() {
        start_anywhere();
        double proven = 0;
        for (std::size_t exchange = 0; exchange < max_exchanges; ++exchange) {
            proven = std::max(proven, settle());
            if (proven >= enough()) break;
            double most = 0;
            const std::size_t worst = look_at_all(most);
            if (most <= noise() || proven >= most * (1.0 - options_.tolerance / 2) || !take_in(worst)) break;
        }
        if (sets_ != 0) set_bounds_[chosen_] = std::max(set_bounds_[chosen_], proven);
    }

    // Lawson's iteration on the poses at work, until nothing is left to gain there; leaves the weights of the slots, and
    // the shares that prove the most. Returns what they prove.
    double settle() noexcept {
        const std::size_t m = slots_.size();
        const auto w = std::span(weights_).first(m);
        double proven = -infinity, before = -infinity, power = least_power;
        for (std::size_t step = 0; step < max_steps; ++step) {
            const double ridge = weigh(slots_, shares_, part_);
            const auto found = least_cost(std::span(part_).first(m * m), std::span(allowed_).first(m), simplex_, face_, w);
            const double here = found.bound - ridge;
            if (here < before && power > least_power) {  // too far: back, and on with a smaller step
                shares_ = last_shares_;
                squares_ = last_squares_;
                power = least_power;
            } else {
                before = here;
                power = std::min(most_power, power * 2);
                last_shares_ = shares_;
                const double most = square_near();
                last_squares_ = squares_;
                if (here > proven) {
                    proven = here;
                    best_shares_ = shares_;
                }
                const bool settled = proven >= most * (1.0 - options_.tolerance / 8);
                if (settled || proven >= enough() || most <= noise()) break;
            }
            step_by(power);
        }
        shares_ = best_shares_;
        return proven;
    }

    // Writes |e|^2 of the poses at work at the weights, and returns the largest.
    double square_near() noexcept {
        double most = 0;
        squares_.resize(working_.size());
        for (std::size_t i = 0; i < working_.size(); ++i) {
            double square = 0;
            for (std::size_t axis = 0; axis < axes; ++axis) {
                const double* row = &near_[(i * axes + axis) * n_];
                double e = 0;
                for (std::size_t a = 0; a < slots_.size(); ++a) e += weights_[a] * row[slots_[a]];
                square += e * e;
            }
            squares_[i] = square;
            most = std::max(most, square);
        }
        return most;
    }

    // Powers of two alone, by a root and squares: std::pow is not the same on every system.
    void step_by(double power) noexcept {
        double most = 0, sum = 0;
        for (const double square : squares_) most = std::max(most, square);
        for (std::size_t i = 0; i < working_.size(); ++i) {
            double factor = std::sqrt(squares_[i] / most);
            for (double raised = least_power; raised < power; raised *= 2) factor *= factor;
            shares_[i] *= factor;
            sum += shares_[i];
        }
        for (double& share : shares_) share /= sum;
    }

    // Where in all poses the weights leave the vertex furthest off, and its |e|^2. Keeps the best weights so far.
    std::size_t look_at_all(double& most) noexcept {
        std::fill(errors_.begin(), errors_.end(), 0.0);
        for (std::size_t a = 0; a < slots_.size(); ++a) {
            if (!(weights_[a] > 0.0)) continue;
            const double* d = offsets_of(slots_[a]);
            for (std::size_t i = 0; i < poses_ * axes; ++i) errors_[i] += weights_[a] * d[i];
        }
        std::size_t worst = 0;
        most = -1.0;
        for (std::size_t pose = 0; pose < poses_; ++pose) {
            const double* e = &errors_[pose * axes];
            const double square = e[0] * e[0] + e[1] * e[1] + e[2] * e[2];
            if (!(square > most)) continue;
            most = square;
            worst = pose;
        }
        if (most < reached_) {
            reached_ = most;
            std::fill(best_.begin(), best_.end(), 0.0);
            for (std::size_t a = 0; a < slots_.size(); ++a) best_[slots_[a]] = weights_[a];
        }
        return worst;
    }

    // Puts a pose to work; false if it is at work already.
    bool take_in(std::size_t pose) noexcept {
        const auto number = static_cast<std::uint32_t>(pose);
        std::size_t kept = 0;
        for (std::size_t i = 0; i < working_.size(); ++i) {
            if (working_[i] == number) return false;
        }
        for (std::size_t i = 0; i < working_.size(); ++i) {
            if (shares_[i] < leaving_share) continue;
            working_[kept] = working_[i];
            shares_[kept++] = shares_[i] * (1.0 - joining_share);
        }
        working_.resize(kept);
        shares_.resize(kept);
        const auto at = std::lower_bound(working_.begin(), working_.end(), number) - working_.begin();
        working_.insert(working_.begin() + at, number);
        shares_.insert(shares_.begin() + at, kept == 0 ? 1.0 : joining_share);
        gather();
        return true;
    }

    std::size_t n_, poses_, k_, sets_ = 0, chosen_ = 0;
    const MinimaxOptions options_;
    const double* offsets_ = nullptr;
    double reached_ = infinity, bound_ = 0, largest_ = 0;
    SparseScratch sparse_;
    std::vector<std::uint32_t> members_, every_, slots_, tried_, face_, working_;  // working_ ascends
    std::vector<std::uint8_t> allowed_;
    std::vector<double> set_bounds_;
    std::vector<double> weights_, best_;  // of slots_; of all slots
    std::vector<double> found_, costs_, part_, simplex_;
    // Of the poses at work: their offsets [pose][axis][slot], shares, and |e|^2.
    std::vector<double> near_, shares_, last_shares_, best_shares_, squares_, last_squares_;
    std::vector<double> errors_;  // [poses * axes]
};

}  // namespace

void solve_minimax(const MinimaxProblems& problems, const MinimaxOptions& options, const MinimaxSolutions& out) {
    Search search(problems, options);
    const std::size_t n = problems.slots, size = n * problems.poses * axes;
    for (std::size_t vertex = 0; vertex < problems.vertices; ++vertex) {
        search.solve(problems.offsets.data() + vertex * size, out.weights.subspan(vertex * n, n), out.reached[vertex],
                     out.bounds[vertex]);
    }
}

}  // namespace skinproof
