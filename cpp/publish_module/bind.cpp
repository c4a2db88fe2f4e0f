#include "publish_module/bind.hpp"

#include <cstring>

namespace skinproof::publish::binding {

void raise(const char* error, const std::string& message) {
    const nb::object type = nb::module_::import_("skinproof.errors").attr(error);
    PyErr_SetString(type.ptr(), message.c_str());
    throw nb::python_error();
}

void raise_forked() {
    raise("PublishError", "this is a forked child: its parent's owners, readers and snapshots are void here. "
                          "Attach again by name");
}

namespace {

// False, with no Python error set, if `object` is no integer that fits.
bool read_integer(PyObject* object, std::uint64_t& value) noexcept {
    if (PyLong_CheckExact(object)) {  // the usual one, on the way of every publish
        value = PyLong_AsUnsignedLongLong(object);
        if (value != static_cast<std::uint64_t>(-1)) return true;
    } else {
        if (PyBool_Check(object) || !PyIndex_Check(object)) return false;
        PyObject* number = PyNumber_Index(object);
        value = number == nullptr ? 0 : PyLong_AsUnsignedLongLong(number);
        Py_XDECREF(number);
    }
    const bool fits = PyErr_Occurred() == nullptr;
    PyErr_Clear();
    return fits;
}

std::uint64_t to_number(PyObject* object) {
    std::uint64_t value = 0;
    if (!read_integer(object, value))
        raise("OptionError", "revision: tick and graph version must be integers from 0 to 2**64 - 1");
    return value;
}

}  // namespace

std::uint64_t to_integer(nb::handle value, const char* name, std::uint64_t least, std::uint64_t most) {
    std::uint64_t number;
    if (!read_integer(value.ptr(), number) || number < least || number > most)
        raise("OptionError", std::string(name) + ": expected an integer from " + std::to_string(least) + " to " +
                                 std::to_string(most) + ", got " + nb::repr(value).c_str());
    return number;
}

Revision to_revision(nb::handle value) {
    PyObject* object = value.ptr();
    if (PyLong_CheckExact(object)) return {to_number(object), 0};
    if (PyTuple_Check(object) && PyTuple_Size(object) == 2)
        return {to_number(PyTuple_GetItem(object, 0)), to_number(PyTuple_GetItem(object, 1))};
    if (PyIndex_Check(object)) return {to_number(object), 0};
    raise("OptionError", "revision: expected (tick, graph_version) or a tick");
}

nb::object from_revision(Revision revision) {
    return nb::module_::import_("skinproof.publish.revision").attr("Revision")(revision.tick, revision.graph_version);
}

FloatArray::FloatArray(nb::handle value, const char* name, std::size_t rows, bool single) {
    const int dimensions = single ? 2 : 3;
    if (PyObject_GetBuffer(value.ptr(), &view_, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) == 0) {
        const Py_ssize_t* shape = view_.shape;
        if (view_.ndim == dimensions && shape[dimensions - 1] == 4 && shape[dimensions - 2] == 4 && view_.itemsize == 4 &&
            view_.format != nullptr && std::strcmp(view_.format, "f") == 0 &&
            reinterpret_cast<std::uintptr_t>(view_.buf) % alignof(float) == 0 &&
            (single || rows == 0 || static_cast<std::size_t>(shape[0]) == rows)) {
            rows_ = single ? 1 : static_cast<std::size_t>(shape[0]);
            return;
        }
        PyBuffer_Release(&view_);
    } else {
        PyErr_Clear();
    }
    // The door says it in the words that it has for every array; it cannot find it right.
    const nb::object numpy = nb::module_::import_("numpy");
    const nb::object axis = rows == 0 ? nb::object(nb::str("joints")) : nb::object(nb::int_(rows));
    const nb::tuple shape = single ? nb::make_tuple(4, 4) : nb::make_tuple(axis, 4, 4);
    nb::module_::import_("skinproof._arrays")
        .attr("require_array")(value, name, nb::arg("dtypes") = nb::make_tuple(numpy.attr("float32")),
                               nb::arg("shape") = shape);
    raise("ArrayError", std::string(name) + ": expected a float32 array in native byte order");
}

FloatArray::~FloatArray() { PyBuffer_Release(&view_); }

nb::tuple to_tuple(const std::vector<std::uint32_t>& values) {
    nb::list list;
    for (const std::uint32_t value : values) list.append(value);
    return nb::tuple(list);
}

}  // namespace skinproof::publish::binding
