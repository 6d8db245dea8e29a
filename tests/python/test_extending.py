"""Extensions: the example folder and docs/extending.md as they stand, what is refused at start, and submissions in a toolkit that are hostile. Needs KGYM,
the built binary, but for the tests of the runner's own part."""
from __future__ import annotations

import json
import os
import re
import shlex
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Optional

import pytest
import stand_ins
import torch
from cli import PROBLEM, ROOT, TORCH_RELU, Ended, kgym, needs_binary, write
from serve_process import serving

from kgym_runner import backends, toolkit
from kgym_runner.backends import Context, declared
from kgym_runner.wire import Failure

EXAMPLE = ROOT / "examples" / "extending"
DOCS = (ROOT / "docs" / "extending.md").read_text()
WITH_EXAMPLE = ("--set", f"judge.extensions={EXAMPLE}")
QUICK = ("--set", "timing.enabled=false", "--set", "correctness.sets=2", "--set", "judge.pool=1")
SMALL = ("--field", "bodies=10", "--field", "steps=40", "--field", "seed=3")


def nbody(submission: str, *more: str | Path) -> Ended:
    return kgym("workflow", "run", EXAMPLE / "workflows/nbody.yaml", "--field", f"submission=@{EXAMPLE / 'submissions' / submission}", *SMALL, "--json", *more)


# --- The documentation


def test_the_documentation_shows_the_files_of_the_example() -> None:
    shown = re.findall(r"^`examples/extending/(\S+)`:\n+```\w*\n(.*?)^```$", DOCS, re.MULTILINE | re.DOTALL)
    assert {path.split("/")[0] for path, _ in shown} == {"backends", "toolkits", "workflows", "submissions"}
    for path, text in shown:
        assert text == (EXAMPLE / path).read_text(), path


@needs_binary
def test_the_commands_of_the_documentation_work(tmp_path: Path) -> None:
    commands = re.findall(r"^    kgym (.*)$", DOCS, re.MULTILINE)
    assert len(commands) >= 4
    for command in commands:
        ended = kgym(*[word.replace("out/", f"{tmp_path}/out/") for word in shlex.split(command, comments=True)])
        assert ended.code == 0, (command, ended)


# --- The example


@needs_binary
def test_an_accurate_simulation_has_a_speedup_and_its_files(tmp_path: Path) -> None:
    ended = nbody("leapfrog.py", "--artefacts", tmp_path / "out")
    assert ended.code == 0, ended
    run = ended.json()
    assert run["schema"] == "kgym.workflow/1" and run["outcome"] == "ok"
    assert run["output"]["accurate"] and run["output"]["error"] < 1e-5 and run["output"]["speedup"] > 0
    steps = {step["name"]: step for step in run["steps"]}
    assert [s["state"] for s in run["steps"]] == ["ok"] * 5
    assert steps["simulate"]["cpu_ms"] > 0 and steps["simulate"]["wall_ms"] == run["output"]["wall_ms"] > 0
    assert steps["simulate"]["artefacts"][0]["name"] == "path_of_first.csv"
    for step in ("simulate", "baseline"):
        assert len((tmp_path / "out" / step / "path_of_first.csv").read_text().splitlines()) == 41
    assert len(run["provenance"]["extensions"]) == 16


@needs_binary
def test_an_inaccurate_simulation_has_none() -> None:
    run = nbody("euler.py").json()
    assert run["outcome"] == "ok" and not run["output"]["accurate"] and run["output"]["speedup"] is None


@needs_binary
def test_a_submission_that_fails_ends_what_needs_it(tmp_path: Path) -> None:
    broken = write(tmp_path, "broken.py", "def step(mass, position, velocity, dt):\n    return position, velocity[1 / 0]\n")
    ended = nbody(str(broken))
    run = ended.json()
    steps = {step["name"]: step for step in run["steps"]}
    assert ended.code == 1 and run["outcome"] == steps["simulate"]["outcome"] == "fail:runtime"
    assert "submission.py" in steps["simulate"]["evidence"]["traceback"]
    assert steps["reference"]["state"] == "ok"
    assert steps["score"] | {"state": "skipped", "reason": "step 'simulate', which it needs, failed"} == steps["score"]
    assert run["output"]["accurate"] is None


