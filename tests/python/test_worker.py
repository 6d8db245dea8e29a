"""`kgym worker`: lanes in one process, the queue in another, on a server's own queue and on a shared Redis."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli import PROBLEM, ROOT, WRONG_RELU, kgym, needs_binary
from serve_process import serving
from test_service import Events, submission
from test_service_restart import accept, await_running
from worker_process import HAS_REDIS, Redis, Site, WorkerProcess, site, states, until

pytestmark = needs_binary
needs_redis = pytest.mark.skipif(not HAS_REDIS, reason="no redis-server")
SLOW = ("--fake-lanes", "1", "--fake-hold", "1h")


@pytest.fixture(params=["http", pytest.param("redis", marks=needs_redis)])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Site]:
    with site(tmp_path, request.param == "redis") as one:
        yield one


def ended(place: Site, task: str) -> dict[str, object]:
    one: dict[str, object] = place.server.ask("GET", f"/v1/evaluations/{task}?wait=60").json()
    return one


def test_two_workers_share_the_work(place: Site) -> None:
    assert place.server.ask("GET", "/health/ready").status == 503
    for name in ("a", "b"):
        place.work(name, "--fake-lanes", "1", "--fake-hold", "30ms")
    until(place.server, lambda view: states(view) == {"a": "ready", "b": "ready"})
    assert place.server.ask("GET", "/health/ready").status == 200
    tasks = accept(place.server, 40)
    by = [ended(place, task)["worker"] for task in tasks]
    assert set(by) == {"a", "b"}
    view = until(place.server, lambda view: sum(lane["done"] for lane in view["lanes"]) == 40)
    assert {(lane["worker"], lane["name"], lane["state"]) for lane in view["lanes"]} == {(name, "fake:0", "ready") for name in "ab"}
    assert [worker["name"] for worker in place.server.ask("GET", "/v1/workers").json()["workers"]] == ["a", "b"]
    assert len(place.server.ask("GET", "/v1/lanes").json()["lanes"]) == 2
    metrics = place.server.ask("GET", "/metrics").body.decode()
    assert 'kgym_lane_quarantined{worker="a",lane="fake:0"} 0' in metrics
    assert place.server.ask("GET", "/v1/queue").json()["ended"]["done"] == 40


def test_a_worker_that_is_killed_loses_nothing(place: Site) -> None:
    first = place.work("first", *SLOW, "--lease", "3s")
    accept(place.server, 1)
    await_running(place.server, "t0")
    first.kill()
    place.work("second", "--fake-lanes", "1", "--fake-hold", "10ms")
    one = ended(place, "t0")
    assert (one["state"], one["attempt"], one["worker"]) == ("done", 2, "second")
    assert place.server.ask("GET", "/v1/queue").json()["ended"] == {"done": 1, "cancelled": 0, "dead": 0}
    until(place.server, lambda view: states(view) == {"second": "ready"})  # The dead one goes off the roster.


def test_the_same_name_again_goes_on_at_once(place: Site) -> None:
    """What ran under the name is tried again as soon as its next process has joined, whatever its lease."""
    first = place.work("w", *SLOW, "--lease", "1h")
    accept(place.server, 1)
    await_running(place.server, "t0")
    first.kill()
    place.work("w", "--fake-lanes", "1", "--fake-hold", "10ms")
    assert (ended(place, "t0")["state"], ended(place, "t0")["attempt"]) == ("done", 2)


def test_so_does_the_next_process_where_nobody_gave_a_name(place: Site) -> None:
    """One beside it that lives is left alone."""
    other, first = place.work("", *SLOW), place.work("", *SLOW, "--lease", "1h")
    accept(place.server, 2)
    for task in ("t0", "t1"):
        await_running(place.server, task)
    theirs = {name: task for task in ("t0", "t1") for name in [place.server.ask("GET", f"/v1/evaluations/{task}").json()["worker"]]}
    first.kill()
    second = place.work("", "--fake-lanes", "1", "--fake-hold", "10ms")
    one = ended(place, theirs[first.name])
    assert (one["state"], one["attempt"], one["worker"]) == ("done", 2, second.name) and second.name != first.name
    left = place.server.ask("GET", f"/v1/evaluations/{theirs[other.name]}").json()
    assert (left["state"], left["attempt"], left["worker"]) == ("running", 1, other.name)


def test_sigterm_lets_what_runs_end(place: Site) -> None:
    worker = place.work("w", "--fake-lanes", "1", "--fake-hold", "2s")
    accept(place.server, 2)
    await_running(place.server, "t0")
    assert worker.stop() == 0
    assert ended(place, "t0")["state"] == "done"
    until(place.server, lambda view: not view["workers"])
    assert place.server.ask("GET", "/v1/evaluations/t1").json()["attempt"] == 0


def test_sigterm_hands_back_what_does_not_end(place: Site) -> None:
    worker = place.work("w", *SLOW, "--drain", "50ms")
    accept(place.server, 1, max_attempts=1)
    await_running(place.server, "t0")
    assert worker.stop() == 0
    place.work("next", "--fake-lanes", "1", "--fake-hold", "10ms")
    one = ended(place, "t0")
    assert (one["state"], one["worker"], one["attempt"]) == ("done", "next", 2)  # Its only attempt was not counted.


def test_a_second_sigterm_stops_at_once(place: Site) -> None:
    worker = place.work("w", *SLOW, "--drain", "1h")
    accept(place.server, 1)
    await_running(place.server, "t0")
    worker.signal()
    until(place.server, lambda view: states(view) == {"w": "draining"})
    worker.signal()
    assert worker.wait() == 130


def test_a_cancel_reaches_the_worker(place: Site) -> None:
    place.work("w", *SLOW)
    accept(place.server, 1)
    await_running(place.server, "t0")
    assert place.server.ask("DELETE", "/v1/evaluations/t0").json()["state"] == "cancelled"
    view = until(place.server, lambda view: view["workers"] and view["workers"][0]["stopped"] == 1)
    assert view["lanes"][0]["running"] == 0


def test_a_queue_that_went_away_is_joined_again(place: Site) -> None:
    """It is gone while the task ends; the result is kept, and told when it is back."""
    worker = place.work("w", "--fake-lanes", "1", "--fake-hold", "1s")
    accept(place.server, 2)
    await_running(place.server, "t0")
    gone = place.redis or place.server
    gone.kill()
    gone.start()
    for task in ("t0", "t1"):
        one = ended(place, task)
        assert (one["state"], one["attempt"], one["worker"]) == ("done", 1, "w"), worker.log.read_text()
    until(place.server, lambda view: states(view) == {"w": "ready"})


def test_labels(place: Site) -> None:
    place.work("day", "--fake-lanes", "1", "--fake-hold", "10ms")
    until(place.server, lambda view: states(view) == {"day": "ready"})
    waits = place.server.ask("POST", "/v1/evaluations", submission(id="late", labels={"pool": "night"})).json()
    assert waits["waits_for"] == "no lane has pool=night; there are: backend=*, device=fake, workflow=*. It waits for a worker that has it"
    accept(place.server, 1)
    assert ended(place, "t0")["worker"] == "day"
    assert place.server.ask("GET", "/v1/evaluations/late").json()["state"] == "queued"
    place.work("night", "--fake-lanes", "1", "--fake-hold", "10ms", "--labels", "pool=night")
    one = ended(place, "late")
    assert one["worker"] == "night" and one["waits_for"] is None


def test_a_backend_that_comes_later(place: Site) -> None:
    """Real lanes of a CPU have no cupy; whoever joins with it takes the task."""
    accept(place.server, 1, backend="cupy", labels={"device": "fake"})
    none = place.server.ask("GET", "/v1/evaluations/t0").json()
    assert none["state"] == "queued"
    place.work("late", "--fake-lanes", "1", "--fake-hold", "10ms")
    assert ended(place, "t0")["worker"] == "late"


def test_a_name_is_one_living_workers(place: Site) -> None:
    place.work("w", *SLOW)
    second = kgym("worker", "--join", place.join, "--name", "w", "--fake-lanes", "1", env={"KGYM_TOKEN": place.server.token or ""})
    assert second.code == 2 and "a worker that lives is named 'w'" in second.err and "--name" in second.err


@needs_redis
def test_servers_share_a_redis(tmp_path: Path) -> None:
    with site(tmp_path, redis=True) as place:
        assert place.redis is not None
        other = place.serve("--queue", place.redis.url, "--name", "other", "--fake-lanes", "1", "--fake-hold", "10ms", name="other")
        for server in (place.server, other):
            until(server, lambda view: states(view) == {"other": "ready"})
        accept(place.server, 5)
        assert [other.ask("GET", f"/v1/evaluations/t{i}?wait=60").json()["worker"] for i in range(5)] == ["other"] * 5


@needs_redis
def test_a_server_on_a_redis_goes_on_with_what_it_ran(tmp_path: Path) -> None:
    """It has another name after each start, and knows the one before."""
    with site(tmp_path, redis=True) as place:
        assert place.redis is not None
        server = place.serve("--queue", place.redis.url, *SLOW, name="with-lanes")
        accept(server, 1, max_attempts=1)
        await_running(server, "t0")
        server.kill()
        server.start()
        dead = server.ask("GET", "/v1/evaluations/t0?wait=60").json()
        assert dead["state"] == "dead" and "its worker was ended while it ran" in dead["reason"], dead


@needs_redis
def test_a_redis_of_another_protocol_is_refused(tmp_path: Path) -> None:
    redis = Redis(tmp_path)
    try:
        assert redis.ask("SET", "{kgym}:protocol", "99") == "+OK\r\n"
        refused = kgym("worker", "--join", redis.url, "--fake-lanes", "1")
        assert refused.code == 2 and "speaks protocol 99, this kgym protocol 1" in refused.err
    finally:
        redis.kill()


def test_a_worker_of_another_protocol_is_refused(tmp_path: Path) -> None:
    with site(tmp_path, redis=False) as place:
        body = {"name": "w", "instance": "i", "protocol": 99, "view": {}}
        refused = place.server.ask("POST", "/v1/worker/join", body)
        assert refused.status == 409 and refused.json()["type"] == "urn:kgym:error:protocol"
        assert "field 'protocol': 99; this server speaks protocol 1" in refused.json()["detail"]


class OtherProtocol(http.server.BaseHTTPRequestHandler):
    """A server that takes no worker of ours."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        text = json.dumps({"type": "urn:kgym:error:protocol", "detail": "field 'protocol': 1; this server speaks protocol 2"}).encode()
        self.send_response(409)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_: object) -> None:
        pass


