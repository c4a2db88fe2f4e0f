// Candidates and commit results in Python.
#include "publish_module/candidate.hpp"

#include <cstring>

namespace skinproof::publish::binding {

using namespace nb::literals;

namespace {

// Exports joints first … first + count − 1 of a candidate, to be written.
struct Range {
    nb::object owner;  // the candidate's Python object: its memory is not reused while a view of it lives
    Filling* filling;
    std::uint32_t first;
    std::uint32_t count;
    Py_ssize_t shape[3];
    Py_ssize_t strides[3];
};

int get_buffer(PyObject* self, Py_buffer* buffer, int flags) noexcept {
    Range* range = nb::inst_ptr<Range>(nb::handle(self));
    buffer->obj = self;
    Py_INCREF(self);
    buffer->buf = range->filling->candidate->matrices() + std::size_t{range->first} * 16;
    buffer->len = static_cast<Py_ssize_t>(range->count) * 64;
    buffer->itemsize = 4;
    buffer->readonly = 0;
    buffer->ndim = 3;
    buffer->format = (flags & PyBUF_FORMAT) != 0 ? const_cast<char*>("f") : nullptr;
    buffer->shape = (flags & PyBUF_ND) != 0 ? range->shape : nullptr;
    buffer->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? range->strides : nullptr;
    buffer->suboffsets = nullptr;
    buffer->internal = nullptr;
    return 0;
}

PyType_Slot range_slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)}, {0, nullptr}};

void check_open(const Filling& filling) {
    if (!filling.owning->owner->backing().alive()) raise_forked();
    if (!filling.candidate->is_open())
        raise("PublishError", "the candidate is over: it was committed, or died as a whole. Begin another one");
}

void check_range(const Filling& filling, std::uint64_t first, std::uint64_t count, const char* name) {
    const std::uint64_t joints = filling.candidate->joint_count();
    if (first > joints || count > joints - first || count == 0)
        raise("OptionError", std::string(name) + ": joints " + std::to_string(first) + " … " +
                                 std::to_string(first + count) + " (exclusive) are not in 0 … " + std::to_string(joints));
}

void receive(Filling& filling, std::uint32_t first, std::uint32_t count) {
    if (!filling.candidate->receive(first, count)) check_open(filling);
}

constexpr std::uint64_t kMost = ~std::uint64_t{0};

void write(Filling& filling, nb::handle index, nb::handle matrix) {
    check_open(filling);
    const std::uint64_t joint = to_integer(index, "joint", 0, filling.candidate->joint_count() - 1);
    const FloatArray array(matrix, "matrix", 1, true);
    std::memcpy(filling.candidate->matrices() + joint * 16, array.data(), 64);
    receive(filling, static_cast<std::uint32_t>(joint), 1);
}

void write_range(Filling& filling, nb::handle index, nb::handle matrices) {
    check_open(filling);
    const std::uint64_t first = to_integer(index, "first", 0, kMost);
    const FloatArray array(matrices, "matrices", 0, false);
    check_range(filling, first, array.rows(), "matrices");
    std::memcpy(filling.candidate->matrices() + first * 16, array.data(), array.rows() * 64);
    receive(filling, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(array.rows()));
}

nb::object range(const nb::object& self, nb::handle index, nb::handle number) {
    Filling& filling = *nb::inst_ptr<Filling>(self);
    check_open(filling);
    const std::uint64_t first = to_integer(index, "first", 0, kMost), count = to_integer(number, "count", 0, kMost);
    check_range(filling, first, count, "range");
    const Py_ssize_t length = static_cast<Py_ssize_t>(count);
    return nb::cast(Range{self, &filling, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(count),
                          {length, 4, 4}, {64, 16, 4}});
}

}  // namespace

Filling::~Filling() {
    if (!owning->owner->backing().alive()) return;  // a lock that another thread held at the fork stays locked
    const std::lock_guard lock(owning->spare_lock);
    if (owning->spare.size() < kMostSpare) owning->spare.push_back(std::move(candidate));
}

Outcome commit(const std::shared_ptr<Owning>& owning, Candidate& candidate) {
    Outcome outcome;
    if (owning->closed) raise("PublishError", "the owner is closed");
    outcome.revision = candidate.revision();
    if (candidate.joint_count() <= kJointsWithLock) {
        outcome.report = owning->owner->commit(candidate);
    } else {
        // Other threads go on while this one copies, or waits for another commit.
        nb::gil_scoped_release unlocked;
        outcome.report = owning->owner->commit(candidate);
    }
    if (outcome.report.result == Commit::kForked) raise_forked();
    if (outcome.report.result == Commit::kOver && owning->closed) raise("PublishError", "the owner is closed");
    if (outcome.report.result == Commit::kOver)
        raise("PublishError", "the candidate is over: it was committed, or died as a whole. Begin another one");
    return outcome;
}

