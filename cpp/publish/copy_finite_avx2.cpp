#include "publish/copy_finite_kernel.hpp"

namespace skinproof::publish {

bool copy_finite_avx2(float* to, const float* from, std::size_t matrices) noexcept {
    return copy_finite_kernel<32>(to, from, matrices);
}

}  // namespace skinproof::publish
