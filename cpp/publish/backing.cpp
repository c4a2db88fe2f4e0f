#include "publish/backing.hpp"

#include <cstddef>
#include <cstring>
#include <new>

namespace skinproof::publish {

namespace {

constexpr std::align_val_t kPage{4096};

class MemoryBacking final : public Backing {
   public:
    explicit MemoryBacking(const Shape& shape) {
        segment_.shape = shape;
        const auto page_up = [](std::uint64_t bytes) { return (bytes + 4095) / 4096 * 4096; };
        const std::size_t control = page_up(SKINPROOF_CONTROL_BYTES(shape));
        const std::size_t payload = page_up(SKINPROOF_PAYLOAD_BYTES(shape));
        const std::size_t pins = page_up(SKINPROOF_PINS_BYTES(shape));
        bytes_ = static_cast<std::byte*>(::operator new[](control + payload + pins, kPage));
        std::memset(bytes_, 0, control + payload + pins);
        segment_.control_bytes = bytes_;
        segment_.payload_bytes = bytes_ + control;
        segment_.pins_bytes = bytes_ + control + payload;
        write_headers(segment_, 0, 0);
    }
    ~MemoryBacking() override { ::operator delete[](bytes_, kPage); }

   private:
    std::byte* bytes_ = nullptr;
};

}  // namespace

std::shared_ptr<Backing> make_memory_backing(const Shape& shape) { return std::make_shared<MemoryBacking>(shape); }

}  // namespace skinproof::publish
