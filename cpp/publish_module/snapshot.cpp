// Snapshots in Python: arrays without a copy that cannot outlive the pin.
#include <cstring>
#include <optional>

#include "publish_module/bind.hpp"

namespace skinproof::publish::binding {

using namespace nb::literals;

namespace {

// One pin and the count of buffers that look into its slot. The pin is given back when it was asked for and the last
// buffer is gone, so no array ever sees its slot rewritten, whatever the caller does.
class Held {
   public:
    Held(std::shared_ptr<Attachment> attachment, Hold hold) noexcept
        : attachment_(std::move(attachment)), hold_(hold) {}
    ~Held() {
        if (pinned_) attachment_->release(hold_);
    }

    // In a forked child nothing is counted: the pin is the parent's, and a lock that another thread held at the fork stays
    // locked.
    bool add_buffer() {
        if (!attachment_->backing().alive()) return false;
        const std::lock_guard lock(mutex_);
        if (closing_) return false;
        ++buffers_;
        return true;
    }
    void drop_buffer() noexcept {
        if (!attachment_->backing().alive()) return;
        const std::lock_guard lock(mutex_);
        if (--buffers_ == 0 && closing_) unpin_now();
    }
    // The number of buffers that still keep the pin.
    std::size_t close() {
        if (!attachment_->backing().alive()) return 0;
        const std::lock_guard lock(mutex_);
        closing_ = true;
        if (buffers_ == 0) unpin_now();
        return buffers_;
    }
    bool closed() const {
        if (!attachment_->backing().alive()) return true;
        const std::lock_guard lock(mutex_);
        return closing_;
    }
    const Attachment& attachment() const noexcept { return *attachment_; }
    const Segment& segment() const noexcept { return attachment_->segment(); }
    const Hold& hold() const noexcept { return hold_; }
    const Slot& slot() const noexcept { return segment().slot(hold_.slot); }

   private:
    void unpin_now() noexcept {
        if (pinned_) attachment_->release(hold_);
        pinned_ = false;
    }
    std::shared_ptr<Attachment> attachment_;
    Hold hold_;
    mutable std::mutex mutex_;
    std::size_t buffers_ = 0;
    bool closing_ = false;
    bool pinned_ = true;
};

struct Snapshot {
    std::shared_ptr<Held> held;
};

// Exports one array of a snapshot through the buffer protocol.
struct View {
    std::shared_ptr<Held> held;
    const float* data;
    int dimensions;
    Py_ssize_t shape[3];
    Py_ssize_t strides[3];
};

int get_buffer(PyObject* self, Py_buffer* buffer, int flags) noexcept {
    View* view = nb::inst_ptr<View>(nb::handle(self));
    if ((flags & PyBUF_WRITABLE) == PyBUF_WRITABLE) {
        PyErr_SetString(PyExc_BufferError, "a snapshot is read-only");
        return -1;
    }
    if (!view->held->add_buffer()) {
        PyErr_SetString(PyExc_BufferError, "the snapshot is closed");
        return -1;
    }
    Py_ssize_t bytes = 4;
    for (int axis = 0; axis < view->dimensions; ++axis) bytes *= view->shape[axis];
    buffer->obj = self;
    Py_INCREF(self);
    buffer->buf = const_cast<float*>(view->data);
    buffer->len = bytes;
    buffer->itemsize = 4;
    buffer->readonly = 1;
    buffer->ndim = view->dimensions;
    buffer->format = (flags & PyBUF_FORMAT) != 0 ? const_cast<char*>("f") : nullptr;
    buffer->shape = (flags & PyBUF_ND) != 0 ? view->shape : nullptr;
    buffer->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? view->strides : nullptr;
    buffer->suboffsets = nullptr;
    buffer->internal = nullptr;
    return 0;
}

void release_buffer(PyObject* self, Py_buffer*) noexcept { nb::inst_ptr<View>(nb::handle(self))->held->drop_buffer(); }

PyType_Slot view_slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)},
                            {Py_bf_releasebuffer, reinterpret_cast<void*>(release_buffer)},
                            {0, nullptr}};

