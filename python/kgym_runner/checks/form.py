"""Whether the parts of a problem are there and META and WORKLOADS make sense. Runs none of the problem's code."""
from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType

from .finding import Finding

META_KEYS = {
    "reduces": (int, str, list),
    "tolerance": (dict,),
    "perturb": (bool,),
    "in_place": (bool,),
    "tags": (list,),
}


def form(module: ModuleType, workload: str) -> Iterator[Finding]:
    for name in ("Model", "get_inputs", "get_init_inputs"):
        if not callable(getattr(module, name, None)):
            yield Finding("metadata", "error", f"{name} is missing")

    meta, workloads = getattr(module, "META", {}), getattr(module, "WORKLOADS", {})
    if not isinstance(meta, dict) or not isinstance(workloads, dict):
        yield Finding("metadata", "error", "META or WORKLOADS is not a dict")
        return
    for key, value in meta.items():
        if not isinstance(value, META_KEYS.get(key, ())):
            expected = " or ".join(t.__name__ for t in META_KEYS.get(key, ())) or f"one of {sorted(META_KEYS)}"
            yield Finding("metadata", "error", f"META[{key!r}] is {value!r}; {expected} is expected")
    if unknown := set(meta.get("tolerance", ())) - {"rtol", "atol_rms"}:
        message = f"META['tolerance'] has {sorted(unknown)}; 'rtol' and 'atol_rms' are expected"
        yield Finding("metadata", "error", message)

    reduces = meta.get("reduces", [])
    for factor in reduces if isinstance(reduces, list) else [reduces]:
        size = getattr(module, factor, None) if isinstance(factor, str) else factor
        if not isinstance(size, int) or size < 1:
            message = f"META['reduces'] names {factor!r}, which is no positive whole number"
            yield Finding("metadata", "error", message)

    for key, value in workloads.get(workload, {}).items():
        if (size := getattr(module, key, None)) != value:
            message = f"{key} is {size}, but workload {workload!r} says {value}"
            yield Finding("metadata", "error", message)
