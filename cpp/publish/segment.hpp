// Where things are in a segment: three regions and a shape that was checked once. Nothing here is a protocol.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "publish/skinproof_segment.h"

namespace skinproof::publish {

using Line = skinproof_line;
using Shape = skinproof_shape;
using Slot = skinproof_slot;

static_assert(sizeof(Line) == 64 && sizeof(skinproof_header) == 128 && sizeof(Slot) == 128);
static_assert(sizeof(skinproof_control) % 64 == 0 && sizeof(skinproof_row) % 64 == 0);
static_assert(std::atomic_ref<std::uint64_t>::is_always_lock_free, "a segment needs lock-free 64-bit atomics");

// The atomic that lives on `line`. A reader's mapping of control is read-only: it may load, nothing else.
inline std::atomic_ref<std::uint64_t> atomic(Line& line) noexcept {
    return std::atomic_ref<std::uint64_t>(line.value);
}

// One party's view of a segment. The shape is a copy taken when it was checked: what another process writes over the
// headers later cannot move a pointer here.
struct Segment {
    std::byte* control_bytes = nullptr;
    std::byte* payload_bytes = nullptr;
    std::byte* pins_bytes = nullptr;
    Shape shape{};

    skinproof_control& control() const noexcept { return *reinterpret_cast<skinproof_control*>(control_bytes); }
    Line& act() const noexcept { return control().act; }
    Line& counter(skinproof_counter which) const noexcept { return control().counter[which]; }
    Line& generation(std::uint32_t slot) const noexcept {
        return reinterpret_cast<Line*>(control_bytes + sizeof(skinproof_control))[slot];
    }

    skinproof_row& row(std::uint32_t row) const noexcept {
        return *reinterpret_cast<skinproof_row*>(pins_bytes + sizeof(skinproof_header) +
                                                 row * SKINPROOF_ROW_BYTES(shape));
    }
    Line& cell(std::uint32_t row_index, std::uint32_t cell) const noexcept {
        return reinterpret_cast<Line*>(reinterpret_cast<std::byte*>(&row(row_index)) + sizeof(skinproof_row))[cell];
    }

    Slot& slot(std::uint32_t slot) const noexcept {
        return *reinterpret_cast<Slot*>(payload_bytes + sizeof(skinproof_header) + slot * SKINPROOF_SLOT_BYTES(shape));
    }
    float* palette(std::uint32_t index) const noexcept {
        return reinterpret_cast<float*>(slot_at(index, SKINPROOF_PALETTE_OFFSET(shape)));
    }
    float* inverse_binds(std::uint32_t index) const noexcept {
        return reinterpret_cast<float*>(slot_at(index, SKINPROOF_INVERSE_BINDS_OFFSET(shape)));
    }
    float* joint_boxes(std::uint32_t index) const noexcept {
        return reinterpret_cast<float*>(slot_at(index, SKINPROOF_JOINT_BOXES_OFFSET(shape)));
    }
    std::uint32_t* name_ends(std::uint32_t index) const noexcept {
        return reinterpret_cast<std::uint32_t*>(slot_at(index, SKINPROOF_NAME_ENDS_OFFSET(shape)));
    }
    char* names(std::uint32_t index) const noexcept {
        return reinterpret_cast<char*>(slot_at(index, SKINPROOF_NAMES_OFFSET(shape)));
    }

   private:
    std::byte* slot_at(std::uint32_t index, std::uint64_t offset) const noexcept {
        return reinterpret_cast<std::byte*>(&slot(index)) + offset;
    }
};

// The commit word.
constexpr std::uint64_t kSequenceMask = (std::uint64_t{1} << 24) - 1;

constexpr std::uint64_t pack(std::uint64_t sequence, std::uint64_t generation, std::uint32_t slot) noexcept {
    return (sequence & kSequenceMask) << 40 | (generation & 0xffffffffu) << 8 | slot;
}

constexpr bool shape_is_sane(const Shape& shape) noexcept {
    return shape.slots >= 2 && shape.slots <= SKINPROOF_MAX_SLOTS && shape.rows >= 1 &&
           shape.rows <= SKINPROOF_MAX_ROWS && shape.cells >= 1 && shape.cells <= SKINPROOF_MAX_CELLS &&
           shape.joint_capacity >= 1 && shape.joint_capacity <= SKINPROOF_MAX_JOINTS &&
           shape.name_capacity <= SKINPROOF_MAX_NAME_BYTES;
}

// Writes the three headers into zeroed regions. The caller sets the state to READY once there is a palette.
inline void write_headers(const Segment& segment, std::uint64_t id_high, std::uint64_t id_low) noexcept {
    const Shape& shape = segment.shape;
    skinproof_header header{};
    header.magic = SKINPROOF_MAGIC;
    header.layout_version = SKINPROOF_LAYOUT_VERSION;
    header.byte_order = SKINPROOF_BYTE_ORDER;
    header.shape = shape;
    header.slot_bytes = SKINPROOF_SLOT_BYTES(shape);
    header.row_bytes = SKINPROOF_ROW_BYTES(shape);
    header.segment_id[0] = id_high;
    header.segment_id[1] = id_low;
    const auto write = [&](std::byte* where, std::uint32_t kind, std::uint64_t bytes) {
        header.kind = kind;
        header.file_bytes = bytes;
        std::memcpy(where, &header, sizeof header);
    };
    write(segment.control_bytes, SKINPROOF_KIND_CONTROL, SKINPROOF_CONTROL_BYTES(shape));
    write(segment.payload_bytes, SKINPROOF_KIND_PAYLOAD, SKINPROOF_PAYLOAD_BYTES(shape));
    write(segment.pins_bytes, SKINPROOF_KIND_PINS, SKINPROOF_PINS_BYTES(shape));
}

}  // namespace skinproof::publish
