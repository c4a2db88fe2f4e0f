"""Every tolerance of the tests, each with its reason. Absolute and relative both where both matter."""

DEMO_SPHERE_RADIUS = 1e-4
"""Metres, on a radius of 0.4: the Newton step after a relaxation leaves an error quadratic in a move of millimetres."""

DEMO_SPHERE_NORMAL = 1e-3
"""Absolute: what moving a vertex by DEMO_SPHERE_RADIUS can turn a normal, and room for differencing."""

DEMO_WEIGHT_SUM = 4e-7
"""Absolute: eight weights, each rounded to float32 (2⁻²⁴ relative), and room for half as much again."""

ROUNDING = 1e-12
"""Absolute, on numbers near one: a few dozen float64 operations."""

START_UP_RATIO = 3.0
"""`skinproof --help` against `import numpy`: about 1 when measured alone; the rest is room for a busy machine."""

WEIGHT_RELATIVE = 2.0**-44
"""Relative, on one normalized weight: a sum of up to 64 weights and a division, each rounded by 2⁻⁵³; 7 times that."""

DENORMAL = 2.0**-1074
"""Absolute, on one float64 weight: the step of denormal numbers, where a relative tolerance says nothing."""

FLOAT32_ROUNDING = 2.0**-24 * 1.001
"""Relative, on one weight rounded to float32 once, and room for the float64 rounding before it."""

WEIGHT_SUM = 1e-15
"""Absolute, on the exact sum of up to nine normalized float64 weights: nine roundings of 1.1e-16 in parts of one."""

REMAINDER_GAP = 2.0**-19
"""Absolute, in units: remainders closer than two of pack's steps (2⁻²⁰) may count as a tie, which rank decides."""

PALETTE = 1e-10
"""Absolute: a product of float64 matrices with entries of up to a few hundred, one of them an inverse."""

LONG_CHAIN = 1e-9
"""Metres: 20,000 float64 matrix products one after the other, each joint a metre from the last."""

NORMAL_CONDITION = 16
"""Units in the last place, times the squared condition number of the blended matrix: its cofactors are differences of
products, which lose what the matrix squeezes in two directions; a dozen operations each."""

CATALOG_SUM = 5.1e-6
"""Absolute, on sums of weights near one: the catalogue has six digits, the last of which is 1e-5."""

CONTRACT_SCAN = 1e-10
"""Absolute: the figure that the weight contract itself sets for its scan."""

THREE_POSE = 2e-6
"""Share of the bounding diagonal: three.js keeps sampled values and inverse bind matrices as float32 (6e-8 each), and
a dozen joints on the way to a fingertip each turn what hangs below by that much. 4.4e-7 seen on eight rigs."""

FLOAT32_SUM = 2.0**-24 * 1.001
"""Absolute, on the float64 sum of weights that sum to one and were rounded to float32 one by one: 2⁻²⁴ of each."""

DISPLACEMENT = 1e-12
"""Metres: the core adds a few weighted points within 40 m, the oracle takes the difference of two such sums; float64
holds 40 to 7e-15, and a dozen roundings meet."""

DISPLACEMENT_RELATIVE = 1e-9
"""Relative: `DISPLACEMENT` on a displacement of a millimetre."""

SHORT_SUM = 1e-5
"""Relative, on a displacement that a sum of 0.98 makes: 0.02 is the difference of weights that float32 rounds by 3e-8
each."""

SPARSE_COST = 3e-10
"""Share of the mean diagonal of H, on the cost of the best K influences: costs within 1e-10 of it are tied, and a tie
may be won by the dearer one; the rest is rounding of singular faces, whose ridge is 1e-12."""

MINIMAX_ORACLE = 1e-5
"""Relative, on squared maxima: SciPy's SLSQP stops at a tolerance of its own; where several poses are the worst it
leaves some 1e-7."""

GRAM = 1e-11
"""Share of the largest entry of H: float64 sums of some forty poses of size one to ten, whose common motion (up to 100
times as large) was taken off first, against long doubles. 2e-13 seen."""

PRIOR_SAMPLED = 0.04
"""Share of the largest entry of the prior's H: 20,000 random turns leave a mean of squares uncertain by about 1 %;
turns of up to half a degree differ from their first order by 1e-4."""

PLANNED_NORMAL = 2e-5
"""Absolute, on a unit normal in float32 under matrices near the identity: some 60 roundings of 6e-8 in the blend, its
cofactors and two normalizations, and as much again for their condition."""

FLOAT32_DISPLACEMENT = {"rtol": 1e-6, "atol": 2e-6}
"""Metres and relative: sampled rotations are float64, but files store keys and positions as float32 (6e-8 of them), on
shapes of a few metres."""

POSED_SQUARED = 1e-11
"""Relative, on the squared distance of two skinned points about one apart: a few dozen float64 operations on each."""

MATCHED_FLOAT32 = 1e-6
"""Metres, on shapes of five: positions of two files that were rounded to float32 apart (3e-7 of them), and weights that
were."""

MATCHED_SHUFFLED = 1e-13
"""As a share of the diagonal: the same vertices in another order; of made poses the result's joints take the inverse of
their rest, which rounds."""

TWIN_ROUNDING = 2e-6
"""Metres, on top of what an encoding costs: positions and inverse bind matrices of characters of two metres are
float32, and so are the transforms that an exporter folded into them."""