@needs_binary
def test_a_workflow_may_evaluate(tmp_path: Path) -> None:
    fields = ("--field", f"reference_code=@{write(tmp_path, 'problem.py', PROBLEM)}", "--field", "backend=cpp", "--field", f"kernel_code=@{write(tmp_path, 'relu.py', TORCH_RELU)}")
    ended = kgym("workflow", "run", "kernelbench", *fields, *WITH_EXAMPLE, *QUICK, "--json")
    assert ended.json()["output"] | {"correctness": False, "outcome": "rejected:reference-call", "speedup": None} == ended.json()["output"]


@needs_binary
def test_a_declared_backend_is_judged_like_any_other(tmp_path: Path) -> None:
    def judged(submission: Path) -> dict[str, Any]:
        return kgym("eval", "level1/relu", submission, "--backend", "c", *WITH_EXAMPLE, *QUICK, "--size", "rows=64", "--json").json()
    verdict = judged(EXAMPLE / "submissions/relu.c")
    assert verdict["outcome"] == "ok" and verdict["own_work"]["kernels"] == {"kernel": "extension"}
    assert judged(write(tmp_path, "wrong.c", "void kernel(const float* x, float* y, long n) { for (long i = 0; i < n; ++i) y[i] = x[i]; }"))["outcome"] in (
        "fail:numerical", "rejected:no-work")
    other = judged(write(tmp_path, "other.c", "int main(void) { return 0; }"))
    assert other["outcome"] == "fail:format" and "void kernel(const float* x, float* y, long n) is expected" in other["reason"]
    broken = judged(write(tmp_path, "broken.c", "void kernel(const float* x, float* y, long n) {\n  y[0] = z;\n}\n"))
    assert broken["outcome"] == "fail:compile" and "'z'" in broken["reason"]


@needs_binary
def test_a_declared_backend_is_listed() -> None:
    assert kgym("doctor", "--json", *WITH_EXAMPLE).json()["backends"]["c"] == {
        "needs_build": True, "speed": True, "limit_scale": 1.0, "runs": True, "missing": [],
        "description": "Plain C. `void kernel(const float* x, float* y, long n)` computes y from x, element by element."}
    assert "known: cpp, triton, cuda, cupy, tilelang, cutlass, c" in kgym("eval", "level1/relu", EXAMPLE / "submissions/relu.c", "--backend", "d", *WITH_EXAMPLE).err


@needs_binary
def test_a_server_judges_with_a_declared_backend(tmp_path: Path) -> None:
    body = {"problem": "level1/relu", "backend": "c", "source": (EXAMPLE / "submissions/relu.c").read_text(), "sizes": {"rows": 16}, "config": {"timing.enabled": False}}
    with serving(tmp_path, *WITH_EXAMPLE) as server:
        one = server.ask("POST", "/v1/evaluations?wait=600", body).json()
        assert one["outcome"] == "ok", one


# --- What is refused


@needs_binary
def test_workflows_are_listed_and_checked() -> None:
    rows = kgym("workflow", "list", *WITH_EXAMPLE, "--json").lines()
    assert [row["name"] for row in rows] == ["kernelbench", "nbody"] and rows[1]["input"]["seed"] == "int"
    checked = kgym("workflow", "check", EXAMPLE / "workflows/nbody.yaml")
    assert checked.code == 0 and "nbody: sound, 5 steps" in checked.out and "score (score) after scene, simulate, baseline, reference" in checked.out



TOOLKIT = '''
from dataclasses import dataclass
from pathlib import Path

class Free:
    @dataclass
    class Input:
        code: str
        seed: {seed} = 0
    @dataclass
    class Output:
        x: float
    def run(self, input: Input, workspace: Path) -> Output:
        names = {{"Output": self.Output, "workspace": workspace}}
        exec(input.code, names)
        return names["result"]
'''
WORKFLOW = "name: w\ninput: {{n: int}}\nsteps:\n- {{name: a, toolkit: {toolkit}, input: {{code: {code}}}}}\noutput: {{x: '${{steps.a.output.{field}}}'}}\n"


