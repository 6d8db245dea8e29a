"""`kgym serve` on lanes that judge nothing: the API, from submission to verdict."""

from __future__ import annotations

import gzip
import http.client
import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from cli import PROBLEM, RELU, kgym, needs_binary
from serve_process import ANSWER_S, Reply, ServeProcess, serving

pytestmark = needs_binary


def submission(**fields: Any) -> dict[str, Any]:
    return {"problem": "level1/relu", "backend": "cpp", "source": RELU, **fields}


def submit(server: ServeProcess, wait: float = 0, **fields: Any) -> Reply:
    return server.ask("POST", f"/v1/evaluations?wait={wait}", submission(**fields))


class Events:
    """A stream of server-sent events, read as they come."""

    def __init__(self, server: ServeProcess, path: str):
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=ANSWER_S)
        self.connection.request("GET", path, headers={"Authorization": f"Bearer {server.token}"})
        self.response = self.connection.getresponse()
        assert self.response.status == 200, self.response.read()

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        name = ""
        while line := self.response.readline().decode():
            if line.startswith("event: "):
                name = line[7:].strip()
            elif line.startswith("data: "):
                yield name, json.loads(line[6:])
        self.connection.close()


@pytest.fixture(scope="module")
def fake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServeProcess]:
    with serving(tmp_path_factory.mktemp("fake"), "--fake-lanes", "8", "--fake-hold", "30ms") as server:
        yield server


@pytest.fixture
def slow(tmp_path: Path) -> Iterator[ServeProcess]:
    """One lane, whose evaluations do not end while a test looks."""
    with serving(tmp_path, "--fake-lanes", "1", "--fake-hold", "1h", "--drain", "0s") as server:
        yield server


def test_submit_and_wait(fake: ServeProcess) -> None:
    reply = submit(fake, wait=60, id="one", run="r1", priority="high", labels={"device": "fake"})
    one = reply.json()
    assert reply.status == 200 and reply.headers["location"] == "/v1/evaluations/one"
    assert (one["state"], one["outcome"], one["priority"], one["run"], one["attempt"]) == ("done", "ok", "high", "r1", 1)
    assert one["verdict"]["schema"] == "kgym.verdict/1" and one["verdict"]["problem"]["name"] == "level1/relu"
    assert one["submitted_at"] <= one["started_at"] <= one["ended_at"]
    assert fake.ask("GET", "/v1/evaluations/one").json() == one


def test_the_same_id_is_the_same_evaluation(fake: ServeProcess) -> None:
    first = submit(fake, wait=60, id="same").json()
    assert submit(fake, id="same").json() == first
    other = submit(fake, id="same", entry="Other")
    assert other.status == 409 and other.json()["type"] == "urn:kgym:error:conflict"


def test_identical_work_is_done_once(slow: ServeProcess) -> None:
    submit(slow, id="first")
    second, third = submit(slow, id="second").json(), submit(slow, id="third", dedup=False).json()
    assert second["attached_to"] == "first" and second["position"] is None
    assert third["attached_to"] is None and third["position"] == 1


def test_batch(fake: ServeProcess) -> None:
    items = [submission(id=f"b{i}", dedup=False) for i in range(20)]
    items += [submission(id="b0", entry="Other"), submission(problem="level1/rellu"), submission(id="b1", dedup=False)]
    reply = fake.ask("POST", "/v1/evaluations:batch", {"evaluations": items})
    statuses = [one["status"] for one in reply.json()["evaluations"]]
    assert reply.status == 200 and statuses == ["accepted"] * 20 + ["conflict", "invalid", "known"]
    assert "did you mean 'level1/relu'?" in reply.json()["evaluations"][21]["error"]["detail"]
    for i in range(20):
        assert fake.ask("GET", f"/v1/evaluations/b{i}?wait=60").json()["outcome"] == "ok"


def test_events_tell_the_life_of_an_evaluation(fake: ServeProcess) -> None:
    submit(fake, id="life")
    events = list(Events(fake, "/v1/evaluations/life/events"))
    names = [name for name, _ in events]
    assert names[-1] == "done" and events[-1][1]["verdict"]["outcome"] == "ok"
    order = ["queued", "running", "building", "checking", "timing", "done"]
    assert names == sorted(set(names), key=order.index)
    assert list(Events(fake, "/v1/evaluations/life/events")) == [("done", events[-1][1])]