def test_a_refused_worker_says_why() -> None:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), OtherProtocol) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        refused = kgym("worker", "--join", f"http://127.0.0.1:{server.server_port}", "--fake-lanes", "1")
        server.shutdown()
        thread.join()
    assert refused.code == 2 and "this server speaks protocol 2" in refused.err


def test_a_token_needs_the_scope_work(tmp_path: Path) -> None:
    tokens = tmp_path / "tokens.json"
    tokens.write_text(json.dumps([{"name": "t", "token": "t" * 16, "scopes": ["read", "submit"]}, {"name": "w", "token": "w" * 16, "scopes": ["work"]}]))
    data = tmp_path / "data"
    data.mkdir()
    with serving(data, "--no-lanes", "--tokens", str(tokens)) as server:
        refused = kgym("worker", "--join", server.url, "--fake-lanes", "1", env={"KGYM_TOKEN": "t" * 16})
        assert refused.code == 2 and "lacks the scope 'work'" in refused.err
        worker = WorkerProcess(tmp_path, server.url, "w", "--fake-lanes", "1", token="w" * 16)
        server.token = "w" * 16
        assert server.ask("GET", "/v1/lanes").status == 403
        assert worker.stop() == 0
        worker.close()


def test_what_cannot_be_joined_is_said() -> None:
    for join, sentence in (("ftp://x", "redis[s]://HOST[:PORT] or http://HOST:PORT is expected"), ("https://x", "TLS"), ("http://127.0.0.1:1", "http://127.0.0.1:1: ")):
        refused = kgym("worker", "--join", join, "--fake-lanes", "1")
        assert refused.code == 2 and sentence in refused.err, refused.err


