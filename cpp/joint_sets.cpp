#include "joint_sets.hpp"

#include <string>
#include <string_view>
#include <unordered_map>

namespace skinproof {
namespace {

// The non-empty slots of one vertex by joint, ascending; equal joints keep their order. Returns how many they are.
template <class Weight>
std::size_t sort_slots(const Influences<Weight>& influences, std::size_t vertex, std::uint32_t* slots) noexcept {
    const std::uint16_t* joints = influences.joints.data() + vertex * influences.slots;
    const Weight* weights = influences.weights.data() + vertex * influences.slots;
    std::size_t size = 0;
    for (std::uint32_t slot = 0; slot < influences.slots; ++slot) {
        if (weights[slot] == Weight(0)) continue;
        std::size_t at = size++;
        for (; at > 0 && joints[slots[at - 1]] > joints[slot]; --at) slots[at] = slots[at - 1];
        slots[at] = slot;
    }
    return size;
}

}  // namespace

template <class Weight>
JointSets group_by_joints(const Influences<Weight>& influences) {
    constexpr std::uint32_t none = ~std::uint32_t{0};
    const std::size_t width = influences.slots;
    JointSets out;
    std::vector<std::uint32_t> sorted(influences.vertices * width), set_of(influences.vertices, none);
    std::u16string keys(influences.vertices * width, u'\0');  // the joints of every vertex, hashed as strings are
    std::unordered_map<std::u16string_view, std::uint32_t> known;
    std::u16string_view last_key;
    std::uint32_t last = none;
    for (std::size_t vertex = 0; vertex < influences.vertices; ++vertex) {
        const std::size_t size = sort_slots(influences, vertex, &sorted[vertex * width]);
        if (size == 0) continue;
        char16_t* joints = keys.data() + vertex * width;
        for (std::size_t i = 0; i < size; ++i) {
            joints[i] = static_cast<char16_t>(influences.joints[vertex * width + sorted[vertex * width + i]]);
        }
        const std::u16string_view key(joints, size);
        if (last == none || key != last_key) {  // neighbours mostly share their set
            const auto next = static_cast<std::uint32_t>(out.sets.size());
            const auto [entry, is_new] = known.try_emplace(key, next);
            if (is_new) {
                out.sets.push_back({out.joints.size(), size, 0, 0});
                out.joints.insert(out.joints.end(), key.begin(), key.end());
            }
            last = entry->second;
            last_key = key;
        }
        set_of[vertex] = last;
        ++out.sets[last].vertices;
    }

    std::vector<std::size_t> vertex_at(out.sets.size()), slot_at(out.sets.size());
    std::size_t vertices = 0, slots = 0;
    for (std::size_t i = 0; i < out.sets.size(); ++i) {
        out.sets[i].first_vertex = vertex_at[i] = vertices;
        slot_at[i] = slots;
        vertices += out.sets[i].vertices;
        slots += out.sets[i].vertices * out.sets[i].slots;
    }
    out.vertices.resize(vertices);
    out.slots.resize(slots);
    for (std::size_t vertex = 0; vertex < influences.vertices; ++vertex) {
        const std::uint32_t set = set_of[vertex];
        if (set == none) continue;
        out.vertices[vertex_at[set]++] = static_cast<std::uint32_t>(vertex);
        for (std::size_t i = 0; i < out.sets[set].slots; ++i) out.slots[slot_at[set]++] = sorted[vertex * width + i];
    }
    return out;
}

template JointSets group_by_joints<float>(const Influences<float>&);
template JointSets group_by_joints<double>(const Influences<double>&);

}  // namespace skinproof
