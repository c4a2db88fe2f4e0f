// A forked child inherits every handle, its memory, its destructors and its descriptors. None of them may pin, clear or
// publish anything on the parent's behalf, or keep the parent's locks alive.
#pragma once

#include <cstdint>

namespace skinproof::publish {

// Knows whether this is still the process that made it.
class ForkGuard {
   public:
    ForkGuard();  // throws std::system_error
    ~ForkGuard();
    ForkGuard(const ForkGuard&) = delete;
    ForkGuard& operator=(const ForkGuard&) = delete;

    // False in a forked child. On Linux two loads: the kernel wipes the page in every child, however it was forked; the
    // C library's fork is counted besides, for emulators that take the wiping for a hint and leave it (qemu's user mode).
    bool alive() const noexcept;

   private:
    volatile std::uint8_t* page_ = nullptr;
    std::uint64_t forks_ = 0;
    long process_ = 0;
};

#if defined(__linux__)

// A descriptor of this process alone: every forked child closes its copy before anything else runs there, whoever called
// fork, so that an open-file-description lock ends with its process.
struct OwnDescriptor {
    int number = -1;
    std::uint64_t forks = 0;  // how many forks led to the process that opened it
};

// shm_open with O_CLOEXEC and O_NONBLOCK; number is -1, with errno, if that fails. Throws std::bad_alloc.
OwnDescriptor open_own(const char* path, int flags, unsigned mode);

// Nothing in a child of the process that opened it: the number may be another file's there.
void close_own(OwnDescriptor descriptor) noexcept;

#endif

}  // namespace skinproof::publish
