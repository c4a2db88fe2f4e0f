// A reader of a named segment in another process than the owner's, with nothing but skinproof_segment.h.
//
//   include=$(python -c 'import skinproof.publish as p; print(p.include_dir())')
//   g++ -std=c++17 -O2 -I "$include" examples/cpp_reader/reader.cpp -o reader
//   ./reader NAME READS
//
// Prints one line: the reads, how often the joints of one palette had different translations (`torn`; the test's palettes
// have one and the same in each), how often a generation was older than the one before, the last tick, and the first
// joint's name and box.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "skinproof_segment.h"

namespace {

struct Part {
    char* start;
    int descriptor;
    const skinproof_header& header() const { return *reinterpret_cast<const skinproof_header*>(start); }
};

[[noreturn]] void fail(const char* why) {
    std::fprintf(stderr, "reader: %s\n", why);
    std::exit(2);
}

Part open_part(const std::string& name, const char* part, std::uint32_t kind, bool writable) {
    const std::string path = "/skinproof." + name + "." + part;
    const int descriptor = shm_open(path.c_str(), (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC, 0);
    struct stat status {};
    if (descriptor < 0 || fstat(descriptor, &status) != 0) fail("no such segment");
    const auto size = static_cast<std::uint64_t>(status.st_size);
    if (size < sizeof(skinproof_header)) fail("no header");
    // Mapped through a descriptor of its own: a child that inherits the mapping must not keep the lock of the other one.
    const int mapped = shm_open(path.c_str(), (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC, 0);
    void* start = mmap(nullptr, size, writable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, mapped, 0);
    if (mapped < 0 || start == MAP_FAILED) fail("cannot map");
    close(mapped);
    const auto* header = static_cast<const skinproof_header*>(start);
    if (header->magic != SKINPROOF_MAGIC || header->byte_order != SKINPROOF_BYTE_ORDER || header->kind != kind ||
        header->layout_version != SKINPROOF_LAYOUT_VERSION || header->file_bytes != size)
        fail("not a segment of this layout version");
    return {static_cast<char*>(start), descriptor};
}

std::uint64_t load(const skinproof_line& line, int order) { return __atomic_load_n(&line.value, order); }
void store(skinproof_line& line, std::uint64_t value, int order) { __atomic_store_n(&line.value, value, order); }

// Pins the active palette: until the cell is 0 again, nothing in its slot changes. The store of the cell and the load of
// the generation must both be seq_cst.
std::uint32_t pin(const skinproof_control* control, skinproof_line& cell, std::uint64_t& generation) {
    const auto* generations = reinterpret_cast<const skinproof_line*>(control + 1);
    for (;;) {
        const std::uint64_t act = load(control->act, __ATOMIC_ACQUIRE);
        const std::uint32_t slot = SKINPROOF_ACT_SLOT(act);
        if (slot >= control->header.shape.slots) fail("corrupt");
        store(cell, slot + 1, __ATOMIC_SEQ_CST);
        generation = load(generations[slot], __ATOMIC_SEQ_CST);
        const bool whole = (generation & SKINPROOF_WRITING) == 0;
        if (whole && static_cast<std::uint32_t>(generation) == SKINPROOF_ACT_GENERATION(act)) return slot;
        store(cell, 0, __ATOMIC_RELEASE);  // it is being written anew: there is a newer one
    }
}

void unpin(skinproof_line& cell) { store(cell, 0, __ATOMIC_RELEASE); }

// The cells of a row of our own: whoever holds the lock of its byte owns it, until the process ends. Row 0 is the owner's.
skinproof_line* claim_row(const Part& pins, const skinproof_shape& shape) {
    for (std::uint32_t index = 1; index < shape.rows; ++index) {
        struct flock lock {};
        lock.l_type = F_WRLCK;
        lock.l_whence = SEEK_SET;
        lock.l_start = static_cast<off_t>(SKINPROOF_ROW_LOCK(index));
        lock.l_len = 1;
        if (fcntl(pins.descriptor, F_OFD_SETLK, &lock) != 0) continue;
        char* start = pins.start + sizeof(skinproof_header) + index * SKINPROOF_ROW_BYTES(shape);
        auto* row = reinterpret_cast<skinproof_row*>(start);
        auto* cells = reinterpret_cast<skinproof_line*>(row + 1);
        for (std::uint32_t i = 0; i < shape.cells; ++i) unpin(cells[i]);
        store(row->token, static_cast<std::uint64_t>(getpid()), __ATOMIC_RELEASE);
        return cells;
    }
    fail("every row is in use");
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 3) fail("usage: reader NAME READS");
    const std::string name = arguments[1];
    const long reads = std::atol(arguments[2]);
    const Part control_part = open_part(name, "control", SKINPROOF_KIND_CONTROL, false);
    const Part payload = open_part(name, "payload", SKINPROOF_KIND_PAYLOAD, false);
    const Part pins = open_part(name, "pins", SKINPROOF_KIND_PINS, true);
    const auto* control = reinterpret_cast<const skinproof_control*>(control_part.start);
    const skinproof_shape shape = control->header.shape;
    for (const Part& part : {payload, pins}) {
        if (std::memcmp(part.header().segment_id, control->header.segment_id, sizeof control->header.segment_id) != 0 ||
            std::memcmp(&part.header().shape, &shape, sizeof shape) != 0)
            fail("files of two segments");
    }
    if (load(control->state, __ATOMIC_ACQUIRE) != SKINPROOF_STATE_READY) fail("not ready");
    skinproof_line& cell = claim_row(pins, shape)[0];

    long torn = 0, backwards = 0;
    std::uint64_t last = 0, tick = 0;
    std::string first_name;
    float box[6] = {};
    bool has_box = false;
    for (long i = 0; i < reads; ++i) {
        std::uint64_t generation;
        const std::uint32_t index = pin(control, cell, generation);
        const char* start = payload.start + sizeof(skinproof_header) + index * SKINPROOF_SLOT_BYTES(shape);
        const auto* slot = reinterpret_cast<const skinproof_slot*>(start);
        const auto* palette = reinterpret_cast<const float*>(start + SKINPROOF_PALETTE_OFFSET(shape));
        // ... the draw: read slot->joint_count matrices, for as long as it takes ...
        const auto* ends = reinterpret_cast<const std::uint32_t*>(start + SKINPROOF_NAME_ENDS_OFFSET(shape));
        if (slot->joint_count == 0 || slot->joint_count > shape.joint_capacity || ends[0] > shape.name_capacity)
            fail("corrupt");
        bool whole = slot->generation == generation;
        for (std::uint32_t joint = 1; joint < slot->joint_count; ++joint) whole &= palette[16 * joint + 3] == palette[3];
        torn += !whole;
        backwards += generation < last;
        last = generation;
        tick = slot->tick;
        has_box = slot->has_joint_boxes != 0;
        if (has_box) std::memcpy(box, start + SKINPROOF_JOINT_BOXES_OFFSET(shape), sizeof box);
        first_name.assign(start + SKINPROOF_NAMES_OFFSET(shape), ends[0]);
        unpin(cell);
    }
    std::printf("reads %ld torn %ld backwards %ld tick %llu name %s box", reads, torn, backwards,
                static_cast<unsigned long long>(tick), first_name.c_str());
    for (int i = 0; has_box && i < 6; ++i) std::printf(" %g", static_cast<double>(box[i]));
    std::puts(has_box ? "" : " none");
    return torn != 0 || backwards != 0;
}
