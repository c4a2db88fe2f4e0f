"""Limiting whole characters to K influences per vertex."""

from skinproof.limiting.check_fit import check_fit
from skinproof.limiting.limit import METHODS, limit
from skinproof.limiting.options import FitOptions
from skinproof.limiting.sparse import Ending, SparseSolution, list_sparse, solve_sparse

__all__ = ["METHODS", "Ending", "FitOptions", "SparseSolution", "check_fit", "limit", "list_sparse", "solve_sparse"]
