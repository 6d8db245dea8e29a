"""`kgym worker --build-only`: it builds what waits, and the lane that judges finds the build there."""

from __future__ import annotations

import hashlib
import http.client
import json
from pathlib import Path
from typing import Any

import pytest
from cli import PROBLEM, RELU, kgym, needs_binary
from serve_process import ServeProcess, serving
from test_service import Events, submission
from worker_process import Site, site, until

pytestmark = needs_binary

OWN = {"problem": {"name": "mine", "source": PROBLEM}, "sizes": {"rows": 16}, "config": {"timing.enabled": False, "correctness.sets": 2}}


def counters(server: ServeProcess) -> dict[str, int]:
    lines = server.ask("GET", "/metrics").body.decode().splitlines()
    return {name: int(float(value)) for name, value in (line.split() for line in lines if line.startswith("kgym_builds_"))}


def work(place: Site, name: str, *options: str) -> None:
    """Each has a cache of its own, as on machines of their own."""
    place.work(name, "--set", f"judge.cache={place.folder / name}-cache", *options)


def attempts(view: dict[str, Any]) -> int:
    return sum(lane["done"] for lane in view["lanes"] if lane["labels"].get("device") == "build")


def test_a_lane_gets_what_another_machine_built(tmp_path: Path) -> None:
    """The lane judges one at a time, and is busy: the builder is ahead of it."""
    with site(tmp_path, redis=False) as place:
        work(place, "judge", "--slots", "1")
        work(place, "builder", "--build-only")
        until(place.server, lambda view: {lane["name"]: lane["state"] for lane in view["lanes"]} == {"cpu": "ready", "build:cpu": "ready"})
        place.server.ask("POST", "/v1/evaluations", submission(id="long", config={"timing.budget": "4s", "timing.max_rounds": 1000}))
        next(name for name, event in Events(place.server, "/v1/evaluations/long/events") if name == "checking")
        sources = [RELU.replace("x[i] > 0", f"x[i] > 0 /* {i} */") for i in range(6)]
        assert len(set(sources)) == 6
        items = [submission(id=f"t{i}", source=source, max_attempts=1, **OWN) for i, source in enumerate(sources)]
        place.server.ask("POST", "/v1/evaluations:batch", {"evaluations": items})
        ended = [place.server.ask("GET", f"/v1/evaluations/t{i}?wait=600").json() for i in range(6)]
        assert [(one["state"], one["outcome"], one["lane"]) for one in ended] == [("done", "ok", "cpu")] * 6  # A build is no attempt.
        fetched = [one for one in ended if one["verdict"]["stages"].get("build_fetched")]
        seen = counters(place.server)
        assert fetched and all(one["verdict"]["stages"]["build_cached"] and one["attempt"] == 2 for one in fetched), ended
        assert seen["kgym_builds_hits_total"] == len(fetched) <= seen["kgym_builds_taken_total"] == seen["kgym_builds_kept"], seen
        assert attempts(place.server.ask("GET", "/v1/overview").json()) >= len(fetched)


def test_a_build_that_fails_is_the_judges_to_tell(tmp_path: Path) -> None:
    with site(tmp_path, redis=False) as place:
        work(place, "judge", "--slots", "1")
        work(place, "builder", "--build-only")
        until(place.server, lambda view: {lane["name"] for lane in view["lanes"]} == {"cpu", "build:cpu"})
        items = [submission(id=f"t{i}", source=RELU.replace("x[i] > 0", f"x[i] > nothing{i}"), **OWN) for i in range(3)]
        place.server.ask("POST", "/v1/evaluations:batch", {"evaluations": items})
        assert [place.server.ask("GET", f"/v1/evaluations/t{i}?wait=600").json()["outcome"] for i in range(3)] == ["fail:compile"] * 3
        assert counters(place.server)["kgym_builds_taken_total"] == 0