const Held& open(const Snapshot& snapshot) {
    if (!snapshot.held->attachment().backing().alive()) raise_forked();
    if (snapshot.held->closed())
        raise("PublishError", "the snapshot is closed: what it showed may have been written over. Use it inside its with "
                              "block, or take copy() with you");
    return *snapshot.held;
}

// How many joints the pinned slot has; a segment in files was written by another process and is not trusted.
std::uint32_t joint_count(const Held& held) {
    const std::uint32_t joints = held.slot().joint_count;
    if (joints == 0 || joints > held.segment().shape.joint_capacity)
        raise("SegmentError", "the segment is corrupt: a slot has more joints than the segment has room for");
    return joints;
}

nb::object array(const Snapshot& snapshot, const float* data, std::initializer_list<Py_ssize_t> shape) {
    View view{snapshot.held, data, static_cast<int>(shape.size()), {}, {}};
    std::size_t axis = 0;
    for (const Py_ssize_t length : shape) view.shape[axis++] = length;
    Py_ssize_t stride = 4;
    while (axis-- > 0) {
        view.strides[axis] = stride;
        stride *= view.shape[axis];
    }
    return nb::module_::import_("numpy").attr("asarray")(nb::cast(std::move(view)));
}

nb::object palette(const Snapshot& snapshot) {
    const Held& held = open(snapshot);
    return array(snapshot, held.segment().palette(held.hold().slot), {joint_count(held), 4, 4});
}

nb::object inverse_binds(const Snapshot& snapshot) {
    const Held& held = open(snapshot);
    return array(snapshot, held.segment().inverse_binds(held.hold().slot), {joint_count(held), 4, 4});
}

nb::object joint_boxes(const Snapshot& snapshot) {
    const Held& held = open(snapshot);
    if (held.slot().has_joint_boxes == 0) return nb::none();
    return array(snapshot, held.segment().joint_boxes(held.hold().slot), {joint_count(held), 2, 3});
}

nb::object bounds(const Snapshot& snapshot) {
    const Held& held = open(snapshot);
    if (held.slot().has_bounds == 0) return nb::none();
    return array(snapshot, held.slot().bounds, {2, 3});
}

nb::tuple joint_names(const Snapshot& snapshot) {
    const Held& held = open(snapshot);
    const std::uint32_t joints = joint_count(held), slot = held.hold().slot;
    const char* names = held.segment().names(slot);
    const std::uint32_t* ends = held.segment().name_ends(slot);
    nb::list list;
    std::uint32_t begin = 0;
    for (std::uint32_t joint = 0; joint < joints; ++joint) {
        const std::uint32_t end = ends[joint];
        if (end < begin || end > held.segment().shape.name_capacity)
            raise("SegmentError", "the segment is corrupt: joint names out of order");
        PyObject* name = PyUnicode_DecodeUTF8(names + begin, end - begin, "strict");
        if (name == nullptr) {
            PyErr_Clear();
            raise("SegmentError", "the segment is corrupt: a joint name is not UTF-8");
        }
        list.append(nb::steal(name));
        begin = end;
    }
    return nb::tuple(list);
}

nb::object copy(const nb::object& self) {
    return nb::module_::import_("skinproof.publish.copies").attr("PoseCopy").attr("of")(self);
}

void close(const Snapshot& snapshot) {
    if (const std::size_t left = snapshot.held->close(); left != 0) {
        const std::string message = std::to_string(left) +
                                    " array(s) or memoryview(s) of the snapshot are still alive; the pin is kept until they "
                                    "are gone. Delete them before the end of the block, or use copy()";
        PyErr_SetString(PyExc_BufferError, message.c_str());
        throw nb::python_error();
    }
}

}  // namespace

