"""The RL methods of kgym, on numpy arrays and torch tensors, without copying either; and, in kgym.client, the client of a server.

Arrays are float64, int64 and bool, contiguous, on the CPU; anything else is a TypeError, never a silent copy. One value for each row (a row is one
turn), or for tokens a matrix [rows, columns] with a mask of the same shape, or flat arrays with `offsets` (row i has the tokens offsets[i] to
offsets[i + 1]). What the mask leaves out is not read, and gets 0.

Results are new numpy arrays, or go into `out=`, which may be a torch tensor. A ValueError names the row (and column) that is wrong. The GIL is not held
while computing. Formulas and sources: docs/methods.md.

The methods are compiled, and loaded when the first of them is asked for: who only talks to a server needs neither them nor numpy.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name.startswith("_") and name != "__all__":
        raise AttributeError(f"module 'kgym' has no attribute '{name}'")
    try:
        learn = importlib.import_module("kgym._learn")
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError("kgym.%s needs the package's compiled part: pip install ./python/kgym builds it" % name, name="kgym._learn") from error
    globals().update({each: getattr(learn, each) for each in learn.__all__}, __all__=learn.__all__)
    try:
        return globals()[name]
    except KeyError:
        raise AttributeError(f"module 'kgym' has no attribute '{name}'") from None


def __dir__() -> list[str]:
    return sorted({*globals(), *__getattr__("__all__")})