def folder(tmp_path: Path, *, seed: str = "int", toolkit_source: str = "", workflow: str = "", **files: str) -> Path:
    for name in ("backends", "toolkits", "workflows"):
        (tmp_path / name).mkdir(exist_ok=True)
    write(tmp_path, "toolkits/free.py", toolkit_source or TOOLKIT.format(seed=seed))
    write(tmp_path, "workflows/w.yaml", workflow or WORKFLOW.format(toolkit="free", code="x", field="x"))
    for name, text in files.items():
        write(tmp_path, "backends/" + name.replace("_yaml", ".yaml").replace("_py", ".py"), text)
    return tmp_path


@needs_binary
@pytest.mark.parametrize(
    ("what", "code", "message"),
    [
        ({"toolkit_source": "x = 1\n"}, 3, "toolkits/free.py: 0 classes with a method run; one is expected"),
        ({"toolkit_source": "x = \n"}, 3, "toolkits/free.py: line 1: invalid syntax"),
        ({"toolkit_source": "import no_such_module\n"}, 3, "toolkits/free.py: ModuleNotFoundError: No module named 'no_such_module'"),
        ({"toolkit_source": "class A:\n    def run(self): ...\n"}, 3, "class A has no dataclass Input; one is expected"),
        ({"seed": "complex"}, 3, "Free.Input.seed: type <class 'complex'>; int, float, str, bool, bytes, Any, list[T]"),
        ({"workflow": WORKFLOW.format(toolkit="fre", code="x", field="x")}, 3, "step 'a': no toolkit 'fre' (did you mean 'free'?)"),
        ({"workflow": WORKFLOW.format(toolkit="free", code="3", field="x")}, 3, "step 'a': input 'code': 3 found; str is expected"),
        ({"workflow": WORKFLOW.format(toolkit="free", code="x", field="y")}, 3, "output.x: ${steps.a.output.y}: no field 'y'"),
        ({"workflow": "name: v\n"}, 2, "workflows/w.yaml: name: \"v\" found; the file's own, 'w', is expected"),
        ({"workflow": "name: [\n"}, 2, "workflows/w.yaml:"),
        ({"c_yaml": "name: c\ndevices: [tpu]\n"}, 2, "backends/c.yaml: devices: [\"tpu\"] found; a list of cpu and cuda is expected"),
        ({"cpp_yaml": "name: cpp\ndevices: [cpu]\n"}, 3, "backends/cpp.yaml: name: 'cpp' is a built-in backend; another name is expected"),
        ({"c_yaml": "name: c\ndevices: [cpu]\nadapter: c.py\n", "c_py": "def instal(context): ...\n"}, 3, "c.py: it defines neither install(context) nor translate(source)"),
        ({"c_yaml": "name: c\ndevices: [cpu]\nadapter: c.py\n", "c_py": "def install(context) ...\n"}, 3, "backends/c.py:1: "),
        ({"c_yaml": "name: c\ndevices: [cpu]\nadapter: c.py\n", "c_py": "raise ValueError('no')\ndef install(context): ...\n"}, 3, "backends/c.py: ValueError: no"),
    ],
)
def test_an_unsound_folder_is_refused_at_start(tmp_path: Path, what: dict[str, str], code: int, message: str) -> None:
    ended = kgym("workflow", "check", "--set", f"judge.extensions={folder(tmp_path, **what)}")
    assert ended.code == code and message in ended.err, ended


@needs_binary
def test_wrong_input_is_refused(tmp_path: Path) -> None:
    def refused(*more: str | Path) -> str:
        ended = kgym("workflow", "run", EXAMPLE / "workflows/nbody.yaml", *more, *QUICK)
        assert ended.code == 2 and ended.out == "", ended
        return ended.err
    assert "workflow 'nbody': field 'submission' is missing; str is expected" in refused("--field", "seed=1")
    assert "--field: workflow 'nbody' has no input 'sed' (did you mean 'seed'?)" in refused("--field", "sed=1")
    assert "field 'seed': \"x\" found; int is expected" in refused("--input", write(tmp_path, "i.json", '{"submission": "", "seed": "x"}'))
    assert kgym("workflow", "run", "w", "--set", "judge.extensions=docs").err.startswith("kgym: config: judge.extensions is 'docs'; a folder that holds")
    assert "no workflow 'nbdy' (did you mean 'nbody'?)" in kgym("workflow", "run", "nbdy", *WITH_EXAMPLE).err
    assert "workflow: list, check or run is expected" in kgym("workflow").err


# --- Hostile submissions in a toolkit