def test_events_tell_the_position_and_the_end(slow: ServeProcess) -> None:
    for i in range(3):
        submit(slow, id=f"q{i}", dedup=False)
    stream = iter(Events(slow, "/v1/evaluations/q2/events"))
    name, data = next(stream)
    assert (name, data["position"]) == ("queued", 2)
    slow.ask("DELETE", "/v1/evaluations/q1")
    name, data = next(stream)
    assert (name, data["position"]) == ("queued", 1)
    slow.ask("DELETE", "/v1/evaluations/q2")
    assert [name for name, _ in stream] == ["cancelled"]


def test_cancel_stops_what_runs(slow: ServeProcess) -> None:
    submit(slow, id="runs")
    stream = iter(Events(slow, "/v1/evaluations/runs/events"))
    while next(stream)[0] != "building":
        pass
    submit(slow, id="next", dedup=False)
    cancelled = slow.ask("DELETE", "/v1/evaluations/runs")
    assert cancelled.status == 200 and cancelled.json()["state"] == "cancelled"
    assert [name for name, _ in stream][-1] == "cancelled"
    names = (name for name, _ in Events(slow, "/v1/evaluations/next/events"))
    assert any(name == "building" for name in names)  # The lane was free again.
    assert slow.ask("DELETE", "/v1/evaluations/runs").json()["state"] == "cancelled"
    assert slow.ask("DELETE", "/v1/evaluations/none").status == 404


def test_a_long_poll_gives_up_in_time_and_ends_with_a_cancel(slow: ServeProcess) -> None:
    submit(slow, id="poll")
    assert slow.ask("GET", "/v1/evaluations/poll?wait=0.05").json()["state"] in ("queued", "running")
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(slow.ask, "GET", "/v1/evaluations/poll?wait=600")
        slow.ask("DELETE", "/v1/evaluations/poll")
        assert waiting.result(ANSWER_S).json()["state"] == "cancelled"


def test_a_deadline_ends_what_waits(slow: ServeProcess) -> None:
    submit(slow, id="holds")
    late = submit(slow, wait=60, id="late", dedup=False, deadline_s=0.3).json()
    assert late["state"] == "dead" and "deadline" in late["reason"]


def test_a_full_queue_says_when_to_come_back(tmp_path: Path) -> None:
    with serving(tmp_path, "--fake-lanes", "1", "--fake-hold", "1h", "--max-queued", "2", "--drain", "0s") as server:
        submit(server, id="runs")
        for name, _ in Events(server, "/v1/evaluations/runs/events"):
            if name == "building":
                break
        assert [submit(server, dedup=False).status for _ in range(2)] == [202, 202]
        full = submit(server, dedup=False)
        assert full.status == 429 and int(full.headers["retry-after"]) >= 1
        assert server.ask("POST", "/v1/evaluations:batch", {"evaluations": [submission(dedup=False)]}).status == 429


def test_list_filters_and_pages(fake: ServeProcess) -> None:
    for i in range(5):
        submit(fake, wait=60, id=f"l{i}", run="list")
    path, found = "/v1/evaluations?run=list&state=done&limit=2", []
    while path:
        page = fake.ask("GET", path).json()
        found += [one["id"] for one in page["evaluations"]]
        path = f"/v1/evaluations?run=list&state=done&limit=2&cursor={page['next']}" if page["next"] else ""
    assert found == ["l4", "l3", "l2", "l1", "l0"]
    assert fake.ask("GET", "/v1/evaluations?run=list&state=queued").json()["evaluations"] == []
    assert fake.ask("GET", "/v1/evaluations?cursor=x").status == 422


def test_artefacts(fake: ServeProcess, tmp_path: Path) -> None:
    submit(fake, wait=60, id="parts")
    part = lambda name: fake.ask("GET", f"/v1/evaluations/parts/artefacts/{name}")  # noqa: E731
    assert part("source").body.decode() == RELU and part("source").headers["content-type"].startswith("text/x-python")
    assert part("log").status == 200 and "stages" in part("profile").json()
    (tmp_path / "parts.kgym").write_bytes(part("replay").body)
    replayed = kgym("replay", tmp_path / "parts.kgym", "--json", "--set", "timing.enabled=false").json()
    assert replayed["then"]["outcome"] == "ok"
    assert part("other").status == 404


