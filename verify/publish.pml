/* The protocol of cpp/publish/protocol.hpp as interleaved steps: pins, the compare-exchange commit, requests, the crash of
 * the owner's process and of a reader at every step, recovery and reaping, in one model. Memory is sequentially
 * consistent here; the memory orders are checked by relacy.cpp.
 *
 * Checked: what a reader holds is whole, of one commit, and does not change; generations never go back for a reader; no
 * stale candidate is published; `act` always names a whole slot.
 *
 * Sizes: COMMITS tries to commit, REQUESTS requests, ACQUIRES acquires, one owner crash, one reader crash.
 * -DFAULT_… plants one fault; each must be found.
 */
#ifndef SLOTS
#define SLOTS 3
#endif
#ifndef READERS
#define READERS 1
#endif
#ifndef COMMITS
#define COMMITS 3
#endif
#ifndef REQUESTS
#define REQUESTS 2
#endif
#ifndef ACQUIRES
#define ACQUIRES 2
#endif
#ifndef OWNER_CRASHES
#define OWNER_CRASHES 1
#endif
#ifndef READER_CRASHES
#define READER_CRASHES 1
#endif

#define WRITING 16
/* the commit word: sequence | generation (4 bits) | slot (2 bits) */
#define PACK(q, g, s) ((q) * 64 + (g) * 4 + (s))
#define SLOT(w) ((w) & 3)
#define GENERATION(w) (((w) >> 2) & 15)
#define SEQUENCE(w) ((w) >> 6)

#define HALF 15                 /* a payload that is half written */

short act;                      /* the one word */
byte sequence = 1;              /* the full request sequence, in the segment */
byte gen[SLOTS];
byte payload[SLOTS];            /* whose palette a slot holds: a generation, or HALF */
byte pin[READERS];
byte lock[READERS];             /* row lock of the kernel: 0 free, 1 a reader's, 2 the reaper's; dropped at death */
byte owner = 0;                 /* incarnation of the owner's process; its threads die together */
bool ready = false;             /* recovery of this incarnation is done */

#define ACT_IS_WHOLE (gen[SLOT(act)] == GENERATION(act) && payload[SLOT(act)] == GENERATION(act))

/* Each step of a party on shared memory is one atomic, at whose end it may die. What is dead is set to zero, so that
 * states do not differ in it. */
#define OWNER_MAY_DIE if :: true -> skip :: owner < OWNER_CRASHES -> owner++; ready = false; goto died fi
#define READER_MAY_DIE if :: true -> skip :: deaths < READER_CRASHES -> deaths++; goto died fi

proctype Committer() {
    byte s, r, old, g, last, candidate, tries = 0;
    short w;
    goto born;
died: skip;
    d_step { s = 0; r = 0; old = 0; g = 0; last = 0; candidate = 0; w = 0 };
born:
    /* Recovery, under the owner's lock: what was being written is void, generations go on above all seen. */
    do
    :: s < SLOTS ->
        atomic {
            old = gen[s];
            if
            :: (old & WRITING) ->
#ifdef FAULT_TRUST_WRITING
                gen[s] = old & 15; last = (last < (old & 15) -> (old & 15) : last)
#else
                last = (last < (old & 15) -> (old & 15) : last); gen[s] = WRITING
#endif
            :: else ->
                last = (last < old -> old : last)
            fi;
            old = 0; s++;
            OWNER_MAY_DIE
        }
    :: else -> break
    od;
    atomic { s = 0; sequence = sequence + 1; OWNER_MAY_DIE };
    atomic { act = PACK(sequence, GENERATION(act), SLOT(act)); ready = true; assert(ACT_IS_WHOLE); OWNER_MAY_DIE };

    do
    :: tries < COMMITS ->
        atomic {                           /* begin, and any slot but the active one */
            tries++; candidate = sequence; g = last + 1;
            if :: SLOT(act) != 0 -> s = 0 :: SLOT(act) != 1 -> s = 1 :: SLOT(act) != 2 -> s = 2 fi;
            old = gen[s]
        };
#ifdef FAULT_SCAN_FIRST
        r = 0;
        do :: r < READERS -> if :: pin[r] == s + 1 -> goto next :: else -> r++ fi :: else -> break od;
        atomic { gen[s] = WRITING | old; OWNER_MAY_DIE };
#else
        atomic { r = 0; gen[s] = WRITING | old; OWNER_MAY_DIE };
        do
        :: r < READERS -> atomic { if :: pin[r] == s + 1 -> goto pinned :: else -> r++ fi; OWNER_MAY_DIE }
        :: else -> break
        od;
#endif
        atomic { r = 0; old = 0; payload[s] = HALF; OWNER_MAY_DIE };
        atomic { payload[s] = g; OWNER_MAY_DIE };
        atomic {
            if
            :: gen[s] = g                  /* seal */
            :: gen[s] = WRITING; goto next /* not finite: void */
            fi;
            OWNER_MAY_DIE
        };
#ifdef FAULT_CHECK_THEN_STORE
        if :: SEQUENCE(act) != candidate -> goto stale :: else -> skip fi;
        atomic { assert(SEQUENCE(act) == candidate); act = PACK(candidate, g, s); last = g };
#else
        atomic { w = act; OWNER_MAY_DIE };
        if :: sequence != candidate || SEQUENCE(w) != candidate -> goto stale :: else -> skip fi;
        atomic {
            if
            :: act == w -> assert(SEQUENCE(act) == candidate); act = PACK(candidate, g, s); last = g
            :: else -> goto stale
            fi;
            assert(ACT_IS_WHOLE);
            OWNER_MAY_DIE
        };
#endif
        goto next;
pinned: gen[s] = old;
        goto next;
stale:  gen[s] = WRITING;
next:   skip;
        d_step { s = 0; r = 0; old = 0; g = 0; candidate = 0; w = 0 };
        assert(ACT_IS_WHOLE)
    :: else -> break
    od
}

