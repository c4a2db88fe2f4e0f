#include "publish/files.hpp"

#if defined(__linux__)

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bitset>
#include <cerrno>
#include <cstring>
#include <utility>

#include "publish/linux_files.hpp"
#include "publish/protocol.hpp"

namespace skinproof::publish {

namespace {

constexpr std::uint64_t kMagicOfOtherByteOrder = __builtin_bswap64(SKINPROOF_MAGIC);
constexpr const char* kParts[] = {"control", "payload", "pins"};
constexpr std::uint32_t kKinds[] = {SKINPROOF_KIND_CONTROL, SKINPROOF_KIND_PAYLOAD, SKINPROOF_KIND_PINS};

[[noreturn]] void fail(const std::string& name, const std::string& why) {
    throw SegmentFailure("segment " + name + ": " + why);
}

[[noreturn]] void fail_errno(const std::string& name, const std::string& what) {
    fail(name, what + ": " + std::strerror(errno));
}

void check_name(const std::string& name) {
    bool good = !name.empty() && name.size() <= 100 && name[0] != '.' && name[0] != '-';
    for (const char c : name)
        good = good && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
                        c == '-' || c == '.');
    if (!good)
        throw SegmentFailure("a segment's name has 1 … 100 of the characters a-z A-Z 0-9 _ - . and starts with a letter, "
                             "a digit or _");
}

std::string path_of(const std::string& name, int part) { return "/skinproof." + name + "." + kParts[part]; }

// The three files of a segment that exists, whole and of this layout; each mapped as asked.
struct Files {
    File files[3];  // for locks, see lock_byte
    Mapping mappings[3];
    Shape shape{};