def test_artefacts_of_what_has_not_ended(slow: ServeProcess) -> None:
    submit(slow, id="none")
    reply = slow.ask("GET", "/v1/evaluations/none/artefacts/log")
    assert reply.status == 409 and "has not ended" in reply.json()["detail"]


BAD: list[tuple[dict[str, Any], str]] = [
    ({"problem": "level1/sofmax"}, "field 'problem': no problem 'level1/sofmax' (did you mean 'level1/softmax'?)"),
    ({"problem": 3}, "field 'problem': 3 found; a string of 1 to 200 characters or an object is expected"),
    ({"problem": {"source": PROBLEM, "nmae": "x"}}, "unknown field 'problem.nmae' (did you mean 'name'?)"),
    ({"source": ""}, "field 'source': \"\" found; a string of 1 to 1048576 characters is expected"),
    ({"backend": "C++"}, "field 'backend': \"C++\" found"),
    ({"priority": "urgent"}, "field 'priority': \"urgent\" found; one of low, normal, high is expected"),
    ({"deadline_s": 0}, "field 'deadline_s': 0 found"),
    ({"labels": {"card": 100}}, "field 'labels.card': 100 found; a string"),
    ({"labels": {"a\nb": "x"}}, "field 'labels': \"a\\nb\" found"),
    ({"run": "a\tb"}, "field 'run': \"a\\tb\" found"),
    ({"sizes": {"rows": "x"}}, "field 'sizes.rows': \"x\" found; a number or a boolean is expected"),
    ({"id": "a b"}, "field 'id': \"a b\" found"),
    ({"backned": "cpp"}, "unknown field 'backned' (did you mean 'backend'?)"),
    ({"config": {"timing.budet": "2s"}}, "unknown key 'timing.budet' (did you mean 'timing.budget'?)"),
    ({"config": {"timing": {"budget": "2h"}}}, "field 'config.timing': timing.budget"),
    ({"config": {"limits.call": "1000s"}}, "field 'config.limits.call': a limit may be lowered here, not raised"),
    ({"config": {"judge.python": "/bin/sh"}}, "field 'config.judge.python': it is the server's own"),
    ({"config": {"judge": {"cache": "/etc"}}}, "field 'config.judge.cache': it is the server's own"),
]


@pytest.mark.parametrize(("fields", "detail"), BAD)
def test_what_is_wrong_is_named(fake: ServeProcess, fields: dict[str, Any], detail: str) -> None:
    reply = fake.ask("POST", "/v1/evaluations", submission(**fields))
    assert reply.status == 422 and reply.headers["content-type"] == "application/problem+json"
    assert detail in reply.json()["detail"]


def test_malformed_json_is_told_where(fake: ServeProcess) -> None:
    reply = fake.ask("POST", "/v1/evaluations", b'{"problem": "level1/relu",\n "source": }')
    assert reply.status == 400 and "body:2:12" in reply.json()["detail"]


def test_status_pages(fake: ServeProcess) -> None:
    submit(fake, wait=60)
    assert fake.ask("GET", "/health").json()["status"] == "healthy"
    assert fake.ask("GET", "/health/live").status == fake.ask("GET", "/health/ready").status == 200
    assert fake.ask("GET", "/v1/queue").json()["states"]["done"] >= 1
    assert [one["name"] for one in fake.ask("GET", "/v1/lanes").json()["lanes"]] == [f"fake:{i}" for i in range(8)]
    assert fake.ask("GET", "/v1/workers").json()["workers"][0]["state"] == "ready"
    assert fake.ask("GET", "/v1/overview").json()["outcomes"]["ok"] >= 1
    assert fake.ask("GET", "/v1/config").json()["timing"]["enabled"] is True
    problem = fake.ask("GET", "/v1/problems/level1/relu").json()
    assert "class Model" in problem["source"] and problem["name"] in [one["name"] for one in fake.ask("GET", "/v1/problems").json()["problems"]]


def metrics(server: ServeProcess) -> dict[str, float]:
    lines = server.ask("GET", "/metrics").body.decode().splitlines()
    return {line.rsplit(" ", 1)[0]: float(line.rsplit(" ", 1)[1]) for line in lines if not line.startswith("#")}


