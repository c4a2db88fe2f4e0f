#include "publish/candidate.hpp"

#include <bit>
#include <cmath>
#include <cstddef>
#include <new>

namespace skinproof::publish {

namespace {

constexpr std::align_val_t kAlignment{64};

std::vector<std::uint32_t> joints_of(const std::vector<std::atomic<std::uint64_t>>& bitmap, std::uint32_t words) {
    std::vector<std::uint32_t> joints;
    for (std::uint32_t word = 0; word < words; ++word) {
        for (std::uint64_t bits = bitmap[word].load(std::memory_order_acquire); bits != 0; bits &= bits - 1)
            joints.push_back(word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits)));
    }
    return joints;
}

}  // namespace

void Candidate::Free::operator()(float* matrices) const noexcept { ::operator delete[](matrices, kAlignment); }

Candidate::Candidate(std::uint32_t capacity)
    : owned_(static_cast<float*>(::operator new[](std::size_t{capacity} * 64, kAlignment))),
      received_((capacity + 63) / 64),
      twice_((capacity + 63) / 64) {}

void Candidate::start(std::uint64_t sequence, Revision revision,
                      const std::shared_ptr<const Topology>& topology) noexcept {
    sequence_ = sequence;
    revision_ = revision;
    if (topology_ != topology) topology_ = topology;  // mostly the same: two atomic counts less
}

void Candidate::begin(std::uint64_t sequence, Revision revision,
                      const std::shared_ptr<const Topology>& topology) noexcept {
    start(sequence, revision, topology);
    borrowed_ = nullptr;
    for (std::uint32_t word = 0; word < words(); ++word) {
        received_[word].store(0, std::memory_order_relaxed);
        twice_[word].store(0, std::memory_order_relaxed);
    }
    open_.store(true, std::memory_order_release);
}

void Candidate::borrow(std::uint64_t sequence, Revision revision, const std::shared_ptr<const Topology>& topology,
                       const float* matrices) noexcept {
    start(sequence, revision, topology);
    borrowed_ = matrices;
    open_.store(true, std::memory_order_release);
}

bool Candidate::receive(std::uint32_t first, std::uint32_t count) noexcept {
    if (!is_open() || borrowed_ != nullptr) return false;
    for (std::uint32_t joint = first; joint < first + count;) {
        const std::uint32_t bit = joint % 64;
        const std::uint32_t here = 64 - bit < first + count - joint ? 64 - bit : first + count - joint;
        const std::uint64_t mask = (here == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << here) - 1) << bit;
        // Release: the commit that sees the bit sees the matrix.
        const std::uint64_t before = received_[joint / 64].fetch_or(mask, std::memory_order_acq_rel);
        if ((before & mask) != 0) twice_[joint / 64].fetch_or(before & mask, std::memory_order_relaxed);
        joint += here;
    }
    return true;
}

std::uint64_t Candidate::whole(std::uint32_t word) const noexcept {
    const std::uint32_t rest = joint_count() - word * 64;
    return rest >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << rest) - 1;
}

bool Candidate::is_complete() const noexcept {
    if (borrowed_ != nullptr) return true;
    for (std::uint32_t word = 0; word < words(); ++word) {
        if (received_[word].load(std::memory_order_acquire) != whole(word)) return false;
    }
    return true;
}

bool Candidate::has_twice() const noexcept {
    if (borrowed_ != nullptr) return false;
    for (std::uint32_t word = 0; word < words(); ++word) {
        if (twice_[word].load(std::memory_order_relaxed) != 0) return true;
    }
    return false;
}

std::vector<std::uint32_t> Candidate::missing() const {
    std::vector<std::uint32_t> joints;
    for (std::uint32_t word = 0; word < words(); ++word) {
        std::uint64_t bits = whole(word) & ~received_[word].load(std::memory_order_acquire);
        for (; bits != 0; bits &= bits - 1)
            joints.push_back(word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits)));
    }
    return joints;
}

std::vector<std::uint32_t> Candidate::written_twice() const { return joints_of(twice_, words()); }

std::vector<std::uint32_t> not_finite(const float* matrices, std::uint32_t joint_count) {
    std::vector<std::uint32_t> joints;
    for (std::uint32_t joint = 0; joint < joint_count; ++joint) {
        for (std::uint32_t k = 0; k < 16; ++k) {
            if (!std::isfinite(matrices[std::size_t{joint} * 16 + k])) {
                joints.push_back(joint);
                break;
            }
        }
    }
    return joints;
}

}  // namespace skinproof::publish
