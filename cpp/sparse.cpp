#include "sparse.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "branch.hpp"
#include "faces.hpp"
#include "simplex.hpp"

namespace skinproof {
namespace {

constexpr std::size_t most_listed = 16;

struct Scale {
    double ridge, tie;
    bool decided;
};

Scale scale_of(const double* h, std::size_t n, double size) noexcept {
    double trace = 0;
    bool finite = true;
    for (std::size_t i = 0; i < n * n; ++i) finite = finite && std::isfinite(h[i]);
    for (std::size_t i = 0; i < n; ++i) trace += h[i * n + i];
    const double mean = trace / static_cast<double>(n);
    const bool decided = finite && std::isfinite(trace) && mean > tie_noise * size && mean > 0.0;
    return {std::max(ridge_share * mean, ridge_noise * size), std::max(tie_share * mean, tie_noise * size), decided};
}

// Copies H with the ridge on its diagonal; of a problem that is undecided the identity, which any solver can take.
void prepare(const double* h, std::size_t n, Scale& scale, double* out) noexcept {
    if (!scale.decided) scale.ridge = scale.tie = 1.0;
    for (std::size_t i = 0; i < n * n; ++i) out[i] = scale.decided ? h[i] : 0.0;
    for (std::size_t i = 0; i < n; ++i) out[i * n + i] += scale.ridge;
}

double cost_of(const double* h, std::span<const double> w) noexcept {
    const std::size_t n = w.size();
    double cost = 0;
    for (std::size_t a = 0; a < n; ++a) {
        if (w[a] == 0.0) continue;
        double g = 0;
        for (std::size_t b = 0; b < n; ++b) g += w[b] == 0.0 ? 0.0 : h[a * n + b] * w[b];
        cost += g * w[a];
    }
    return cost;
}

// The number of sets of 1 ... k of n slots, or more than `limit`.
std::size_t face_count(std::size_t n, std::size_t k, std::size_t limit) noexcept {
    double sets = 1, sum = 0;
    for (std::size_t size = 1; size <= k; ++size) {
        sets = sets * static_cast<double>(n - size + 1) / static_cast<double>(size);
        sum += sets;
        if (sum > static_cast<double>(limit)) return limit + 1;
    }
    return static_cast<std::size_t>(sum);
}

// Writes the weights of the face whose slots are listed; `h` has the ridge.
void write_face(std::span<const double> h, std::span<const std::uint32_t> face, SparseScratch& scratch,
                  std::span<double> out) noexcept {
    const std::size_t n = out.size();
    const std::span<double> found(scratch.small.data(), face.size());
    const double cost = affine_minimum(h, n, face, std::span(scratch.small).subspan(n), found);
    std::fill(out.begin(), out.end(), 0.0);
    if (!std::isfinite(cost)) {
        out[face[0]] = 1.0;  // does not happen on a face that was found; a solution still
        return;
    }
    for (std::size_t i = 0; i < face.size(); ++i) out[face[i]] = std::max(found[i], 0.0);
}

std::span<const std::uint32_t> slots_of(FaceMask mask, SparseScratch& scratch) noexcept {
    std::size_t size = 0;
    for (std::uint32_t slot = 0; mask != 0; ++slot, mask >>= 1) {
        if (mask & 1) scratch.slots[size++] = slot;
    }
    return std::span(scratch.slots).first(size);
}

std::span<const std::uint32_t> slots_of(std::span<const std::uint8_t> chosen, SparseScratch& scratch) noexcept {
    std::size_t size = 0;
    for (std::size_t slot = 0; slot < chosen.size(); ++slot) {
        if (chosen[slot] == 1) scratch.slots[size++] = static_cast<std::uint32_t>(slot);
    }
    return std::span(scratch.slots).first(size);
}

BranchScratch branch_scratch(SparseScratch& scratch) noexcept {
    return {scratch.branch, scratch.states, scratch.slots};
}

void finish(const SparseProblems& problems, std::size_t vertex, const Scale& scale, double bound, Solved ending,
            const SparseSolutions& out) noexcept {
    const std::size_t n = problems.slots;
    const auto weights = out.weights.subspan(vertex * n, n);
    if (!scale.decided) {
        std::fill(weights.begin(), weights.end(), 0.0);
        weights[0] = 1.0;
        ending = Solved::undecided;
        bound = scale.ridge;
    }
    out.least[vertex] = cost_of(problems.costs.data() + vertex * n * n, weights);
    // The ridge adds at most itself to any cost, so taking it off keeps the bound below all of them.
    out.bounds[vertex] = std::max(0.0, bound - scale.ridge);
    out.endings[vertex] = static_cast<std::uint8_t>(ending);
}

// The best face of one vertex by branch and bound, as slots; its costs, with the ridge, are left in scratch.costs.
Branched branch_one(const SparseProblems& problems, std::size_t vertex, const SparseOptions& options, Scale& scale,
                    SparseScratch& scratch) noexcept {
    const std::size_t n = problems.slots;
    const double* h = problems.costs.data() + vertex * n * n;
    scale = scale_of(h, n, problems.sizes[vertex]);
    prepare(h, n, scale, scratch.costs.data());
    return branch_and_bound(std::span(scratch.costs).first(n * n), options.most, scratch.uniform, scale.ridge, scale.tie,
                            options.max_nodes, branch_scratch(scratch), scratch.chosen);
}

// A list of faces by cost, the cheapest first, kept short.
struct Listed {
    std::array<double, most_listed> costs;
    std::size_t size = 0;
    std::size_t room;