def test_every_counter_counts(tmp_path: Path) -> None:
    with serving(tmp_path, "--fake-lanes", "2", "--fake-hold", "1ms") as server:
        for i in range(3):
            submit(server, wait=60, id=f"m{i}", dedup=False)
        server.ask("GET", "/nowhere")
        with serving_events(server) as seen:
            seen.wait_for("outcomes", 3)
        now = metrics(server)
        assert now["kgym_tasks_accepted_total"] == 3 and now['kgym_tasks_ended_total{state="done"}'] == 3
        assert now['kgym_outcomes_total{outcome="ok"}'] == 3 and now["kgym_task_wait_seconds_count"] == 3
        assert sum(value for name, value in now.items() if name.startswith("kgym_lane_done_total")) == 3
        assert now['kgym_http_request_seconds_count{route="/v1/evaluations",method="POST",status="200"}'] == 3
        assert now['kgym_http_request_seconds_count{route="",method="",status="404"}'] == 1
        assert now["kgym_http_connections_total"] >= 4 and now["kgym_http_received_bytes_total"] > 3 * len(RELU)


class serving_events:
    """Follows the overview until it shows what is waited for."""

    def __init__(self, server: ServeProcess):
        self.stream = iter(Events(server, "/v1/events"))

    def __enter__(self) -> serving_events:
        return self

    def __exit__(self, *_: object) -> None:
        self.stream.close()  # type: ignore[attr-defined]

    def wait_for(self, field: str, total: int) -> None:
        for _, view in self.stream:
            if sum(view[field].values()) >= total:
                return


def test_openapi_describes_every_route(fake: ServeProcess) -> None:
    document = fake.ask("GET", "/openapi.json").json()
    assert document["openapi"] == "3.1.0" and {"/v1/evaluations", "/v1/evaluations/{id}/events", "/metrics"} <= set(document["paths"])
    names = [operation["operationId"] for path in document["paths"].values() for operation in path.values()]
    assert len(names) == len(set(names))
    references = set(json.dumps(document).split('"$ref": "#/components/schemas/')[1:])
    assert {reference.split('"')[0] for reference in references} <= set(document["components"]["schemas"])


def test_openapi_says_what_kernelgyms_routes_answer(fake: ServeProcess) -> None:
    """Their errors are theirs in form, and each status that they can have is there."""
    paths = fake.ask("GET", "/openapi.json").json()["paths"]
    for path, method, target, status in (
        ("/status/{task_id}", "get", "/status/nothing", 404),
        ("/kernelgym/results/{task_id}", "get", "/kernelgym/results/nothing", 404),
        ("/workflow/submit", "post", "/workflow/submit", 500),
    ):
        reply = fake.ask(method.upper(), target, {"task_id": "t"} if method == "post" else None)
        documented = paths[path][method]["responses"]
        assert reply.status == status and reply.headers["content-type"] in documented[str(status)]["content"], reply
        assert "application/json" in documented["401"]["content"]


KERNEL = "class ModelNew: pass"
FIELDS: list[tuple[str, object]] = [
    *((name, value) for name in ("num_correct_trials", "num_perf_trials", "num_warmup", "timeout") for value in (None, 0, 1, 20, 101, 3600, 1e9, 10.0, 1.5, "20", "x", True, False, [])),
    *((name, value) for name in ("force_refresh", "enable_profiling", "is_valid") for value in (None, True, 0, 1.0, 2, "yes", "maybe", {})),
    *((name, value) for name in ("entry_point", "uuid", "backend", "priority", "toolkit", "cases_code") for value in (None, "", "cuda", "high", "kernelbench", 3)),
    *(("cases", value) for value in (None, [], {}, 1, "x")),
    *(("task_id", value) for value in (None, "", "t" * 100, "t" * 101, 7)),
    *(("kernel_code", value) for value in (None, "short", " " * 20, "\n%s\n" % KERNEL)),
    *((name, None) for name in ("reference_code", "workflow", "resources")),
]