nb::object acquire(const std::shared_ptr<Attachment>& attachment) {
    Hold hold;
    switch (attachment->acquire(hold)) {
        case Acquired::kHeld:
            break;
        case Acquired::kNoCell:
            raise("PublishError", "this process holds " + std::to_string(attachment->segment().shape.cells) +
                                      " snapshots already, as many as the segment allows (cells=). Release one first");
        case Acquired::kCorrupt:
            raise("SegmentError", "the segment is corrupt: its commit word names no whole slot");
        case Acquired::kForked:
            raise_forked();
    }
    return nb::cast(Snapshot{std::make_shared<Held>(attachment, hold)});
}

void bind_snapshot(nb::module_& m) {
    nb::class_<View>(m, "_View", nb::type_slots(view_slots), "One array of a snapshot, through the buffer protocol.");
    nb::class_<Snapshot>(m, "Snapshot",
                         "A palette that is pinned for the whole draw: whole, of one revision, unchanging, read-only.\n\n"
                         "Leaving its with block gives the pin back, and raises BufferError if an array of it is still\n"
                         "alive; the pin is then kept until the last one is gone. Pickling copies (see `copy`).")
        .def("__enter__", [](nb::handle self) { return nb::borrow(self); }, nb::sig("def __enter__(self) -> Snapshot"))
        .def(
            "__exit__",
            [](const Snapshot& self, nb::handle type, nb::handle, nb::handle) {
                // While an exception passes, its traceback keeps local arrays alive; it is the one to be seen.
                if (!type.is_none()) {
                    self.held->close();
                    return;
                }
                close(self);
            },
            "type"_a.none(), "value"_a.none(), "traceback"_a.none(),
            nb::sig("def __exit__(self, type: object, value: object, traceback: object) -> None"))
        .def("close", &close, "Give the pin back. Raises BufferError if an array of the snapshot is still alive.")
        .def_prop_ro("closed", [](const Snapshot& self) { return self.held->closed(); }, "Whether it was closed.")
        .def_prop_ro("palette", &palette, nb::sig("def palette(self) -> NDArray[numpy.float32]"),
                     "float32 [joints, 4, 4], skinning matrices, row-major, target_from_mesh; a read-only view.")
        .def_prop_ro("inverse_binds", &inverse_binds, nb::sig("def inverse_binds(self) -> NDArray[numpy.float32]"),
                     "float32 [joints, 4, 4], joint_from_mesh at bind time; a read-only view.")
        .def_prop_ro("joint_boxes", &joint_boxes, nb::sig("def joint_boxes(self) -> NDArray[numpy.float32] | None"),
                     "float32 [joints, 2, 3], the topology's joint boxes; a read-only view, None where it has none.")
        .def_prop_ro("bounds", &bounds, nb::sig("def bounds(self) -> NDArray[numpy.float32] | None"),
                     "float32 [2, 3], the least and the greatest corner, metres, in the palette's target space; None where\n"
                     "the topology has no joint boxes.")
        .def_prop_ro("joint_names", &joint_names, nb::sig("def joint_names(self) -> tuple[str, ...]"),
                     "The joints' names, in palette order.")
        .def_prop_ro("joint_count", [](const Snapshot& self) { return joint_count(open(self)); }, "Number of joints.")
        .def_prop_ro(
            "revision",
            [](const Snapshot& self) {
                const Slot& slot = open(self).slot();
                return from_revision({slot.tick, slot.graph_version});
            },
            nb::sig("def revision(self) -> Revision"), "The pose's identity, from the animation side.")
        .def_prop_ro("topology_version", [](const Snapshot& self) { return open(self).slot().topology_version; },
                     "Changes with the skeleton; never repeats in a segment.")
        .def_prop_ro("generation", [](const Snapshot& self) { return open(self).hold().generation; },
                     "Rises with every commit of the segment.")
        .def("copy", &copy, nb::sig("def copy(self) -> PoseCopy"), "The whole bundle as arrays of its own.")
        .def("__reduce__", [](const nb::object& self) { return copy(self).attr("__reduce__")(); },
             nb::sig("def __reduce__(self) -> tuple[object, ...]"));
}

}  // namespace skinproof::publish::binding