def test_a_worker_that_only_builds_judges_nothing(tmp_path: Path) -> None:
    with site(tmp_path, redis=False) as place:
        work(place, "builder", "--build-only", "--build-arch", "90")  # Of a CPU's backend it has the tools, so it starts everywhere.
        until(place.server, lambda view: [lane["name"] for lane in view["lanes"]] == ["build:sm_90"])
        one = place.server.ask("POST", "/v1/evaluations", submission(id="t", **OWN)).json()
        assert one["state"] == "queued" and "no worker with lanes is there" in one["waits_for"]
        assert place.server.ask("GET", "/health/ready").status == 503


def bundle(text: bytes, digest: str | None = None) -> bytes:
    row = {"key": "f" * 64, "sha256": digest or hashlib.sha256(text).hexdigest(), "bytes": len(text)}
    return json.dumps({"artefacts": [row]}).encode() + b"\n" + text


@pytest.fixture
def server(tmp_path: Path) -> Any:
    with serving(tmp_path, "--fake-lanes", "1", "--builds-mb", "1") as one:
        yield one


def put(server: ServeProcess, key: str, body: bytes, token: str | None = None, **headers: str) -> tuple[int, dict[str, Any]]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    connection.request("PUT", f"/v1/builds/{key}", body, {"Content-Type": "application/octet-stream", "Authorization": f"Bearer {token or server.token}"} | headers)
    response = connection.getresponse()
    text = response.read()
    connection.close()
    return response.status, json.loads(text) if text else {}


def test_builds_are_checked_and_bounded(server: ServeProcess) -> None:
    key, sound = "a" * 64, bundle(b"machine code")
    assert server.ask("GET", f"/v1/builds/{key}").status == 404
    assert put(server, key, sound) == (204, {})
    kept = server.ask("GET", f"/v1/builds/{key}")
    assert (kept.status, kept.headers["content-type"], kept.body) == (200, "application/octet-stream", sound)
    status, problem = put(server, "b" * 64, bundle(b"machine code", "0" * 64))
    assert status == 422 and "is not what its digest says" in problem["detail"]
    assert put(server, "../etc", sound)[0] in (404, 422) and put(server, "A" * 64, sound)[0] == 422
    assert put(server, key, sound, **{"Content-Type": "text/plain"})[0] == 415
    assert put(server, key, sound, **{"Content-Encoding": "gzip"})[0] == 415
    for i in range(4):  # Of 0.4 MiB each: two fit.
        assert put(server, f"{i:064x}", bundle(bytes([i]) * 400_000))[0] == 204
    seen = counters(server)
    assert seen["kgym_builds_bytes"] <= 1 << 20 and seen["kgym_builds_kept"] == 2 and seen["kgym_builds_dropped_total"] == 3


def test_builds_need_the_scope_work(tmp_path: Path) -> None:
    tokens = tmp_path / "tokens.json"
    tokens.write_text(json.dumps([{"name": "t", "token": "t" * 16, "scopes": ["read", "submit"]}, {"name": "w", "token": "w" * 16, "scopes": ["work"]}]))
    data = tmp_path / "data"
    data.mkdir()
    with serving(data, "--fake-lanes", "1", "--tokens", str(tokens)) as server:
        assert put(server, "a" * 64, bundle(b"x"), "t" * 16)[0] == 403
        assert put(server, "a" * 64, bundle(b"x"), "w" * 16)[0] == 204


def test_options_that_do_not_fit() -> None:
    for options, sentence in (
        (("--join", "redis://127.0.0.1:1", "--build-only"), "builds are kept by a server"),
        (("--join", "http://127.0.0.1:1", "--build-only", "--fake-lanes", "1"), "--build-only: it goes with neither"),
        (("--join", "http://127.0.0.1:1", "--build-arch", "90"), "add --build-only"),
    ):
        refused = kgym("worker", *options)
        assert refused.code == 2 and sentence in refused.err, refused.err