def test_openapi_takes_what_kernelgyms_routes_take(fake: ServeProcess) -> None:
    schema = fake.ask("GET", "/openapi.json").json()["paths"]["/debug/validate"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    fits = jsonschema.Draft202012Validator(schema).is_valid
    for field, value in FIELDS:
        for workflow in ("kernelbench", "kernel_simple"):
            body = {"task_id": "t", "workflow": workflow, "kernel_code": KERNEL, "reference_code": KERNEL} | {field: value}
            assert fake.ask("POST", "/debug/validate", body).status == (200 if fits(body) else 400), body


def test_openapi_calls_no_stream_a_string(fake: ServeProcess) -> None:
    paths = fake.ask("GET", "/openapi.json").json()["paths"]
    for path, kind in (("/v1/evaluations/{id}/events", "text/event-stream"), ("/v1/events", "text/event-stream"), ("/v1/worker/changes", "application/x-ndjson")):
        assert paths[path]["get"]["responses"]["200"]["content"][kind]["schema"] == {}


def test_tokens_scopes_and_tenants(tmp_path: Path) -> None:
    tokens = [
        {"name": name, "token": name * 20, "scopes": scopes, **more}
        for name, scopes, more in [("a", ["read", "submit"], {}), ("b", ["read"], {}), ("c", ["read"], {"per_second": 0.001, "burst": 2}), ("d", ["admin"], {})]
    ]
    (tmp_path / "tokens.json").write_text(json.dumps(tokens))
    with serving(tmp_path, "--tokens", str(tmp_path / "tokens.json"), "--fake-lanes", "1", "--fake-hold", "1ms") as server:

        def status(token: str | None, method: str, path: str, body: Any = None) -> int:
            server.token = token
            return server.ask(method, path, body).status

        assert status("a" * 20, "POST", "/v1/evaluations?wait=60", submission(id="mine")) == 200
        assert status("a" * 20, "GET", "/v1/evaluations/mine") == status("d" * 20, "GET", "/v1/evaluations/mine") == 200
        assert status("b" * 20, "GET", "/v1/evaluations/mine") == 404  # Somebody else's.
        assert status("b" * 20, "POST", "/v1/evaluations", submission()) == 403
        assert status(None, "GET", "/v1/queue") == status("x" * 20, "GET", "/v1/queue") == 401
        assert [status("c" * 20, "GET", "/v1/queue") for _ in range(3)] == [200, 200, 429]
        assert status(None, "GET", "/health") == status(None, "GET", "/") == 200


def test_without_tokens_only_loopback(tmp_path: Path) -> None:
    refused = kgym("serve", "--no-auth", "--host", "0.0.0.0", "--port", "0", "--data", tmp_path, "--fake-lanes", "1")
    assert refused.code == 2 and "--no-auth with host 0.0.0.0" in refused.err
    with serving(tmp_path, "--no-auth", "--fake-lanes", "1") as server:
        assert server.token is None and server.ask("GET", "/v1/queue").status == 200
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=ANSWER_S)
        connection.request("GET", "/v1/queue", headers={"Origin": "http://elsewhere.example"})
        assert connection.getresponse().status == 403
        connection.close()


def test_bodies_travel_compressed(fake: ServeProcess) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", fake.port, timeout=ANSWER_S)
    headers = {"Authorization": f"Bearer {fake.token}", "Content-Type": "application/json", "Content-Encoding": "gzip", "Accept-Encoding": "gzip"}
    connection.request("POST", "/v1/evaluations?wait=60", gzip.compress(json.dumps(submission(id="zip")).encode()), headers)
    response = connection.getresponse()
    assert response.status == 200 and response.headers["Content-Encoding"] == "gzip"
    assert json.loads(gzip.decompress(response.read()))["id"] == "zip"
    connection.close()


def test_a_page_for_people(fake: ServeProcess) -> None:
    page = fake.ask("GET", "/")
    assert page.status == 200 and page.headers["content-type"].startswith("text/html")
    assert "default-src 'none'" in page.headers["content-security-policy"]
    html = page.body.decode()
    assert "http://" not in html.replace("http://www.w3.org/2000/svg", "") and "https://" not in html


def test_many_wait_and_all_are_answered(fake: ServeProcess) -> None:
    lock, states = threading.Lock(), []

    def one(i: int) -> None:
        state = submit(fake, wait=60, id=f"many{i}", dedup=False).json()["state"]
        with lock:
            states.append(state)

    with ThreadPoolExecutor(32) as pool:
        list(pool.map(one, range(200)))
    assert states == ["done"] * 200
