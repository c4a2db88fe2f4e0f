// Which compiled kernels this processor can run.
#pragma once

#include <span>
#include <string_view>

#include "kernels/kernels.hpp"

namespace skinproof {

// The kernels that were compiled and that this processor runs, narrowest first. The first is always "scalar".
std::span<const Kernels* const> runnable_kernels() noexcept;

// Those of one instruction set, nullptr if it is not among the runnable ones.
const Kernels* kernels_named(std::string_view name) noexcept;

}  // namespace skinproof
