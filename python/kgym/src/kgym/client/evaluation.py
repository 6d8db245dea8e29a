"""What is submitted, and what comes back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypedDict

from kgym.client.options import Options, WorkflowOptions


class OwnProblem(TypedDict, total=False):
    """A problem of the caller's own, in KernelBench form."""

    name: str
    source: str


class _Required(TypedDict):
    problem: str | OwnProblem
    source: str
    backend: str


class Submission(_Required, Options):
    """The body of POST /v1/evaluations, of an evaluation. docs/api.md says what each field means."""


class _RequiredOfWorkflow(TypedDict):
    workflow: str
    input: dict[str, Any]


class WorkflowSubmission(_RequiredOfWorkflow, WorkflowOptions):
    """The body of POST /v1/evaluations, of a run of a workflow. docs/extending.md says what workflows are."""


AnySubmission = Submission | WorkflowSubmission


@dataclass(frozen=True)
class Workflow:
    """A workflow that the server offers. input: of each field its type, or {"type", "default"}."""

    name: str
    description: str
    input: dict[str, Any]

    @classmethod
    def of(cls, json: dict[str, Any]) -> Workflow:
        return cls(str(json["name"]), str(json["description"]), dict(json["input"]))


@dataclass(frozen=True)
class Evaluation:
    """One evaluation, or one run of a workflow, as the server knows it.

    state: queued, running, done, cancelled, dead; or refused, where it was one of many and the server did not take it.
    outcome: of the verdict or report ("ok", "fail:numerical", ...), "error" where the problem cannot be judged, None before the end.
    speedup: of the verdict; None where it was not measured.
    stage: what is done while it runs: "building", "checking", "timing"; of a workflow the step, "step:simulate".
    workflow: of which it is a run; None of an evaluation.
    report: of a workflow that is done: kgym.workflow/1, as `kgym workflow run --json` prints it; `output` are its fields.
    waits_for: why it will go on waiting as things are, such as a backend that no lane has; None where a lane will take it.
    """

    id: str
    state: str
    outcome: str | None = None
    speedup: float | None = None
    reason: str | None = None
    position: int | None = None
    waits_for: str | None = None
    stage: str | None = None
    workflow: str | None = None
    verdict: dict[str, Any] | None = field(default=None, repr=False)
    report: dict[str, Any] | None = field(default=None, repr=False)
    error: dict[str, Any] | None = None
    raw: dict[str, Any] = field(default_factory=dict, repr=False)

    @property
    def ended(self) -> bool:
        return self.state not in ("queued", "running")

    @property
    def ok(self) -> bool:
        """Judged, correct, its own work; of a workflow: every step that ran did."""
        return self.outcome == "ok"

    @property
    def output(self) -> dict[str, Any]:
        """Of a workflow that is done: its fields, None where a step that they need did not end well. Else empty."""
        return dict((self.report or {}).get("output") or {})

    @classmethod
    def of(cls, json: dict[str, Any]) -> Evaluation:
        verdict = json.get("verdict")
        reason = (verdict or {}).get("reason") or (json.get("error") or {}).get("message") or json.get("reason")
        return cls(
            id=str(json["id"]),
            state=str(json["state"]),
            outcome=json.get("outcome"),
            speedup=json.get("speedup"),
            reason=reason,
            position=json.get("position"),
            waits_for=json.get("waits_for"),
            stage=json.get("stage"),
            workflow=json.get("workflow"),
            verdict=verdict,
            report=json.get("report"),
            error=json.get("error"),
            raw=json,
        )

    @classmethod
    def refused(cls, id: str, problem: dict[str, Any]) -> Evaluation:
        return cls(id=id, state="refused", outcome="error", reason=problem.get("detail"), error=problem)
