#include "branch.hpp"

#include <algorithm>
#include <limits>

#include "simplex.hpp"

namespace skinproof {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::uint8_t forbidden = 0, allowed = 1, fixed = 2;

// One search. In the first pass `threshold` follows the best cost; in the second it stays, and `most` falls with the
// number of slots of the best face.
struct Search {
    std::span<const double> costs;
    std::size_t n;
    std::size_t most;
    std::size_t max_nodes;
    const BranchScratch& scratch;
    std::span<std::uint8_t> best;
    double gap;
    double best_cost = infinity;
    double threshold = infinity;  // a node whose bound is not below it is left
    double open = infinity;       // the least bound of the nodes that were left because max_nodes had run out
    std::size_t nodes = 0;
    bool collecting = false;      // the second pass

    std::span<double> weights(std::size_t depth) const noexcept { return scratch.reals.subspan(depth * n, n); }
    std::span<std::uint8_t> states(std::size_t depth) const noexcept { return scratch.states.subspan(depth * n, n); }

    // Opens the node at `depth` whose states are set and whose weights are feasible.
    void open_node(std::size_t depth) noexcept {
        const auto w = weights(depth);
        const auto s = states(depth);
        ++nodes;
        const auto relaxed = least_cost(costs, s, scratch.reals.subspan((n + 2) * n), scratch.slots, w);
        if (!(relaxed.bound < threshold)) return;
        std::size_t used = 0, fixed_slots = 0;
        for (std::size_t j = 0; j < n; ++j) {
            used += w[j] > 0.0;
            fixed_slots += s[j] == fixed;
        }
        if (fixed_slots > most) return;  // the second pass wants fewer by now
        if (nodes >= max_nodes) {
            if (used <= most) offer(w, used, relaxed.cost);
            open = std::min(open, relaxed.bound);
            return;
        }
        if (used <= most) {
            offer(w, used, relaxed.cost);
            if (collecting) split_around(depth, fixed_slots);
            return;
        }
        branch(depth, least_important(w, s), fixed_slots);
    }

    // The slot in use, not fixed, that costs least by itself.
    std::size_t least_important(std::span<const double> w, std::span<const std::uint8_t> s) const noexcept {
        std::size_t chosen = n;
        double least = infinity;
        for (std::size_t j = 0; j < n; ++j) {
            if (!(w[j] > 0.0) || s[j] == fixed) continue;
            const double weight = w[j] * w[j] * costs[j * n + j];
            if (chosen != n && !(weight < least)) continue;
            least = weight;
            chosen = j;
        }
        return chosen;
    }

    void branch(std::size_t depth, std::size_t slot, std::size_t fixed_slots) noexcept {
        forbid(depth, slot);
        fix(depth, slot, fixed_slots);
    }

    // Faces below the node other than the one just found: those that lack its first slot, those that have it and lack
    // its second, and so on. Larger faces that have all of them cannot be better: the relaxation would have used them.
    void split_around(std::size_t depth, std::size_t fixed_slots) noexcept {
        const auto w = weights(depth);
        const auto s = states(depth);
        std::size_t slot = n;
        for (std::size_t j = 0; j < n && slot == n; ++j) {
            if (w[j] > 0.0 && s[j] != fixed) slot = j;
        }
        if (slot == n) return;
        branch(depth, slot, fixed_slots);
    }

    void forbid(std::size_t depth, std::size_t slot) noexcept {
        const auto from = weights(depth);
        const auto to = weights(depth + 1);
        const auto s = states(depth + 1);
        std::copy(states(depth).begin(), states(depth).end(), s.begin());
        s[slot] = forbidden;
        double sum = 0;
        for (std::size_t j = 0; j < n; ++j) sum += j == slot ? 0.0 : from[j];
        std::copy(from.begin(), from.end(), to.begin());
        to[slot] = 0.0;
        if (sum > 0.0) {
            for (double& weight : to) weight /= sum;
        } else {
            const auto first = std::find_if(s.begin(), s.end(), [](std::uint8_t state) { return state != forbidden; });
            if (first == s.end()) return;
            to[static_cast<std::size_t>(first - s.begin())] = 1.0;
        }
        open_node(depth + 1);
    }

    void fix(std::size_t depth, std::size_t slot, std::size_t fixed_slots) noexcept {
        const auto from = weights(depth);
        const auto to = weights(depth + 1);
        const auto s = states(depth + 1);
        std::copy(states(depth).begin(), states(depth).end(), s.begin());
        s[slot] = fixed;
        std::copy(from.begin(), from.end(), to.begin());
        if (fixed_slots + 1 >= most) {
            // Full: no other slot has room.
            double sum = 0;
            for (std::size_t j = 0; j < n; ++j) {
                if (s[j] != fixed) {
                    s[j] = forbidden;
                    to[j] = 0.0;
                }
                sum += to[j];
            }
            if (sum > 0.0) {
                for (double& weight : to) weight /= sum;
            } else {
                to[slot] = 1.0;
            }
        }
        open_node(depth + 1);
    }

    void offer(std::span<const double> w, std::size_t used, double cost) noexcept {
        if (!collecting) {
            if (!(cost < best_cost)) return;
            best_cost = cost;
            threshold = cost - gap;
        } else {
            if (!(cost < threshold) || !comes_first(w, used)) return;
            most = used;
        }
        for (std::size_t j = 0; j < n; ++j) best[j] = w[j] > 0.0;
    }

    // Whether the slots in use come before the best face: fewer of them, or the lowest slot that the other lacks.
    bool comes_first(std::span<const double> w, std::size_t used) const noexcept {
        const auto size = static_cast<std::size_t>(std::count(best.begin(), best.end(), std::uint8_t{1}));
        if (used != size) return used < size;
        for (std::size_t j = 0; j < n; ++j) {
            const bool here = w[j] > 0.0;
            if (here != (best[j] == 1)) return here;
        }
        return false;
    }

    void run(std::span<const double> start) noexcept {
        std::copy(start.begin(), start.end(), weights(0).begin());
        std::fill(states(0).begin(), states(0).end(), allowed);
        open_node(0);
    }
};

}  // namespace

Branched branch_and_bound(std::span<const double> costs, std::size_t most, std::span<const double> start, double gap,
                          double tie, std::size_t max_nodes, const BranchScratch& scratch,
                          std::span<std::uint8_t> best) noexcept {
    Search search{costs, start.size(), most, max_nodes, scratch, best, gap};
    search.run(start);
    const bool proven = search.open == infinity;
    const double bound = proven ? search.best_cost - gap : std::min(search.open, search.best_cost - gap);
    const std::size_t nodes = search.nodes;
    search.collecting = true;
    search.most = static_cast<std::size_t>(std::count(best.begin(), best.end(), std::uint8_t{1}));
    search.threshold = search.best_cost + tie;
    search.max_nodes = nodes + max_nodes;
    search.run(start);
    return {bound, search.nodes, proven};
}

}  // namespace skinproof
