"""The RL methods of kgym, on numpy arrays and torch tensors, without copying either.

Arrays are float64, int64 and bool, contiguous, on the CPU; anything else is a TypeError, never a silent copy. One value for each row (a row is one
turn), or for tokens a matrix [rows, columns] with a mask of the same shape, or flat arrays with `offsets` (row i has the tokens offsets[i] to
offsets[i + 1]). What the mask leaves out is not read, and gets 0.

Results are new numpy arrays, or go into `out=`, which may be a torch tensor. A ValueError names the row (and column) that is wrong. The GIL is not held
while computing. Formulas and sources: docs/methods.md.
"""
from kgym._learn import *  # noqa: F403
from kgym._learn import __all__  # noqa: F401

__version__ = "0.1.0"
