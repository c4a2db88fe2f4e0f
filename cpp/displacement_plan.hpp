// Displacement over many poses, planned once: vertices grouped by joint set, poses in slabs, both spread over threads.
// It gives what displacement.hpp and bound.hpp define, apart from rounding (docs/performance.md).
#pragma once

#include <vector>

#include "aligned.hpp"
#include "bound.hpp"
#include "displacement.hpp"
#include "kernels/kernels.hpp"

namespace skinproof {

// Results do not depend on the number of threads, nor on the blocks in which the poses of a run arrive: the order of
// every summation is set by the pose's place in its run, and each vertex belongs to one thread.
class DisplacementPlan {
public:
    // Copies what it needs of the arguments. Vertices whose delta weights are all zero cost nothing afterwards.
    //   positions   [vertices * 3]
    //   bounded     whether accumulate_bound is wanted too
    //   threads     at most so many, at least 1
    //   repeatable  whether all results but the bound must have the same bits on every instruction set
    DisplacementPlan(std::span<const double> positions, const Influences<double>& deltas, bool bounded,
                     std::size_t threads, const Kernels& kernels, bool repeatable = false);

    // Takes other positions [vertices * 3] for the poses added from here on, as morph targets make them.
    void set_positions(std::span<const double> positions) noexcept;

    // Adds poses to the current run; the palettes must have every joint of a non-empty slot. `first_pose` is the number
    // that max_pose gives to the first of them.
    void add(const Palettes<double>& palettes, std::int64_t first_pose) noexcept;

    // Ends the run: writes its results for all vertices, and starts the next one from nothing.
    void take(const DisplacementTotals& out) noexcept;

    // The largest bound over all runs so far, [vertices]; poses of a run that is not taken yet may be missing.
    void write_bound(std::span<double> out) const noexcept;

private:
    // Some vertices of one joint set: [first, first + tile.vertices) in the plan's order.
    struct Part {
        DeltaTile tile;
        std::size_t first;
    };

    void flush() noexcept;
    void run(std::size_t thread) noexcept;
    void raise_bound(const Part& part, const double* slab, double* images) noexcept;

    const Kernels& kernels_;
    const decltype(Kernels::displace) displace_;
    std::size_t vertices_;
    std::vector<std::uint32_t> order_;       // the vertices that can move, as the parts have them
    std::vector<std::uint16_t> used_;        // the joints of the slabs
    std::vector<std::uint32_t> joints_;      // of all parts, places in `used_`
    std::vector<double> weights_, positions_;
    std::vector<Part> parts_;
    std::vector<std::size_t> shares_;        // [threads + 1], parts of each thread
    std::vector<Aligned<double>> scratch_;   // one per thread
    Aligned<double> slabs_;
    std::size_t waiting_ = 0;                // poses in the slabs
    std::int64_t first_waiting_ = 0;
    std::vector<double> max_squared_, sum_squared_, bound_;
    std::vector<std::int64_t> max_pose_;
    std::vector<MovedWeight> moved_;         // empty if there is no bound to make
};

}  // namespace skinproof
