"""What the problem checker says: a fault, and what would mend it. Plain values."""
from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class Repair:
    """A change of a problem. text: what a person would do. sizes: globals to set. meta: keys of META to set. inputs: by the index of an input, the
    expression that draws it anew. confirmed: the problem was run with the change, and the finding was gone."""

    text: str
    sizes: dict[str, Any] = field(default_factory=dict)
    meta: dict[str, Any] = field(default_factory=dict)
    inputs: dict[str, str] = field(default_factory=dict)
    confirmed: bool = False

    def json(self) -> dict[str, Any]:
        return {key: value for key, value in asdict(self).items() if value or key == "confirmed"}


@dataclass(frozen=True)
class Finding:
    """One fault of a problem. `kind` is a closed set (docs/problems.md); severity: "error" or "warning"."""

    kind: str
    severity: str
    message: str
    repair: Repair | None = None

    def json(self) -> dict[str, Any]:
        told = {"kind": self.kind, "severity": self.severity, "message": self.message}
        return {**told, "repair": self.repair.json()} if self.repair else told