/* The animation side: another thread of the owner's process. */
proctype Requester() {
    byte n = 0, mine;
    short w;
    do
    :: n < REQUESTS ->
        n++;
        atomic { ready -> mine = owner; sequence = sequence + 1 };
again:  atomic { if :: owner == mine -> w = act :: else -> goto gone fi };
        atomic {
            if
            :: owner != mine -> goto gone
            :: owner == mine && act == w -> act = PACK(sequence, GENERATION(w), SLOT(w))
            :: owner == mine && act != w -> goto again
            fi
        };
gone:   skip;
        d_step { w = 0; mine = 0 }
    :: else -> break
    od
}

proctype Reader(byte r) {
    byte s, g, last, acquired = 0, deaths = 0;
    goto born;
died: skip;
    d_step { lock[r] = 0; s = 0; g = 0; last = 0 };
born:
    atomic { lock[r] == 0 -> lock[r] = 1; pin[r] = 0 };
    do
    :: acquired < ACQUIRES ->
again:  atomic { s = SLOT(act); g = GENERATION(act); READER_MAY_DIE };
        atomic { pin[r] = s + 1; READER_MAY_DIE };
#ifndef FAULT_NO_RECHECK
        if
#ifdef FAULT_WRITING_MASKED
        :: (gen[s] & 15) == g -> skip
#else
        :: gen[s] == g -> skip
#endif
        :: else -> pin[r] = 0; goto again
        fi;
#endif
        atomic { assert(payload[s] == g); assert(g >= last); last = g; READER_MAY_DIE };
        assert(payload[s] == g);           /* still, for the whole draw */
        atomic { pin[r] = 0; s = 0; g = 0; acquired++ }
    :: else -> break
    od;
    lock[r] = 0
}

/* Clears the rows of the dead: a row whose lock can be had has no process. */
proctype Reaper() {
    byte r = 0;
    do
    :: r < READERS ->
#ifdef FAULT_REAP_THE_LIVING
        if :: true -> pin[r] = 0 :: true -> skip fi;
#else
        if
        :: atomic { lock[r] == 0 -> lock[r] = 2 };
            if :: true -> pin[r] = 0 :: true -> skip fi;  /* or its process died first */
            lock[r] = 0
        :: true -> skip
        fi;
#endif
        r++
    :: else -> break
    od
}

init {
    atomic {
        gen[0] = 1; payload[0] = 1;
        act = PACK(1, 1, 0);
        run Committer();
#ifdef FAULT_TWO_OWNERS
        run Committer();
#endif
        run Requester();
        run Reader(0);
#if READERS > 1
        run Reader(1);
#endif
        run Reaper()
    }
}
