"""`kgym serve` with a real CPU lane: what it answers is what `kgym eval` says."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from cli import PROBLEM, RELU, ROOT, TORCH_RELU, WRONG_RELU, needs_binary
from serve_process import ServeProcess, serving
from test_service import Events, submission

pytestmark = needs_binary

QUICK = {"timing.enabled": False, "correctness.sets": 2}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServeProcess]:
    with serving(tmp_path_factory.mktemp("judge")) as one:
        assert one.ask("GET", "/health").status == 200  # At once; the lanes get ready behind it.
        yield one


def test_a_demo_kernel_is_timed(server: ServeProcess) -> None:
    source = (ROOT / "examples/demo/level1__rmsnorm__fused.py").read_text()
    one = server.ask("POST", "/v1/evaluations?wait=600", submission(problem="level1/rmsnorm", source=source)).json()
    assert one["outcome"] == "ok" and one["speedup"] > 0, one
    assert one["lane"] == "cpu" and one["verdict"]["timing"]["rounds"] >= 8
    profile = server.ask("GET", one["links"]["profile"]).json()
    assert profile["own_work"]["kernels"] and profile["stages"]["total_ms"] > 0


def test_the_events_name_what_is_done(server: ServeProcess) -> None:
    source = (ROOT / "examples/demo/level1__rmsnorm__fused.py").read_text()
    server.ask("POST", "/v1/evaluations", submission(id="told", problem="level1/rmsnorm", source=source, dedup=False))
    names = [name for name, _ in Events(server, "/v1/evaluations/told/events")]
    assert names.index("checking") < names.index("timing") < names.index("done"), names


@pytest.mark.parametrize(("source", "outcome"), [(RELU, "ok"), (WRONG_RELU, "fail:numerical"), (TORCH_RELU, "rejected:reference-call"), ("x =", "fail:format")])
def test_verdicts(server: ServeProcess, source: str, outcome: str) -> None:
    own = {"name": "mine", "source": PROBLEM}
    one = server.ask("POST", "/v1/evaluations?wait=600", submission(problem=own, source=source, sizes={"rows": 16}, config=QUICK)).json()
    assert one["outcome"] == outcome, one
    assert one["verdict"]["problem"]["name"] == one["problem"] == "mine" and one["verdict"]["timing"] is None


def test_a_problem_that_cannot_be_judged(server: ServeProcess) -> None:
    own = {"source": PROBLEM.replace("x.relu()", "x.rellu()")}
    one = server.ask("POST", "/v1/evaluations?wait=600", submission(problem=own)).json()
    assert (one["state"], one["outcome"], one["verdict"]) == ("done", "error", None)
    assert one["error"]["kind"] == "problem" and "rellu" in one["error"]["message"] + one["error"]["traceback"]


def test_a_backend_that_is_not_there(server: ServeProcess) -> None:
    """It waits for a worker that has it, and says what is missing; once it is too late, it is dead."""
    assert server.ask("POST", "/v1/evaluations?wait=600", submission(config=QUICK, dedup=False)).json()["outcome"] == "ok"  # The lane is there.
    server.ask("POST", "/v1/evaluations", submission(id="typo", backend="tritn"))
    events = iter(Events(server, "/v1/evaluations/typo/events"))
    name, event = next((name, event) for name, event in events if event.get("waits_for"))
    events.close()  # type: ignore[attr-defined]
    assert name == "queued" and "no lane has backend=tritn (did you mean 'triton'?); there are: backend=" in event["waits_for"]
    for one in (server.ask("GET", "/v1/evaluations/typo").json(), server.ask("GET", "/v1/evaluations?state=queued").json()["evaluations"][0]):
        assert one["state"] == "queued" and one["waits_for"] == event["waits_for"]
    assert server.ask("DELETE", "/v1/evaluations/typo").json()["state"] == "cancelled"
    late = server.ask("POST", "/v1/evaluations?wait=60", submission(backend="tritn", deadline_s=1)).json()
    assert late["state"] == "dead" and late["reason"] == 'its deadline passed while it waited for a lane with {"backend":"tritn"}, after 0 attempts'


def test_cancel_frees_the_lane(server: ServeProcess) -> None:
    endless = {"timing.budget": "60s", "timing.max_rounds": 10_000, "timing.precision": 0, "timing.resolution": "1ns"}
    source = (ROOT / "examples/demo/level1__rmsnorm__fused.py").read_text()
    server.ask("POST", "/v1/evaluations", submission(id="endless", problem="level1/rmsnorm", source=source, config=endless))
    stream = iter(Events(server, "/v1/evaluations/endless/events"))
    while next(stream)[0] == "queued":
        pass
    assert server.ask("DELETE", "/v1/evaluations/endless").json()["state"] == "cancelled"
    assert [name for name, _ in stream][-1] == "cancelled"
    after = server.ask("POST", "/v1/evaluations?wait=600", submission(config=QUICK, dedup=False)).json()
    assert after["outcome"] == "ok", after
