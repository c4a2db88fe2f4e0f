// A process's place among the readers: its row, and which of the row's cells are in use.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "publish/backing.hpp"
#include "publish/cells.hpp"
#include "publish/protocol.hpp"

namespace skinproof::publish {

enum class Acquired : std::uint8_t { kHeld, kNoCell, kCorrupt, kForked };

// A pinned palette: until it is released, nothing in its slot changes.
struct Hold {
    std::uint32_t slot = 0;
    std::uint32_t cell = 0;
    std::uint64_t generation = 0;
};

// Any number of threads may acquire and release at once. Whoever holds must release before the attachment goes.
class Attachment {
   public:
    Attachment(std::shared_ptr<Backing> backing, std::uint32_t row) noexcept
        : backing_(std::move(backing)), row_(row), cells_(backing_->segment().shape.cells) {}

    Acquired acquire(Hold& hold) noexcept {
        if (!backing_->alive()) return Acquired::kForked;
        const Segment& segment = backing_->segment();
        const std::uint32_t cell = cells_.claim();
        if (cell == Cells::kNone) return Acquired::kNoCell;
        const Pinned pinned = pin(segment, segment.cell(row_, cell));
        if (pinned.retries != 0)
            atomic(segment.row(row_).retries).fetch_add(pinned.retries, std::memory_order_relaxed);
        if (pinned.status != Pin::kPinned) {
            cells_.give_back(cell);
            return Acquired::kCorrupt;
        }
        hold = {pinned.slot, cell, pinned.generation};
        return Acquired::kHeld;
    }

    // In a forked child nothing is stored: the pin is the parent's.
    void release(const Hold& hold) noexcept {
        if (!backing_->alive()) return;
        unpin(backing_->segment().cell(row_, hold.cell));
        cells_.give_back(hold.cell);
    }

    const Backing& backing() const noexcept { return *backing_; }
    const std::shared_ptr<Backing>& shared_backing() const noexcept { return backing_; }
    const Segment& segment() const noexcept { return backing_->segment(); }
    std::uint32_t row() const noexcept { return row_; }
    std::uint32_t free_cells() const noexcept { return cells_.free_count(); }

   private:
    std::shared_ptr<Backing> backing_;
    std::uint32_t row_;
    Cells cells_;
};

}  // namespace skinproof::publish
