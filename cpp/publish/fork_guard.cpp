#include "publish/fork_guard.hpp"

#include <atomic>
#include <cerrno>
#include <memory>
#include <mutex>
#include <new>
#include <system_error>
#include <vector>

#if defined(__linux__)
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>
#elif !defined(_WIN32)
#include <unistd.h>
#endif

namespace skinproof::publish {

#if defined(__linux__)

namespace {

// fork holds the mutex: no descriptor is opened or closed by another thread while the child is made.
struct Descriptors {
    std::mutex mutex;
    std::vector<int> open;
};

// How many calls of fork led to this process. A child counts before anything else runs there.
constinit std::atomic<std::uint64_t> forks{0};

Descriptors& descriptors();

void before_fork() { descriptors().mutex.lock(); }

void after_fork_in_parent() { descriptors().mutex.unlock(); }

void after_fork_in_child() {
    Descriptors& all = descriptors();
    for (const int descriptor : all.open) close(descriptor);
    all.open.clear();
    forks.fetch_add(1, std::memory_order_relaxed);
    all.mutex.unlock();
}

Descriptors& descriptors() {
    // Never destroyed: there may be a fork, or the end of a file, after any static object's end.
    static Descriptors& all = *[] {
        auto made = std::make_unique<Descriptors>();
        if (pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child) != 0) throw std::bad_alloc();
        return made.release();
    }();
    return all;
}

}  // namespace

ForkGuard::ForkGuard() : forks_(forks.load(std::memory_order_relaxed)) {
    descriptors();  // counts from now on
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

bool ForkGuard::alive() const noexcept {
    return *page_ != 0 && forks_ == forks.load(std::memory_order_relaxed);
}

OwnDescriptor open_own(const char* path, int flags, unsigned mode) {
    Descriptors& all = descriptors();
    const std::lock_guard lock(all.mutex);
    all.open.reserve(all.open.size() + 1);
    // Nothing waits: a pipe that somebody put in a segment's place would, for its other end.
    const int number = shm_open(path, flags | O_CLOEXEC | O_NONBLOCK, static_cast<mode_t>(mode));
    if (number >= 0) all.open.push_back(number);
    return {number, forks.load(std::memory_order_relaxed)};
}

void close_own(OwnDescriptor descriptor) noexcept {
    Descriptors& all = descriptors();
    const std::lock_guard lock(all.mutex);
    if (descriptor.forks != forks.load(std::memory_order_relaxed)) return;
    std::erase(all.open, descriptor.number);
    close(descriptor.number);
}

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