def test_a_real_lane_judges_for_a_server_far_away(tmp_path: Path) -> None:
    with site(tmp_path, redis=False) as place:
        place.work("cpu-box")
        source = (ROOT / "examples/demo/level1__rmsnorm__fused.py").read_text()
        place.server.ask("POST", "/v1/evaluations", submission(id="timed", problem="level1/rmsnorm", source=source))
        stages = [name for name, _ in Events(place.server, "/v1/evaluations/timed/events")]
        assert stages.index("checking") < stages.index("timing") < stages.index("done")
        one = ended(place, "timed")
        assert (one["outcome"], one["worker"], one["lane"]) == ("ok", "cpu-box", "cpu")
        wrong = submission(problem={"name": "mine", "source": PROBLEM}, source=WRONG_RELU, sizes={"rows": 16}, config={"timing.enabled": False})
        assert place.server.ask("POST", "/v1/evaluations?wait=120", wrong).json()["outcome"] == "fail:numerical"


def test_lanes_that_do_not_start_end_the_worker(tmp_path: Path) -> None:
    with site(tmp_path, redis=False) as place:
        failed = place.work("w", "--set", "judge.python=/nowhere/python")
        assert failed.wait() == 2 and "the lanes did not start" in failed.log.read_text()
        until(place.server, lambda view: not view["workers"])
