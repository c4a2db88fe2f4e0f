// The protocol of cpp/publish/protocol.hpp under the C++ memory model, run by Relacy (Dmitry Vyukov's race detector) in
// many interleavings and with every value that a weaker order lets a load see. The orders are those of the core: this
// file includes cpp/publish/orders.hpp. Built as C++98, because Relacy's names are those of <atomic>.
//
// One owner that commits, one reader that acquires, one requester. Slots, generations and pins as in the core; a slot's
// payload is two plain variables, so that Relacy reports a data race on them as such.
//   program ITERATIONS [random|full]
#include <cstdlib>
#include <cstring>

#include "relacy/relacy_std.hpp"

#define SKINPROOF_MEMORY_ORDER(name) rl::mo_##name
#include "publish/orders.hpp"

namespace order = skinproof::publish::order;

#ifndef SLOTS
#define SLOTS 3
#endif
#ifndef COMMITS
#define COMMITS 3
#endif
#ifndef ACQUIRES
#define ACQUIRES 3
#endif

#ifdef WITHOUT_REQUESTS  // two threads: weak orders show sooner
#define THREADS 2
#else
#define THREADS 3
#endif

static const unsigned kWriting = 1u << 31;

// The commit word: sequence 8 | generation 8 | slot 8.
static unsigned pack(unsigned sequence, unsigned generation, unsigned slot) {
    return sequence << 16 | generation << 8 | slot;
}
static unsigned slot_of(unsigned act) { return act & 0xff; }
static unsigned generation_of(unsigned act) { return act >> 8 & 0xff; }
static unsigned sequence_of(unsigned act) { return act >> 16; }

struct Publish : rl::test_suite<Publish, THREADS> {
    rl::atomic<unsigned> act, sequence, generation[SLOTS], cell[2];
    rl::var<unsigned> a[SLOTS], b[SLOTS];

    void before() {
        for (unsigned slot = 0; slot < SLOTS; ++slot) {
            generation[slot]($) = 0;
            a[slot]($) = 0;
            b[slot]($) = 0;
        }
        generation[0]($) = 1;
        a[0]($) = 1;
        b[0]($) = 1;
        act($) = pack(1, 1, 0);
        sequence($) = 1;
        cell[0]($) = 0;
        cell[1]($) = 0;
    }

    void thread(unsigned id) {
        if (id == 0) commit();
        if (id == 1) read();
        if (id == 2) request();
    }

    bool is_pinned(unsigned slot) {
        for (unsigned i = 0; i < 2; ++i) {
            if (cell[i].load(order::scan, $) == slot + 1) return true;
        }
        return false;
    }

    bool take(unsigned slot) {
        const unsigned old = generation[slot].load(rl::mo_relaxed, $);
        generation[slot].store(kWriting | old, order::mark, $);
        if (!is_pinned(slot)) return true;
        generation[slot].store(old, order::unmark, $);
        return false;
    }

    void commit() {
        unsigned last = 1;
        for (unsigned i = 0; i < COMMITS; ++i) {
            const unsigned candidate = sequence.load(rl::mo_acquire, $);
            const unsigned active = slot_of(act.load(rl::mo_relaxed, $));
            for (unsigned step = 1; step < SLOTS; ++step) {
                const unsigned slot = (active + step) % SLOTS;
                if (!take(slot)) continue;
                const unsigned number = last + 1;
                a[slot]($) = number;
                b[slot]($) = number;
                generation[slot].store(number, order::seal, $);
                unsigned word = act.load(order::look, $);
                if (sequence.load(rl::mo_acquire, $) != candidate || sequence_of(word) != (candidate & 0xff) ||
                    !act.compare_exchange_strong(word, pack(candidate, number, slot), order::exchange, $,
                                          order::exchange_failed, $)) {
                    generation[slot].store(kWriting, order::unmark, $);
                    break;
                }
                last = number;
                break;
            }
        }
    }

    // Pins the active slot with cell `i`; false if it never settled.
    bool pin(unsigned i, unsigned& slot, unsigned& number) {
        for (unsigned attempt = 0; attempt < 4; ++attempt) {
            const unsigned word = act.load(order::look, $);
            slot = slot_of(word);
            number = generation_of(word);
            cell[i].store(slot + 1, order::pin, $);
#ifdef FAULT_NO_RECHECK
            return true;
#endif
            if (generation[slot].load(order::recheck, $) == number) return true;
            cell[i].store(0, order::unpin, $);
        }
        return false;
    }

    void hold(unsigned slot, unsigned number) {
        RL_ASSERT(a[slot]($) == number);
        RL_ASSERT(b[slot]($) == number);
    }

    void read() {
        unsigned last = 0;
        for (unsigned i = 0; i < ACQUIRES; ++i) {
            unsigned slot, number;
            if (!pin(1, slot, number)) continue;
            hold(slot, number);
            RL_ASSERT(number >= last);
            last = number;
#ifdef FAULT_PIN_MOVES
            cell[0].store(slot + 1, order::pin, $);
            cell[1].store(0, order::unpin, $);
            hold(slot, number);
            cell[0].store(0, order::unpin, $);
#else
            hold(slot, number);
            cell[1].store(0, order::unpin, $);
#endif
        }
    }

    void request() {
        sequence.store(2, rl::mo_release, $);
        unsigned word = act.load(order::look, $);
        while (!act.compare_exchange_strong(word, pack(2, generation_of(word), slot_of(word)), order::exchange, $,
                                     order::exchange_failed, $)) {
        }
        // Nothing older is ever published again.
        RL_ASSERT(sequence_of(act.load(order::look, $)) == 2);
    }
};

int main(int count, char** arguments) {
    rl::test_params parameters;
    parameters.iteration_count = count > 1 ? std::atoi(arguments[1]) : 100000;
    if (count > 2 && std::strcmp(arguments[2], "full") == 0) {
        parameters.search_type = rl::fair_context_bound_scheduler_type;
        parameters.context_bound = 2;
    }
    return rl::simulate<Publish>(parameters) ? 0 : 1;
}