    Segment segment() const noexcept {
        return {mappings[0].start(), mappings[1].start(), mappings[2].start(), shape};
    }
};

std::uint64_t bytes_of(const Shape& shape, int part) noexcept {
    return part == 0   ? SKINPROOF_CONTROL_BYTES(shape)
           : part == 1 ? SKINPROOF_PAYLOAD_BYTES(shape)
                       : SKINPROOF_PINS_BYTES(shape);
}

File open_part(const std::string& name, int part, int flags) {
    File file(path_of(name, part), flags);
    if (!file && errno == ENOENT)
        fail(name, "there is none. Its owner has not made it yet, has closed it, or has another name");
    if (!file) fail_errno(name, std::string("cannot open its ") + kParts[part]);
    return file;
}

// Maps a part through a description of its own.
Mapping map_part(const std::string& name, const File& locking, int part, std::uint64_t bytes, int protection) {
    const File file = open_part(name, part, (protection & PROT_WRITE) != 0 ? O_RDWR : O_RDONLY);
    struct stat mine {}, theirs {};
    if (fstat(file.get(), &mine) != 0 || fstat(locking.get(), &theirs) != 0 || mine.st_ino != theirs.st_ino ||
        mine.st_dev != theirs.st_dev)
        fail(name, "another process is making or removing it at this moment. Try again");
    Mapping mapping(file, bytes, protection);
    if (mapping.start() == nullptr) fail_errno(name, std::string("cannot map its ") + kParts[part]);
    return mapping;
}

void check_part(const std::string& name, Files& found, int part, int protection) {
    struct stat status {};
    if (fstat(found.files[part].get(), &status) != 0) fail_errno(name, "cannot look at its files");
    const auto size = static_cast<std::uint64_t>(status.st_size);
    const std::string what = std::string(kParts[part]) + " is corrupt or foreign: ";
    if (!S_ISREG(status.st_mode) || size < sizeof(skinproof_header)) fail(name, what + "no room for a header");
    Mapping mapping = map_part(name, found.files[part], part, size, protection);
    skinproof_header header;
    std::memcpy(&header, mapping.start(), sizeof header);
    if (header.magic == kMagicOfOtherByteOrder) fail(name, what + "another byte order");
    if (header.magic != SKINPROOF_MAGIC) fail(name, what + "no skinproof segment");
    if (header.byte_order != SKINPROOF_BYTE_ORDER) fail(name, what + "another byte order");
    if (header.layout_version != SKINPROOF_LAYOUT_VERSION)
        fail(name, "layout version " + std::to_string(header.layout_version) + ", this skinproof reads version " +
                       std::to_string(SKINPROOF_LAYOUT_VERSION) + ". Use the same release on both sides");
    if (header.kind != kKinds[part]) fail(name, what + "another of the three files");
    if (!shape_is_sane(header.shape)) fail(name, what + "impossible sizes");
    if (part == 0) found.shape = header.shape;
    if (std::memcmp(&header.shape, &found.shape, sizeof header.shape) != 0 ||
        header.slot_bytes != SKINPROOF_SLOT_BYTES(found.shape) || header.row_bytes != SKINPROOF_ROW_BYTES(found.shape) ||
        header.file_bytes != bytes_of(found.shape, part) || header.file_bytes != size)
        fail(name, what + "its sizes do not agree");
    found.mappings[part] = std::move(mapping);
    if (part > 0) {
        skinproof_header control;
        std::memcpy(&control, found.mappings[0].start(), sizeof control);
        if (std::memcmp(control.segment_id, header.segment_id, sizeof control.segment_id) != 0)
            fail(name, what + "of another segment");
    }
}

void check_state(const std::string& name, const Files& found) {
    const std::uint64_t state = atomic(found.segment().control().state).load(std::memory_order_acquire);
    if (state == SKINPROOF_STATE_CLOSED) fail(name, "its owner has closed it");
    if (state != SKINPROOF_STATE_READY) fail(name, "it is not ready: its owner is still making it, or died doing so");
}

Files open_files(const std::string& name, bool for_owner) {
    Files found;
    const int reading = for_owner ? O_RDWR : O_RDONLY;
    for (int part = 0; part < 3; ++part) found.files[part] = open_part(name, part, part == 2 ? O_RDWR : reading);
    for (int part = 0; part < 3; ++part)
        check_part(name, found, part, for_owner || part == 2 ? PROT_READ | PROT_WRITE : PROT_READ);
    check_state(name, found);
    return found;
}

class FileBacking final : public Backing {
   public:
    FileBacking(std::string name, Files files, std::uint32_t row)
        : name_(std::move(name)), files_(std::move(files)), row_(row), owns_(row == 0) {
        segment_ = files_.segment();
    }
    ~FileBacking() override {
        if (alive() && row_ != 0) atomic(segment_.row(row_).token).store(0, std::memory_order_release);
    }

    // Rows of the dead: a row whose lock can be had has no process.
    std::uint32_t reap() noexcept override {
        std::uint32_t rows = 0;
        std::uint64_t pins = 0;
        for (std::uint32_t row = 1; row < segment_.shape.rows; ++row) {
            if (atomic(segment_.row(row).token).load(std::memory_order_acquire) == 0) continue;
            if (!lock_byte(files_.files[2], SKINPROOF_ROW_LOCK(row))) continue;
            for (std::uint32_t cell = 0; cell < segment_.shape.cells; ++cell) {
                pins += atomic(segment_.cell(row, cell)).load(std::memory_order_relaxed) != 0;
                unpin(segment_.cell(row, cell));
            }
            atomic(segment_.row(row).token).store(0, std::memory_order_release);
            lock_byte(files_.files[2], SKINPROOF_ROW_LOCK(row), F_UNLCK);
            ++rows;
        }
        add(SKINPROOF_ROWS_REAPED, rows);
        add(SKINPROOF_PINS_CLEARED, pins);
        return rows;
    }

    void close() noexcept override {
        if (!owns_ || !alive()) return;
        atomic(segment_.control().state).store(SKINPROOF_STATE_CLOSED, std::memory_order_release);
        for (int part = 0; part < 3; ++part) shm_unlink(path_of(name_, part).c_str());
        for (File& file : files_.files) file.close();
        owns_ = false;
    }

