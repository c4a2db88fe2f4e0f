// Memory that begins at a cache line: a vector of 64 bytes in it then never crosses one.
#pragma once

#include <cstddef>
#include <vector>

namespace skinproof {

template <class Number>
class Aligned {
public:
    explicit Aligned(std::size_t size = 0) : lines_((size + per_line - 1) / per_line) {}

    Number* data() noexcept { return lines_.empty() ? nullptr : lines_.front().numbers; }
    const Number* data() const noexcept { return lines_.empty() ? nullptr : lines_.front().numbers; }

private:
    static constexpr std::size_t per_line = 64 / sizeof(Number);
    struct alignas(64) Line {
        Number numbers[per_line];
    };
    std::vector<Line> lines_;
};

}  // namespace skinproof
