// Knows whether this is still the process that made it. A forked child inherits every handle, its memory and its
// destructors; none of them may pin, clear or publish anything on the parent's behalf.
#pragma once

#include <cstdint>

namespace skinproof::publish {

class ForkGuard {
   public:
    ForkGuard();  // throws std::system_error
    ~ForkGuard();
    ForkGuard(const ForkGuard&) = delete;
    ForkGuard& operator=(const ForkGuard&) = delete;

    // False in a forked child. One load on Linux: the kernel wipes the page in every child, however it was forked.
    bool alive() const noexcept;

   private:
    volatile std::uint8_t* page_ = nullptr;
    long process_ = 0;
};

}  // namespace skinproof::publish
