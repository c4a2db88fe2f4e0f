// Gram forms: what all poses together say about pairs of joints, whatever the vertex and however many poses there are.
// The error of weights w against w0 (both sum to one) in a pose is e = sum_j (w_j - w0_j) (M_j - C) v, for any common
// matrix C. Its square, averaged over the poses, is a quadratic form in the weights whose entries are
// G_jk = sum_p share_p (A_j v) . (A_k v) with A_j = M_j - C: a quadratic form in v with ten coefficients per pair.
// The same matrices as in: Binh Huy Le, Zhigang Deng, "Smooth Skinning Decomposition with Rigid Bones", 2012.
#pragma once

#include <vector>

#include "influences.hpp"

namespace skinproof {

// Coefficients of one quadratic form in (x, y, z), in the order xx, yy, zz, xy, xz, yz, x, y, z, 1.
inline constexpr std::size_t form_size = 10;

// Pairs of joints (first <= second) that occur together on some vertex, sorted by the first, then by the second.
struct JointPairs {
    std::span<const std::uint32_t> starts;     // [joints + 1], where the pairs of each first joint begin
    std::span<const std::uint16_t> partners;   // [pairs], the second joint of each

    std::size_t joints() const noexcept { return starts.size() - 1; }

    // Where the pair of two joints stands; it must be there.
    std::size_t find(std::uint16_t a, std::uint16_t b) const noexcept;
};

// Where every pair stands, in a table if that is worth while, else found by halving.
class PairTable {
public:
    // `wanted`: how many pairs will be looked up.
    PairTable(const JointPairs& pairs, std::size_t wanted);

    std::size_t find(std::uint16_t a, std::uint16_t b) const noexcept {
        return places_.empty() ? pairs_.find(a, b) : places_[a * pairs_.joints() + b];
    }

private:
    JointPairs pairs_;
    std::vector<std::uint32_t> places_;  // [joints * joints], or empty
};

// Adds the poses of a block to the forms, pose after pose: the sum of a pair has one order, whatever the blocks are.
// In each pose C is the mean of the matrices of all joints that occur. That keeps the numbers as small as the joints'
// moves relative to each other, so that a character far from the origin loses no digits.
//   shares   [poses], the share of each pose in the mean over time
//   centre   [3], what positions are taken relative to
//   scratch  [joints * 12]
//   forms    [pairs * form_size]
void accumulate_gram(const Palettes<double>& palettes, std::span<const double> shares, const JointPairs& pairs,
                     std::span<const double> centre, std::span<double> scratch, std::span<double> forms) noexcept;

struct CostScratch {
    std::span<double> means;       // [slots]
    std::span<std::size_t> pairs;  // [slots * (slots + 1) / 2]
};

// The cost matrix H of each vertex: the error of weights w (sum one) is w' H w, and H w0 = 0.
//   positions   [vertices * 3]
//   influences  without empty slots; weights sum to one on each vertex
//   forms       [pairs * form_size]
//   costs       [vertices * slots * slots]
//   sizes       [vertices], the largest G_jj: H is right to about 1e-15 of it
void vertex_costs(std::span<const double> positions, const Influences<double>& influences, const PairTable& pairs,
                  std::span<const double> forms, std::span<const double> centre, const CostScratch& scratch,
                  std::span<double> costs, std::span<double> sizes) noexcept;

}  // namespace skinproof
