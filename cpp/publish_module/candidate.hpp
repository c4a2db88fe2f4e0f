// A candidate and its owner, as Python holds them.
#pragma once

#include "publish_module/bind.hpp"

namespace skinproof::publish::binding {

constexpr std::size_t kMostSpare = 8;  // candidates kept for the next begin; each as large as a palette

// Up to here a commit takes less time than giving the interpreter's lock away and getting it back. A commit that waits for
// another one with the lock held waits for one copy: a commit in progress needs nothing from Python.
constexpr std::uint32_t kJointsWithLock = 1024;

struct Filling {
    Filling(std::shared_ptr<Owning> owning, std::unique_ptr<Candidate> candidate) noexcept
        : owning(std::move(owning)), candidate(std::move(candidate)) {}
    Filling(const Filling&) = delete;
    Filling& operator=(const Filling&) = delete;
    ~Filling();
    std::shared_ptr<Owning> owning;
    std::unique_ptr<Candidate> candidate;
};

struct Outcome {
    Revision revision;
    Report report;
};

Outcome commit(const std::shared_ptr<Owning>& owning, Candidate& candidate);

}  // namespace skinproof::publish::binding
