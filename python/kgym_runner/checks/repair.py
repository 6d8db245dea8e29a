"""Repairs of findings about inputs: draw them with a scale and a centre of each row's own, look again, and propose it where the finding is gone."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import torch

from .finding import Finding, Repair
from .subject import Subject

# Findings that come of what is drawn: rows too much alike, all of one sign, too small.
KINDS = {"constant", "trivial_answer", "insensitive", "small_signal", "precision", "fixed_inputs"}

Check = Callable[[Subject], Iterator[Finding]]


def _rows(x: torch.Tensor) -> tuple[int, ...]:
    return (x.shape[0], *[1] * (x.dim() - 1))


def _spread(x: torch.Tensor) -> torch.Tensor:
    make = {"dtype": x.dtype, "device": x.device}
    return torch.randn(x.shape, **make) * (0.5 + torch.rand(_rows(x), **make)) + torch.randn(_rows(x), **make)


def _centred(x: torch.Tensor) -> torch.Tensor:
    make = {"dtype": x.dtype, "device": x.device}
    return torch.randn(x.shape, **make) * (0.5 + torch.rand(_rows(x), **make))


def _written(x: torch.Tensor, how: str) -> str:
    shape, rows = ", ".join(map(str, x.shape)), ", ".join(map(str, _rows(x)))
    if how == "wide":
        return f"8 * torch.randn({shape}) * (0.5 + torch.rand({rows}))"
    centre = f" + torch.randn({rows})" if how == "spread" else ""
    return f"torch.randn({shape}) * (0.5 + torch.rand({rows})){centre}"


_DRAWN: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {"centred": _centred, "spread": _spread, "wide": lambda x: 8 * _centred(x)}


def _redraw(how: str) -> Callable[[list[Any]], list[Any]]:
    def redraw(inputs: list[Any]) -> list[Any]:
        return [_DRAWN[how](x) if torch.is_tensor(x) and x.is_floating_point() and x.dim() else x for x in inputs]
    return redraw


def _key(finding: Finding) -> tuple[str, str]:
    return finding.kind, finding.message.split(" ", 1)[0]  # Of which output.


def _open(s: Subject, how: str) -> Subject | None:
    try:
        return Subject(s.module, s.seeds, s.samples, _redraw(how))
    except Exception:  # noqa: BLE001  (the problem cannot do with such values)
        return None


def repaired(s: Subject, findings: list[Finding], checks: dict[str, Check]) -> list[Finding]:
    """The findings, each that new inputs mend with the inputs that do. checks: by the kind of finding that they look for."""
    wanted = {_key(f): f for f in findings if f.kind in KINDS and not (f.repair and f.repair.confirmed)}
    for how in _DRAWN:
        if not wanted:
            break
        other = _open(s, how)
        if other is None or any(not bool(t.isfinite().all()) for t in other.outputs.values()):
            continue
        for key in list(wanted):
            left = {_key(f) for f in checks[key[0]](other)}
            if key not in left:
                findings = [replace(f, repair=_drawn(s, f, how)) if f is wanted[key] else f for f in findings]
                del wanted[key]
    return findings


def _drawn(s: Subject, finding: Finding, how: str) -> Repair:
    written = {str(i): _written(x, how) for i, x in enumerate(s.inputs) if torch.is_tensor(x) and x.is_floating_point() and x.dim()}
    text = "draw " + "; ".join(f"input {i} as {expression}" for i, expression in written.items())
    if finding.kind == "small_signal" and finding.repair:
        text = f"{finding.repair.text}; or {text}"
    return replace(finding.repair or Repair(""), text=text, inputs=written, confirmed=True)
