// Copies 4x4 float32 matrices and says whether every entry is finite, in one pass over memory.
#pragma once

#include <cstddef>

namespace skinproof::publish {

// Copies `matrices` matrices (16 floats each) from `from` to `to`; true if none of the entries is NaN or infinite. All are
// copied either way. The value that is stored is the value that was checked: whatever another thread does to `from`
// meanwhile, no unchecked number reaches `to`.
//   to     64-byte aligned, not overlapping `from`
using CopyFinite = bool (*)(float* to, const float* from, std::size_t matrices) noexcept;

// True if no entry is NaN or infinite; for a candidate that cannot be copied anywhere.
bool all_finite(const float* matrices, std::size_t count) noexcept;

enum class Vectors { kBaseline, kAvx2, kAvx512 };

// The widest that this processor runs.
Vectors best_vectors() noexcept;

// The copy for `vectors`, or the baseline one where the build has no such code.
CopyFinite copy_finite(Vectors vectors) noexcept;

}  // namespace skinproof::publish
