"""Skinning: linear blends of positions and normals, displacement between two sets of influences, and its bound.

`reference` is the oracle: float64, plain NumPy, written from the specification, without the compiled core.
"""