MAILBOX = '''
import json, os, sys
frame, found = sys._getframe(), {}
while frame is not None:
    found.update({n: frame.f_locals[n] for n in ("channel", "message") if n in frame.f_locals and n not in found})
    frame = frame.f_back
box, nonce = found["channel"]._socket, found["message"]["nonce"]
'''
FORGED = "rejected:result-forgery"
# Code that a toolkit runs, and what becomes of its step.
HOSTILE: dict[str, tuple[str, str]] = {
    "honest": ("result = Output(2)", "ok"),
    "ends": ("import os; os._exit(0)", "fail:crash"),
    "exits": ("raise SystemExit(0)", "fail:crash"),
    "dies": ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "fail:crash"),
    "raises": ("1 / 0", "fail:runtime"),
    "loops": ("while True: pass", "fail:timeout"),
    "takes_memory": ("result = bytearray(1 << 40)", "fail:oom"),
    "large_output": ("result = Output('x' * (100 << 20))", "fail:shape"),
    "gigabyte_of_output": ("result = Output('x' * (1 << 30))", "fail:oom"),
    "other_type": ("result = Output('two')", "fail:shape"),
    "not_finite": ("result = Output(float('nan'))", "fail:shape"),
    "other_class": ("result = 2.0", "fail:shape"),
    "deep": ("x = []\nfor _ in range(5000): x = [x]\nresult = Output(x)", "fail:shape"),
    "other_fields": ("Output.__annotations__ = {}; result = Output(1); result.__dict__.clear()", "fail:shape"),
    "many_files": ("[open(workspace / str(i), 'w').close() for i in range(40)]; result = Output(1)", "fail:shape"),
    "large_files": ("open(workspace / 'a', 'wb').truncate(65 << 20); result = Output(1)", "fail:shape"),
    "named_files": ("open(workspace / 'a b', 'w').close(); result = Output(1)", "fail:shape"),
    "links": ("import os; os.symlink('/etc/passwd', workspace / 'a'); os.mkfifo(workspace / 'b'); result = Output(1)", "ok"),
    "random_bytes": (MAILBOX + "box.send(os.urandom(100)); import threading; threading.Event().wait()", FORGED),
    "wrong_nonce": (MAILBOX + "box.send(json.dumps({'ok': True, 'nonce': 'x', 'files': []}).encode())", FORGED),
    "no_descriptors": (MAILBOX + "box.send(json.dumps({'ok': True, 'nonce': nonce, 'files': []}).encode())", FORGED),
    "forged_times": (MAILBOX + "box.send(json.dumps({'ok': True, 'nonce': nonce, 'files': [], 'wall_ms': 0, 'cpu_ms': 0, 'outcome': 'ok'}).encode())", FORGED),
    "kind_of_the_judge": (MAILBOX + "box.send(json.dumps({'ok': False, 'nonce': nonce, 'kind': 'infra', 'message': 'again'}).encode())", FORGED),
    "floods_output": ("print('x' * (10 << 20)); result = Output(1)", "ok"),
    "leaves_others": ("import os\nif os.fork() == 0:\n    os.setsid()\n    while True: pass\nresult = Output(1)", "ok"),
    "reads_memory": ("open('/proc/{pid}/mem', 'rb').read(1); result = Output(1)", "fail:runtime"),
    "reads_the_folder": ("open('{folder}/toolkits/free.py').read(); result = Output(1)", "fail:runtime"),
    "network": ("import socket; socket.create_connection(('127.0.0.1', 22)); result = Output(1)", "fail:runtime"),
    "honest_again": ("result = Output(2)", "ok"),
}


