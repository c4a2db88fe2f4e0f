// The memory order of every step of the protocol: its one home. protocol.hpp runs with them and the Relacy model in
// verify/ checks the same ones, so that what was checked is what runs. Include <atomic> first, or Relacy, which is why
// this file is C++98 and spells an order through a macro.
#pragma once

#ifndef SKINPROOF_MEMORY_ORDER
#define SKINPROOF_MEMORY_ORDER(name) std::memory_order_##name
#endif

namespace skinproof {
namespace publish {
namespace order {

// A reader looks where the active slot is.
static const std::memory_order look = SKINPROOF_MEMORY_ORDER(acquire);

// Dekker's pair: the reader stores its pin, then loads the slot's generation; the owner stores WRITING, then loads the
// pins. At least one of them must see the other, which only the single total order of seq_cst operations gives.
static const std::memory_order pin = SKINPROOF_MEMORY_ORDER(seq_cst);
static const std::memory_order recheck = SKINPROOF_MEMORY_ORDER(seq_cst);
static const std::memory_order mark = SKINPROOF_MEMORY_ORDER(seq_cst);
static const std::memory_order scan = SKINPROOF_MEMORY_ORDER(seq_cst);

// What a reader read happens before whatever the owner writes over it.
static const std::memory_order unpin = SKINPROOF_MEMORY_ORDER(release);

// The owner gives a slot back as it was (it was pinned), or whole with its new generation.
static const std::memory_order unmark = SKINPROOF_MEMORY_ORDER(release);
static const std::memory_order seal = SKINPROOF_MEMORY_ORDER(release);

// Publication: one compare-exchange of the commit word, by a commit or by a request.
static const std::memory_order exchange = SKINPROOF_MEMORY_ORDER(acq_rel);
static const std::memory_order exchange_failed = SKINPROOF_MEMORY_ORDER(acquire);

}  // namespace order
}  // namespace publish
}  // namespace skinproof
