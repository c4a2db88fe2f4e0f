"""Every tolerance of the tests, each with its reason. Absolute and relative both where both matter."""

DEMO_SPHERE_RADIUS = 1e-4
"""Metres, on a radius of 0.4: the Newton step after a relaxation leaves an error quadratic in a move of millimetres."""

DEMO_SPHERE_NORMAL = 1e-3
"""Absolute: what moving a vertex by DEMO_SPHERE_RADIUS can turn a normal, and room for differencing."""

DEMO_WEIGHT_SUM = 4e-7
"""Absolute: eight weights, each rounded to float32 (2⁻²⁴ relative), and room for half as much again."""

ROUNDING = 1e-12
"""Absolute, on numbers near one: a few dozen float64 operations."""
