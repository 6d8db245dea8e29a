"""`kgym.client` from the source tree, also where the package's compiled part is not installed: the client does without it."""

from __future__ import annotations

import sys
import types

from cli import ROOT

_SOURCE = ROOT / "python" / "kgym" / "src" / "kgym"

try:
    import kgym
except ImportError:
    kgym = None
if getattr(kgym, "__file__", None) is None:  # Absent, or only the folder python/kgym where python/ is searched.
    kgym = types.ModuleType("kgym")
    kgym.__path__ = []
    sys.modules["kgym"] = kgym
kgym.__path__.insert(0, str(_SOURCE))  # The source's client, whatever is installed.
