// Segments in three shared-memory files, which other processes attach by name. POSIX; proved on Linux.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

#include "publish/backing.hpp"

namespace skinproof::publish {

// What is wrong and what to do, for people.
class SegmentFailure : public std::runtime_error {
   public:
    using std::runtime_error::runtime_error;
};

constexpr long kNoGroup = -1;

// Makes a segment `name` and takes its ownership. Modes 0600; with a group, control and payload 0640 and pins 0660.
// Refuses if there is one already, whether its owner lives or has died. Throws SegmentFailure.
std::shared_ptr<Backing> create_segment(const std::string& name, const Shape& shape, long group);

// Takes the ownership of a segment whose owner has died. Throws SegmentFailure if it lives, or the files are no whole
// segment of this layout version.
std::shared_ptr<Backing> recover_segment(const std::string& name);

struct Attached {
    std::shared_ptr<Backing> backing;
    std::uint32_t row;  // the reader's own, until the backing goes
};

// Attaches as a reader: control and payload can only be read. Throws SegmentFailure.
Attached attach_segment(const std::string& name);

// Removes the files of a segment whose owner has died; what is mapped stays. Throws SegmentFailure if it lives.
void remove_segment(const std::string& name);

struct SegmentStatistics {
    std::uint64_t state = 0;
    std::uint64_t owner_process = 0;
    bool owner_alive = false;
    Shape shape{};
    std::uint64_t generation = 0;
    std::uint64_t sequence = 0;
    std::uint64_t counters[SKINPROOF_COUNTERS]{};
    std::uint64_t rows_in_use = 0;
    std::uint64_t rows_dead = 0;
    std::uint64_t cells_in_use = 0;
    std::uint64_t slots_pinned = 0;
    std::uint64_t retries = 0;
};

// Reads a segment's counters without attaching. Throws SegmentFailure.
SegmentStatistics segment_statistics(const std::string& name);

}  // namespace skinproof::publish
