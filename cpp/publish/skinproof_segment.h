/* The layout of a palette segment, version 2: what the owner's and every reader's process agree on.
 *
 * C99 and C++. The core itself is built on these structs, so this header cannot drift from it. A segment is three
 * regions, in memory or as three files "/skinproof.NAME.{control,payload,pins}":
 *
 *   control   header | state | owner | act | sequence | counter[8] | gen[slots]      written by the owner only
 *   payload   header | slot[slots], each slot_bytes long                             written by the owner only
 *   pins      header | row[rows], each row_bytes long                                written by readers (and the reaper)
 *
 * Every atomic is a skinproof_line: eight bytes on a 64-byte line of its own, native byte order. Files are mapped whole;
 * sizes are in the header and equal the files' sizes. A reader opens control and payload read-only, pins for reading and
 * writing; checks magic, byte order, version, kind, sizes and segment_id of all three, and that the state is READY; and
 * locks a row (see skinproof_row), whose cells it sets to 0 first. It must open a part a second time to map it: a forked
 * child that inherits a mapping would keep the lock of the descriptor that it was made from.
 *
 *   acquire   a = act (acquire); s = SKINPROOF_ACT_SLOT(a); a free cell of the own row = s + 1 (seq_cst); g = gen[s]
 *             (seq_cst); if g has not SKINPROOF_WRITING and its low 32 bits are SKINPROOF_ACT_GENERATION(a): slot s is
 *             pinned and does not change; else cell = 0 (release), and again
 *   release   cell = 0 (release)
 */
#ifndef SKINPROOF_SEGMENT_H
#define SKINPROOF_SEGMENT_H

#include <stdint.h>

#define SKINPROOF_LAYOUT_VERSION 2u
#define SKINPROOF_MAGIC UINT64_C(0x31474553504b5323) /* "#SKPSEG1" read as little-endian bytes */
#define SKINPROOF_BYTE_ORDER 0x01020304u

#define SKINPROOF_KIND_CONTROL 1u
#define SKINPROOF_KIND_PAYLOAD 2u
#define SKINPROOF_KIND_PINS 3u

#define SKINPROOF_STATE_BUILDING 0u /* being created; attach must refuse */
#define SKINPROOF_STATE_READY 1u
#define SKINPROOF_STATE_CLOSED 2u /* the owner has gone on purpose; the last palette stays readable */

/* The commit word `act`: request sequence 24 | generation 32 | slot 8, from the top bit down. */
#define SKINPROOF_ACT_SLOT(act) ((uint32_t)((act) & 0xffu))
#define SKINPROOF_ACT_GENERATION(act) ((uint32_t)(((act) >> 8) & 0xffffffffu))
#define SKINPROOF_ACT_SEQUENCE(act) ((uint32_t)((act) >> 40))

/* gen[slot]: the slot's generation, and this bit while (or after an unfinished time) it is being written. */
#define SKINPROOF_WRITING (UINT64_C(1) << 63)

#define SKINPROOF_MAX_SLOTS 255u
#define SKINPROOF_MAX_ROWS 256u
#define SKINPROOF_MAX_CELLS 64u
#define SKINPROOF_MAX_JOINTS 65535u
#define SKINPROOF_MAX_NAME_BYTES (1u << 24)

typedef struct skinproof_line {
    uint64_t value; /* atomic */
    uint64_t unused[7];
} skinproof_line;

/* What is fixed when a segment is created. */
typedef struct skinproof_shape {
    uint32_t slots;          /* 2 … SKINPROOF_MAX_SLOTS */
    uint32_t rows;           /* attachments; row 0 is the owner's process */
    uint32_t cells;          /* live snapshots per attachment */
    uint32_t joint_capacity; /* the most joints a palette may have */
    uint32_t name_capacity;  /* bytes of UTF-8 for all joint names of a slot together */
} skinproof_shape;

/* The first 128 bytes of each of the three files. */
typedef struct skinproof_header {
    uint64_t magic;
    uint32_t layout_version;
    uint32_t byte_order;
    uint32_t kind;
    skinproof_shape shape;
    uint64_t slot_bytes;
    uint64_t row_bytes;
    uint64_t file_bytes;
    uint64_t segment_id[2]; /* random; the same in the three files of one segment */
    uint64_t unused[6];
} skinproof_header;

enum skinproof_counter {
    SKINPROOF_COMMITTED = 0,
    SKINPROOF_INCOMPLETE = 1,
    SKINPROOF_INVALID_MATRIX = 2,
    SKINPROOF_STALE_REVISION = 3,
    SKINPROOF_NO_FREE_SLOT = 4,
    SKINPROOF_ROWS_REAPED = 5,     /* attachments of dead processes that were cleared */
    SKINPROOF_PINS_CLEARED = 6,    /* pins that those had left */
    SKINPROOF_SLOTS_RECOVERED = 7, /* half-written slots that a dead owner had left */
    SKINPROOF_COUNTERS = 8
};

