// What the parts of the _publish extension share. Only this folder knows nanobind and the publisher together.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "publish/attachment.hpp"
#include "publish/owner.hpp"

namespace skinproof::publish::binding {

namespace nb = nanobind;

// An owner with the candidates that are not in use.
struct Owning {
    std::unique_ptr<Owner> owner;
    std::shared_ptr<Attachment> attachment;
    std::mutex spare_lock;
    std::vector<std::unique_ptr<Candidate>> spare;
    std::atomic<bool> closed{false};
};

// The exception tree is Python's and the lowest layer of all; it is looked up when something is raised.
[[noreturn]] void raise(const char* error, const std::string& message);
[[noreturn]] void raise_forked();

// An integer from `least` to `most`, NumPy's too, no bool; else OptionError naming the argument.
std::uint64_t to_integer(nb::handle value, const char* name, std::uint64_t least, std::uint64_t most);

// A revision from Python: (tick, graph_version), or a tick alone with graph version 0.
Revision to_revision(nb::handle value);
nb::object from_revision(Revision revision);

// A float32 array that fits, as it is; else ArrayError naming the argument. Never a copy.
class FloatArray {
   public:
    // `rows` matrices of 4x4 in one [rows, 4, 4] array, or one [4, 4] array if `single`; rows = 0: any number.
    FloatArray(nb::handle value, const char* name, std::size_t rows, bool single);
    ~FloatArray();
    FloatArray(const FloatArray&) = delete;
    FloatArray& operator=(const FloatArray&) = delete;
    const float* data() const noexcept { return static_cast<const float*>(view_.buf); }
    std::size_t rows() const noexcept { return rows_; }

   private:
    Py_buffer view_;
    std::size_t rows_ = 0;
};

nb::tuple to_tuple(const std::vector<std::uint32_t>& values);

// Takes a pin and wraps it as a Snapshot.
nb::object acquire(const std::shared_ptr<Attachment>& attachment);

void bind_snapshot(nb::module_& module);
void bind_candidate(nb::module_& module);
void bind_owner(nb::module_& module);

}  // namespace skinproof::publish::binding