    // Where a face of this cost goes, or `room` if it is too dear or there already.
    std::size_t place(double cost, std::span<const double> w, std::span<const double> held) noexcept {
        const std::size_t n = w.size();
        for (std::size_t i = 0; i < size; ++i) {
            bool same = true;
            for (std::size_t j = 0; j < n; ++j) same = same && (w[j] > 0.0) == (held[i * n + j] > 0.0);
            if (same) return room;
        }
        std::size_t at = size;
        while (at > 0 && cost < costs[at - 1]) --at;
        return at < room ? at : room;
    }

    void insert(double cost, std::span<const double> w, std::span<double> held) noexcept {
        const std::size_t n = w.size();
        const std::size_t at = place(cost, w, held);
        if (at == room) return;
        size = std::min(size + 1, room);
        for (std::size_t i = size - 1; i > at; --i) {
            costs[i] = costs[i - 1];
            std::copy_n(held.begin() + static_cast<std::ptrdiff_t>((i - 1) * n), n,
                        held.begin() + static_cast<std::ptrdiff_t>(i * n));
        }
        costs[at] = cost;
        std::copy(w.begin(), w.end(), held.begin() + static_cast<std::ptrdiff_t>(at * n));
    }
};

void list_by_faces(const SparseProblems& problems, const SparseOptions& options, std::size_t vertex, std::size_t count,
                   SparseScratch& scratch, std::span<double> out) noexcept {
    const std::size_t n = problems.slots;
    const double* h = problems.costs.data() + vertex * n * n;
    Scale scale = scale_of(h, n, problems.sizes[vertex]);
    prepare(h, n, scale, scratch.costs.data());
    std::array<FaceMask, most_listed> faces;
    std::array<double, most_listed> least;
    const auto costs = std::span(scratch.costs).first(n * n);
    const std::size_t found = cheapest_faces(costs, n, options.most, scale.ridge, scratch.faces.data(),
                                             std::span(faces).first(count), std::span(least).first(count));
    for (std::size_t i = 0; i < found; ++i) {
        write_face(costs, slots_of(faces[i], scratch), scratch, out.subspan(i * n, n));
    }
}

void list_by_branching(const SparseProblems& problems, const SparseOptions& options, std::size_t vertex,
                       std::size_t count, SparseScratch& scratch, std::span<double> out) noexcept {
    const std::size_t n = problems.slots;
    Scale scale{};
    branch_one(problems, vertex, options, scale, scratch);
    const auto costs = std::span(scratch.costs).first(n * n);
    const auto states = std::span(scratch.states).first(n);
    const auto work = std::span(scratch.branch);
    const auto w = work.first(n);
    Listed listed{{}, 0, count};
    write_face(costs, slots_of(std::span<const std::uint8_t>(scratch.chosen), scratch), scratch, w);
    listed.insert(-1.0, w, out);
    // Every slot out in turn, and every other slot in for it.
    for (std::size_t leaving = 0; leaving < n; ++leaving) {
        if (scratch.chosen[leaving] == 0) continue;
        for (std::size_t coming = 0; coming < n; ++coming) {
            if (scratch.chosen[coming] != 0) continue;
            std::copy(scratch.chosen.begin(), scratch.chosen.end(), states.begin());
            states[leaving] = 0;
            states[coming] = 1;
            std::fill(w.begin(), w.end(), 0.0);
            w[coming] = 1.0;
            const auto solved = least_cost(costs, states, work.subspan(n), scratch.slots, w);
            listed.insert(solved.cost, w, out);
        }
    }
}

}  // namespace

SparseScratch::SparseScratch(const SparseProblems& problems, const SparseOptions& options, const Kernels& table)
    : kernels(table.fit) {
    const std::size_t n = problems.slots, k = std::min(options.most, n);
    by_faces = n <= max_face_slots && face_count(n, k, options.max_faces) <= options.max_faces;
    costs.resize(n * n);
    if (by_faces) faces = Aligned<double>(std::max(face_scratch(n, k), list_scratch(n, k)));
    branch.resize(branch_reals(n));
    small.resize(n * n + 2 * n);
    uniform.assign(n, 1.0 / static_cast<double>(n));
    states.resize(branch_states(n));
    chosen.resize(n);
    slots.resize(n);
}

void solve_sparse(const SparseProblems& problems, const SparseOptions& options, SparseScratch& scratch,
                  const SparseSolutions& out) noexcept {
    const std::size_t n = problems.slots, most = std::min(options.most, n);
    if (scratch.by_faces) {
        scratch.kernels->solve_faces(
            {problems.costs.data(), problems.sizes.data(), problems.vertices, n, most}, scratch.faces.data(),
            {out.weights.data(), out.least.data(), out.bounds.data(), out.endings.data()});
        return;
    }
    for (std::size_t vertex = 0; vertex < problems.vertices; ++vertex) {
        Scale scale{};
        const Branched branched =
            branch_one(problems, vertex, {most, options.max_faces, options.max_nodes}, scale, scratch);
        const auto face = slots_of(std::span<const std::uint8_t>(scratch.chosen), scratch);
        write_face(std::span(scratch.costs).first(n * n), face, scratch, out.weights.subspan(vertex * n, n));
        finish(problems, vertex, scale, branched.bound, branched.proven ? Solved::proven : Solved::unproven, out);
    }
}

void list_sparse(const SparseProblems& problems, const SparseOptions& options, std::size_t count,
                 SparseScratch& scratch, std::span<double> weights) noexcept {
    const std::size_t n = problems.slots;
    const SparseOptions fitting{std::min(options.most, n), options.max_faces, options.max_nodes};
    count = std::min(count, most_listed);
    std::fill(weights.begin(), weights.end(), 0.0);
    for (std::size_t vertex = 0; vertex < problems.vertices; ++vertex) {
        const auto out = weights.subspan(vertex * count * n, count * n);
        if (scratch.by_faces) {
            list_by_faces(problems, fitting, vertex, count, scratch, out);
        } else {
            list_by_branching(problems, fitting, vertex, count, scratch, out);
        }
    }
}

}  // namespace skinproof
