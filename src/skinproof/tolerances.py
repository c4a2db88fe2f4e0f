"""Every threshold of the product, each with its reason."""

MAX_JSON_DEPTH = 128
"""Levels of nesting read in a file's JSON: real files have fewer than 20, and Python's parser recurses."""

MAX_UNBACKED_NUMBERS = 1 << 24
"""Numbers, in all, of accessors that have fewer bytes in the file (sparse ones, and those without any, which mean
zeros): counts alone must not fill memory. It is 160 sparse morph targets of 30,000 vertices, and 64 MiB as float32."""

DECODER_SECONDS = 5.0
"""How long a child process may decode what a file compresses: a hundred thousand vertices take a tenth of it."""

DECODER_BYTES = 1 << 30
"""Address space of that child, of which Python and NumPy take most: nothing is written to it, so it costs no memory."""

DECODER_BYTES_PER_BYTE = 512
"""And for each byte of the compressed data: decoders hold it several times over, and it shrank thirtyfold at best."""

UNIT_QUATERNION = 0.01
"""How far the length of a rest rotation may lie from one before it is reported; exporters' rounding stays far below."""

AFFINE_ROW = 1e-5
"""How far an entry of a matrix's last row may lie from 0 0 0 1 and be taken for it: matrices inverted or multiplied in
float32 are off by some 1e-7, projections and matrices stored by rows by far more."""

SINGULAR_CONDITION = 1e12
"""Condition number from which an inverse bind matrix counts as not invertible: its inverse, in float64, would keep
fewer than four digits. Sound rigs stay below 1e6 (a scale of 1000 and pivots 1000 m away)."""

KEY_SPACING_SLACK = 1e-3
"""How much longer than a frame the time between two keys may be, as a share, before a pose is put in between: key
times are stored as float32, so keys baked at 30 per second lie up to so much off after a few hundred seconds."""

MAX_POSES_PER_CLIP = 10_000_000
"""Poses of one clip: 92 hours at 30 per second. A single absurd key time must not fill memory with times."""

MAX_BLOCK_BYTES = 1 << 26
"""Bytes of world matrices in one block of poses (64 MiB): 64 poses of 8,192 nodes, and fewer poses of more nodes."""

SUM_PER_WEIGHT = 2e-7
"""How far a decoded sum may lie from one, per non-zero weight: what the Khronos validator allows. A weight rounded to
float32 is off by at most 3e-8, so sums that were right before rounding have six times the room they need."""

BIND_MISMATCH = 0.2
"""Median distance of bind pivots from what they move, as a share of the diagonal, beyond which mesh and skeleton do not
fit: sound rigs of the size judged stay below 0.085, broken ones lie above 0.33."""

BIND_MISMATCH_MIN_JOINTS = 6
"""Weighted joints from which `BIND_MISMATCH` is judged: sound rigs of 2 to 4 joints reach 1.05."""

BIND_MISMATCH_MIN_VERTICES = 100
"""Vertices from which `BIND_MISMATCH` is judged: below, a centroid is about single triangles."""

CONTRACT_NUMBER = 1e-12
"""Absolute, on the fixed numbers of the weight contract: numbers near 100 after a dozen float64 operations, each off by
at most 1.4e-14."""

CONTRACT_SCAN = 1e-10
"""Absolute, on the scan of the weight contract: the contract's own figure; float64 at a few hundred is off by 1e-13."""

SAME_POSITION = 1e-6
"""How far two bind positions may lie apart and count as the same, as a share of the primitive's diagonal: float32 holds
positions to 6e-8 of it, and a tool that reads and writes text may lose a digit."""

SAME_DISPLACEMENT = 1e-11
"""How far the displacement, or its square, of two vertices may differ, as a share of it, and count as the same when one
is named: of mirrored characters every vertex has a twin, and instruction sets agree to some 13 digits."""

SAME_CLOCK = 1e-4
"""Seconds by which the ends of two clips may differ and count as the same: a thousandth of a frame is 3e-5."""

SAME_POSE = 1e-4
"""How far a joint may put the bounding box of its skin elsewhere and count as the same, as a share of its extent in the
poses: below 0.2 mm of a person, and well above what float32 keys and matrices that were stored again differ by."""

STILL_JOINT = 1e-6
"""How far a joint may turn or be scaled (as a share of its matrix) or shift (as a share of the diagonal) relative to
its parent and count as still: float32 keys that repeat one value differ by a tenth of that."""

MAX_INFLUENCES = 2**16
"""The most influences `keep_largest` can be asked to keep, as its result is that wide: no vertex of a file has more, as
joints are 16-bit numbers there and each stands on a vertex once."""

AUDIT_TOLERANCE = 2e-5
"""How far a joint may lie from a pose of a clip and count as standing in it, as a share of the skin's diagonal: 0.04 mm
of a person. Palettes of float32 engines are off by a tenth of it; a limb that turns by 0.1° moves ten times as far."""

AUDIT_ROUNDINGS = 16
"""float32 roundings that a matrix may have seen, beside `AUDIT_TOLERANCE`: a dozen products down the chain of joints,
each rounding at the size of the joint's place in the world, which matters far from the origin."""

AUDIT_SMALLEST_REACH = 0.05
"""Radius that a joint's vertices are taken to have at least, as a share of the skin's diagonal: a joint with few
vertices or none must still show that it turns."""

AUDIT_PATH_SHARE = 0.1
"""Part of the tolerance by which a cubic piece may miss the clip between samples; what it misses by is allowed for."""

AUDIT_HALVINGS = 8
"""How often a piece of a frame may be halved: each halving divides a smooth piece's error by 16, so two or three do;
what is still off then (a rotation through half a turn in one step) is allowed for by its measured error."""

MAX_AUDIT_BYTES = 1 << 30
"""Memory for the ways of all joints through all clips: 40,000 pieces of 60 joints, 20 minutes at 30 per second."""

AUDIT_BLOCK_BYTES = 1 << 26
"""Memory for one block of draws: a capture of any length is audited in as much."""

MAX_CAPTURE_BYTES = 1 << 32
"""Bytes of a capture, unpacked (4 GiB: a million draws of 60 joints): a small archive must not fill memory."""

MATCH_POSITION = 1e-6
"""How far the bind positions of one vertex in two files may lie apart, as a share of the mesh's size, besides what
their encodings round: float32 positions and inverse bind matrices are off by some 1e-7 of it, and a few products."""

QUANTIZED_BITS = 14
"""Bits of a position that is stored as a normalized 16-bit integer, at the least: glTF encoders round to 14 by default.
From the numbers it cannot be told: those of a box are all at the ends of any grid."""

MATCH_NORMAL = 0.1
"""How far two unit normals may lie apart and be the same vertex's: 6°. Eight bits a component lose 0.5°; vertices are
split for edges of 20° and more."""

MATCH_UV = 1e-3
"""How far two texture coordinates may lie apart and be the same vertex's: a texel of 1,024. Ten bits lose half
of it."""

MATCH_MAX_CANDIDATES = 64
"""Candidates looked at per vertex, on average, when vertices are matched: real meshes have 1 to 10 vertices at a place;
heaps of thousands would fill memory with their pairs."""
