// Files, mappings and locks that give themselves up. Linux.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>

#include "publish/fork_guard.hpp"

namespace skinproof::publish {

class File {
   public:
    File() = default;
    // Of shared memory; false, with errno, if it cannot be opened.
    File(const std::string& path, int flags, mode_t mode = 0) : descriptor_(open_own(path.c_str(), flags, mode)) {}
    File(File&& other) noexcept : descriptor_(std::exchange(other.descriptor_, {})) {}
    File& operator=(File&& other) noexcept {
        std::swap(descriptor_, other.descriptor_);
        return *this;
    }
    ~File() { close(); }
    void close() noexcept {
        if (*this) close_own(std::exchange(descriptor_, {}));
    }
    int get() const noexcept { return descriptor_.number; }
    explicit operator bool() const noexcept { return descriptor_.number >= 0; }

   private:
    OwnDescriptor descriptor_;
};

class Mapping {
   public:
    Mapping() = default;
    Mapping(const File& file, std::uint64_t bytes, int protection) noexcept : bytes_(bytes) {
        void* start = mmap(nullptr, bytes, protection, MAP_SHARED, file.get(), 0);
        start_ = start == MAP_FAILED ? nullptr : static_cast<std::byte*>(start);
    }
    Mapping(Mapping&& other) noexcept
        : start_(std::exchange(other.start_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
    Mapping& operator=(Mapping&& other) noexcept {
        std::swap(start_, other.start_);
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    ~Mapping() {
        if (start_ != nullptr) munmap(start_, bytes_);
    }
    std::byte* start() const noexcept { return start_; }

   private:
    std::byte* start_ = nullptr;
    std::uint64_t bytes_ = 0;
};

// Open-file-description locks: the kernel drops them when the last descriptor of the description goes, so at the death
// of the process at the latest, and no other descriptor of the same file can drop them by being closed. A mapping keeps
// its description too, so the descriptors that lock are never mapped: a forked child gives locks up by closing them, as
// every File of it is.
inline bool lock_byte(const File& file, std::uint64_t byte, short type = F_WRLCK) noexcept {
    struct flock lock {};
    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    lock.l_start = static_cast<off_t>(byte);
    lock.l_len = 1;
    return fcntl(file.get(), F_OFD_SETLK, &lock) == 0;
}

inline bool is_locked(const File& file, std::uint64_t byte) noexcept {
    struct flock lock {};
    lock.l_type = F_RDLCK;  // the descriptor may be open for reading only
    lock.l_whence = SEEK_SET;
    lock.l_start = static_cast<off_t>(byte);
    lock.l_len = 1;
    return fcntl(file.get(), F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

// Start time << 22 | process id, so that a reused process id is another process.
inline std::uint64_t process_token() {
    std::ifstream stat("/proc/self/stat");
    std::string text((std::istreambuf_iterator<char>(stat)), std::istreambuf_iterator<char>());
    std::uint64_t start = 0;
    if (const std::size_t end = text.rfind(')'); end != std::string::npos) {
        std::istringstream rest(text.substr(end + 1));
        std::string field;
        for (int i = 0; i < 19; ++i) rest >> field;
        rest >> start;
    }
    return start << 22 | (static_cast<std::uint64_t>(getpid()) & 0x3fffff);
}

}  // namespace skinproof::publish