typedef struct skinproof_control {
    skinproof_header header;
    skinproof_line state;    /* SKINPROOF_STATE_… */
    skinproof_line owner;    /* process token of the owner, see skinproof_row */
    skinproof_line act;      /* the one commit word */
    skinproof_line sequence; /* the full request sequence; its low 24 bits are in act */
    skinproof_line counter[SKINPROOF_COUNTERS];
    /* skinproof_line gen[slots] follows */
} skinproof_control;

/* A slot's first 128 bytes. Row-major float32 matrices; column vectors, M @ v; metres. */
typedef struct skinproof_slot {
    uint64_t generation;
    uint64_t sequence;
    uint64_t tick; /* revision = (tick, graph_version), from the animation side */
    uint64_t graph_version;
    uint64_t topology_version;
    uint32_t joint_count;
    uint32_t name_bytes;
    uint32_t has_bounds;
    uint32_t has_joint_boxes;
    float bounds[6]; /* min x y z, max x y z, in the palette's target space; only if has_bounds */
    uint32_t unused[12];
    /* at 128:                     float    palette[joint_capacity][4][4]
     * at 128 + 64 * capacity:     float    inverse_binds[joint_capacity][4][4]
     * at 128 + 128 * capacity:    float    joint_boxes[joint_capacity][2][3], the least and the greatest corner of what
     *                                      each joint moves, mesh space at bind time, least > greatest where it moves
     *                                      nothing; only if has_joint_boxes
     * at 128 + 152 * capacity:    uint32_t name_end[joint_capacity], the end of each joint's name in what follows
     * then, at once:              char     names[name_capacity], UTF-8, no terminators */
} skinproof_slot;

#define SKINPROOF_PALETTE_OFFSET(shape) ((uint64_t)sizeof(skinproof_slot))
#define SKINPROOF_INVERSE_BINDS_OFFSET(shape) (SKINPROOF_PALETTE_OFFSET(shape) + 64u * (uint64_t)(shape).joint_capacity)
#define SKINPROOF_JOINT_BOXES_OFFSET(shape) \
    (SKINPROOF_INVERSE_BINDS_OFFSET(shape) + 64u * (uint64_t)(shape).joint_capacity)
#define SKINPROOF_NAME_ENDS_OFFSET(shape) (SKINPROOF_JOINT_BOXES_OFFSET(shape) + 24u * (uint64_t)(shape).joint_capacity)
#define SKINPROOF_NAMES_OFFSET(shape) (SKINPROOF_NAME_ENDS_OFFSET(shape) + 4u * (uint64_t)(shape).joint_capacity)
#define SKINPROOF_SLOT_BYTES(shape) \
    ((SKINPROOF_NAMES_OFFSET(shape) + (uint64_t)(shape).name_capacity + 63u) & ~UINT64_C(63))

/* One attachment. It is alive while its process holds an open-file-description lock on the byte of `pins` at
 * SKINPROOF_ROW_LOCK(row). Token: process start time (clock ticks since boot) << 22 | process id; 0 = free. For people
 * to read: who is alive is decided by the lock alone. */
typedef struct skinproof_row {
    skinproof_line token;
    skinproof_line retries; /* acquires that had to start again, written by the row's process */
    /* skinproof_line cell[cells] follows; a cell is one live snapshot: 0, or slot + 1 */
} skinproof_row;

#define SKINPROOF_ROW_BYTES(shape) ((uint64_t)sizeof(skinproof_row) + 64u * (uint64_t)(shape).cells)
#define SKINPROOF_OWNER_LOCK 0u        /* byte of `control` that the owner's process locks */
#define SKINPROOF_ROW_LOCK(row) (128u + (uint64_t)(row)) /* byte of `pins` that the row's process locks */

#define SKINPROOF_CONTROL_BYTES(shape) ((uint64_t)sizeof(skinproof_control) + 64u * (uint64_t)(shape).slots)
#define SKINPROOF_PAYLOAD_BYTES(shape) \
    ((uint64_t)sizeof(skinproof_header) + (uint64_t)(shape).slots * SKINPROOF_SLOT_BYTES(shape))
#define SKINPROOF_PINS_BYTES(shape) \
    ((uint64_t)sizeof(skinproof_header) + (uint64_t)(shape).rows * SKINPROOF_ROW_BYTES(shape))

#endif