@needs_binary
def test_hostile_submissions_end_with_their_step(tmp_path: Path) -> None:
    steps = [{"name": name, "toolkit": "free", "limit": "3s", "input": {"code": code.replace("{pid}", str(os.getpid())).replace("{folder}", str(tmp_path)) + "\n"}}
             for name, (code, _) in HOSTILE.items()]
    folder(tmp_path, workflow=json.dumps({"name": "w", "steps": steps, "output": {"x": "${steps.honest_again.output.x}"}}))
    ended = kgym("workflow", "run", "w", "--set", f"judge.extensions={tmp_path}", "--set", "limits.memory=512", "--json")
    run = ended.json()
    found = {step["name"]: step for step in run["steps"]}
    assert {name: step["outcome"] for name, step in found.items()} == {name: outcome for name, (_, outcome) in HOSTILE.items()}
    assert ended.code == 1 and run["output"] == {"x": 2}
    for step in found.values():
        assert step["wall_ms"] > 0 and len(step["log"]) < 64 << 10
        assert (step["reason"] == "") == (step["state"] == "ok") and len(step["reason"]) < 8192
    assert found["not_finite"]["reason"] == "field 'x': nan found; a finite number is expected"
    assert found["other_type"]["reason"] == "its output: field 'x': \"two\" found; float is expected"
    assert "at most 4194304" in found["large_output"]["reason"]
    assert found["loops"]["reason"].startswith("it did not finish step 'loops': no answer to 'step' within 3")
    assert found["loops"]["cpu_ms"] > 1 and found["links"]["artefacts"] == []


# --- The runner's own part


@pytest.mark.parametrize(("hint", "text"), [
    (int, "int"), (Any, "json"), (bytes, "bytes"), (list[float], "list[float]"), (dict[str, list[int]], "dict[str, list[int]]"),
    (Optional[str], "str | None"), (None | bool, "bool | None"), (list[int | None], "list[int | None]")])
def test_types_are_spelt_as_the_judge_reads_them(hint: Any, text: str) -> None:
    assert toolkit.spell(hint) == text


@pytest.mark.parametrize("hint", [list, dict, dict[int, int], complex, int | str, tuple[int, int], set[int]])
def test_other_types_are_refused(hint: Any) -> None:
    with pytest.raises(ValueError, match="are known"):
        toolkit.spell(hint)


def test_values_go_and_come_back() -> None:
    value, hint = {"a": [b"\x00\xff", None]}, dict[str, list[Optional[bytes]]]
    assert toolkit.decode(json.loads(json.dumps(toolkit.encode(value, "x"))), hint) == value
    assert type(toolkit.decode(3, float)) is float and type(toolkit.decode(3, Optional[float])) is float
    with pytest.raises(ValueError, match=r"field 'x\[1\]': inf found"):
        toolkit.encode([1.0, float("inf")], "x")
    with pytest.raises(ValueError, match="a Tensor found"):
        toolkit.encode(torch.zeros(1), "x")


def test_a_toolkit_is_run_as_the_judge_asks() -> None:
    host = toolkit.Toolkits()
    told = host.op_toolkit({"name": "free", "path": "free.py"}, [stand_ins.file_of(TOOLKIT.format(seed="int").encode())])
    assert told == {"description": "", "input": {"code": "str", "seed": {"type": "int", "default": 0}}, "output": {"x": "float"}}
    with pytest.raises(Failure) as failed:
        host.op_step({}, [stand_ins.file_of(json.dumps({"code": "result = {}[1]", "seed": 1}).encode())])
    assert failed.value.kind == "runtime" and failed.value.message == "KeyError: 1"


def test_declared_kernels_are_tracked_without_an_adapter(monkeypatch: pytest.MonkeyPatch) -> None:
    class Kernel:
        def __init__(self, name: str):
            self.name = name

        def __call__(self, x: int) -> int:
            return x + 1
    monkeypatch.setitem(sys.modules, "made_up_jit", SimpleNamespace(Kernel=Kernel))
    monkeypatch.setattr(backends, "_DECLARED", {})
    declared.declare([{"name": "made_up", "path": "made_up.yaml", "needs_build": False, "packages": ["no_such"], "devices": ["cpu"], "speed_on": [], "adapter": None, "description": "",
                       "tools": ["no-such-tool"], "time_scale": {"cpu": 2}, "kernels": [{"module": "made_up_jit", "class": "Kernel"}, {"module": "absent", "class": "K"}]}])
    backend = backends.backend("made_up")
    assert backend.missing() == ["no_such", "no-such-tool"] and backend.limit_scale("cpu") == 2 and not backend.measures_speed("cpu")
    context = Context(mode="run", private_dir="/tmp")
    backend.install(context)
    entered: list[str] = []
    context.calls.observer = SimpleNamespace(enter=lambda name, args, kwargs: entered.append(name), leave=lambda name, result, error: None)
    assert Kernel("add")(1) == 2
    assert context.calls.kernels == {"add": "made_up"} and context.calls.launches["add"] == 1 and entered == ["add"]
