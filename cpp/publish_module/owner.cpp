// Owners and readers in Python.
#include <atomic>
#include <cstring>
#include <thread>

#include "publish/files.hpp"
#include "publish_module/candidate.hpp"

namespace skinproof::publish::binding {

using namespace nb::literals;

namespace {

Topology to_topology(nb::handle value, const Shape& shape) {
    if (!nb::isinstance(value, nb::module_::import_("skinproof.publish.topology").attr("Topology")))
        raise("OptionError", "topology: expected a skinproof.publish.Topology");
    Topology topology;
    const nb::object names = value.attr("joint_names");
    const nb::object binds = value.attr("inverse_binds");
    const FloatArray array(binds, "inverse_binds", nb::len(names), false);
    if (array.rows() > shape.joint_capacity)
        raise("OptionError", "topology: " + std::to_string(array.rows()) + " joints, the owner was made for at most " +
                                 std::to_string(shape.joint_capacity) + " (max_joints=)");
    topology.joint_count = static_cast<std::uint32_t>(array.rows());
    topology.inverse_binds.assign(array.data(), array.data() + array.rows() * 16);
    for (const nb::handle name : nb::iter(names)) {
        const nb::bytes utf8 = nb::borrow<nb::bytes>(name.attr("encode")("utf-8"));
        topology.names.append(utf8.c_str(), utf8.size());
        topology.name_ends.push_back(static_cast<std::uint32_t>(topology.names.size()));
    }
    const nb::object boxes = value.attr("joint_boxes");
    if (!boxes.is_none()) {
        const nb::bytes bytes = nb::borrow<nb::bytes>(boxes.attr("tobytes")());
        if (bytes.size() != array.rows() * sizeof(JointBox)) raise("ArrayError", "joint_boxes: expected [joints, 2, 3]");
        topology.joint_boxes.resize(array.rows());
        std::memcpy(topology.joint_boxes.data(), bytes.data(), bytes.size());
    }
    if (topology.names.size() > shape.name_capacity)
        raise("OptionError", "topology: the joint names take " + std::to_string(topology.names.size()) +
                                 " bytes, the owner was made for at most " + std::to_string(shape.name_capacity) +
                                 " (max_name_bytes=)");
    return topology;
}

Owning& open(const std::shared_ptr<Owning>& owning) {
    if (!owning->owner->backing().alive()) raise_forked();
    if (owning->closed) raise("PublishError", "the owner is closed");
    return *owning;
}

struct PyOwner {
    std::shared_ptr<Owning> owning;
};

std::unique_ptr<Candidate> begun(Owning& owning, Revision revision) {
    std::unique_ptr<Candidate> candidate;
    {
        const std::lock_guard lock(owning.spare_lock);
        if (!owning.spare.empty()) {
            candidate = std::move(owning.spare.back());
            owning.spare.pop_back();
        }
    }
    if (!candidate) candidate = std::make_unique<Candidate>(owning.owner->backing().segment().shape.joint_capacity);
    owning.owner->begin(*candidate, revision);
    return candidate;
}

std::string name_of(nb::handle name) {
    Py_ssize_t bytes = 0;
    const char* text = PyUnicode_Check(name.ptr()) ? PyUnicode_AsUTF8AndSize(name.ptr(), &bytes) : nullptr;
    if (text == nullptr) {
        PyErr_Clear();
        raise("OptionError", "name: expected text");
    }
    return {text, static_cast<std::size_t>(bytes)};
}

// What a segment's files can be wrong about is a SegmentError in Python.
template <class Work>
auto with_files(Work work) {
    try {
        return work();
    } catch (const std::runtime_error& failure) {
        raise("SegmentError", failure.what());
    }
}

// The copy of the instruction set that the kernels use (SKINPROOF_ISA).
Vectors chosen_vectors() {
    const nb::object set = nb::module_::import_("skinproof._native").attr("INSTRUCTION_SET");
    const std::string name = nb::str(set).c_str();
    return name == "x86-64-v4" ? Vectors::kAvx512 : name == "x86-64-v3" ? Vectors::kAvx2 : Vectors::kBaseline;
}

std::shared_ptr<Owning> own(std::shared_ptr<Backing> backing, std::unique_ptr<Owner> owner) {
    auto owning = std::make_shared<Owning>();
    owning->owner = std::move(owner);
    owning->attachment = std::make_shared<Attachment>(std::move(backing), 0);
    return owning;
}

void recover(PyOwner* self, nb::handle name) {
    with_files([&] {
        const auto backing = recover_segment(name_of(name));
        new (self) PyOwner{own(backing, std::make_unique<Owner>(backing, chosen_vectors()))};
    });
}

void make(PyOwner* self, nb::handle palette, nb::handle topology, nb::handle revision, nb::handle slots, nb::handle rows,
          nb::handle cells, nb::handle max_joints, nb::handle max_name_bytes, nb::handle name, nb::handle group) {
    const auto size = [](nb::handle value, const char* of, std::uint64_t least, std::uint64_t most) {
        return static_cast<std::uint32_t>(to_integer(value, of, least, most));
    };
    const Shape shape{size(slots, "slots", 2, SKINPROOF_MAX_SLOTS), size(rows, "rows", 1, SKINPROOF_MAX_ROWS),
                      size(cells, "cells", 1, SKINPROOF_MAX_CELLS),
                      size(max_joints, "max_joints", 1, SKINPROOF_MAX_JOINTS),
                      size(max_name_bytes, "max_name_bytes", 0, SKINPROOF_MAX_NAME_BYTES)};
    // The greatest id means "as it is" to chown.
    const long of_group = group.is_none() ? kNoGroup : static_cast<long>(to_integer(group, "group", 0, 0xfffffffeu));
    if (name.is_none() && of_group != kNoGroup)
        raise("OptionError", "group: only a named segment can be shared with one. Give a name too");
    Topology joints = to_topology(topology, shape);
    const FloatArray array(palette, "palette", joints.joint_count, false);
    const Revision first = to_revision(revision);
    const std::span<const float> matrices(array.data(), array.rows() * 16);
    with_files([&] {
        const auto backing = name.is_none()
                                 ? make_memory_backing(shape)
                                 : create_segment(name_of(name), shape, of_group);
        new (self) PyOwner{
            own(backing, std::make_unique<Owner>(backing, std::move(joints), matrices, first, chosen_vectors()))};
    });
}

nb::object begin(const PyOwner& self, nb::handle revision, nb::handle joint_count) {
    Owning& owning = open(self.owning);
    std::unique_ptr<Candidate> candidate = begun(owning, to_revision(revision));
    if (!joint_count.is_none() && to_integer(joint_count, "joint_count", 0, ~std::uint64_t{0}) != candidate->joint_count())
        raise("OptionError", "joint_count: the requested topology has " + std::to_string(candidate->joint_count()) +
                                 " joints, not " + nb::repr(joint_count).c_str() + ". Request the new topology first");
    return nb::cast(new Filling(self.owning, std::move(candidate)), nb::rv_policy::take_ownership);
}

void borrow(const Owning& owning, Candidate& candidate, nb::handle revision, const FloatArray& array) {
    if (!owning.owner->borrow(candidate, to_revision(revision), array.data(), static_cast<std::uint32_t>(array.rows())))
        raise("ArrayError", "palette: the requested topology has " + std::to_string(owning.owner->topology()->joint_count) +
                                " joints, the array " + std::to_string(array.rows()));
}

Outcome publish_palette(const PyOwner& self, nb::handle revision, nb::handle palette) {
    const Owning& owning = open(self.owning);
    const FloatArray array(palette, "palette", 0, false);
    Candidate candidate(0);
    borrow(owning, candidate, revision, array);
    return commit(self.owning, candidate);
}

// One thread at a time; the others wait without the interpreter's lock, which the one may need to go on. Taken and given
// back it costs one exchange, half of a mutex: that shows in the time of a publish.
class Turn {
   public:
    explicit Turn(std::atomic<bool>& taken) : taken_(taken) {
        if (!taken_.exchange(true, std::memory_order_acquire)) return;
        nb::gil_scoped_release unlocked;
        while (taken_.exchange(true, std::memory_order_acquire)) std::this_thread::yield();
    }
    ~Turn() { taken_.store(false, std::memory_order_release); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    std::atomic<bool>& taken_;
};

// An array that is published again and again: its buffer is looked up once.
struct Source {
    Source(std::shared_ptr<Owning> owning, nb::handle palette)
        : owning(std::move(owning)), array(palette, "palette", 0, false), candidate(0) {}
    std::shared_ptr<Owning> owning;
    FloatArray array;
    std::atomic<bool> taken{false};
    Candidate candidate;
    Outcome outcome;
    bool published = false;
};

// Making a Python object for the result would take longer than the commit itself.
bool publish_source(Source& self, nb::handle revision) {
    const Owning& owning = open(self.owning);
    const Turn turn(self.taken);
    borrow(owning, self.candidate, revision, self.array);
    self.outcome = commit(self.owning, self.candidate);
    self.published = true;
    return self.outcome.report.result == Commit::kCommitted;
}

nb::object source_result(Source& self) {
    if (!self.owning->owner->backing().alive()) raise_forked();
    Outcome outcome;
    {
        const Turn turn(self.taken);
        if (!self.published) return nb::none();
        outcome = self.outcome;
    }
    return nb::cast(std::move(outcome));
}

const char* const kCounters[] = {"committed",    "incomplete",  "invalid_matrix", "stale_revision",
                                 "no_free_slot", "rows_reaped", "pins_cleared",   "slots_recovered"};

nb::dict statistics(nb::handle name) {
    const SegmentStatistics all = with_files([&] { return segment_statistics(name_of(name)); });
    const char* states[] = {"building", "ready", "closed"};
    nb::dict result;
    result["state"] = all.state < 3 ? states[all.state] : "corrupt";
    result["owner_process"] = all.owner_process;
    result["owner_alive"] = all.owner_alive;
    result["slots"] = all.shape.slots;
    result["rows"] = all.shape.rows;
    result["cells_per_row"] = all.shape.cells;
    result["joint_capacity"] = all.shape.joint_capacity;
    result["generation"] = all.generation;
    result["sequence"] = all.sequence;
    for (int which = 0; which < SKINPROOF_COUNTERS; ++which) result[kCounters[which]] = all.counters[which];
    result["retries"] = all.retries;
    result["rows_in_use"] = all.rows_in_use;
    result["rows_dead"] = all.rows_dead;
    result["cells_in_use"] = all.cells_in_use;
    result["slots_pinned"] = all.slots_pinned;
    return result;
}

// A reader in another process than the owner's, or in the same.
class PyReader {
   public:
    explicit PyReader(std::shared_ptr<Attachment> attachment) noexcept : attachment_(std::move(attachment)) {}

