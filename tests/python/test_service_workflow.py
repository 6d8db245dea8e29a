"""Workflows as tasks of a server: the documentation's examples, what comes of a run beside what the command says, what is refused, and what happens to a
run whose step, worker or server ends."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kgym_client  # noqa: F401
import pytest
from cli import PROBLEM, ROOT, kgym, needs_binary, write
from serve_process import ANSWER_S, ServeProcess, serving
from test_service import Events, submission
from worker_process import HAS_REDIS, site, states, until

from kgym.client import AsyncClient, Client, Refused, Workflow

pytestmark = needs_binary

EXAMPLE = ROOT / "examples" / "extending"
WITH_EXAMPLE = ("--set", f"judge.extensions={EXAMPLE}")
LEAPFROG = (EXAMPLE / "submissions/leapfrog.py").read_text()
SMALL = {"seed": 3, "bodies": 10, "steps": 40}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServeProcess]:
    with serving(tmp_path_factory.mktemp("workflows"), *WITH_EXAMPLE) as one:
        yield one


@pytest.fixture(scope="module")
def fake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServeProcess]:
    with serving(tmp_path_factory.mktemp("fake"), "--fake-lanes", "2", "--fake-hold", "1ms", *WITH_EXAMPLE) as one:
        yield one


# --- What comes of a run


def shown(document: str, section: str) -> list[tuple[str, list[str]]]:
    """The commands that a section shows, each with the lines that it is said to print."""
    text = (ROOT / "docs" / document).read_text().partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    commands: list[tuple[str, list[str]]] = []
    for line in re.findall(r"^    (.*)$", text, re.MULTILINE):
        if line.startswith(("curl ", "jq ")):
            commands.append((line, []))
        elif commands and not line.startswith(("$ ", "client.")):
            commands[-1][1].append(line)
    return commands


@pytest.mark.parametrize(("document", "section", "least"), [("extending.md", "Workflows of a server", 3), ("api.md", "Run a workflow", 4)])
def test_the_documentation_tells_what_happens(server: ServeProcess, tmp_path: Path, document: str, section: str, least: int) -> None:
    commands = shown(document, section)
    assert len(commands) >= least
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    for command, lines in commands:
        ended = subprocess.run(
            ["bash", "-o", "pipefail", "-c", command], cwd=tmp_path, env={**os.environ, "URL": server.url, "TOKEN": server.token or ""},
            capture_output=True, text=True, timeout=ANSWER_S, check=False,
        )  # fmt: skip
        assert (ended.returncode, ended.stdout.splitlines()) == (0, lines), (command, ended)


def timeless(value: Any) -> Any:
    """Without what no two runs have in common: times, and what is made of them."""
    if isinstance(value, dict):
        return {key: type(one) if key in ("wall_ms", "cpu_ms", "speedup") else timeless(one) for key, one in value.items()}
    return [timeless(one) for one in value] if isinstance(value, list) else value


def test_a_run_is_what_the_command_says(server: ServeProcess, tmp_path: Path) -> None:
    given = write(tmp_path, "input.json", json.dumps({"submission": LEAPFROG, **SMALL}))
    here = kgym("workflow", "run", "nbody", "--input", given, "--artefacts", tmp_path / "out", "--json", *WITH_EXAMPLE).json()
    with Client(server.url, server.token) as client:
        run = client.run_workflow("nbody", {"submission": LEAPFROG, **SMALL}, run="r")
        file = client.step_file(run.id, "simulate", "path_of_first.csv")
        listed = next(client.evaluations(run="r"))
    assert run.ok and run.workflow == listed.workflow == "nbody" and run.verdict is None and run.speedup is None
    assert run.report is not None and run.output == run.report["output"] and run.output["speedup"] > 0
    assert timeless(run.report) == timeless(here) and run.report["output"]["accurate"]
    assert file == (tmp_path / "out" / "simulate" / "path_of_first.csv").read_bytes()


def test_a_submission_that_fails_is_an_outcome(server: ServeProcess) -> None:
    broken = "def step(mass, position, velocity, dt):\n    return position, velocity[1 / 0]\n"
    with Client(server.url, server.token) as client:
        run = client.run_workflow("nbody", {"submission": broken, **SMALL})
        assert run.state == "done" and run.outcome == "fail:runtime" and not run.ok and run.output["accurate"] is None
        assert run.reason is not None and run.reason.startswith("step 'simulate': ")
        assert run.report is not None and {step["name"]: step["state"] for step in run.report["steps"]}["score"] == "skipped"
        with pytest.raises(Refused, match="step 'simulate' left no file") as refused:
            client.step_file(run.id, "simulate", "path_of_first.csv")
        assert refused.value.status == 404


def test_an_evaluation_may_be_a_step(server: ServeProcess) -> None:
    with Client(server.url, server.token) as client:
        run = client.run_workflow("kernelbench", {"reference_code": PROBLEM, "kernel_code": "x =", "backend": "cpp"})
    assert run.ok and run.output["correctness"] is False and run.output["outcome"] == "fail:format"


def test_the_events_name_the_steps(server: ServeProcess) -> None:
    body = {"id": "told", "workflow": "nbody", "input": {"submission": LEAPFROG, **SMALL, "seed": 4}}
    assert server.ask("POST", "/v1/evaluations", body).status == 202
    events = list(Events(server, "/v1/evaluations/told/events"))
    order = [["scene"], ["simulate", "baseline", "reference"], ["score"]]
    told = [next(i for i, names in enumerate(order) if name[5:] in names) for name, _ in events if name.startswith("step:")]
    assert told and told == sorted(told)  # The first may have gone by before anybody listened.
    assert events[-1][0] == "done" and events[-1][1]["report"]["outcome"] == "ok"
    assert all(event["stage"] == name and event["lane"] == "cpu" for name, event in events if name.startswith("step:"))


def test_coroutines_run_it_once_under_one_id(server: ServeProcess) -> None:
    async def twice() -> list[Any]:
        async with AsyncClient(server.url, server.token) as client:
            runs = [client.run_workflow("nbody", {"submission": LEAPFROG, **SMALL}, id="twice") for _ in range(2)]
            return [*await asyncio.gather(*runs), await client.workflows(), await client.step_file("twice", "baseline", "path_of_first.csv")]

    first, second, workflows, file = asyncio.run(twice())
    assert first.raw == second.raw and first.ok and len(file.splitlines()) == 41
    assert [one.name for one in workflows] == ["kernelbench", "nbody"] and isinstance(workflows[1], Workflow) and workflows[1].input["seed"] == "int"


def test_the_command_submits_it(server: ServeProcess) -> None:
    where = ("--url", server.url, "--token", server.token or "")
    fields = ("--field", f"submission=@{EXAMPLE / 'submissions/leapfrog.py'}", "--field", "bodies=10", "--field", "steps=40")
    done = kgym("submit", "--workflow", "nbody", *fields, "--field", "seed=3", "--id", "said", "--wait", *where)
    assert done.code == 0 and "workflow nbody" in done.out and "accurate = true" in done.out
    assert re.search(r"said +nbody +ok", kgym("status", "--limit", "1000", *where).out)
    wrong = kgym("submit", "--workflow", "nbody", *fields, "--field", "seed=x", *where)
    assert wrong.code == 2 and "--field seed: 'x' found; int is expected" in wrong.err
    absent = kgym("submit", "--workflow", "nbdy", *where)
    assert absent.code == 2 and "the server has none of this name (did you mean 'nbody'?)" in absent.err
    both = kgym("submit", "level1/relu", "--workflow", "nbody", *where)
    assert both.code == 2 and "it goes with neither a problem nor --set" in both.err
    assert kgym("submit", *where).code == kgym("submit", "level1/relu", "x.py", "--field", "a=1", *where).code == 2


# --- What is refused


@pytest.mark.parametrize(
    ("fields", "detail"),
    [
        ({"workflow": "nbdy"}, "field 'workflow': no workflow 'nbdy' (did you mean 'nbody'?); GET /v1/workflows lists all"),
        ({"workflow": "n body"}, "field 'workflow': \"n body\" found; a string of 1 to 40 characters like"),
        ({"input": {"submission": "", "seed": "x"}}, "field 'input': field 'seed': \"x\" found; int is expected"),
        ({"input": {"submission": ""}}, "field 'input': field 'seed' is missing; int is expected"),
        ({"input": {"submission": "", "seed": 1, "dtt": 1}}, "field 'input': unknown field 'dtt' (did you mean 'dt'?)"),
        ({"input": []}, "field 'input': [] found; an object is expected"),
        ({"source": "x"}, "unknown field 'source'"),
        ({"labels": {"workflow": "kernelbench"}}, "field 'labels.workflow': 'kernelbench'; it is 'nbody'"),
        ({"priority": "urgent"}, "field 'priority': \"urgent\" found"),
    ],
)
def test_what_is_wrong_is_named(fake: ServeProcess, fields: dict[str, Any], detail: str) -> None:
    body = {"workflow": "nbody", "input": {"submission": "", "seed": 1}, **fields}
    reply = fake.ask("POST", "/v1/evaluations", body)
    assert reply.status == 422 and reply.headers["content-type"] == "application/problem+json" and detail in reply.json()["detail"], reply
    batch = fake.ask("POST", "/v1/evaluations:batch", {"evaluations": [body]})
    told = batch.json()["detail"] if batch.status == 422 else batch.json()["evaluations"][0]["error"]["detail"]
    assert detail.removeprefix("field '").removeprefix("unknown field '") in told


def test_the_client_says_what_is_refused(fake: ServeProcess) -> None:
    with Client(fake.url, fake.token) as client:
        with pytest.raises(Refused, match="no workflow 'nbdy'") as unknown:
            client.run_workflow("nbdy", {})
        assert (unknown.value.status, unknown.value.type) == (422, "invalid")
        with pytest.raises(Refused, match="field 'seed': 1.5 found; int is expected"):
            client.submit_workflow("nbody", {"submission": "", "seed": 1.5})


def test_runs_and_evaluations_go_in_one_batch(fake: ServeProcess) -> None:
    mixed: list[Any] = [submission(), {"workflow": "nbody", "input": {"submission": "", "seed": 1}}, {"workflow": "nbody", "input": {}}]
    with Client(fake.url, fake.token) as client:
        done = client.evaluate_many(mixed)
    assert [(one.state, one.workflow) for one in done] == [("done", None), ("done", "nbody"), ("refused", None)]
    assert done[0].verdict is not None and done[0].report is None and done[1].verdict is None and done[1].report is not None


def test_each_has_its_own_artefacts(fake: ServeProcess) -> None:
    assert fake.ask("POST", "/v1/evaluations?wait=60", {"id": "w", "workflow": "nbody", "input": {"submission": "ü", "seed": 1}}).json()["outcome"] == "ok"
    assert fake.ask("POST", "/v1/evaluations?wait=60", submission(id="e")).json()["outcome"] == "ok"
    assert fake.ask("GET", "/v1/evaluations/w/artefacts/input").json() == {"submission": "ü", "seed": 1, "bodies": 24, "dt": 0.005, "steps": 200}
    for path, says in (("w/artefacts/source", "'w' is a run of workflow 'nbody'"), ("w/artefacts/replay", "neither a source nor a verdict"),
                       ("e/artefacts/input", "'e' is an evaluation"), ("w/steps/scene/files/x", "it has no step 'scene'"), ("x/artefacts/input", "no evaluation 'x'")):  # fmt: skip
        reply = fake.ask("GET", f"/v1/evaluations/{path}")
        assert reply.status == 404 and says in reply.json()["detail"], path


def test_without_a_folder_there_is_none(tmp_path: Path) -> None:
    with serving(tmp_path, "--fake-lanes", "1") as server:
        assert server.ask("GET", "/v1/workflows").json() == {"workflows": []}
        reply = server.ask("POST", "/v1/evaluations", {"workflow": "nbody"})
        assert reply.status == 422 and "this server has none; its judge.extensions names their folder" in reply.json()["detail"]
        reply = server.ask("POST", "/v1/evaluations", submission(labels={"workflow": "nbody"}))
        assert reply.status == 422 and "field 'labels.workflow': 'nbody'; it is for runs of workflows" in reply.json()["detail"]


def test_an_unsound_folder_is_refused_at_start(tmp_path: Path) -> None:
    (tmp_path / "workflows").mkdir()
    write(tmp_path / "workflows", "w.yaml", "name: w\ninput: {n: itn}\nsteps: []\n")
    ended = kgym("serve", "--data", tmp_path / "data", "--port", "0", "--set", f"judge.extensions={tmp_path}")
    assert ended.code == 2 and "w.yaml: input.n: " in ended.err and "'itn'" in ended.err, ended


def test_openapi_names_them(fake: ServeProcess) -> None:
    document = fake.ask("GET", "/openapi.json").json()
    schemas = document["components"]["schemas"]
    assert [one["$ref"].rpartition("/")[2] for one in schemas["Submission"]["oneOf"]] == ["EvaluationSubmission", "WorkflowSubmission"]
    assert schemas["WorkflowSubmission"]["properties"]["workflow"]["enum"] == ["kernelbench", "nbody"]
    assert {"/v1/workflows", "/v1/evaluations/{id}/steps/{step}/files/{name}"} <= set(document["paths"])


# --- Runs that are ended, and lanes that come and go

SLOW = '''
import threading
from dataclasses import dataclass
from pathlib import Path

class Slow:
    """Ends when it is told to, which is at once or never."""
    @dataclass
    class Input:
        end: bool
    @dataclass
    class Output:
        ended: bool
    def run(self, input: Input, workspace: Path) -> Output:
        if not input.end:
            threading.Event().wait()
        return self.Output(True)
'''
CHAIN = """name: chain
input: {end: bool}
steps:
- {name: first, toolkit: slow, input: {end: true}}
- {name: second, toolkit: slow, input: {end: "${input.end}"}, measure: true}
- {name: third, toolkit: slow, input: {end: "${steps.second.output.ended}"}}
output: {ended: "${steps.third.output.ended}"}
"""


def chain(folder: Path) -> tuple[str, str]:
    (folder / "toolkits").mkdir()
    (folder / "workflows").mkdir()
    write(folder, "toolkits/slow.py", SLOW)
    write(folder, "workflows/chain.yaml", CHAIN)
    return "--set", f"judge.extensions={folder}"


def await_step(server: ServeProcess, task: str, attempt: int = 1) -> None:
    stream = iter(Events(server, f"/v1/evaluations/{task}/events"))
    for name, event in stream:
        if name.startswith("step:") and event["attempt"] == attempt:
            stream.close()  # type: ignore[attr-defined]
            return
    raise AssertionError(f"no step of {task} began")


def test_cancel_and_a_crash_in_the_middle_of_a_run(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    with serving(tmp_path / "data", *chain(tmp_path)) as server:
        for task in ("cancelled", "crashed"):
            server.ask("POST", "/v1/evaluations", {"id": task, "workflow": "chain", "input": {"end": False}, "max_attempts": 2, "dedup": False})
            await_step(server, task)
            if task == "cancelled":
                assert server.ask("DELETE", "/v1/evaluations/cancelled").json()["state"] == "cancelled"
        server.kill()
        server.start()  # On the same port: no process that the killed one had started holds it.
        await_step(server, "crashed", attempt=2)
        assert server.ask("DELETE", "/v1/evaluations/crashed").json()["state"] == "cancelled"
        after = server.ask("POST", "/v1/evaluations?wait=60", {"workflow": "chain", "input": {"end": True}}).json()
        assert after["outcome"] == "ok" and after["report"]["output"] == {"ended": True}, after


@pytest.mark.parametrize("redis", [False, pytest.param(True, marks=pytest.mark.skipif(not HAS_REDIS, reason="no redis-server"))])
def test_a_worker_that_has_it_runs_it(tmp_path: Path, redis: bool) -> None:
    """A server without lanes knows what it takes; it waits until somebody comes who has it."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "site").mkdir()
    folder = chain(tmp_path / "folder")
    with site(tmp_path / "site", redis, *folder) as place:
        server = place.server
        place.work("without", "--set", "judge.pool=1")
        until(server, lambda view: states(view) == {"without": "ready"})
        server.ask("POST", "/v1/evaluations", {"id": "w", "workflow": "chain", "input": {"end": True}})
        events = iter(Events(server, "/v1/evaluations/w/events"))
        why = next(event["waits_for"] for _, event in events if event.get("waits_for"))
        assert why.startswith("no lane has workflow=chain; there are: backend="), why
        place.work("with", "--set", "judge.pool=1", *folder)
        _, end = list(events)[-1]
        assert (end["state"], end["outcome"], end["worker"], end["attempt"]) == ("done", "ok", "with", 1), end
        assert end["report"]["output"] == {"ended": True} and end["waits_for"] is None
