// What a segment lives in: memory of this process, or three mapped files (files.hpp).
#pragma once

#include <cstdint>
#include <memory>

#include "publish/fork_guard.hpp"
#include "publish/segment.hpp"

namespace skinproof::publish {

class Backing {
   public:
    virtual ~Backing() = default;
    Backing(const Backing&) = delete;
    Backing& operator=(const Backing&) = delete;

    const Segment& segment() const noexcept { return segment_; }

    // False in a forked child: nothing of this may be used or written any more.
    bool alive() const noexcept { return guard_.alive(); }

    // Clears the rows of processes that have died; the number of rows. For the owner only.
    virtual std::uint32_t reap() noexcept { return 0; }

    // The owner ends the segment: nobody can attach any more; what is mapped stays.
    virtual void close() noexcept {}

   protected:
    Backing() = default;
    Segment segment_;

   private:
    ForkGuard guard_;
};

// Fresh zeroed memory of this process with headers written, one row, no palette yet. Throws std::bad_alloc.
std::shared_ptr<Backing> make_memory_backing(const Shape& shape);

}  // namespace skinproof::publish