    std::shared_ptr<Attachment> open() {
        if (!guard_.alive()) raise_forked();  // first: a lock that another thread held at the fork stays locked
        std::unique_lock lock(mutex_);
        std::shared_ptr<Attachment> attachment = attachment_;
        lock.unlock();
        if (!attachment) raise("PublishError", "the reader is closed");
        return attachment;
    }

    void close() {
        if (!guard_.alive()) return;
        std::unique_lock lock(mutex_);
        const std::shared_ptr<Attachment> attachment = std::move(attachment_);
        attachment_.reset();
        lock.unlock();
    }

   private:
    ForkGuard guard_;
    std::mutex mutex_;  // nothing of Python happens while it is held
    std::shared_ptr<Attachment> attachment_;
};

void attach(PyReader* self, nb::handle name) {
    with_files([&] {
        const Attached attached = attach_segment(name_of(name));
        new (self) PyReader(std::make_shared<Attachment>(attached.backing, attached.row));
    });
}

nb::dict counters(const PyOwner& self) {
    const Segment& segment = open(self.owning).owner->backing().segment();
    nb::dict result;
    for (int which = 0; which < SKINPROOF_COUNTERS; ++which)
        result[kCounters[which]] =
            atomic(segment.counter(static_cast<skinproof_counter>(which))).load(std::memory_order_relaxed);
    std::uint64_t retries = 0, cells = 0;
    for (std::uint32_t row = 0; row < segment.shape.rows; ++row) {
        retries += atomic(segment.row(row).retries).load(std::memory_order_relaxed);
        for (std::uint32_t cell = 0; cell < segment.shape.cells; ++cell)
            cells += atomic(segment.cell(row, cell)).load(std::memory_order_relaxed) != 0;
    }
    result["retries"] = retries;
    result["cells_in_use"] = cells;
    return result;
}

}  // namespace

void bind_owner(nb::module_& m) {
    nb::class_<Source>(m, "PaletteSource",
                       "An array that is published again and again, each time with what is in it then (see Owner.source).")
        .def("publish", &publish_source, "revision"_a.none(),
             nb::sig("def publish(self, revision: Revision | tuple[int, int] | int) -> bool"),
             "Publish what the array holds now as `revision`; True if it was committed, else `result` says why not.\n\n"
             "Nothing may write to the array meanwhile. Raises like Owner.publish.")
        .def_prop_ro("result", &source_result, nb::sig("def result(self) -> CommitResult | None"),
                     "The result of the last publish.");

    nb::class_<PyOwner>(m, "Owner", "The compiled half of skinproof.publish.PaletteOwner, which says what its methods do.")
        .def("__init__", &make, "palette"_a.none(), "topology"_a.none(), nb::kw_only(), "revision"_a.none(),
             "slots"_a.none(), "rows"_a.none(), "cells"_a.none(), "max_joints"_a.none(), "max_name_bytes"_a.none(),
             "name"_a.none(), "group"_a.none(),
             nb::sig("def __init__(self, palette: NDArray[numpy.float32], topology: Topology, *, revision: Revision | "
                     "tuple[int, int] | int, slots: int, rows: int, cells: int, max_joints: int, max_name_bytes: int, "
                     "name: str | None, group: int | None) -> None"))
        .def("__init__", &recover, "name"_a.none(), nb::sig("def __init__(self, name: str) -> None"),
             "Continue a segment whose owner has died.")
        .def(
            "request",
            [](const PyOwner& self, nb::handle revision, nb::handle topology) {
                Owning& owning = open(self.owning);
                if (topology.is_none()) return owning.owner->request(to_revision(revision));
                owning.owner->request(to_revision(revision),
                                      to_topology(topology, owning.owner->backing().segment().shape));
                return true;
            },
            "revision"_a.none(), "topology"_a = nb::none(),
            nb::sig("def request(self, revision: Revision | tuple[int, int] | int, topology: Topology | None = None) -> bool"),
            "Ask for a revision: candidates of any earlier request become stale at once.\n\n"
            "The revision that is current already changes nothing, and returns False. With a topology it is always a new\n"
            "request: the next commit brings the new joints, names, inverse binds and palette as one.\n"
            "Raises OptionError (the topology does not fit, the revision is no revision), PublishError (closed, forked).")
        .def_prop_ro("requested", [](const PyOwner& self) { return from_revision(open(self.owning).owner->requested()); },
                     nb::sig("def requested(self) -> Revision"), "The revision that was requested last.")
        .def_prop_ro("topology_version", [](const PyOwner& self) { return open(self.owning).owner->topology()->version; },
                     "The version of the topology that was requested last.")
        .def("begin", &begin, "revision"_a.none(), nb::kw_only(), "joint_count"_a = nb::none(),
             nb::sig("def begin(self, revision: Revision | tuple[int, int] | int, *, joint_count: int | None = None) -> "
                     "Candidate"),
             "Begin a candidate under the current request.\n\n"
             "For another revision than the requested one it can be filled, and ends at best as STALE_REVISION.\n"
             "joint_count, if given, must be the requested topology's, else OptionError.")
        .def("publish", &publish_palette, "revision"_a.none(), "palette"_a.none(),
             nb::sig("def publish(self, revision: Revision | tuple[int, int] | int, palette: NDArray[numpy.float32]) -> "
                     "CommitResult"),
             "Begin, fill and commit in one call: palette float32 [joints, 4, 4], which is copied.")
        .def(
            "source",
            [](const PyOwner& self, nb::handle palette) {
                open(self.owning);
                return new Source(self.owning, palette);
            },
            "palette"_a.none(), nb::rv_policy::take_ownership,
            nb::sig("def source(self, palette: NDArray[numpy.float32]) -> PaletteSource"),
            "Keep `palette`, float32 [joints, 4, 4], to publish what it holds again and again: the fastest way.")
        .def("acquire", [](const PyOwner& self) { return acquire(open(self.owning).attachment); },
             nb::sig("def acquire(self) -> Snapshot"),
             "Pin the active palette for a draw: `with owner.acquire() as snapshot:`.\n\n"
             "Never waits. Raises PublishError if the process holds as many snapshots as there are cells.")
        .def("counters", &counters, nb::sig("def counters(self) -> dict[str, int]"),
             "Commits by result, rows reaped, pins cleared, slots recovered, acquires retried, cells in use.")
        .def(
            "close",
            [](const PyOwner& self) {
                if (!self.owning->closed.exchange(true)) self.owning->owner->close();
            },
            "End publication: snapshots that are held stay as they are, everything else raises PublishError.\n\n"
            "A named segment is removed; readers that are attached keep its last palette.");

    nb::class_<PyReader>(m, "Reader", "The compiled half of skinproof.publish.PaletteReader, which says what its methods do.")
        .def("__init__", &attach, "name"_a.none(), nb::sig("def __init__(self, name: str) -> None"))
        .def("acquire", [](PyReader& self) { return acquire(self.open()); }, nb::sig("def acquire(self) -> Snapshot"),
             "Pin the active palette for a draw: `with reader.acquire() as snapshot:`.\n\n"
             "Never waits. Raises PublishError if the process holds as many snapshots as a row has cells, SegmentError if\n"
             "the segment is corrupt.")
        .def_prop_ro(
            "owner_has_closed",
            [](PyReader& self) {
                const std::shared_ptr<Attachment> attachment = self.open();
                const Segment& segment = attachment->segment();
                return atomic(segment.control().state).load(std::memory_order_acquire) == SKINPROOF_STATE_CLOSED;
            },
            "Whether the owner has closed the segment: no new palette will come.")
        .def("close", [](PyReader& self) { self.close(); },
             "Detach. Snapshots that are held stay as they are; the row is free when the last one is gone.");

    m.def("segment_statistics", &statistics, "name"_a.none(), nb::sig("def segment_statistics(name: str) -> dict[str, int | str]"),
          "The counters of a named segment, without attaching. Raises SegmentError.");
    m.def("remove_segment", [](nb::handle name) { with_files([&] { remove_segment(name_of(name)); }); }, "name"_a.none(),
          nb::sig("def remove_segment(name: str) -> None"),
          "Remove the files of a segment whose owner has died. Raises SegmentError if it lives, or there is none.");
}

}  // namespace skinproof::publish::binding
