"""`kgym serve` ended in the middle of its work: nothing that it accepted is lost, nothing ends twice."""

from __future__ import annotations

import signal
from pathlib import Path

from cli import kgym, needs_binary
from serve_process import ANSWER_S, ServeProcess, serving
from test_service import Events, submission

pytestmark = needs_binary


def accept(server: ServeProcess, count: int, **fields: object) -> list[str]:
    items = [submission(id=f"t{i}", dedup=False, **fields) for i in range(count)]
    answers = server.ask("POST", "/v1/evaluations:batch", {"evaluations": items}).json()["evaluations"]
    assert [one["status"] for one in answers] == ["accepted"] * count
    return [one["id"] for one in answers]


def await_running(server: ServeProcess, task: str, attempt: int = 1) -> None:
    for name, step in Events(server, f"/v1/evaluations/{task}/events"):
        if name == "building" and step["attempt"] == attempt:
            return
    raise AssertionError(f"{task} never ran")


def test_kill_and_start_again(tmp_path: Path) -> None:
    with serving(tmp_path, "--fake-lanes", "4", "--fake-hold", "20ms") as server:
        ids = accept(server, 200)
        first = server.ask("GET", f"/v1/evaluations/{ids[0]}?wait=60").json()
        for _ in range(3):
            server.kill()
            server.start()
        assert server.ask("GET", f"/v1/evaluations/{ids[0]}").json() == first
        for task in ids:
            ended = server.ask("GET", f"/v1/evaluations/{task}?wait=60").json()
            assert (ended["state"], ended["outcome"]) == ("done", "ok"), ended
        assert server.ask("GET", "/v1/queue").json()["states"]["done"] == 200


def test_what_ran_is_tried_again_at_once(tmp_path: Path) -> None:
    with serving(tmp_path, "--fake-lanes", "1", "--fake-hold", "1h") as server:
        accept(server, 1, max_attempts=2)
        await_running(server, "t0")
        server.kill()
        server.start()
        await_running(server, "t0", attempt=2)
        server.kill()
        server.start()
        dead = server.ask("GET", "/v1/evaluations/t0?wait=60").json()
        assert dead["state"] == "dead" and "2" in dead["reason"]


def test_sigterm_lets_what_runs_end(tmp_path: Path) -> None:
    with serving(tmp_path, "--fake-lanes", "1", "--fake-hold", "300ms") as server:
        accept(server, 3)
        await_running(server, "t0")
        assert server.stop() == 0
        server.start()
        assert server.ask("GET", "/v1/evaluations/t0").json()["state"] == "done"
        assert server.ask("GET", "/v1/evaluations/t2?wait=60").json()["attempt"] == 1


def test_sigterm_hands_back_what_does_not_end(tmp_path: Path) -> None:
    with serving(tmp_path, "--fake-lanes", "1", "--fake-hold", "1h", "--drain", "50ms") as server:
        accept(server, 1, max_attempts=1)
        await_running(server, "t0")
        events = Events(server, "/v1/evaluations/t0/events")
        assert server.stop() == 0
        assert [name for name, _ in events][-1] != "dead"  # The stream was ended, the evaluation was not.
        server.start()
        await_running(server, "t0", attempt=2)  # Its only attempt was not counted.


def test_a_draining_server_answers_and_takes_nothing(tmp_path: Path) -> None:
    with serving(tmp_path, "--fake-lanes", "1", "--fake-hold", "1h", "--drain", "1h") as server:
        accept(server, 1)
        await_running(server, "t0")
        overview = iter(Events(server, "/v1/events"))
        server.process.send_signal(signal.SIGTERM)
        assert any(view["draining"] for _, view in overview)
        refused = server.ask("POST", "/v1/evaluations", submission())
        assert refused.status == 503 and refused.json()["type"] == "urn:kgym:error:draining"
        assert server.ask("GET", "/health/ready").status == 503 and server.ask("GET", "/health").status == 200
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(ANSWER_S) == 130


def test_one_queue_one_server(tmp_path: Path) -> None:
    with serving(tmp_path, "--fake-lanes", "1"):
        second = kgym("serve", "--port", "0", "--data", tmp_path, "--fake-lanes", "1")
        assert second.code == 2 and "queue.sqlite" in second.err


def test_the_token_stays(tmp_path: Path) -> None:
    with serving(tmp_path, "--fake-lanes", "1") as server:
        token = server.token
        server.stop()
        server.start()
        assert server.token == token and (tmp_path / "token").stat().st_mode & 0o777 == 0o600