   private:
    void add(skinproof_counter which, std::uint64_t count) noexcept {
        const auto counter = atomic(segment_.counter(which));
        counter.store(counter.load(std::memory_order_relaxed) + count, std::memory_order_relaxed);
    }
    std::string name_;
    Files files_;
    std::uint32_t row_;
    bool owns_;
};

// A row of the segment for this process: its lock, then its cells emptied (their last process has died).
bool claim_row(const Files& files, std::uint32_t row) {
    if (!lock_byte(files.files[2], SKINPROOF_ROW_LOCK(row))) return false;
    const Segment segment = files.segment();
    for (std::uint32_t cell = 0; cell < segment.shape.cells; ++cell) unpin(segment.cell(row, cell));
    atomic(segment.row(row).token).store(process_token(), std::memory_order_release);
    return true;
}

void take_ownership(const std::string& name, const File& control) {
    if (!lock_byte(control, SKINPROOF_OWNER_LOCK))
        fail(name, "it has a living owner. Close that one first, or choose another name");
    struct stat status {};
    if (fstat(control.get(), &status) != 0 || status.st_nlink == 0)
        fail(name, "another process is making or removing it at this moment. Try again");
}

void unlink_all(const std::string& name) noexcept {
    for (int part = 2; part >= 0; --part) shm_unlink(path_of(name, part).c_str());
}

// What is in the way of making a segment: removed if it is the ruin of a creation or of an end, else an error.
void clear_the_way(const std::string& name) {
    const File control = open_part(name, 0, O_RDWR);
    take_ownership(name, control);
    skinproof_control content{};
    const ssize_t bytes = pread(control.get(), &content, sizeof content, 0);
    const bool whole = bytes == static_cast<ssize_t>(sizeof content);
    const std::uint64_t magic = content.header.magic, state = content.state.value;
    if (bytes < 0 || (magic != 0 && magic != SKINPROOF_MAGIC))
        fail(name, "a foreign file is in its place. Choose another name, or remove it");
    if (whole && magic != 0 && state != SKINPROOF_STATE_BUILDING && state != SKINPROOF_STATE_CLOSED)
        fail(name, "it exists, and its owner has died. Continue it with recover, or remove it");
    unlink_all(name);
}

File create_part(const std::string& name, int part, std::uint64_t bytes, mode_t mode, long group) {
    File file(path_of(name, part), O_RDWR | O_CREAT | O_EXCL, 0600);
    if (!file) fail_errno(name, std::string("cannot make its ") + kParts[part]);
    if (part == 0) take_ownership(name, file);
    if (group != kNoGroup && fchown(file.get(), static_cast<uid_t>(-1), static_cast<gid_t>(group)) != 0)
        fail_errno(name, "cannot give it to the group");
    if (fchmod(file.get(), mode) != 0) fail_errno(name, "cannot set its mode");
    // Allocated now: a full file system is an error here, not a crash at the first write.
    if (const int error = posix_fallocate(file.get(), 0, static_cast<off_t>(bytes)); error != 0) {
        errno = error;
        fail_errno(name, "no memory for its " + std::string(kParts[part]));
    }
    return file;
}

}  // namespace

std::shared_ptr<Backing> create_segment(const std::string& name, const Shape& shape, long group) {
    check_name(name);
    if (File(path_of(name, 0), O_RDONLY)) clear_the_way(name);
    for (int part = 1; part < 3; ++part) shm_unlink(path_of(name, part).c_str());  // a ruin without its control
    Files made;
    made.shape = shape;
    try {
        for (int part = 0; part < 3; ++part) {
            const mode_t mode = group == kNoGroup ? 0600 : part == 2 ? 0660 : 0640;
            made.files[part] = create_part(name, part, bytes_of(shape, part), mode, group);
            made.mappings[part] =
                map_part(name, made.files[part], part, bytes_of(shape, part), PROT_READ | PROT_WRITE);
        }
    } catch (...) {
        if (made.files[0]) unlink_all(name);
        throw;
    }
    std::uint64_t id[2];
    if (getrandom(id, sizeof id, 0) != static_cast<ssize_t>(sizeof id)) fail_errno(name, "no random numbers");
    write_headers(made.segment(), id[0], id[1]);
    claim_row(made, 0);
    atomic(made.segment().control().owner).store(process_token(), std::memory_order_relaxed);
    return std::make_shared<FileBacking>(name, std::move(made), 0);
}

