#include "publish/fork_guard.hpp"

#include <cerrno>
#include <system_error>

#if defined(__linux__)
#include <sys/mman.h>
#elif !defined(_WIN32)
#include <unistd.h>
#endif

namespace skinproof::publish {

#if defined(__linux__)

ForkGuard::ForkGuard() {
    void* page = mmap(nullptr, 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "fork guard");
    page_ = static_cast<std::uint8_t*>(page);
    if (madvise(page, 1, MADV_WIPEONFORK) != 0) {
        const int error = errno;
        munmap(page, 1);
        throw std::system_error(error, std::generic_category(), "fork guard (needs Linux 4.14)");
    }
    *page_ = 1;
}

ForkGuard::~ForkGuard() { munmap(const_cast<std::uint8_t*>(page_), 1); }

bool ForkGuard::alive() const noexcept { return *page_ != 0; }

#elif !defined(_WIN32)

ForkGuard::ForkGuard() : process_(getpid()) {}
ForkGuard::~ForkGuard() = default;
bool ForkGuard::alive() const noexcept { return process_ == getpid(); }

#else

ForkGuard::ForkGuard() = default;
ForkGuard::~ForkGuard() = default;
bool ForkGuard::alive() const noexcept { return true; }

#endif

}  // namespace skinproof::publish
