// What the processor can do at best: multiply-adds on registers alone.

namespace skinproof::SKINPROOF_SET {
namespace {

// Chains that do not wait for each other: enough to hide the latency of two units on every core so far.
template <class Real>
Real multiply_adds(std::size_t rounds, std::size_t* counted) noexcept {
    constexpr std::size_t chains = SKINPROOF_VECTOR_BYTES == 64 ? 16 : 12;
    *counted = rounds * chains * lane_count<Real>;
    // Every chain starts elsewhere: equal ones would be computed once.
    Lanes<Real> sum[chains];
    SKINPROOF_UNROLL
    for (std::size_t i = 0; i < chains; ++i) sum[i] = Lanes<Real>{} + static_cast<Real>(i);
    const Lanes<Real> factor = Lanes<Real>{} + Real(0.999), term = Lanes<Real>{} + Real(0.001);
    for (std::size_t round = 0; round < rounds; ++round) {
        SKINPROOF_UNROLL
        for (std::size_t i = 0; i < chains; ++i) sum[i] = sum[i] * factor + term;
    }
    Lanes<Real> all = {};
    SKINPROOF_UNROLL
    for (std::size_t i = 0; i < chains; ++i) all += sum[i];
    Real parts[lane_count<Real>];
    store(parts, all);
    return parts[0];
}

}  // namespace
}  // namespace skinproof::SKINPROOF_SET
