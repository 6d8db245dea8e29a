"""Calls replayed as CUDA graphs, with a device that replays by calling again: what is timed, what is refused and why, what a failed capture leaves behind."""
from __future__ import annotations

import gc
from typing import Any, Callable, Iterator

import pytest
import torch

from stand_ins import Exchange, Probe, problem_source
from kgym_runner import device, graph_replay
from kgym_runner.candidate import Candidate
from kgym_runner.wire import Failure

REPLAYS = [2, 5, 2, 5]


class Graphs(device.Cpu):
    """Captures a call by making it; a replay makes it again and writes the same outputs."""

    def __init__(self, error: BaseException | None = None, writes: bool = True):
        self.error, self.writes, self.captured, self.replayed = error, writes, 0, 0

    def capture(self, call: Callable[[], Any]) -> tuple[Callable[[], None], Any]:
        outputs = call()
        if self.error:
            raise self.error
        self.captured += 1
        def replay() -> None:
            self.replayed += 1
            if self.writes:
                outputs.copy_(call())
        return replay, outputs


@pytest.fixture(autouse=True)
def leave_nothing() -> Iterator[None]:
    """An exception's traceback holds its test's arena, whose descriptor other tests of this process would count."""
    yield
    gc.collect()


def use(monkeypatch: pytest.MonkeyPatch, graphs: Graphs) -> Graphs:
    monkeypatch.setattr(device, "_current", graphs)
    return graphs


def double(x: torch.Tensor) -> torch.Tensor:
    return x * 2


def test_each_row_is_a_span_of_its_replays(monkeypatch: pytest.MonkeyPatch) -> None:
    graphs = use(monkeypatch, Graphs())
    found = graph_replay.times(Probe(), double, [torch.ones(64)], REPLAYS, 0)
    assert len(found["calls_ns"]) == len(REPLAYS) and "note" not in found
    assert graphs.captured == 1 and graphs.replayed == sum(REPLAYS) + 1, "one more to see that it writes"


def test_a_call_whose_kernels_run_elsewhere_is_no_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    graphs = use(monkeypatch, Graphs(writes=False))
    assert "another stream" in graph_replay.times(Probe(), double, [torch.ones(64)], REPLAYS, 0)["note"]
    assert graphs.replayed == 1


def test_a_call_that_answers_in_its_input_is_not_mistaken_for_one(monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, Graphs())
    for value in (-1.0, 0.0, 2.0):
        x = torch.full((64,), value)
        assert "note" not in graph_replay.times(Probe(), torch.relu_, [x], REPLAYS, 0), value
        assert x.equal(torch.full((64,), max(value, 0.0))), "computed from the inputs, not from the poison"


def test_why_a_call_cannot_be_captured_is_what_went_wrong_first(monkeypatch: pytest.MonkeyPatch) -> None:
    first = RuntimeError("CUDA error: operation not permitted when stream is capturing\nCompile with ...")
    second = RuntimeError("CUDA error: operation failed due to a previous error during capture")
    second.__context__ = first
    use(monkeypatch, Graphs(second))
    note = graph_replay.times(Probe(), double, [torch.ones(4)], REPLAYS, 0)["note"]
    assert note == "it could not be captured: RuntimeError: CUDA error: operation not permitted when stream is capturing"


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt(), ValueError("x" * 10_000), MemoryError()], ids=lambda e: type(e).__name__)
def test_nothing_that_foreign_code_raises_gets_out(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    use(monkeypatch, Graphs())
    def forward(x: torch.Tensor) -> torch.Tensor:
        raise error
    note = graph_replay.times(Probe(), forward, [torch.ones(4)], REPLAYS, 0)["note"]
    assert type(error).__name__ in note and len(note) < 400


def test_a_cpu_has_none() -> None:
    assert graph_replay.times(Probe(), double, [torch.ones(4)], REPLAYS, 0) == {"note": "it could not be captured: RuntimeError: a CPU has no CUDA graphs"}


def test_both_hosts_replay_the_call_that_they_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, Graphs())
    exchange = Exchange(problem_source("return x + 1"))
    filled = exchange.fill()
    message = {"slot": 0, "replays": REPLAYS, "delay_ns": 0}
    assert len(exchange.reference.operations()["graph"](message, [])["calls_ns"]) == len(REPLAYS)
    candidate = Candidate(Probe())
    candidate.arena, candidate.model = exchange.reference.evaluation.arena, lambda x: x + 1
    found = candidate.op_graph({"inputs": filled["inputs"][0], "replays": REPLAYS, "delay_ns": 0}, [])
    assert len(found["calls_ns"]) == len(REPLAYS)


def test_a_reference_host_in_which_a_capture_failed_serves_no_other_evaluation(monkeypatch: pytest.MonkeyPatch) -> None:
    graphs = use(monkeypatch, Graphs())
    exchange = Exchange(problem_source("return x + 1"))
    exchange.fill()
    end, graph = exchange.reference.operations()["end"], exchange.reference.operations()["graph"]
    message = {"slot": 0, "replays": REPLAYS, "delay_ns": 0}
    graph(message, [])
    assert "kept_bytes" in end({}, [])
    exchange.reference.op_begin({"slots": 4, "max_bytes": 1 << 20, "honeypot_seed": 1}, [])
    exchange.fill()
    graphs.error = RuntimeError("no")
    assert graph(message, [])["note"].endswith("RuntimeError: no")
    with pytest.raises(Failure, match="no other evaluation") as told:
        end({}, [])
    assert told.value.kind == "host"