std::shared_ptr<Backing> recover_segment(const std::string& name) {
    check_name(name);
    const File control = open_part(name, 0, O_RDWR);
    if (is_locked(control, SKINPROOF_OWNER_LOCK))
        fail(name, "it has a living owner. Close that one first, or choose another name");
    Files found = open_files(name, true);
    take_ownership(name, found.files[0]);
    if (!claim_row(found, 0)) fail(name, "a child of its dead owner still holds the owner's row. End it first");
    atomic(found.segment().control().owner).store(process_token(), std::memory_order_relaxed);
    return std::make_shared<FileBacking>(name, std::move(found), 0);
}

Attached attach_segment(const std::string& name) {
    check_name(name);
    Files found = open_files(name, false);
    // Twice: a reaper may have had the lock of the only free row for a moment.
    for (int round = 0; round < 2; ++round) {
        for (std::uint32_t row = 1; row < found.shape.rows; ++row) {
            if (claim_row(found, row)) return {std::make_shared<FileBacking>(name, std::move(found), row), row};
        }
        usleep(1000);
    }
    fail(name, "all of its " + std::to_string(found.shape.rows - 1) + " rows for readers are in use (rows=)");
}

void remove_segment(const std::string& name) {
    check_name(name);
    const File control = open_part(name, 0, O_RDWR);
    take_ownership(name, control);
    unlink_all(name);
}

SegmentStatistics segment_statistics(const std::string& name) {
    check_name(name);
    Files found;
    for (int part = 0; part < 3; ++part) found.files[part] = open_part(name, part, O_RDONLY);
    for (int part = 0; part < 3; ++part) check_part(name, found, part, PROT_READ);
    const Segment segment = found.segment();
    const auto read = [](Line& line) { return atomic(line).load(std::memory_order_acquire); };
    SegmentStatistics result;
    result.shape = found.shape;
    result.state = read(segment.control().state);
    result.owner_process = read(segment.control().owner) & 0x3fffff;
    result.owner_alive = is_locked(found.files[0], SKINPROOF_OWNER_LOCK);
    result.generation = SKINPROOF_ACT_GENERATION(read(segment.act()));
    result.sequence = read(segment.control().sequence);
    for (int which = 0; which < SKINPROOF_COUNTERS; ++which)
        result.counters[which] = read(segment.counter(static_cast<skinproof_counter>(which)));
    std::bitset<256> slots;
    for (std::uint32_t row = 0; row < found.shape.rows; ++row) {
        result.retries += read(segment.row(row).retries);  // those of readers that have left too
        if (read(segment.row(row).token) == 0) continue;
        const bool lives = is_locked(found.files[2], SKINPROOF_ROW_LOCK(row));
        ++(lives ? result.rows_in_use : result.rows_dead);
        for (std::uint32_t cell = 0; cell < found.shape.cells; ++cell) {
            const std::uint64_t pinned = read(segment.cell(row, cell));
            if (pinned == 0) continue;
            ++result.cells_in_use;
            slots.set((pinned - 1) & 255);
        }
    }
    result.slots_pinned = slots.count();
    return result;
}

}  // namespace skinproof::publish

#else

namespace skinproof::publish {

namespace {
[[noreturn]] void fail() {
    throw SegmentFailure("named segments need Linux (open-file-description locks); owners in memory work everywhere");
}
}  // namespace

std::shared_ptr<Backing> create_segment(const std::string&, const Shape&, long) { fail(); }
std::shared_ptr<Backing> recover_segment(const std::string&) { fail(); }
Attached attach_segment(const std::string&) { fail(); }
void remove_segment(const std::string&) { fail(); }
SegmentStatistics segment_statistics(const std::string&) { fail(); }

}  // namespace skinproof::publish

#endif
