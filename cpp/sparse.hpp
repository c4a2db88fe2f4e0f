// The best K influences of each vertex: the sparse standard quadratic program of its cost matrix, solved exactly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "aligned.hpp"
#include "instruction_sets.hpp"
#include "repeatable/fit.hpp"

namespace skinproof {

struct SparseOptions {
    std::size_t most;       // K >= 1
    std::size_t max_faces;  // up to this many faces of a vertex are all looked at; beyond, branch and bound
    std::size_t max_nodes;  // of one search by branch and bound
};

struct SparseProblems {
    std::span<const double> costs;  // [vertices * slots * slots], H, symmetric; slots in the order of the tie rule
    std::span<const double> sizes;  // [vertices], H is right to 1e-15 of it (gram.hpp)
    std::size_t vertices;
    std::size_t slots;  // n >= 1
};

struct SparseSolutions {
    std::span<double> weights;        // [vertices * slots], sum one, at most K not zero
    std::span<double> least;          // [vertices], w' H w
    std::span<double> bounds;         // [vertices], no weights on K slots cost less, except by the ridge's rounding
    std::span<std::uint8_t> endings;  // [vertices], Solved
};

// What one thread needs to work in; made once per call of a kernel, for problems of one width.
struct SparseScratch {
    SparseScratch(const SparseProblems& problems, const SparseOptions& options,
                  const Kernels& kernels = *runnable_kernels().back());

    const FitKernels* kernels;
    bool by_faces;  // whether all faces are looked at
    Aligned<double> faces;
    std::vector<double> costs, branch, small, uniform;
    std::vector<std::uint8_t> states, chosen;
    std::vector<std::uint32_t> slots;
};

// Ridge: 1e-12 of the mean diagonal on every diagonal entry, so that singular faces have a solution too; never less than
// what rounding can do. Tie: 1e-10 of the mean diagonal, never less than noise. Both the same for either way of solving.
void solve_sparse(const SparseProblems& problems, const SparseOptions& options, SparseScratch& scratch,
                  const SparseSolutions& out) noexcept;

// Up to `count` different faces of each vertex, cheapest first; unused places hold zero weights. Where all faces are
// looked at these are the cheapest there are; else the best one and the cheapest that differ from it in one slot.
//   weights  [vertices * count * slots]
void list_sparse(const SparseProblems& problems, const SparseOptions& options, std::size_t count,
                 SparseScratch& scratch, std::span<double> weights) noexcept;

}  // namespace skinproof
