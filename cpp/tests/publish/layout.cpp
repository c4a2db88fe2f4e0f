// The layout, version 2, as numbers: a change here is a new layout version.
#include <cstddef>

#include "check.hpp"
#include "make.hpp"

using namespace skinproof::publish;

int main() {
    CHECK(SKINPROOF_LAYOUT_VERSION == 2);
    CHECK(offsetof(skinproof_header, kind) == 16 && offsetof(skinproof_header, shape) == 20);
    CHECK(offsetof(skinproof_header, slot_bytes) == 40 && offsetof(skinproof_header, segment_id) == 64);
    CHECK(offsetof(skinproof_control, state) == 128 && offsetof(skinproof_control, owner) == 192);
    CHECK(offsetof(skinproof_control, act) == 256 && offsetof(skinproof_control, sequence) == 320);
    CHECK(offsetof(skinproof_control, counter) == 384 && sizeof(skinproof_control) == 896);
    CHECK(offsetof(skinproof_slot, joint_count) == 40 && offsetof(skinproof_slot, bounds) == 56);
    CHECK(offsetof(skinproof_row, retries) == 64 && sizeof(skinproof_row) == 128);

    const Shape shape{4, 2, 3, 10, 100};
    CHECK(SKINPROOF_PALETTE_OFFSET(shape) == 128 && SKINPROOF_INVERSE_BINDS_OFFSET(shape) == 768);
    CHECK(SKINPROOF_JOINT_BOXES_OFFSET(shape) == 1408 && SKINPROOF_NAME_ENDS_OFFSET(shape) == 1648);
    CHECK(SKINPROOF_NAMES_OFFSET(shape) == 1688 && SKINPROOF_SLOT_BYTES(shape) == 1792);
    CHECK(SKINPROOF_CONTROL_BYTES(shape) == 896 + 4 * 64 && SKINPROOF_PAYLOAD_BYTES(shape) == 128 + 4 * 1792);
    CHECK(SKINPROOF_PINS_BYTES(shape) == 128 + 2 * (128 + 3 * 64));

    // Every atomic on its own line, every matrix on a line's start.
    const auto backing = make_memory_backing(shape);
    const Segment& segment = backing->segment();
    const auto address = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p); };
    for (std::uint32_t slot = 0; slot < shape.slots; ++slot) {
        CHECK(address(&segment.generation(slot)) % 64 == 0 && address(segment.palette(slot)) % 64 == 0);
        CHECK(address(segment.inverse_binds(slot)) % 64 == 0 && address(segment.name_ends(slot)) % 4 == 0);
    }
    for (std::uint32_t row = 0; row < shape.rows; ++row) {
        for (std::uint32_t cell = 0; cell < shape.cells; ++cell) CHECK(address(&segment.cell(row, cell)) % 64 == 0);
    }
    CHECK(address(&segment.cell(1, 0)) - address(&segment.cell(0, 0)) == SKINPROOF_ROW_BYTES(shape));
    CHECK(address(&segment.generation(3)) + 64 == address(segment.control_bytes) + SKINPROOF_CONTROL_BYTES(shape));

    const std::uint64_t act = pack((std::uint64_t{5} << 24) | 0xabcdef, (std::uint64_t{9} << 32) | 0x12345678, 200);
    CHECK(SKINPROOF_ACT_SEQUENCE(act) == 0xabcdef && SKINPROOF_ACT_GENERATION(act) == 0x12345678);
    CHECK(SKINPROOF_ACT_SLOT(act) == 200);
    return report();
}