void bind_candidate(nb::module_& m) {
    nb::enum_<Commit>(m, "CommitStatus", "What became of a candidate.")
        .value("COMMITTED", Commit::kCommitted, "It is the active palette.")
        .value("INCOMPLETE", Commit::kIncomplete, "Joints are missing; it stays open for them.")
        .value("INVALID_MATRIX", Commit::kInvalidMatrix, "An entry is NaN or infinite; it is over as a whole.")
        .value("STALE_REVISION", Commit::kStaleRevision, "Another request is the current one; it is over.")
        .value("NO_FREE_SLOT", Commit::kNoFreeSlot,
               "Readers hold every other slot; nothing was waited for; commit it again later.");

    nb::class_<Outcome>(m, "CommitResult",
                        "The result of a commit, with its detail. True if the candidate was committed.")
        .def_prop_ro("status", [](const Outcome& self) { return self.report.result; }, "What became of the candidate.")
        .def("__bool__", [](const Outcome& self) { return self.report.result == Commit::kCommitted; })
        .def_prop_ro("revision", [](const Outcome& self) { return from_revision(self.revision); },
                     nb::sig("def revision(self) -> Revision"), "The candidate's revision.")
        .def_prop_ro("requested", [](const Outcome& self) { return from_revision(self.report.requested); },
                     nb::sig("def requested(self) -> Revision"), "The revision that was wanted.")
        .def_prop_ro("missing", [](const Outcome& self) { return to_tuple(self.report.missing); },
                     nb::sig("def missing(self) -> tuple[int, ...]"), "Joints that nobody wrote (INCOMPLETE).")
        .def_prop_ro("written_twice", [](const Outcome& self) { return to_tuple(self.report.written_twice); },
                     nb::sig("def written_twice(self) -> tuple[int, ...]"),
                     "Joints that were written more than once; the last writing counts.")
        .def_prop_ro("not_finite", [](const Outcome& self) { return to_tuple(self.report.not_finite); },
                     nb::sig("def not_finite(self) -> tuple[int, ...]"),
                     "Joints with an entry that is NaN or infinite (INVALID_MATRIX).")
        .def("__repr__", [](const nb::object& self) {
            nb::str text("CommitResult({}, revision={}, requested={}, missing={}, written_twice={}, not_finite={})");
            return text.attr("format")(self.attr("status").attr("name"), nb::tuple(self.attr("revision")),
                                       nb::tuple(self.attr("requested")), self.attr("missing"),
                                       self.attr("written_twice"), self.attr("not_finite"));
        }, nb::sig("def __repr__(self) -> str"));

    nb::class_<Range>(m, "CandidateRange", nb::type_slots(range_slots),
                      "A range of a candidate's joints. As a context manager it gives the array to write, and marks the\n"
                      "joints as written when the block ends without an exception.")
        .def("__enter__", [](const nb::object& self) { return nb::module_::import_("numpy").attr("asarray")(self); },
             nb::sig("def __enter__(self) -> NDArray[numpy.float32]"))
        .def(
            "__exit__",
            [](Range& self, nb::handle type, nb::handle, nb::handle) {
                if (type.is_none()) receive(*self.filling, self.first, self.count);
            },
            "type"_a.none(), "value"_a.none(), "traceback"_a.none(),
            nb::sig("def __exit__(self, type: object, value: object, traceback: object) -> None"));

    nb::class_<Filling>(m, "Candidate",
                        "The joints of one revision, collected from any number of jobs in any order, from any thread.\n\n"
                        "Readers can reach nothing of it. Each joint is for one job: two threads that write the same joint\n"
                        "at the same time mix its matrix, and it is reported as written twice.")
        .def("write", &write, "joint"_a.none(), "matrix"_a.none(),
             nb::sig("def write(self, joint: int, matrix: NDArray[numpy.float32]) -> None"),
             "Copy one matrix, float32 [4, 4], in. Raises ArrayError, OptionError, PublishError (the candidate is over).")
        .def("write_range", &write_range, "first"_a.none(), "matrices"_a.none(),
             nb::sig("def write_range(self, first: int, matrices: NDArray[numpy.float32]) -> None"),
             "Copy the matrices of joints first, first + 1, … in, float32 [count, 4, 4]. Raises like `write`.")
        .def("range", &range, "first"_a.none(), "count"_a.none(),
             nb::sig("def range(self, first: int, count: int) -> CandidateRange"),
             "Joints first … first + count − 1 to be written in place: `with candidate.range(0, 32) as matrices:`,\n"
             "float32 [count, 4, 4], whose content is undefined before it is written.")
        .def("commit", [](Filling& self) { return commit(self.owning, *self.candidate); },
             "Pass the gates and publish: complete, finite, current, in this order; see CommitStatus.")
        .def_prop_ro("revision", [](const Filling& self) { return from_revision(self.candidate->revision()); },
                     nb::sig("def revision(self) -> Revision"), "The revision it was begun for.")
        .def_prop_ro("joint_count", [](const Filling& self) { return self.candidate->joint_count(); }, "Number of joints.")
        .def_prop_ro("missing", [](const Filling& self) { return to_tuple(self.candidate->missing()); },
                     nb::sig("def missing(self) -> tuple[int, ...]"), "Joints that nobody has written yet.")
        .def_prop_ro("is_over", [](const Filling& self) { return !self.candidate->is_open(); },
                     "Whether it can no longer be committed.");
}

}  // namespace skinproof::publish::binding
